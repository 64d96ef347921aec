"""A float32 classifier in, an int8 one out.

Static quantisation in QDQ form: activations U8, weights S8 with one scale a channel, ranges measured on
pictures. Normalisation before, group norms within and the softmax behind the network stay float32: their
rounding would cost agreement and win no time.
"""

from __future__ import annotations

import contextlib
import logging
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

# Relu and Clip, so that what a convolution gives is measured behind them and not before. With sums and
# pooling as well it is no faster, and BiT's residual stream loses by it.
OPERATORS = ["Conv", "Gemm", "MatMul", "Relu", "Clip"]


class Reader(CalibrationDataReader):
    """Squares, one at a time."""

    def __init__(self, squares: Iterator[npt.NDArray[np.uint8]]) -> None:
        self._squares = squares

    def get_next(self) -> dict[str, npt.NDArray[np.uint8]] | None:
        """The next batch of one, or None at the end."""
        square = next(self._squares, None)
        return None if square is None else {"images": square[None]}


def quantise(content: bytes, squares: Iterator[npt.NDArray[np.uint8]], metadata: dict[str, str]) -> bytes:
    """`squares`: (224, 224, 3) uint8 RGB each."""
    with _quiet(), tempfile.TemporaryDirectory(prefix="quantise.") as folder:
        path = Path(folder) / "int8.onnx"
        quantize_static(
            onnx.load_from_string(content),
            path,
            Reader(squares),
            quant_format=QuantFormat.QDQ,
            op_types_to_quantize=OPERATORS,
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
        )
        model = onnx.load(path)
    model.producer_name, model.producer_version = "export_classifier.py", ""
    del model.metadata_props[:]
    helper.set_model_props(model, metadata)
    onnx.checker.check_model(model)
    quantised: bytes = model.SerializeToString(deterministic=True)
    return quantised


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without onnxruntime's advice on preparing the model, which is prepared."""
    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.ERROR)
    try:
        yield
    finally:
        root.setLevel(level)
