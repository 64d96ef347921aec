from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import time
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from kiosk.errors import ModelError
from kiosk.vision.cutout import Cutout, homography
from kiosk.vision.demo import LEDGE_TOP, PORTRAITS, Demo
from kiosk.vision.visits import BLOCK_SECONDS, PASSERSBY, STAGE_WH, block_visits, poses

DAY = 2_592_000  # frames
FPS = 30
SEEDS = (2019, 1, 2, 3)


@pytest.fixture(scope="module")
def demo() -> Demo:
    return Demo()


def digest(demo: Demo, index: int) -> str:
    return hashlib.sha256(demo.render(index).tobytes()).hexdigest()


def test_a_frame_is_1280_by_720_bgr_and_another_size_on_demand(demo: Demo) -> None:
    frame = demo.render(60)
    assert (frame.shape, frame.dtype, demo.size_wh, demo.fps) == ((720, 1280, 3), np.uint8, (1280, 720), 30.0)
    small = Demo(size_wh=(640, 360))
    assert small.render(60).shape == (360, 640, 3)
    (box,), (half,) = demo.visitors(60), small.visitors(60)
    assert (half.x0, half.y1) == pytest.approx((box.x0 / 2, box.y1 / 2))


def test_a_frame_depends_on_its_number_alone(demo: Demo) -> None:
    once = digest(demo, 200)
    demo.render(5000)
    assert digest(demo, 200) == once == digest(Demo(), 200)


def test_another_process_renders_the_same_bytes(demo: Demo) -> None:
    script = (
        "import hashlib; from kiosk.vision.demo import Demo; "
        "print(hashlib.sha256(Demo().render(321).tobytes()).hexdigest())"
    )
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == digest(demo, 321)


def test_another_seed_is_another_day(demo: Demo) -> None:
    other = Demo(seed=2020)
    assert digest(demo, 90) != digest(other, 90)
    assert demo.visitors(90) != other.visitors(90)


def test_consecutive_frames_differ_also_in_an_empty_room(demo: Demo) -> None:
    empty = next(index for index in range(60 * FPS) if not demo.poses(index))
    for index in (60, empty):
        before, after = (demo.render(number).astype(np.int16) for number in (index, index + 1))
        assert np.count_nonzero(before != after) > before.size / 2


def test_the_face_is_where_its_box_says(demo: Demo) -> None:
    (box,) = demo.visitors(2 * FPS)
    blue, _, red = demo.render(2 * FPS)[int(box.y0) : int(box.y1), int(box.x0) : int(box.x1)].mean((0, 1))
    assert red > blue + 30, "skin is redder than a grey wall"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_newcomer_sees_a_face_at_once_and_a_second_within_six_seconds(seed: int) -> None:
    first = poses(seed, 2.0)
    assert [pose.standing for pose in first] in ([True], [False, True], [True, False])
    second = poses(seed, 6.0)
    assert [pose.standing for pose in second] == [True, True]
    demo = Demo(seed=seed)
    assert len(demo.visitors(2 * FPS)) >= 1
    assert len(demo.visitors(6 * FPS)) == 2


@pytest.mark.parametrize("seed", SEEDS)
def test_the_room_is_empty_for_seconds_within_the_first_minute(seed: int) -> None:
    empty = [not poses(seed, index / FPS) for index in range(60 * FPS)]
    longest = max(map(len, "".join("x" if gone else " " for gone in empty).split()))
    assert 3 * FPS <= longest <= 6 * FPS


@pytest.mark.parametrize("seed", SEEDS)
def test_people_stand_for_a_while_and_their_block_holds_them(seed: int) -> None:
    for block in range(50):
        for visit in block_visits(seed, block):
            assert 6 <= visit.stand_seconds <= 14
            assert visit.end <= (block + 1) * BLOCK_SECONDS - 3


@pytest.mark.parametrize("seed", SEEDS)
def test_faces_that_stand_together_differ_in_size_and_do_not_touch(seed: int) -> None:
    demo = Demo(seed=seed)
    heights = set()
    for index in range(0, 300 * FPS, 15):
        standing = [demo.face_box(pose) for pose in demo.poses(index) if pose.standing]
        heights |= {round(box.height) for box in standing}
        for one, other in combinations(standing, 2):
            assert one.intersection(other) == 0
            assert max(one.height, other.height) > 1.05 * min(one.height, other.height)
    assert min(heights) < 120
    assert max(heights) > 200


def test_true_boxes_lie_inside_the_frame(demo: Demo) -> None:
    boxes = [box for index in range(0, 90 * FPS, 5) for box in demo.visitors(index)]
    assert len(boxes) > 200
    for box in boxes:
        assert 0 <= box.x0 < box.x1 <= 1280
        assert 0 <= box.y0 < box.y1 <= 720


def test_a_face_behind_somebody_is_not_in_view(demo: Demo) -> None:
    hidden = []
    for index in range(0, 600 * FPS, 10):
        present = demo.poses(index)
        if len(present) == 2 and demo.face_box(present[0]).intersection(demo.face_box(present[1])) > 0:
            hidden.append(demo.in_view(present[0], present))
            nearest = demo.face_box(present[1])
            assert demo.in_view(present[1], present) == (nearest.x0 >= 0 and nearest.x1 <= 1280)
    assert hidden, "in ten minutes somebody crosses behind somebody"
    assert not any(hidden)


def test_nobody_floats_above_the_ledge() -> None:
    outlines = {person: Cutout.load(person, PORTRAITS).outline for person in PASSERSBY}
    for index in range(0, 600 * FPS, 7):
        for pose in poses(2019, index / FPS):
            matrix = homography(pose, STAGE_WH)
            outline = outlines[pose.person]
            for x in (outline.x0, outline.x1):
                _, y, depth = matrix @ (x, outline.y1, 1)
                assert y / depth > LEDGE_TOP * STAGE_WH[1]


def test_a_day_later_it_goes_on_at_the_same_cost(demo: Demo) -> None:
    def seconds(start: int) -> float:
        begin = time.process_time()
        for index in range(start, start + 40):
            demo.render(index)
        return time.process_time() - begin

    seconds(0)
    assert seconds(DAY) < 3 * seconds(4 * FPS) + 0.2
    assert digest(demo, DAY) != digest(demo, DAY + 1)
    assert any(demo.visitors(index) for index in range(DAY, DAY + 20 * FPS, 30))


def test_a_missing_portrait_is_one_line_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"astronaut\.png: the demo needs this portrait") as caught:
        Demo(portraits=tmp_path)
    assert "\n" not in str(caught.value)


def test_a_broken_or_misfitting_matte_is_refused(tmp_path: Path) -> None:
    for path in PORTRAITS.glob("*.*g"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    matte = tmp_path / "astronaut.matte.png"
    matte.write_bytes((PORTRAITS / "grace_hopper.matte.png").read_bytes())
    with pytest.raises(
        ModelError, match=r"must be as large as astronaut\.png, \(512, 512\), got \(600, 512\)"
    ):
        Demo(portraits=tmp_path)
    matte.write_bytes(b"not a picture")
    with pytest.raises(ModelError, match="is no picture"):
        Demo(portraits=tmp_path)


def test_the_portraits_are_those_their_readme_lists() -> None:
    listed = dict(
        reversed(line)
        for line in re.findall(r"^([0-9a-f]{64})  (\S+)$", (PORTRAITS / "README.md").read_text("utf-8"), re.M)
    )
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in PORTRAITS.iterdir()
        if path.name != "README.md"
    }
    assert found == listed
    assert len(found) == 4
