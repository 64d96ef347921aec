"""Fine-tuning on a set of pictures drawn here. Needs the extra `train`; about four minutes on two cores."""

from __future__ import annotations

import collections
import importlib
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import safetensors.torch
import timm
import torch
import tqdm

from tests.extras.shapes import SYNSETS, draw, draw_set, pack

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "scripts"
CLASSES = (ROOT / "models" / "classes.txt").read_text(encoding="ascii").split()
# From random weights: what fine-tunes a pretrained network on photographs would be too much for this.
LEARN = "--from-scratch --image-size 48 --epochs 5 --batch-size 16 --randaugment 0 --min-crop 0.5"
# Everything random there is; 108 pictures or so make 13 steps.
QUICK = "--from-scratch --arch test_resnet --image-size 32 --epochs 3 --batch-size 8 --balanced --mixup 0.2"
# In the middle of an epoch, after a few steps that no checkpoint has; and between two epochs.
KILLS = {"mid-epoch": ("log", r"^1 7 ", r"[1-9]\d*"), "between epochs": ("stdout", r"^epoch 1/3: ", r"\d+")}

# The libraries' own deprecations are not this project's.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def scripts() -> Iterator[Callable[[str], ModuleType]]:
    """A module of scripts/ by name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPTS))
        patch.setattr(tqdm.tqdm, "monitor_interval", 0)  # no thread
        yield importlib.import_module


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return draw_set(tmp_path_factory.mktemp("shapes") / "set", dict.fromkeys(SYNSETS, 40))


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return draw_set(tmp_path_factory.mktemp("few") / "set", dict.fromkeys(SYNSETS, 20))


def command(pictures: Path, out: Path, options: str, *more: str) -> list[str]:
    script = [sys.executable, str(SCRIPTS / "train_classifier.py"), str(pictures), "--out", str(out)]
    return [*script, "--device", "cpu", *options.split(), *more]


def environment(threads: int) -> dict[str, str]:
    # Passive: threads that wait for each other must not eat the time of a busy machine.
    return {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "PASSIVE"}


def load(checkpoint: Path) -> dict:
    return torch.load(checkpoint, weights_only=True)


@pytest.fixture(scope="module")
def learnt(shapes: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A ResNet-50's checkpoint, and what was said."""
    out = tmp_path_factory.mktemp("learnt") / "shapes.pt"
    result = subprocess.run(
        command(shapes, out, LEARN, "--workers", "0"),
        env=environment(2),
        capture_output=True,
        text=True,
    )
    assert (result.returncode, result.stderr) == (0, "")
    return out, result.stdout


@pytest.fixture(scope="module")
def network(learnt: tuple[Path, str]) -> torch.nn.Module:
    state = load(learnt[0])
    model = timm.create_model(state["arch"], num_classes=len(state["classes"]))
    model.load_state_dict(state["model"])
    return model.eval()


def test_a_resnet50_learns_the_shapes_to_over_90_percent_of_the_validation_pictures(learnt):
    state = load(learnt[0])
    assert state["validation"]["top1"] > 0.9
    assert state["validation"]["top5"] >= state["validation"]["top1"]


def test_it_knows_new_pictures_at_224_pixels_with_the_normalisation_of_its_checkpoint(learnt, network):
    """Without the script: as an export for the kiosk will use the file."""
    state, rng = load(learnt[0]), random.Random(7)
    drawn = [(synset, draw(synset, rng).resize((224, 224))) for synset in SYNSETS for _ in range(5)]
    images = torch.from_numpy(np.stack([np.asarray(picture) for _, picture in drawn])) / 255
    normalised = (images - torch.tensor(state["mean"])) / torch.tensor(state["std"])
    with torch.inference_mode():
        best = network(normalised.permute(0, 3, 1, 2)).argmax(dim=1)
    right = [state["classes"][index] == synset for index, (synset, _) in zip(best, drawn, strict=True)]
    assert sum(right) > 0.9 * len(right)


