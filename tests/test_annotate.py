from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from kiosk.messages import Box
from tests.conftest import ROOT

ASTRONAUT = ROOT / "models" / "portraits" / "astronaut.png"
CLASSES = set((ROOT / "models" / "classes.txt").read_text().split())


def annotate(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kiosk", "annotate", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


def test_the_astronaut_has_one_face_where_it_is(tmp_path: Path) -> None:
    done = annotate(ASTRONAUT, "--json", "--out", tmp_path / "out.png")
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    found = json.loads(line)
    assert (found["image"], found["width"], found["height"]) == (str(ASTRONAUT), 512, 512)
    assert found["scene"] is None
    (face,) = found["faces"]
    assert Box(*face["box"]).iou(Box(182, 58, 270, 178)) > 0.6
    assert 0.5 <= face["score"] <= 1
    assert len(face["guesses"]) == 5
    assert {guess["synset"] for guess in face["guesses"]} <= CLASSES
    assert all(set(guess) == {"synset", "label", "probability", "withheld"} for guess in face["guesses"])
    shares = [guess["probability"] for guess in face["guesses"]]
    assert shares == sorted(shares, reverse=True)
    picture = cv2.imread(str(tmp_path / "out.png"))
    assert min(picture.shape[:2]) >= 1080
    scale = picture.shape[1] / 512
    x0, y0, x1, _ = (round(side * scale) for side in face["box"])
    edge = picture[round(y0 + 40 * scale), x0 : x0 + 3]
    assert (edge == (0x14, 0xFF, 0x39)).all(), "the box is drawn where the face is, not mirrored"
    assert (picture[round(y0 + 40 * scale), x1 - 3 : x1] == (0x14, 0xFF, 0x39)).all()


def test_a_picture_without_a_face_is_classified_as_a_scene(tmp_path: Path) -> None:
    wall = np.full((400, 600, 3), 180, np.uint8)
    cv2.imwrite(str(tmp_path / "wall.png"), wall)
    found = json.loads(annotate(tmp_path / "wall.png", "--json").stdout)
    assert found["faces"] == []
    assert len(found["scene"]) == 5


def test_a_bad_picture_gets_a_line_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "notes.png").write_text("hello")
    shutil.copy(ASTRONAUT, tmp_path / "good.png")
    done = annotate(tmp_path / "notes.png", tmp_path / "missing.png", tmp_path / "good.png", "--json")
    assert done.returncode == 65
    assert [json.loads(line)["image"] for line in done.stdout.splitlines()] == [str(tmp_path / "good.png")]
    problems = [line for line in done.stderr.splitlines() if line.startswith("kiosk: ")]
    assert len(problems) == 2
    assert "Traceback" not in done.stderr


def test_several_pictures_go_into_a_folder_and_each_is_seen_by_itself(tmp_path: Path) -> None:
    image = cv2.imread(str(ASTRONAUT))
    for name, picture in (("a.png", image), ("b.jpg", image[:, ::-1])):
        cv2.imwrite(str(tmp_path / name), picture)
    alone = json.loads(annotate(tmp_path / "b.jpg", "--json").stdout)
    done = annotate(tmp_path / "a.png", tmp_path / "b.jpg", "--json", "--out", tmp_path / "out")
    assert json.loads(done.stdout.splitlines()[1]) == alone
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.roulette.png", "b.roulette.png"]


@pytest.mark.parametrize("names", [("a/x.png", "b/x.png"), ("a/x.png", "a/x.jpg")])
def test_two_pictures_are_never_written_to_one_file(tmp_path: Path, names: tuple[str, str]) -> None:
    done = annotate(*(tmp_path / name for name in names), "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "same name" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_picture_is_never_overwritten(tmp_path: Path) -> None:
    shutil.copy(ASTRONAUT, tmp_path / "me.png")
    done = annotate(tmp_path / "me.png", "--out", tmp_path / "me.png")
    assert done.returncode == 2
    assert (tmp_path / "me.png").read_bytes() == ASTRONAUT.read_bytes()


def test_without_json_a_person_can_read_it() -> None:
    done = annotate(ASTRONAUT)
    assert done.stdout.startswith(f"{ASTRONAUT}: 1 face\n  ")
    assert ": " in done.stdout.splitlines()[1]


def test_a_withheld_word_is_told_with_its_reason_and_not_drawn(tmp_path: Path) -> None:
    (tmp_path / "none.yaml").write_text("show: none\nreason: not in this room.\n")
    policy = f"policy={tmp_path / 'none.yaml'}"
    done = annotate(ASTRONAUT, "--json", "--out", tmp_path / "out.png", "--set", policy)
    (face,) = json.loads(done.stdout)["faces"]
    assert {guess["withheld"] for guess in face["guesses"]} == {"not in this room."}
    assert (tmp_path / "out.png").exists()
    assert annotate(ASTRONAUT, "--set", policy).stdout.splitlines()[1] == "  withheld: not in this room."
