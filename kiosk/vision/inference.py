"""One ONNX network on one device. Alone imports onnxruntime.

In: an array. Out: the network's outputs, checked finite. What really runs is read back after loading:
onnxruntime answers a request for CUDA with a CPU session and no error (onnxruntime#23372).
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime

from kiosk.config import InferenceConfig
from kiosk.errors import InferenceError, ModelError

log = logging.getLogger(__name__)

Array = npt.NDArray[Any]
_FATAL = 4  # onnxruntime's log level: what matters is raised or read back, and reaches one log
_CUDA = {
    # DEFAULT can choose an algorithm fifty times slower than its best (PaddleOCR#17970).
    "cudnn_conv_algo_search": "HEURISTIC",
    # Otherwise the arena doubles with every new shape and never shrinks.
    "arena_extend_strategy": "kSameAsRequested",
}


class Session:
    """A loaded network with one input."""

    def __init__(self, model: bytes, name: str, config: InferenceConfig) -> None:
        """Load `model`, called `name` in messages.

        Raises ModelError for what is no network, InferenceError where the GPU is required and not there.
        """
        options = onnxruntime.SessionOptions()
        options.log_severity_level = _FATAL
        options.inter_op_num_threads = 1
        options.intra_op_num_threads = config.threads or max(1, (os.cpu_count() or 2) - 1)
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        onnxruntime.set_default_logger_severity(_FATAL)
        providers: list[Any] = ["CPUExecutionProvider"]
        if config.device != "cpu":
            _preload_cuda()
            providers.insert(0, ("CUDAExecutionProvider", _CUDA))
        try:
            with warnings.catch_warnings():
                # That a provider is not in this build: which one runs is read back below.
                warnings.simplefilter("ignore", UserWarning)
                self._session = onnxruntime.InferenceSession(model, options, providers=providers)
        except Exception as error:
            raise ModelError(f"{name}: onnxruntime cannot load it: {_first_line(error)}") from error
        self.name = name
        self.device = "cuda" if self._session.get_providers()[0] == "CUDAExecutionProvider" else "cpu"
        if config.device == "cuda" and self.device != "cuda":
            raise InferenceError(
                f"{name}: inference.device is cuda, but it runs on the CPU. Is there an NVIDIA "
                "driver (nvidia-smi), and was onnxruntime-gpu[cuda,cudnn] installed (extra 'gpu')?"
            )
        inputs = self._session.get_inputs()
        if len(inputs) != 1:
            raise ModelError(f"{name}: must have one input, not {len(inputs)}")
        self.input = inputs[0]
        self.outputs = tuple(output.name for output in self._session.get_outputs())
        self.metadata: dict[str, str] = dict(self._session.get_modelmeta().custom_metadata_map)

    def run(self, array: Array) -> tuple[Array, ...]:
        """The outputs for one input. Raises InferenceError where it fails or an output is not finite."""
        try:
            outputs = self._session.run(None, {self.input.name: array})
        except Exception as error:
            raise InferenceError(f"{self.name}: inference failed: {_first_line(error)}") from error
        # argmax of NaN is class 0: a broken network must not go on naming people.
        if not all(np.isfinite(output).all() for output in outputs):
            raise InferenceError(f"{self.name}: the network's answer is not finite")
        return tuple(outputs)


def _preload_cuda() -> None:
    """Load the CUDA and cuDNN libraries of the pip packages; onnxruntime prints what it misses."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        onnxruntime.preload_dlls(directory="")
    for line in printed.getvalue().splitlines():
        log.debug("onnxruntime: %s", line)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
