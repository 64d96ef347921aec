"""The export of person classifiers, on networks with weights by chance. Needs the extra `export`; minutes."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import cv2
import numpy as np
import onnx
import pytest
import timm
import torch
import tqdm
from onnx import numpy_helper

from kiosk import schema
from kiosk.manifest import Manifest, ModelFile, load_model
from kiosk.messages import Box, Frame, Track
from kiosk.sections import ClassificationConfig, InferenceConfig
from kiosk.vision.classify import Classifier, crop
from kiosk.vision.inference import Session
from tests.extras import networks

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "export_classifier.py"
CLASSES = (ROOT / "models" / "classes.txt").read_text(encoding="ascii").split()
BIT = "resnetv2_50x1_bit.goog_in21k"
SMALL = "test_resnet"  # timm's own, for tests: 0.5 million weights and the head
SIX = CLASSES[100:1300:200]
CPU = InferenceConfig(gpu="off")

# The libraries' own deprecations are not this project's.
pytestmark = pytest.mark.filterwarnings("ignore")

Export = Callable[..., list[str]]


@pytest.fixture(scope="session")
def script() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPT.parent))
        patch.setattr(tqdm.tqdm, "monitor_interval", 0)  # a thread that outlives its bar
        torch.set_num_threads(2)
        import export_classifier

        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        yield export_classifier
        for number, handler in before.items():
            signal.signal(number, handler)


@pytest.fixture(scope="session")
def images(script: ModuleType) -> np.ndarray:
    """(16, 224, 224, 3) uint8 RGB: those on which the script verifies."""
    from classifier import squares

    return squares.drawn_squares(16)


@pytest.fixture
def export(script: ModuleType, capsys: pytest.CaptureFixture[str]) -> Export:
    """Runs the command; the lines that it printed."""

    def run(*arguments: object) -> list[str]:
        script.main([str(argument) for argument in arguments])
        return capsys.readouterr().out.splitlines()

    return run


@pytest.fixture
def refusal(script: ModuleType) -> Callable[..., str]:
    """Runs the command, which must fail; the one line that it says."""

    def run(*arguments: object) -> str:
        with pytest.raises(SystemExit) as caught:
            script.main([str(argument) for argument in arguments])
        line = caught.value.code
        assert isinstance(line, str)  # what is no number is printed, and the exit code is 1
        assert "\n" not in line
        assert len(line) < 500
        return line

    return run


@pytest.fixture(scope="session")
def bit(images: np.ndarray) -> torch.nn.Module:
    return networks.create(BIT, 21843, images)


@pytest.fixture(scope="session")
def wanted(bit: torch.nn.Module, images: np.ndarray) -> np.ndarray:
    """(16, 2833): what BiT's whole head says of the person categories."""
    answers = networks.whole_head(bit, images, CLASSES)
    assert len(set(answers.argmax(axis=1))) > 8  # else agreement would say little
    return answers