def test_the_checkpoint_has_the_format_that_the_export_reads(learnt):
    state = load(learnt[0])
    assert (state["arch"], state["classes"], state["input_size"]) == ("resnet50", sorted(SYNSETS), 224)
    assert (state["epoch"], state["step"]) == (5, 0)
    assert state["mean"] == pytest.approx([0.485, 0.456, 0.406])
    assert state["std"] == pytest.approx([0.229, 0.224, 0.225])
    assert {"model", "optimizer", "scaler", "settings"} <= state.keys()


def test_the_learning_rate_has_fallen_by_a_cosine_at_the_last_step(learnt):
    (rate, *_) = {group["lr"] for group in load(learnt[0])["optimizer"]["param_groups"]}
    steps = 5 * (int(re.search(r"(\d+) pictures to train", learnt[1])[1]) // 16)
    warmup = steps // 5
    wanted = 0.05 * (1 + np.cos(np.pi * (steps - 1 - warmup) / (steps - warmup))) / 2
    assert rate == pytest.approx(wanted)


def test_in_a_pipe_it_says_one_line_an_epoch_and_what_is_missing(learnt):
    said = learnt[1].splitlines()
    assert said[0].startswith("missing, no pictures to train on: 2827 (n00007846, ")
    assert said[0].endswith(", ...) of 2833 synsets")
    epochs = [line for line in said if re.match(r"epoch \d/5: loss [\d.]+, top-1 [\d.]+%, top-5 ", line)]
    assert [line[:9] for line in epochs] == [f"epoch {number}/5" for number in range(1, 6)]
    assert "\r" not in learnt[1]


def test_the_checkpoint_becomes_a_model_that_the_kiosk_runs(learnt, tmp_path):
    model = tmp_path / "shapes.onnx"
    export = [sys.executable, str(SCRIPTS / "export_classifier.py"), "--arch", "resnet50"]
    env = {**environment(2), "PYTHONPATH": str(ROOT)}  # the kiosk itself need not be installed
    subprocess.run([*export, "--weights", str(learnt[0]), "--out", str(model)], check=True, env=env)
    pictures = []
    for number, synset in enumerate(SYNSETS):
        pictures.append(tmp_path / f"{number}.png")
        draw(synset, random.Random(number)).resize((224, 224)).save(pictures[-1])
    kiosk = [sys.executable, "-m", "kiosk", "annotate", "--json", "--set", f"classification.model={model}"]
    said = subprocess.run([*kiosk, *map(str, pictures)], check=True, env=env, capture_output=True, text=True)
    answers = [json.loads(line)["scene"][0]["synset"] for line in said.stdout.splitlines()]
    assert sum(answer == synset for answer, synset in zip(answers, SYNSETS, strict=True)) >= 5


@pytest.fixture(scope="module")
def uninterrupted(few: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The checkpoint of a run that nobody killed, and its batches."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    run = command(few, folder / "few.pt", QUICK, "--workers", "0", "--log-batches", str(folder / "log"))
    subprocess.run(run, env=environment(1), check=True, stdout=subprocess.DEVNULL)
    return folder / "few.pt", batches(folder / "log")


def batches(log: Path) -> dict[str, str]:
    """ "epoch step" to digest. Fails where one step is there twice with different pictures."""
    found: dict[str, str] = {}
    for line in log.read_text().splitlines():
        place, digest = line.rsplit(" ", 1)
        assert found.setdefault(place, digest) == digest, place
    return found


@pytest.mark.parametrize("kill", KILLS)
def test_a_killed_run_is_resumed_with_the_same_batches_and_the_same_weights(
    few, uninterrupted, tmp_path, kill
):
    """The killed run has two workers and the other none: that, too, changes nothing."""
    out, log, stdout = tmp_path / "few.pt", tmp_path / "log", tmp_path / "stdout"
    run = command(few, out, QUICK, "--workers", "2", "--save-steps", "5", "--log-batches", str(log))
    name, sign, steps = KILLS[kill]
    watched = tmp_path / name
    with (
        stdout.open("w") as file,
        subprocess.Popen(run, env=environment(1), stdout=file, stderr=subprocess.DEVNULL) as process,
    ):
        while not (watched.exists() and re.search(sign, watched.read_text(), re.MULTILINE)):
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert load(out)["epoch"] < 3
    killed_at = len(batches(log))
    resumed = subprocess.run(
        [*run, "--resume"], env=environment(1), check=True, capture_output=True, text=True
    )
    assert re.search(rf"^resuming after 1 epochs and {steps} steps$", resumed.stdout, re.MULTILINE)
    checkpoint, wanted = uninterrupted
    assert killed_at < len(wanted)
    assert batches(log) == wanted
    ours, theirs = load(out), load(checkpoint)
    assert [
        name for name, tensor in ours["model"].items() if not torch.equal(tensor, theirs["model"][name])
    ] == []
    assert ours["validation"] == theirs["validation"]


def test_every_epoch_and_every_seed_has_other_batches(uninterrupted, scripts, few):
    wanted = uninterrupted[1]
    assert len(set(wanted.values())) == len(wanted)
    one, other = (next(iter(training(scripts, few, seed=seed).batches())) for seed in (1, 2))
    assert not torch.equal(one.images, other.images)


def training(scripts, pictures: Path, out: Path = Path("none.pt"), **changes: object):
    """A run of the script's own default settings, changed, that has not begun."""
    script, recipe = scripts("train_classifier"), scripts("classifier.recipe")
    args = script.parser().parse_args([str(pictures), "--out", str(out), *QUICK.split()])
    fields = {name: getattr(args, name) for name in recipe.Settings.__dataclass_fields__}
    settings = recipe.Settings(**{**fields, **changes})
    split = script.gather(pictures, CLASSES, settings.validation)
    model = timm.create_model(settings.arch, num_classes=len(split.classes))
    cpu = torch.device("cpu")
    return scripts("classifier.training").Training(
        model, split, settings, out=out, device=cpu, workers=0, save_steps=100
    )


def test_tars_give_the_batches_that_their_folders_give(scripts, few, tmp_path):
    tars = pack(few, tmp_path / "tars")
    pairs = list(zip(training(scripts, few).batches(), training(scripts, tars).batches(), strict=True))
    assert len(pairs) > 5
    assert all(torch.equal(folder.images, tar.images) for folder, tar in pairs)
    assert all(torch.equal(folder.targets, tar.targets) for folder, tar in pairs)


def test_a_picture_in_a_folder_and_in_a_tar_counts_once(scripts, few, tmp_path):
    both = pack(few, tmp_path / "both")
    (both / SYNSETS[0]).symlink_to(few / SYNSETS[0])
    gather = scripts("train_classifier").gather
    assert len(gather(both, CLASSES, 0.1).train) == len(gather(few, CLASSES, 0.1).train)


def test_a_damaged_tar_is_one_line(scripts, few, tmp_path, capsys):
    tars = pack(few, tmp_path / "tars")
    damaged = tars / f"{SYNSETS[1]}.tar"
    damaged.write_bytes(damaged.read_bytes()[:5000])
    assert scripts("train_classifier").main([str(tars), "--out", str(tmp_path / "x.pt"), *QUICK.split()]) == 1
    assert re.fullmatch(
        rf"train_classifier: {damaged}: must be a whole, uncompressed tar: .+\n", capsys.readouterr().err
    )


def test_corrupt_pictures_are_named_once_and_skipped(scripts, tmp_path, capsys):
    folder = draw_set(tmp_path / "set", dict.fromkeys(SYNSETS[:2], 12))
    whole = (folder / SYNSETS[0] / f"{SYNSETS[0]}_0.png").read_bytes()
    names = {f"{synset}/{name}" for synset in SYNSETS[:2] for name in ("cut.png", "text.jpg", "empty.jpg")}
    for name in names:
        content = {"cut.png": whole[:100], "text.jpg": b"not a picture", "empty.jpg": b""}
        (folder / name).write_bytes(content[Path(name).name])
    arguments = [str(folder), "--out", str(tmp_path / "x.pt"), *QUICK.split(), "--validation", "0.3"]
    assert scripts("train_classifier").main([*arguments, "--device", "cpu", "--workers", "0"]) == 0
    said = capsys.readouterr().out
    named = re.findall(r"^skipped (\S+): .+$", said, re.MULTILINE)
    # A balanced draw leaves some pictures out; what is read twice is named once.
    assert len(named) == len(set(named)) > 2
    assert set(named) <= names
    assert "0x" not in said
    assert all(tensor.isfinite().all() for tensor in load(tmp_path / "x.pt")["model"].values())


def test_what_is_no_person_synset_is_named_and_ignored(scripts, few, tmp_path, capsys):
    folder = tmp_path / "set"
    folder.mkdir()
    for source in few.iterdir():
        (folder / source.name).symlink_to(source)
    (folder / "n02084071").symlink_to(few / SYNSETS[0])  # dog
    (folder / "notes").mkdir()
    (folder / "README.txt").write_text("no folder")
    split = scripts("train_classifier").gather(folder, CLASSES, 0.1)
    assert "ignored, no person synset of the list: 2 (n02084071, notes)\n" in capsys.readouterr().out
    assert split.classes == sorted(SYNSETS)


def test_an_empty_synset_is_missing_and_no_output(scripts, tmp_path, capsys):
    folder = draw_set(tmp_path / "set", {SYNSETS[0]: 30, SYNSETS[1]: 30, SYNSETS[2]: 0})
    split = scripts("train_classifier").gather(folder, SYNSETS[:3], 0.2)
    assert split.classes == list(SYNSETS[:2])
    assert capsys.readouterr().out == (f"missing, no pictures to train on: 1 ({SYNSETS[2]}) of 3 synsets\n")


def test_the_split_stays_when_pictures_are_added(scripts, tmp_path):
    gather = scripts("train_classifier").gather
    small = gather(draw_set(tmp_path / "small", dict.fromkeys(SYNSETS, 50)), CLASSES, 0.2)
    large = gather(draw_set(tmp_path / "large", dict.fromkeys(SYNSETS, 90)), CLASSES, 0.2)
    assert set(map(str, small.train)) < set(map(str, large.train))
    assert set(map(str, small.validation)) < set(map(str, large.validation))
    assert 0.15 < len(large.validation) / (len(large.train) + len(large.validation)) < 0.25


@pytest.mark.parametrize(("balanced", "low", "high"), [(True, 0.4, 0.6), (False, 0.05, 0.15)])
def test_balanced_sampling_draws_a_rare_class_as_often_as_another(scripts, tmp_path, balanced, low, high):
    folder = draw_set(tmp_path / "set", {SYNSETS[0]: 270, SYNSETS[1]: 30})
    run = training(scripts, folder, balanced=balanced, mixup=0.0)
    counts = collections.Counter(target for batch in run.batches() for target in batch.targets.tolist())
    assert low < counts[1] / counts.total() < high


def test_a_terminal_gets_a_progress_bar(scripts, few, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    training(scripts, few).validate()
    assert re.search(r"validation:   0%\|.+\| 0/2 ", sys.stderr.getvalue())


def test_a_save_that_fails_leaves_the_file_before_it_and_nothing_else(scripts, tmp_path):
    checkpoint, path = scripts("classifier.checkpoint"), tmp_path / "x.pt"
    checkpoint.save({"epoch": 1}, path)
    with pytest.raises(Exception, match="pickle"):
        checkpoint.save({"epoch": lambda: 2}, path)
    assert load(path) == {"epoch": 1}
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("form", ["pt", "safetensors"])
@pytest.mark.parametrize(("classes", "same_head"), [(6, True), (9, False)])
def test_it_starts_from_weights_and_replaces_a_head_of_another_size(
    scripts, tmp_path, form, classes, same_head
):
    source, model = (timm.create_model("resnet18", num_classes=number) for number in (classes, 6))
    path = tmp_path / f"weights.{form}"
    if form == "pt":
        torch.save({"model": source.state_dict()}, path)
    else:
        safetensors.torch.save_file(source.state_dict(), path)
    assert scripts("classifier.checkpoint").load_weights(model, path) is same_head
    assert torch.equal(model.layer4[1].conv2.weight, source.layer4[1].conv2.weight)
    assert model.fc.weight.shape == (6, 512)
    assert torch.equal(model.fc.weight, source.fc.weight) is same_head


@pytest.mark.parametrize(
    ("options", "exit_code", "wanted"),
    [
        ("--epochs none", 2, "argument --epochs: must be a whole number from 1, found 'none'"),
        ("--lr -1", 2, "argument --lr: must be a number from 0, found '-1'"),
        ("--lr nan", 2, "argument --lr: must be a number from 0, found 'nan'"),
        ("--validation 0.9", 2, "argument --validation: must be a number from 0.001 to 0.5, found '0.9'"),
        ("--randaugment 10", 2, "argument --randaugment: must be a whole number from 0 to 9, found '10'"),
        ("--wieghts x", 2, "unrecognized arguments: --wieghts x"),
        ("--arch resnet5000", 1, "--arch must be one of timm's networks, found 'resnet5000'"),
        ("--batch-size 500", 1, "--batch-size must be at most the 110 pictures to train on, found 500"),
        ("--batch-size 7 --mixup 0.2", 1, "--batch-size must be even with --mixup, found 7"),
        ("--warmup-epochs 3 --epochs 3", 1, "--warmup-epochs must be below --epochs 3, found 3.0"),
        ("--weights {few}/none.pt", 1, "none.pt"),
        ("--weights {few}/{synset}/{synset}_0.png", 1, "must be a torch checkpoint (weights only)"),
        ("--classes {few}/none.txt", 1, "none.txt"),
        ("--out {few}/none/x.pt", 1, "none must exist"),
    ],
)
def test_a_mistake_is_one_line(scripts, few, tmp_path, capsys, options, exit_code, wanted):
    start = "" if "--weights" in options else "--from-scratch"
    line = f"{few} --out {tmp_path / 'x.pt'} --arch resnet18 {start} {options}"
    try:
        found = scripts("train_classifier").main(line.format(few=few, synset=SYNSETS[0]).split())
    except SystemExit as exit_:
        found = exit_.code
    error = capsys.readouterr().err
    assert found == exit_code
    assert error.startswith("train_classifier: ")
    assert wanted in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ("", "exists: --resume goes on with it"),
        ("--resume --seed 3", "was begun with --seed 1, found 3: --resume takes the same options"),
        ("--resume --classes {fewer}", "was begun with other pictures: --resume needs the same"),
    ],
)
def test_another_run_than_the_file_holds_does_not_touch_it(
    scripts, few, uninterrupted, tmp_path, capsys, options, wanted
):
    fewer, out = tmp_path / "fewer.txt", uninterrupted[0]
    fewer.write_text("\n".join(SYNSETS[1:]))
    before = out.read_bytes()
    line = f"{few} --out {out} {QUICK} {options.format(fewer=fewer)}"
    assert scripts("train_classifier").main(line.split()) == 1
    assert wanted in capsys.readouterr().err
    assert out.read_bytes() == before


def test_something_else_than_a_checkpoint_is_not_resumed(scripts, few, tmp_path, capsys):
    out = tmp_path / "x.pt"
    out.write_text("my notes")
    assert scripts("train_classifier").main([str(few), "--out", str(out), *QUICK.split(), "--resume"]) == 1
    assert "must be a checkpoint of this script" in capsys.readouterr().err
    assert out.read_text() == "my notes"
