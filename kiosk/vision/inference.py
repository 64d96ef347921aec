"""One ONNX network on one device. Alone imports onnxruntime.

In: an array. Out: the network's outputs, checked finite. What really runs is read back after loading:
onnxruntime answers a request for CUDA with a CPU session and no error (onnxruntime#23372).
"""

from __future__ import annotations

import contextlib
import io
import logging
import re
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime

from kiosk.errors import InferenceError, ModelError
from kiosk.sections import InferenceConfig
from kiosk.vision import providers

log = logging.getLogger(__name__)

Array = npt.NDArray[Any]
_FATAL = 4  # onnxruntime's log level: what matters is raised or read back, and reaches one log
# onnxruntime 1.31 merges a Pad of zeros into the MaxPool behind it, which pads with minus infinity: BiT then
# answers half of all pictures wrongly (measured; right in 1.32).
_WRONG_OPTIMISERS = ["Pad_Fusion"]
# Weights in a second file would escape the digest; onnxruntime looks for them here and finds nothing.
_NO_FOLDER = "/nonexistent"
# As onnxruntime's arena, CUDA, cuDNN, cuBLAS and the C++ library say it.
_OUT_OF_MEMORY = re.compile(r"[Ff]ailed to allocate memory|out of memory|ALLOC(ATION)?_FAILED|bad_alloc")


class Session:
    """A loaded network with one input."""

    def __init__(
        self, model: bytes, name: str, device: str, config: InferenceConfig, *, build_engines: bool = False
    ) -> None:
        """Load `model`, called `name` in messages, on a `device` of the configuration.

        Raises ModelError for what is no network, InferenceError where a GPU is required and does not run it.
        """
        if device == "tensorrt" and config.gpu != "off" and not (build_engines or providers.has_engines()):
            raise InferenceError(
                f"{name}: no TensorRT engine was built for this machine; run: kiosk bench --build-engines"
            )
        wanted = providers.wanted(device, config, build_engines=build_engines)
        not_loaded = _preload_cuda() if len(wanted) > 1 else []
        try:
            with warnings.catch_warnings():
                # That a provider is not in this build: which one runs is read back below.
                warnings.simplefilter("ignore", UserWarning)
                self._session = onnxruntime.InferenceSession(
                    model,
                    _options(config),
                    providers=providers.as_argument(wanted),
                    disabled_optimizers=_WRONG_OPTIMISERS,
                )
        except Exception as error:
            raise ModelError(f"{name}: onnxruntime cannot load it: {_first_line(error)}") from error
        self.name = name
        self.device = providers.NAMES[self._session.get_providers()[0]]
        """cpu, cuda or tensorrt: what really runs."""
        if self.device != providers.NAMES[wanted[0][0]]:
            self._miss_gpu(device, config, not_loaded)
        inputs = self._session.get_inputs()
        if len(inputs) != 1:
            raise ModelError(f"{name}: must have one input, not {len(inputs)}")
        self.input = inputs[0]
        self.outputs = tuple(output.name for output in self._session.get_outputs())
        self.metadata: dict[str, str] = dict(self._session.get_modelmeta().custom_metadata_map)
        self._cuda_graph = config.cuda_graph and self.device == "cuda"
        self._bindings: dict[tuple[int, ...], Binding] = {}
        self._was_out_of_memory = False

    def run(self, array: Array) -> tuple[Array, ...]:
        """The outputs for one input. Raises InferenceError where it fails or an output is not finite.

        Where memory is short the network is run again, once in the life of the session.
        """
        try:
            outputs = self._run_patiently(array)
        except Exception as error:
            raise InferenceError(f"{self.name}: inference failed: {_first_line(error)}") from error
        # argmax of NaN is class 0: a broken network must not go on naming people.
        if not all(np.isfinite(output).all() for output in outputs):
            raise InferenceError(f"{self.name}: the network's answer is not finite")
        return outputs

    def _run_patiently(self, array: Array) -> tuple[Array, ...]:
        try:
            return self.run_unchecked(array)
        except Exception as error:
            # Another program may have let go of its memory, and what was not allocated broke nothing. After
            # any other error of a GPU all that follows fails or is wrong (onnxruntime#26312, #10343).
            if self._was_out_of_memory or not _OUT_OF_MEMORY.search(str(error)):
                raise
            self._was_out_of_memory = True
            log.warning("%s: out of memory; tried again, this once", self.name)
            return self.run_unchecked(array)

    def run_unchecked(self, array: Array) -> tuple[Array, ...]:
        """The bare run, for measuring what the checks cost."""
        if self.device == "cpu":
            return self.run_unbound(array)
        binding = self._bindings.get(array.shape)
        if binding is None:
            graph = len(self._bindings) + 1 if self._cuda_graph else None
            binding = self._bindings[array.shape] = self.bind(array, graph)
        return binding.run(array)

    def run_unbound(self, array: Array) -> tuple[Array, ...]:
        """A run with buffers of its own, which onnxruntime copies from and to the device."""
        return tuple(self._session.run(None, {self.input.name: array}))

    def bind(self, array: Array, graph: int | None = None) -> Binding:
        """Buffers for inputs of one shape; `graph` numbers the CUDA graph to capture, from 1."""
        device = "cpu" if self.device == "cpu" else "cuda"
        return Binding(self._session, self.input.name, self.outputs, array, device, graph)

    def _miss_gpu(self, device: str, config: InferenceConfig, not_loaded: list[str]) -> None:
        version = onnxruntime.__version__
        lack = providers.missing_for_gpu(onnxruntime.get_available_providers(), version, not_loaded)
        if config.gpu == "required":
            raise InferenceError(
                f"{self.name}: must run on the GPU (inference.gpu: required), but runs on the {self.device}. "
                f"{lack}"
            )
        # Where nobody asked for a GPU by name its absence is no news.
        level = logging.DEBUG if device == "auto" else logging.WARNING
        log.log(level, "%s: runs on the %s. %s", self.name, self.device, lack)


