"""What the wall shows of fixed input, compared with pictures that somebody looked at and found good."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from kiosk.messages import Box, Image
from tests.scenes import GOLDEN, MOMENTS, NIGHT, Moment, Visitor, paint, save

# Other builds of the libraries round a little differently. Measured between opencv-python 4.11 and 5.0, and
# between pygame 2.5, 2.6 and pygame-ce 2.5: 7 levels in a pixel, and 0.7 on average over a window.
NOISE = 7
WINDOW, MOST = 24, 1.5


@dataclass(frozen=True)
class Difference:
    """What of a picture is not as it was."""

    pixels: int
    """How many differ by more than NOISE levels."""
    x0: int
    y0: int
    x1: int
    y1: int
    """Round the middles of all windows that differ; x1 and y1 exclusive."""


def differences(found: Image, wanted: Image) -> tuple[Difference, ...]:
    """One or none: where a window of WINDOW by WINDOW pixels differs by more than MOST levels on average."""
    if found.shape != wanted.shape:
        height, width = found.shape[:2]
        return (Difference(height * width, 0, 0, width, height),)
    levels = cv2.absdiff(found, wanted).max(axis=2).astype(np.float32)
    average = cv2.blur(levels, (WINDOW, WINDOW), borderType=cv2.BORDER_REFLECT)
    rows, columns = np.nonzero(average > MOST)
    if not rows.size:
        return ()
    x0, x1, y0, y1 = columns.min(), columns.max() + 1, rows.min(), rows.max() + 1
    return (Difference(int((levels > NOISE).sum()), int(x0), int(y0), int(x1), int(y1)),)


def golden(name: str) -> Image:
    image = cv2.imread(str(GOLDEN / f"{name}.webp"))
    assert image is not None, f"no golden picture of {name}; to make it: python -m tests.scenes {name}"
    return np.asarray(image, np.uint8)


def check(moment: Moment, folder: Path) -> None:
    """Fails where the wall does not look as it did, and leaves what it looks like in a folder."""
    found = paint(moment)
    for where in differences(found, golden(moment.name)):
        path = folder / f"{moment.name}.png"
        assert cv2.imwrite(str(path), found)
        place = f"({where.x0}, {where.y0}) to ({where.x1}, {where.y1})"
        pytest.fail(
            f"{moment.name} does not look as it did: {where.pixels} pixels within {place}\n"
            f"look at {path}, and if that is better: python -m tests.scenes {moment.name}",
            pytrace=False,
        )


def named(name: str) -> Moment:
    (moment,) = (moment for moment in MOMENTS if moment.name == name)
    return moment


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: moment.name)
def test_the_wall_looks_as_it_did(moment: Moment, tmp_path: Path) -> None:
    check(moment, tmp_path)


def test_every_golden_picture_is_of_a_moment_and_they_are_small() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == {f"{moment.name}.webp" for moment in MOMENTS}
    assert sum(path.stat().st_size for path in GOLDEN.iterdir()) < 2_000_000


class Aside(Visitor):
    """Whose caption stands 3 pixels of the screen beside where it should."""

    @property
    def box(self) -> Box:
        box = super().box
        return Box(box.x0 + 4, box.y0, box.x1 + 4, box.y1)


ONE = named("one-visitor")
SHE = ONE.visitors[0]
LAMPLIGHTER = SHE.entry
assert LAMPLIGHTER


@pytest.mark.parametrize(
    "moment",
    [
        pytest.param(replace(ONE, visitors=(Aside(**vars(SHE)),)), id="a caption 3 pixels aside"),
        pytest.param(
            replace(ONE, display=replace(ONE.display, accent="#43f51e")), id="an accent by 10 levels"
        ),
        pytest.param(replace(ONE, display=replace(ONE.display, text_scale=1.05)), id="larger type"),
        pytest.param(replace(ONE, visitors=(replace(SHE, probability=0.062),)), id="another digit"),
        pytest.param(
            replace(ONE, visitors=(replace(SHE, entry=replace(LAMPLIGHTER, etymology=None)),)),
            id="no etymology",
        ),
        pytest.param(replace(ONE, visitors=(replace(SHE, entry=None),)), id="no word"),
        pytest.param(replace(ONE, wall=replace(ONE.wall, warning="")), id="no warning"),
        pytest.param(replace(ONE, display=replace(NIGHT, accent="#39ff14")), id="another theme"),
        pytest.param(replace(ONE, size_wh=(540, 960)), id="another screen"),
    ],
)
def test_a_change_is_seen(moment: Moment, tmp_path: Path) -> None:
    with pytest.raises(pytest.fail.Exception, match="one-visitor does not look as it did"):
        check(moment, tmp_path)


def test_letters_of_another_grey_are_seen(tmp_path: Path) -> None:
    theme = tmp_path / "greyer.yaml"
    theme.write_text('colours:\n  body: "#ebebe6"\n')
    with pytest.raises(pytest.fail.Exception):
        check(replace(ONE, display=replace(ONE.display, theme=str(theme))), tmp_path)


def test_a_plate_that_stands_3_pixels_aside_is_seen() -> None:
    wanted = golden("scene")
    found = wanted.copy()
    found[:38] = np.roll(wanted[:38], 3, axis=1)
    (where,) = differences(found, wanted)
    assert where.y1 < 38 + WINDOW


def test_what_other_builds_round_differently_is_no_change() -> None:
    wanted = golden("one-visitor")
    draw = np.random.default_rng(1)
    noise = draw.integers(-1, 2, wanted.shape)
    noise[draw.random(wanted.shape[:2]) < 0.01] = NOISE
    found = np.clip(wanted + noise, 0, 255).astype(np.uint8)
    assert differences(found, wanted) == ()


def test_it_is_said_what_has_changed_where_and_how_to_accept_it(tmp_path: Path) -> None:
    with pytest.raises(pytest.fail.Exception) as failed:
        check(replace(ONE, visitors=(replace(SHE, probability=0.062),)), tmp_path)
    said = str(failed.value)
    assert "one-visitor does not look as it did: " in said
    assert f"look at {tmp_path / 'one-visitor.png'}" in said
    assert said.endswith("python -m tests.scenes one-visitor")
    found = cv2.imread(str(tmp_path / "one-visitor.png"))
    assert found is not None and len(differences(np.asarray(found, np.uint8), golden("one-visitor"))) == 1


def test_a_picture_is_saved_without_loss(tmp_path: Path) -> None:
    image = np.random.default_rng(1).integers(0, 256, (48, 64, 3), np.uint8)
    save(tmp_path / "noise.webp", image)
    assert (cv2.imread(str(tmp_path / "noise.webp")) == image).all()
