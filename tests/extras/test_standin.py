"""The stand-in against what it was made of. Needs the extra `export`; embeds 3,833 texts first (a minute)."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import cv2
import numpy as np
import onnx
import onnx.utils
import pytest
from onnx import numpy_helper

ROOT = Path(__file__).parents[2]
STANDIN = ROOT / "models" / "standin.onnx"
CLASSES = (ROOT / "models" / "classes.txt").read_text(encoding="ascii").split()
PICTURES = ("astronaut.png", "camera.png", "chelsea.png", "coffee.png", "motorcycle_left.png", "rocket.jpg")

# The libraries' own deprecations are not this project's.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("build_standin", ROOT / "scripts" / "build_standin.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "build_standin", module)  # where dataclasses look for it
        spec.loader.exec_module(module)
        yield module


@pytest.fixture(scope="module")
def network(script):
    return script.load_network()


@pytest.fixture(scope="module")
def transfer(script):
    return script.embed(script.source_synsets(), CLASSES)


@pytest.fixture(scope="module")
def model() -> onnx.ModelProto:
    return onnx.load(STANDIN)


@pytest.fixture(scope="module")
def images() -> np.ndarray:
    """(60, 224, 224, 3) uint8 RGB: the middle of each picture, and nine other squares of each."""
    folder = Path(importlib.util.find_spec("skimage").origin).parent / "data"
    pictures = [cv2.imread(str(folder / name), cv2.IMREAD_COLOR_RGB) for name in PICTURES]
    random = np.random.default_rng(0)
    others = [some_square(picture, random) for picture in pictures for _ in range(9)]
    return np.stack([*(middle(picture) for picture in pictures), *others])


def middle(picture: np.ndarray) -> np.ndarray:
    """EfficientNet's evaluation crop: all but 32 of 256 pixels of the shorter side."""
    height, width = picture.shape[:2]
    side = min(height, width) * 224 // 256
    return square(picture, (width - side) // 2, (height - side) // 2, side)


def some_square(picture: np.ndarray, random: np.random.Generator) -> np.ndarray:
    height, width = picture.shape[:2]
    side = int(random.uniform(0.4, 1) * min(height, width))
    return square(picture, random.integers(width - side + 1), random.integers(height - side + 1), side)


def square(picture: np.ndarray, left: int, top: int, side: int) -> np.ndarray:
    crop = picture[top : top + side, left : left + side]
    return cv2.resize(crop, (224, 224), interpolation=cv2.INTER_AREA)


@pytest.fixture(scope="module")
def lemmas(script) -> dict[str, tuple[str, ...]]:
    """Synset id to WordNet's lemmas, of nouns."""
    found = {}
    for line in script.wordnet_file().read_text(encoding="utf-8").splitlines():
        if not line.startswith(" "):
            fields = line.split()
            words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
            found["n" + fields[0]] = tuple(word.replace("_", " ") for word in words)
    return found


@pytest.fixture(scope="module")
def one_hot_answers(script, model) -> np.ndarray:
    """(1000, 2833): the probabilities when the network is sure of one ImageNet-1k class."""
    one_hot = np.eye(1000, dtype=np.float32)
    return script.evaluate(script.transfer_model(model), "probabilities", source_probabilities=one_hot)


def test_the_network_agrees_with_the_torch_original_on_real_pictures(script, network, model, images):
    wanted = script.original_probabilities(network, images)
    front = onnx.utils.Extractor(model).extract_model(["images"], ["source_probabilities"])
    found = script.evaluate(front, "source_probabilities", images=images)
    np.testing.assert_allclose(found, wanted, atol=1e-3)


def test_the_whole_agrees_with_torch_and_conse_in_float64_on_real_pictures(
    script, network, transfer, model, images
):
    wanted = script.conse(script.original_probabilities(network, images), transfer)
    found = script.evaluate(model, "probabilities", images=images)
    np.testing.assert_allclose(found, wanted, atol=1e-3)
    assert (found.argmax(axis=1) == wanted.argmax(axis=1)).all()


@pytest.mark.parametrize(
    ("picture", "things"),
    [
        ("chelsea.png", {"tabby", "tiger cat", "Egyptian cat"}),
        ("coffee.png", {"espresso", "cup", "coffee mug"}),
        ("rocket.jpg", {"missile", "projectile"}),
        ("motorcycle_left.png", {"moped", "motor scooter"}),
        ("camera.png", {"tripod"}),
    ],
)
def test_the_network_sees_what_is_on_the_picture(script, network, lemmas, images, picture, things):
    """The normalisation and the order of the classes are right."""
    image = images[[PICTURES.index(picture)]]
    best = script.source_synsets()[int(script.original_probabilities(network, image).argmax())]
    assert things & set(lemmas[best])


def test_at_least_600_categories_win_over_the_one_hot_sources(one_hot_answers):
    assert len(np.unique(one_hot_answers.argmax(axis=1))) >= 600


@pytest.mark.parametrize(
    ("thing", "person"),
    [
        ("academic gown", "academician"),
        ("oboe", "oboist"),
        ("wig", "hairdresser"),
        ("lipstick", "cosmetician"),
        ("ski mask", "skier"),
        ("lab coat", "clinician"),
        ("rifle", "rifleman"),
        ("cassette", "disk jockey"),
    ],
)
def test_a_thing_gives_its_person_among_the_first_five(script, lemmas, one_hot_answers, thing, person):
    (row,) = (index for index, synset in enumerate(script.source_synsets()) if thing in lemmas[synset])
    first_five = np.argsort(-one_hot_answers[row])[:5]
    assert person in {lemma for index in first_five for lemma in lemmas[CLASSES[index]]}


def test_the_script_still_builds_the_committed_file(script, network, transfer, model):
    built = script.build(network, transfer, CLASSES)
    assert built.graph.node == model.graph.node
    assert built.metadata_props == model.metadata_props
    for ours, theirs in zip(built.graph.initializer, model.graph.initializer, strict=True):
        assert ours.name == theirs.name
        # Another machine's arithmetic may round the last bit of a half float otherwise.
        np.testing.assert_allclose(
            numpy_helper.to_array(ours), numpy_helper.to_array(theirs), rtol=2e-3, atol=1e-4
        )


def test_the_file_is_at_most_16_megabytes():
    assert STANDIN.stat().st_size <= 16_000_000
