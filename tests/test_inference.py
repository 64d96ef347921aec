from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from kiosk.config import model_path
from kiosk.errors import InferenceError, ModelError
from kiosk.sections import DetectionConfig, InferenceConfig
from kiosk.vision import providers
from kiosk.vision.inference import Array, Binding, Session
from tests import networks

CPU = InferenceConfig(gpu="off", threads=1)
BLANK = np.zeros((1, 224, 224, 3), np.uint8)


def test_a_network_runs_and_says_where() -> None:
    session = Session(networks.classifier(["n1", "n2", "n3"]), "tiny", "cpu", CPU)
    (probabilities,) = session.run(BLANK)
    assert session.device == "cpu"
    assert session.metadata["classes"] == "n1 n2 n3"
    np.testing.assert_allclose(probabilities, 1 / 3, atol=1e-6)


def test_auto_takes_the_cpu_where_there_is_no_gpu() -> None:
    assert Session(networks.classifier(["n1", "n2"]), "tiny", "auto", InferenceConfig()).device in (
        "cpu",
        "cuda",
    )


def test_a_gpu_that_is_required_and_not_there_is_an_error_that_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # onnxruntime gives a CPU session to who asks for CUDA without a GPU; this hides a real one.
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(InferenceError, match=r"tiny: must run on the GPU"):
        Session(networks.classifier(["n1", "n2"]), "tiny", "cuda", InferenceConfig(gpu="required"))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>404</html>",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 102\n",
        networks.classifier(["n1", "n2"])[:-20],
    ],
    ids=["empty", "web page", "LFS pointer", "truncated"],
)
def test_what_is_no_network_is_an_error_in_one_line(content: bytes) -> None:
    with pytest.raises(ModelError, match=r"^tiny: [^\n]*$"):
        Session(content, "tiny", "cpu", CPU)


def test_an_answer_that_is_not_finite_is_an_error() -> None:
    session = Session(networks.classifier(["n1", "n2"], nan=True), "tiny", "cpu", CPU)
    with pytest.raises(InferenceError, match="not finite"):
        session.run(BLANK)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_single_number_that_is_none_is_an_error(value: float) -> None:
    session = Session(copying(), "copy", "cpu", CPU)
    array = np.zeros((2, 3, 4), np.float32)
    assert session.run(array)[0].shape == (2, 3, 4)
    array[1, 2, 3] = value
    with pytest.raises(InferenceError, match="copy: the network's answer is not finite"):
        session.run(array)


def test_several_threads_rest_as_soon_as_a_run_is_over() -> None:
    detector = model_path(DetectionConfig().model).read_bytes()
    session = Session(detector, "faces", "cpu", InferenceConfig(gpu="off", threads=2))
    picture = np.zeros((1, 224, 384, 3), np.uint8)
    after = []
    for _ in range(5):
        session.run(picture)
        began = time.process_time()
        time.sleep(0.03)
        after.append(time.process_time() - began)
    # onnxruntime's own choice is to go on waiting actively: 28 ms of these 30, of every thread.
    assert min(after) < 0.005, after