@pytest.fixture(scope="session")
def sure(images: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small network with a whole head that is sure of its answers."""
    order = networks.order(21843)
    network = networks.create(SMALL, 21843, images, [order.index(SIX[0]), order.index(SIX[1])])
    return networks.save_safetensors(network, tmp_path_factory.mktemp("sure") / "sure.safetensors")


@pytest.fixture(scope="session")
def pictures(script: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of forty pictures, one of them damaged, and a text."""
    from classifier import squares

    folder = tmp_path_factory.mktemp("pictures")
    for at, square in enumerate(squares.drawn_squares(40)):
        cv2.imwrite(str(folder / f"{at}.png"), square[..., ::-1])
    (folder / "damaged.png").write_bytes((folder / "7.png").read_bytes()[:60])
    (folder / "read me.txt").write_text("no picture")
    return folder


def answers(path: Path, images: np.ndarray) -> np.ndarray:
    session = Session(load_model(path).content, path.name, "cpu", CPU)
    return np.concatenate([session.run(image[None])[0] for image in images])


def fine_tuned(path: Path, **changes: object) -> Path:
    """A checkpoint as train_classifier.py writes it: a small network of six categories."""
    torch.manual_seed(1)
    checkpoint = {
        "arch": SMALL,
        "classes": SIX,
        "model": timm.create_model(SMALL, num_classes=len(SIX)).state_dict(),
        "mean": [0.4, 0.5, 0.6],
        "std": [0.2, 0.25, 0.3],
        "input_size": 224,
        "epoch": 3,
        "settings": {"lr": 0.1},
    }
    checkpoint |= changes
    torch.save({key: value for key, value in checkpoint.items() if value is not None}, path)
    return path


@pytest.mark.parametrize(
    "save",
    [
        lambda network, folder: networks.save_safetensors(network, folder / "model.safetensors"),
        lambda network, folder: networks.save_torch(network, folder / "checkpoint.pth", "state_dict"),
        lambda network, folder: networks.save_google(network, folder / "BiT-M-R50x1.npz"),
    ],
    ids=["safetensors", "torch", "npz"],
)
def test_bit_in_each_format_of_weights_becomes_the_same_classifier(
    save: Callable[..., Path],
    bit: torch.nn.Module,
    wanted: np.ndarray,
    images: np.ndarray,
    export: Export,
    tmp_path: Path,
) -> None:
    out = tmp_path / "bit.onnx"
    weights = save(bit, tmp_path)
    lines = export("--weights", weights, "--out", out)
    found = answers(out, images)
    np.testing.assert_allclose(found, wanted, atol=1e-4)
    assert (found.argmax(axis=1) == wanted.argmax(axis=1)).all()
    assert lines[-1] == f"classification.model: {out}"
    assert sum("the same first answer on 100.0% of 16 pictures" in line for line in lines) == 2
    assert {path.name for path in tmp_path.iterdir()} == {weights.name, "bit.onnx", "manifest.yaml"}
    check_graph(onnx.load(out))
    check_in_kiosk(out)
    check_on_the_demo(out)
    assert str(tmp_path).encode() not in out.read_bytes()


def check_graph(model: onnx.ModelProto) -> None:
    operators = Counter(node.op_type for node in model.graph.node)
    assert operators["Conv"] == 54
    assert operators["ReduceMean"] <= 1  # the pooling before the head
    assert not operators["BatchNormalization"]
    assert not {name for name in operators if "Std" in name or "Variance" in name}
    model = onnx.shape_inference.infer_shapes(model)
    sizes = {size for tensor in model.graph.initializer for size in tensor.dims}
    for value in (*model.graph.value_info, *model.graph.output):
        sizes |= {dim.dim_value for dim in value.type.tensor_type.shape.dim}
    assert 2833 in sizes
    assert not sizes & {21841, 21842, 21843}
    (images,), (probabilities,) = model.graph.input, model.graph.output
    assert [images.name, probabilities.name] == ["images", "probabilities"]
    assert images.type.tensor_type.elem_type == onnx.TensorProto.UINT8
    assert probabilities.type.tensor_type.elem_type == onnx.TensorProto.FLOAT
    assert images.type.tensor_type.shape.dim[0].dim_param
    assert model.opset_import[0].version in (17, 18)
    assert model.ir_version <= 10
    metadata = {item.key: item.value for item in model.metadata_props}
    assert metadata["classes"].split() == CLASSES
    assert metadata["licence"] == "Apache-2.0"
    assert BIT in metadata["source"]
    assert metadata["method"]


def check_in_kiosk(path: Path) -> None:
    """It names a visitor, with what the file itself says of the same square."""
    classifier = Classifier.open(ClassificationConfig(model=str(path)), CPU)
    assert list(classifier.classes) == CLASSES
    assert classifier.title == ""
    frame = Frame(cv2.imread(str(ROOT / "models" / "portraits" / "astronaut.png")), 0, 1.0)
    face = Box(180, 60, 280, 200)
    guesses = classifier(frame, [Track(1, face, 1.0)])[1]
    square = crop(frame.image, face, ClassificationConfig().margin)
    assert guesses[0].synset == CLASSES[int(answers(path, square[None])[0].argmax())]
    assert all(0 < guess.probability < 1 for guess in guesses)


def check_on_the_demo(path: Path) -> None:
    """The running piece names its visitors with it, and opens nothing else."""
    command = [sys.executable, "-B", "-m", "kiosk", "run", "--source", "demo", "--headless", "--seconds", "6"]
    done = subprocess.run(
        [*command, "--set", f"classification.model={path}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert done.returncode == 0, done.stderr
    assert {json.loads(line)["synset"] for line in done.stdout.splitlines()} <= set(CLASSES)
    assert done.stdout


@pytest.mark.parametrize(("arch", "outputs"), [(SMALL, 21841), ("test_vit", 21842)])
def test_other_networks_with_a_whole_head_are_exported_in_their_own_class_order(
    arch: str, outputs: int, images: np.ndarray, export: Export, tmp_path: Path
) -> None:
    """test_vit is made for 160 pixels: the graph resizes."""
    network = networks.create(arch, outputs, images)
    weights = networks.save_torch(network, tmp_path / "weights.pth")
    export("--arch", arch, "--weights", weights, "--out", tmp_path / "net.onnx")
    wanted = networks.whole_head(network, images, CLASSES)
    np.testing.assert_allclose(answers(tmp_path / "net.onnx", images), wanted, atol=1e-4)


@pytest.mark.parametrize(
    ("outputs", "reason"),
    [
        (1000, "1,000 outputs (imagenet-1k), with only 3 of the 2,833 person categories"),
        (10450, "10,450 outputs, the head of ImageNet's winter 2021 release, which lost most person"),
        (19167, "19,167 outputs, the head of ImageNet's winter 2021 release, which lost most person"),
        (19168, "19,168 outputs, the head of ImageNet's winter 2021 release, which lost most person"),
        (11221, "11,221 outputs (imagenet-21k-miil), with only 876 of the 2,833 person categories"),
        (11821, "11,821 outputs (imagenet-12k), with only 964 of the 2,833 person categories"),
        (2833, "2,833 outputs, which is no version of ImageNet's head"),
    ],
)
def test_a_head_without_the_person_categories_is_refused_with_the_reason(
    outputs: int, reason: str, refusal: Callable[..., str], tmp_path: Path
) -> None:
    network = timm.create_model(SMALL, num_classes=outputs)
    weights = networks.save_torch(network, tmp_path / "other.pth")
    line = refusal("--arch", SMALL, "--weights", weights, "--out", tmp_path / "net.onnx")
    assert line.startswith(f"other.pth: has {reason}")
    assert "21,841, 21,842 or 21,843" in line
    assert [path.name for path in tmp_path.iterdir()] == ["other.pth"]


@pytest.mark.parametrize(
    ("arch", "reason"),
    [
        ("resnet50.a1_in1k", "1,000 outputs"),
        ("mvitv2_base_cls.fb_inw21k", "winter 2021"),
        ("mobilenetv3_large_100.miil_in21k", "11,221 outputs"),
        ("vit_base_patch16_clip_224.openai_ft_in12k", "11,821 outputs"),
        ("vit_base_patch16_224.bamboo", "115,217 outputs"),
        ("convnextv2_atto.fcmae", "0 outputs"),
        ("resnet5O", "must be the name of a timm model"),
        ("resnetv2_50x1_bit.goog_in22k", "Invalid pretrained tag (goog_in22k)"),
    ],
)
def test_a_network_that_will_not_do_is_refused_before_anything_is_downloaded(
    arch: str, reason: str, refusal: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from classifier import weights

    monkeypatch.delattr(weights, "download")
    assert reason in refusal("--arch", arch, "--out", tmp_path / "net.onnx")


class Trap:
    """Makes a folder when it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return (os.mkdir, ("trapped",))


@pytest.fixture(scope="session")
def unusable(sure: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every kind of file that holds no weights, or not these."""
    folder = tmp_path_factory.mktemp("unusable")
    five = timm.create_model(SMALL, num_classes=5)
    whole = {
        "safetensors": sure.read_bytes(),
        "pth": networks.save_torch(five, folder / "small.pth").read_bytes(),
    }
    np.savez(folder / "other.npz", nothing=np.zeros(3))
    np.savez(folder / "headed.npz", **{"resnet/head/conv2d/kernel": np.zeros((1, 1, 8, 21843), np.float32)})
    for suffix, content in whole.items():
        (folder / f"cut.{suffix}").write_bytes(content[: len(content) // 2])
    npz = (folder / "headed.npz").read_bytes()
    (folder / "cut.npz").write_bytes(npz[: len(npz) // 2])
    (folder / "empty.pth").write_bytes(b"")
    (folder / "page.html").write_text("<html>404</html>")
    (folder / "pointer.safetensors").write_text("version https://git-lfs.github.com/spec/v1\n")
    (folder / "folder").mkdir()
    torch.save(torch.zeros(3), folder / "tensor.pth")
    torch.save({"epoch": 3}, folder / "no tensors.pth")
    torch.save({"model": Trap()}, folder / "trap.pth")
    (folder / "net.onnx").write_bytes(b"\x08\x08\x12\x07pytorch")
    return folder


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("none.pth", "must be a file of weights, found none"),
        ("folder", "must be a file of weights, found a folder"),
        ("empty.pth", "must be safetensors, a torch checkpoint"),
        ("page.html", "must be safetensors, a torch checkpoint"),
        ("pointer.safetensors", "must be safetensors, a torch checkpoint"),
        ("net.onnx", "must be safetensors, a torch checkpoint"),
        ("trap.pth", "must be safetensors, a torch checkpoint"),
        ("cut.safetensors", "and whole"),
        ("cut.pth", "and whole"),
        ("cut.npz", "and whole"),
        ("tensor.pth", "must hold a dict of tensors, found Tensor"),
        ("no tensors.pth", "must hold a dict of tensors, found none in it"),
        ("other.npz", "must hold a head"),
        ("headed.npz", "must be weights of resnetv2_50x1_bit.goog_in21k"),
        ("small.pth", "must hold a head (head.fc.weight), found"),
    ],
)
def test_what_is_no_file_of_weights_is_refused_in_one_line(
    name: str, reason: str, unusable: Path, refusal: Callable[..., str], tmp_path: Path
) -> None:
    line = refusal("--weights", unusable / name, "--out", tmp_path / "net.onnx")
    assert reason in line
    assert name in line
    assert list(tmp_path.iterdir()) == []


def test_weights_of_another_network_are_refused_with_what_differs(
    refusal: Callable[..., str], tmp_path: Path
) -> None:
    weights = networks.save_torch(timm.create_model(SMALL, num_classes=21841), tmp_path / "small.pth")
    line = refusal("--arch", "resnet50", "--weights", weights, "--out", tmp_path / "net.onnx")
    assert line.startswith("small.pth: must be weights of resnet50, but ")
    assert "of its 320 tensors are missing or of another shape: the first is conv1.weight, wanted is" in line
    assert line.endswith(", found none")


def test_a_fine_tuned_checkpoint_says_its_network_and_is_exported_with_exactly_its_classes(
    images: np.ndarray, export: Export, tmp_path: Path
) -> None:
    weights = fine_tuned(tmp_path / "best.pt")
    (tmp_path / "manifest.yaml").write_text(MANIFEST)
    lines = export("--weights", weights, "--out", tmp_path / "net.onnx", "--licence", 'CC0: "mine"')
    assert f"{SMALL}: 6 person categories" in lines
    network = timm.create_model(SMALL, num_classes=6).eval()
    network.load_state_dict(torch.load(weights, weights_only=True)["model"])
    x = torch.from_numpy(images).permute(0, 3, 1, 2) / 255
    x = (x - torch.tensor([0.4, 0.5, 0.6])[:, None, None]) / torch.tensor([0.2, 0.25, 0.3])[:, None, None]
    with torch.inference_mode():
        wanted = torch.softmax(network(x), dim=1).numpy()
    np.testing.assert_allclose(answers(tmp_path / "net.onnx", images), wanted, atol=1e-4)
    classifier = Classifier.open(ClassificationConfig(model=str(tmp_path / "net.onnx")), CPU)
    assert list(classifier.classes) == SIX
    listed = schema.load(tmp_path / "manifest.yaml", Manifest).models
    assert [model.file for model in listed] == ["a.onnx", "net.onnx", "z.onnx"]
    assert listed[1].licence == 'CC0: "mine"'
    assert listed[1].known_answer.split()[0] in SIX


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"classes": [*SIX[:5], "n02084071"]},
            "1 of its 6 classes are no person category, the first is 'n0208",
        ),
        ({"classes": SIX[:5]}, "must name each of its 6 outputs once, found 5 classes"),
        ({"classes": [*SIX[:5], SIX[0]]}, "found 6 classes, 5 of them different"),
        ({"classes": "all"}, "'classes' must be a list of synset ids"),
        ({"mean": None}, "must have mean and std (three numbers each) and input_size (pixels)"),
        ({"std": [0.2, 0.0, 0.2]}, "std above 0"),
        ({"input_size": [3, 224, 224]}, "input_size (pixels)"),
        ({"arch": "resnet50"}, "must be weights of test_resnet, but it says that it is resnet50"),
    ],
)
def test_a_checkpoint_that_contradicts_itself_is_refused(
    changes: dict[str, object], reason: str, refusal: Callable[..., str], tmp_path: Path
) -> None:
    weights = fine_tuned(tmp_path / "best.pt", **changes)
    assert reason in refusal("--arch", SMALL, "--weights", weights, "--out", tmp_path / "net.onnx")


def test_fp16_and_int8_are_written_beside_with_their_agreement(
    sure: Path, pictures: Path, images: np.ndarray, export: Export, tmp_path: Path
) -> None:
    out = tmp_path / "net.onnx"
    lines = export("--arch", SMALL, "--weights", sure, "--out", out, "--fp16", "--int8", pictures)
    assert any("left out, for it cannot be read" in line and "damaged.png" in line for line in lines)
    (half,) = [line for line in lines if line.startswith("net.fp16.onnx against float32: ")]
    (whole,) = [line for line in lines if line.startswith("net.int8.onnx against float32: ")]
    assert "% of 64 pictures, largest difference of a probability" in half
    assert "% of 96 pictures, largest difference of a probability" in whole
    wanted = answers(out, images)
    for suffix in ("fp16", "int8"):
        path = tmp_path / f"net.{suffix}.onnx"
        found = answers(path, images)
        assert found.dtype == np.float32
        assert (found.argmax(axis=1) == wanted.argmax(axis=1)).mean() >= 0.8
        assert list(Classifier.open(ClassificationConfig(model=str(path)), CPU).classes) == CLASSES
    types = {
        tensor.data_type for tensor in onnx.load(tmp_path / "net.fp16.onnx").graph.initializer if tensor.dims
    }
    assert onnx.TensorProto.FLOAT16 in types
    check_quantised(onnx.load(tmp_path / "net.int8.onnx"))
    listed = {model.file: model for model in schema.load(tmp_path / "manifest.yaml", Manifest).models}
    assert set(listed) == {"net.onnx", "net.fp16.onnx", "net.int8.onnx"}
    assert "--fp16" in listed["net.fp16.onnx"].method
    assert "--int8" in listed["net.int8.onnx"].method


def check_quantised(model: onnx.ModelProto) -> None:
    """QDQ with U8 activations and S8 weights of one scale a channel."""
    operators = Counter(node.op_type for node in model.graph.node)
    assert operators["QuantizeLinear"] > 10
    assert operators["QLinearConv"] == 0
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    kernels = [tensor for tensor in constants.values() if tensor.dtype == np.int8 and tensor.ndim == 4]
    assert len(kernels) == operators["Conv"]
    zeros = {constants[node.input[2]].dtype for node in model.graph.node if node.op_type == "QuantizeLinear"}
    assert zeros == {np.dtype(np.uint8)}
    scales = [
        constants[node.input[1]].size
        for node in model.graph.node
        if node.op_type == "DequantizeLinear" and constants.get(node.input[0], np.zeros(0)).ndim == 4
    ]
    assert min(scales) > 1


@pytest.mark.parametrize("forced", [False, True])
def test_an_int8_network_that_agrees_too_little_is_written_only_by_force(
    forced: bool,
    images: np.ndarray,
    pictures: Path,
    export: Export,
    refusal: Callable[..., str],
    tmp_path: Path,
) -> None:
    """2,833 answers that differ by the last digits."""
    weights = networks.save_torch(networks.create(SMALL, 21843, images), tmp_path / "w.pth", "model")
    asked = ["--arch", SMALL, "--weights", weights, "--out", tmp_path / "net.onnx", "--int8", pictures]
    written = {"w.pth", "manifest.yaml", "net.onnx"}
    if forced:
        lines = export(*asked, "--force")
        assert any(line.startswith("net.int8.onnx against float32: ") for line in lines)
        written |= {"net.int8.onnx"}
    else:
        line = refusal(*asked)
        assert "net.int8.onnx: must have float32's first answer on 90% of pictures, found" in line
    assert {path.name for path in tmp_path.iterdir()} == written
    for path in tmp_path.glob("*.onnx"):
        load_model(path)


def test_pictures_that_calibrate_are_not_evaluated_where_there_are_enough(
    script: ModuleType, pictures: Path, tmp_path: Path
) -> None:
    from classifier import squares

    many = squares.Folder.open(pictures)
    assert len(many.calibrating) == 20
    assert len(set(many.calibrating) | set(many.evaluated)) == 41  # that one is damaged is not known yet
    for at in range(3):
        (tmp_path / f"{at}.png").write_bytes((pictures / f"{at}.png").read_bytes())
    few = squares.Folder.open(tmp_path)
    assert set(few.calibrating) == set(few.evaluated) == set(tmp_path.iterdir())
    assert few.evaluation_squares().shape == (96, 224, 224, 3)


@pytest.mark.parametrize("kind", ["empty", "missing", "texts"])
def test_a_folder_without_pictures_is_refused_before_the_work(
    kind: str, sure: Path, refusal: Callable[..., str], tmp_path: Path
) -> None:
    folder = tmp_path / "pictures"
    if kind != "missing":
        folder.mkdir()
    if kind == "texts":
        (folder / "read me.txt").write_text("no picture")
    line = refusal("--arch", SMALL, "--weights", sure, "--out", tmp_path / "net.onnx", "--int8", folder)
    assert line.startswith(f"{folder}: must be a folder of pictures, found none")


@pytest.mark.parametrize(
    ("out", "reason"),
    [
        ("net.pth", "must end in .onnx"),
        ("nowhere/net.onnx", "must be a folder, found none"),
        ("folder.onnx", "must be a file, found a folder"),
    ],
)
def test_a_place_that_cannot_be_written_to_is_refused_before_the_work(
    out: str, reason: str, sure: Path, refusal: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "folder.onnx").mkdir()
    assert reason in refusal("--arch", SMALL, "--weights", sure, "--out", tmp_path / out)


MANIFEST = """\
# Ours.
models:
  # The detector.
  - file: a.onnx
    sha256: "aa"  # checked
    source: 'somewhere: else'
    licence: MIT
    method: by hand

  # In use.
  - file: net.onnx
    sha256: "old"
    source: old
    licence: old
    method: old
  - file: z.onnx
    sha256: zz
    source: far
    licence: MIT
    method: by hand
# The end.
"""
BLOCK_SCALAR = MANIFEST.replace("hand\n#", "hand\n    known_answer: |\n      n1\n#")


def test_the_entry_is_replaced_and_the_rest_of_the_manifest_stays(script: ModuleType, tmp_path: Path) -> None:
    from classifier import modelfile

    manifest = tmp_path / "manifest.yaml"
    manifest.write_text(MANIFEST)
    start, end = MANIFEST.split("  - file: net.onnx\n")[0], MANIFEST[MANIFEST.index("  - file: z.onnx") :]
    for content in (b"first", b"second"):
        digest = hashlib.sha256(content).hexdigest()
        modelfile.write(
            tmp_path / "net.onnx", content, ModelFile("net.onnx", digest, "s", "l", "m", "n1 0.5")
        )
        assert load_model(tmp_path / "net.onnx").content == content
        text = manifest.read_text()
        assert text.startswith(start)
        assert text.endswith(end)
        assert text.removeprefix(start).removesuffix(end).splitlines() == [
            "  - file: net.onnx",
            f'    sha256: "{digest}"',
            '    source: "s"',
            '    licence: "l"',
            '    method: "m"',
            '    known_answer: "n1 0.5"',
        ]


@pytest.mark.parametrize(
    ("text", "before"),
    [
        (MANIFEST, ["a.onnx", "net.onnx", "z.onnx"]),
        (MANIFEST.removesuffix("\n# The end.\n"), ["a.onnx", "net.onnx", "z.onnx"]),
        (MANIFEST.replace("  - ", "- ").replace("    ", "  "), ["a.onnx", "net.onnx", "z.onnx"]),
        (BLOCK_SCALAR, ["a.onnx", "net.onnx", "z.onnx"]),
        (None, []),
    ],
    ids=["entries", "no line end", "not indented", "block scalar", "no manifest"],
)
def test_a_new_entry_comes_last(
    text: str | None, before: list[str], script: ModuleType, tmp_path: Path
) -> None:
    from classifier import modelfile

    manifest = tmp_path / "manifest.yaml"
    if text is not None:
        manifest.write_text(text)
    modelfile.write(tmp_path / "new.onnx", b"new", ModelFile("new.onnx", "bb", "s", "l", 'm "q"'))
    models = schema.load(manifest, Manifest).models
    assert [model.file for model in models] == [*before, "new.onnx"]
    assert models[-1].method == 'm "q"'
    assert all(line in manifest.read_text() for line in (text or "").splitlines())
    assert {path.name for path in tmp_path.iterdir()} == {"manifest.yaml", "new.onnx"}


@pytest.mark.parametrize(
    "text", ["models: []\n", "models:\n", "models: [", "modles:\n", "models:\n  - file: a.onnx\n"]
)
def test_a_manifest_that_is_not_good_is_left_as_it_is(
    text: str, refusal: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "manifest.yaml").write_text(text)
    line = refusal("--weights", fine_tuned(tmp_path / "best.pt"), "--out", tmp_path / "net.onnx")
    assert "manifest.yaml" in line
    assert (tmp_path / "manifest.yaml").read_text() == text
    assert not (tmp_path / "net.onnx").exists()


def command(*arguments: object, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "2", **environment},
    )


@pytest.mark.parametrize(
    ("moment", "number", "code"),
    [
        ("reading", signal.SIGTERM, 143),
        ("exporting", signal.SIGINT, 130),
        ("calibrating", signal.SIGINT, 130),
    ],
)
def test_interrupted_it_leaves_whole_files_or_none(
    moment: str, number: int, code: int, sure: Path, pictures: Path, tmp_path: Path
) -> None:
    temporary, out = tmp_path / "tmp", tmp_path / "models"
    temporary.mkdir()
    out.mkdir()
    asked = ["--arch", SMALL, "--weights", sure, "--out", out / "net.onnx", "--int8", pictures]
    with command(*asked, TMPDIR=str(temporary)) as process:
        assert process.stdout is not None
        while not (line := process.stdout.readline()).startswith(moment):
            assert line, process.stderr.read()
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert process.returncode == code, said
    assert "Traceback" not in said
    assert list(temporary.iterdir()) == []
    if moment == "calibrating":
        assert {path.name for path in out.iterdir()} == {"net.onnx", "manifest.yaml"}
        load_model(out / "net.onnx")
    else:
        assert list(out.iterdir()) == []


def test_a_download_that_fails_is_one_line_with_the_way_out(tmp_path: Path) -> None:
    with command(
        "--out", tmp_path / "net.onnx", HF_HUB_OFFLINE="1", HF_HOME=str(tmp_path / "hub")
    ) as process:
        _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert said.startswith(f"{BIT}: its weights cannot be downloaded: ")
    assert "--weights FILE" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("kind", ["StdConv2d", "StdConv2dSame", "ScaledStdConv2d", "ScaledStdConv2dSame"])
def test_a_folded_convolution_answers_as_the_standardised_one(kind: str, script: ModuleType) -> None:
    import timm.layers
    from classifier import network

    torch.manual_seed(0)
    conv = getattr(timm.layers, kind)(8, 12, 3, stride=2, groups=2, bias=True)
    holder = torch.nn.Sequential(conv)
    x = torch.randn(2, 8, 15, 15)
    wanted = holder(x)
    network.fold_standardisation(holder)
    assert "Std" not in type(holder[0]).__name__
    torch.testing.assert_close(holder(x), wanted, rtol=1e-4, atol=1e-5)
