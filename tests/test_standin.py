from __future__ import annotations

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import onnx
import onnx.utils
import onnxruntime
import pytest

MODELS = Path(__file__).parents[1] / "models"
STANDIN = MODELS / "standin.onnx"
ASTRONAUT = MODELS / "portraits" / "astronaut.png"


def session_of(model: onnx.ModelProto | bytes) -> onnxruntime.InferenceSession:
    content = model if isinstance(model, bytes) else model.SerializeToString()
    return onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])


@pytest.fixture(scope="module")
def session() -> Iterator[onnxruntime.InferenceSession]:
    return session_of(STANDIN.read_bytes())


@pytest.fixture(scope="module")
def model() -> onnx.ModelProto:
    return onnx.load(STANDIN)


@pytest.fixture(scope="module")
def portrait() -> np.ndarray:
    """(224, 224, 3) uint8 RGB."""
    picture = cv2.imread(str(ASTRONAUT), cv2.IMREAD_COLOR_RGB)
    return cv2.resize(picture, (224, 224), interpolation=cv2.INTER_AREA)


def classify(session: onnxruntime.InferenceSession, images: np.ndarray) -> np.ndarray:
    return session.run(["probabilities"], {"images": images})[0]


def test_the_file_is_at_most_16_megabytes():
    assert STANDIN.stat().st_size <= 16_000_000


def test_the_input_is_any_number_of_224_pixel_rgb_bytes(session):
    (images,) = session.get_inputs()
    assert (images.name, images.type, images.shape) == ("images", "tensor(uint8)", ["N", 224, 224, 3])


def test_the_output_is_one_float_a_category(session):
    (probabilities,) = session.get_outputs()
    assert probabilities.name == "probabilities"
    assert (probabilities.type, probabilities.shape) == ("tensor(float)", ["N", 2833])


def test_the_classes_are_those_of_the_class_list_in_its_order(session):
    classes = session.get_modelmeta().custom_metadata_map["classes"].split(" ")
    assert classes == (MODELS / "classes.txt").read_text(encoding="ascii").split()


@pytest.mark.parametrize("key", ["title", "source", "licence", "method"])
def test_the_metadata_says_what_it_is_in_plain_text(session, key):
    text = session.get_modelmeta().custom_metadata_map[key]
    assert len(text) > 20
    assert "\n" not in text
    assert "/" not in text, "a path of the machine that built it"


def test_the_title_fits_one_line_of_the_wall(session):
    title = session.get_modelmeta().custom_metadata_map["title"]
    assert title.startswith("Stand-in")
    assert len(title) <= 90


def test_the_file_is_old_enough_for_the_oldest_runtime_asked_for(model):
    assert model.ir_version <= 10
    assert [(opset.domain, opset.version <= 20) for opset in model.opset_import] == [("", True)]


def test_everything_is_computed_in_float32(model):
    """Half floats are only stored: nothing but a cast reads them."""
    halves = {c.name for c in model.graph.initializer if c.data_type == onnx.TensorProto.FLOAT16}
    readers = {node.op_type for node in model.graph.node if halves & set(node.input)}
    assert halves
    assert readers == {"Cast"}


@pytest.mark.parametrize("count", [1, 3, 8])
def test_any_number_of_images_gives_as_many_rows_of_probabilities(session, count):
    images = np.random.default_rng(count).integers(0, 256, (count, 224, 224, 3), np.uint8)
    rows = classify(session, images)
    assert rows.shape == (count, 2833)
    assert rows.dtype == np.float32
    assert np.isfinite(rows).all()
    assert (rows >= 0).all()
    np.testing.assert_allclose(rows.sum(axis=1), 1, atol=1e-4)


@pytest.mark.parametrize("level", [0, 127, 255])
def test_a_blank_image_gives_finite_probabilities(session, level):
    rows = classify(session, np.full((1, 224, 224, 3), level, np.uint8))
    assert np.isfinite(rows).all()


def test_an_image_gets_the_same_answer_alone_and_in_a_batch(session, portrait):
    other = np.full_like(portrait, 200)
    (alone,) = classify(session, portrait[None])
    batch = classify(session, np.stack([other, portrait, other]))
    np.testing.assert_allclose(batch[1], alone, atol=1e-5)
    assert np.abs(batch[0] - alone).max() > 1e-3


def test_the_order_of_the_colours_matters(session, portrait):
    rgb, bgr = classify(session, np.stack([portrait, portrait[..., ::-1]]))
    assert np.abs(rgb - bgr).max() > 1e-3


def test_no_category_is_a_hub(model):
    """z-scores of each category over the 1,000 one-hot answers: mean 0, deviation 1, many winners."""
    transfer = onnx.utils.Extractor(model).extract_model(["source_probabilities"], ["z_scores"])
    one_hot = np.eye(1000, dtype=np.float32)
    z = session_of(transfer).run(["z_scores"], {"source_probabilities": one_hot})[0]
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=0.01)
    np.testing.assert_allclose(z.std(axis=0), 1, atol=0.01)
    assert len(np.unique(z.argmax(axis=1))) >= 600