def copying() -> bytes:
    """A network that gives back what it is given."""
    graph = helper.make_graph(
        [helper.make_node("Identity", ["x"], ["y"])],
        "copy",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["a", "b", "c"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["a", "b", "c"])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    content: bytes = model.SerializeToString()
    return content


# As onnxruntime, CUDA and its libraries say it.
SHORT = (
    "[ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION : Non-zero status code returned while running Conv node. "
    "Status Message: bfc_arena.cc:376 Failed to allocate memory for requested buffer of size 4585490524",
    "CUDA failure 2: out of memory ; GPU=0 ; hostname=venue ; file=cuda_allocator.cc ; expr=cudaMalloc(",
    "CUDNN failure 4003: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED ; GPU=0",
    "CUBLAS failure 3: CUBLAS_STATUS_ALLOC_FAILED ; GPU=0",
    "Status Message: std::bad_alloc",
)
BROKEN = (
    "CUDA failure 700: an illegal memory access was encountered ; GPU=0",
    "CUDA failure 999: unknown error",
    "CUDA failure 719: unspecified launch failure",
)


class Failing(Session):
    """A session whose next runs fail with given words."""

    def __init__(self, *failures: str) -> None:
        super().__init__(networks.classifier(["n1", "n2"]), "failing", "cpu", CPU)
        self.failures, self.runs = list(failures), 0

    def run_unchecked(self, array: Array) -> tuple[Array, ...]:
        self.runs += 1
        if self.failures:
            raise RuntimeError(self.failures.pop(0))
        return super().run_unchecked(array)


@pytest.mark.parametrize("words", SHORT)
def test_where_memory_is_short_the_network_runs_again_this_once(
    words: str, caplog: pytest.LogCaptureFixture
) -> None:
    session = Failing(words)
    assert session.run(BLANK)[0].shape == (1, 2)
    assert session.runs == 2
    assert [record.getMessage() for record in caplog.records] == [
        "failing: out of memory; tried again, this once"
    ]
    session.failures = [words]
    with pytest.raises(InferenceError, match=r"failing: inference failed"):
        session.run(BLANK)
    assert session.runs == 3


def test_memory_that_stays_short_is_an_error() -> None:
    session = Failing(SHORT[0], SHORT[0])
    with pytest.raises(InferenceError, match="Failed to allocate"):
        session.run(BLANK)
    assert session.runs == 2


@pytest.mark.parametrize("words", BROKEN)
def test_after_any_other_error_nothing_is_tried_again(words: str) -> None:
    session = Failing(words)
    with pytest.raises(InferenceError, match="failing: inference failed: CUDA failure"):
        session.run(BLANK)
    assert session.runs == 1


def test_the_runtime_says_that_memory_is_short_in_words_that_are_known(
    caplog: pytest.LogCaptureFixture,
) -> None:
    # 256 TiB: more than there are addresses, so that no machine even begins.
    graph = helper.make_graph(
        [helper.make_node("Expand", ["x", "shape"], ["y"])],
        "huge",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["h", "w"])],
        [onnx.numpy_helper.from_array(np.array([2**23, 2**23], np.int64), "shape")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    session = Session(model.SerializeToString(), "huge", "cpu", CPU)
    with pytest.raises(InferenceError, match=r"^huge: inference failed: [^\n]*$"):
        session.run(np.zeros(1, np.float32))
    assert [record.getMessage() for record in caplog.records] == [
        "huge: out of memory; tried again, this once"
    ]


def test_a_picture_of_the_wrong_shape_is_an_error_without_its_content() -> None:
    session = Session(networks.classifier(["n1", "n2"]), "tiny", "cpu", CPU)
    with pytest.raises(InferenceError, match=r"^tiny: inference failed: [^\n]*$"):
        session.run(np.zeros((1, 100, 100, 3), np.uint8))


def test_a_gpu_that_is_preferred_and_not_there_is_told_once_and_the_cpu_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with caplog.at_level("INFO"):
        session = Session(networks.classifier(["n1", "n2"]), "tiny", "cuda", InferenceConfig())
    assert session.device == "cpu"
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert "tiny: runs on the cpu. " in record.getMessage()


def test_tensorrt_without_an_engine_says_how_to_build_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(providers, "has_engines", lambda: False)
    with pytest.raises(InferenceError, match="kiosk bench --build-engines"):
        Session(networks.classifier(["n1", "n2"]), "tiny", "tensorrt", InferenceConfig())


def test_weights_in_a_second_file_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = onnx.load_from_string(networks.classifier(["n1", "n2", "n3"]))
    onnx.save(
        model, tmp_path / "split.onnx", save_as_external_data=True, location="split.bin", size_threshold=60
    )
    monkeypatch.chdir(tmp_path)  # where onnxruntime would look for them by itself
    with pytest.raises(
        ModelError, match=r"split: onnxruntime cannot load it: .*([Ee]xternal data|cannot get file size)"
    ):
        Session((tmp_path / "split.onnx").read_bytes(), "split", "cpu", CPU)


def test_padding_with_zeros_stays_padding_with_zeros() -> None:
    """An optimiser of onnxruntime 1.31 turns it into padding with minus infinity."""
    graph = helper.make_graph(
        [
            helper.make_node("Pad", ["x", "pads"], ["padded"]),
            helper.make_node("MaxPool", ["padded"], ["y"], kernel_shape=[3, 3]),
        ],
        "padded",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 4, 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, 4, 4])],
        [onnx.numpy_helper.from_array(np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64), "pads")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    (pooled,) = Session(model.SerializeToString(), "padded", "cpu", CPU).run(
        np.full((1, 1, 4, 4), -1, np.float32)
    )
    wanted = np.zeros((4, 4), np.float32)
    wanted[1:3, 1:3] = -1
    np.testing.assert_array_equal(pooled[0, 0], wanted)


def test_bound_buffers_give_the_same_answers_as_plain_runs() -> None:
    session = onnxruntime.InferenceSession(
        networks.classifier(["n1", "n2", "n3"]), providers=["CPUExecutionProvider"]
    )
    pictures = np.random.default_rng(0).integers(0, 256, (5, 2, 224, 224, 3), np.uint8)
    binding = Binding(session, "images", ("probabilities",), pictures[0], "cpu", None)
    for batch in pictures:
        (bound,) = binding.run(batch)
        np.testing.assert_array_equal(bound, session.run(None, {"images": batch})[0])