class Binding:
    """Buffers on the device for one shape of input, used again and again (onnxruntime's IOBinding)."""

    def __init__(
        self,
        session: Any,
        input_name: str,
        output_names: tuple[str, ...],
        array: Array,
        device: str,
        graph: int | None,
    ) -> None:
        """`graph` numbers the CUDA graph that is captured for this shape, from 1; None for none."""
        self._session = session
        self._io = session.io_binding()
        self._options = onnxruntime.RunOptions()
        self._options.add_run_config_entry("gpu_graph_id", "-1" if graph is None else str(graph))
        self._input = onnxruntime.OrtValue.ortvalue_from_numpy(array, device, 0)
        self._io.bind_ortvalue_input(input_name, self._input)
        self._outputs = []
        for name, value in zip(output_names, self._first_run(output_names, device), strict=True):
            buffer = onnxruntime.OrtValue.ortvalue_from_shape_and_type(
                list(value.shape()), np.float32, device, 0
            )
            self._io.bind_ortvalue_output(name, buffer)
            self._outputs.append(buffer)

    def run(self, array: Array) -> tuple[Array, ...]:
        """The outputs, on the host."""
        self._input.update_inplace(np.ascontiguousarray(array))
        self._session.run_with_iobinding(self._io, self._options)
        return tuple(output.numpy() for output in self._outputs)

    def _first_run(self, output_names: tuple[str, ...], device: str) -> list[Any]:
        """Tells the shapes of the outputs; not captured, for its buffers are not the ones kept."""
        for name in output_names:
            self._io.bind_output(name, device)
        options = onnxruntime.RunOptions()
        options.add_run_config_entry("gpu_graph_id", "-1")
        self._session.run_with_iobinding(self._io, options)
        return list(self._io.get_outputs())


def runtime() -> str:
    """Name and version of what runs the networks."""
    return f"onnxruntime {onnxruntime.__version__}"


def _options(config: InferenceConfig) -> Any:
    onnxruntime.set_default_logger_severity(_FATAL)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = _FATAL
    options.inter_op_num_threads = 1
    options.intra_op_num_threads = providers.threads(config)
    # To wake a thread for each of the seventy layers takes as long as it saves, so several wait actively, but
    # only while a run lasts: by default they go on for many milliseconds and take the screen's core.
    options.add_session_config_entry("session.intra_op.allow_spinning", "1")
    options.add_session_config_entry("session.force_spinning_stop", "1")
    # Without VNNI the sums of int8 products saturate, and every fifth answer changes; fp32 is not concerned.
    options.add_session_config_entry("session.x64quantprecision", "1")
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", _NO_FOLDER)
    return options


def _preload_cuda() -> list[str]:
    """Load the CUDA and cuDNN libraries of the pip packages; the names of those that cannot be loaded."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        onnxruntime.preload_dlls(directory="")
    return providers.libraries_not_loaded(printed.getvalue())


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
