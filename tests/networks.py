"""Small networks that the tests build, with the project's contracts."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper


def classifier(
    classes: list[str],
    side: int = 224,
    elem_type: int = TensorProto.UINT8,
    outputs: int | None = None,
    metadata: dict[str, str] | None = None,
    nan: bool = False,
) -> bytes:
    """A classifier whose class c answers to the mean of channel c % 3 of the picture, times 1 + c // 3."""
    count = len(classes) if outputs is None else outputs
    weights = np.zeros((3, count), np.float32)
    for at in range(count):
        weights[at % 3, at] = 1 + at // 3
    if nan:
        weights[:] = np.nan
    nodes = [
        helper.make_node("Cast", ["images"], ["floats"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMean", ["floats", "axes"], ["means"], keepdims=0),
        helper.make_node("Div", ["means", "full"], ["shares"]),
        helper.make_node("MatMul", ["shares", "weights"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["probabilities"], axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "classifier",
        [helper.make_tensor_value_info("images", elem_type, ["N", side, side, 3])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["N", count])],
        [
            onnx.numpy_helper.from_array(np.array([1, 2], np.int64), "axes"),
            onnx.numpy_helper.from_array(np.array(255, np.float32), "full"),
            onnx.numpy_helper.from_array(weights, "weights"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    helper.set_model_props(model, {"classes": " ".join(classes)} if metadata is None else metadata)
    return model.SerializeToString()
