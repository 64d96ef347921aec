from __future__ import annotations

import numpy as np
import pytest

from kiosk.config import InferenceConfig
from kiosk.errors import InferenceError, ModelError
from kiosk.vision.inference import Session
from tests import networks

CPU = InferenceConfig(device="cpu", threads=1)
BLANK = np.zeros((1, 224, 224, 3), np.uint8)


def test_a_network_runs_and_says_where() -> None:
    session = Session(networks.classifier(["n1", "n2", "n3"]), "tiny", CPU)
    (probabilities,) = session.run(BLANK)
    assert session.device == "cpu"
    assert session.metadata["classes"] == "n1 n2 n3"
    np.testing.assert_allclose(probabilities, 1 / 3, atol=1e-6)


def test_auto_takes_the_cpu_where_there_is_no_gpu() -> None:
    assert Session(networks.classifier(["n1", "n2"]), "tiny", InferenceConfig(device="auto")).device in (
        "cpu",
        "cuda",
    )


def test_a_gpu_that_is_required_and_not_there_is_an_error_that_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # onnxruntime gives a CPU session to who asks for CUDA without a GPU; this hides a real one.
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(InferenceError, match=r"tiny: inference\.device is cuda.*nvidia-smi"):
        Session(networks.classifier(["n1", "n2"]), "tiny", InferenceConfig(device="cuda"))


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
        Session(content, "tiny", CPU)


def test_an_answer_that_is_not_finite_is_an_error() -> None:
    session = Session(networks.classifier(["n1", "n2"], nan=True), "tiny", CPU)
    with pytest.raises(InferenceError, match="not finite"):
        session.run(BLANK)


def test_a_picture_of_the_wrong_shape_is_an_error_without_its_content() -> None:
    session = Session(networks.classifier(["n1", "n2"]), "tiny", CPU)
    with pytest.raises(InferenceError, match=r"^tiny: inference failed: [^\n]*$"):
        session.run(np.zeros((1, 100, 100, 3), np.uint8))
