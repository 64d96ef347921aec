"""The faults that people who run cameras, screens and networks for months met: what the piece does then.

Where each is tested (`here` is this file):

    A  privacy
     1 onnxruntime sends and stores at import (PR 27379)   test_environment
     2 and is silent where it takes CI for the user        test_environment: the harness hands on nothing
     3 Mesa's and CUDA's caches on the disk                test_environment: a run on a screen
     4 a write that fails returns True                     test_seal, test_sealed_run: the libraries
     5 a thread older than the seal                        test_seal, test_sealed_run
     6 core files                                          test_seal, test_machine
     7 debugging switches that write files                 test_environment: apply drops
    B  camera
     8 a dead driver hands out its last picture (opencv 8358)       here: frozen; test_judge
     9 a read that takes 10 s, or for ever (opencv 5197)            here: blocks; test_recovery, test_worker
    10 another number after replugging (opencv 10546)               test_sources
    11 "Connection OK" for a day without a frame (Motion 1605)      here: every row; test_supervisor
    12 another size, grey, four channels in mid-stream (Motion 1054)   here: size; test_sources
    13 half of the picture is grey (opencv 9477)                    here: damaged; test_judge
    14 the first frames are black; the lens is covered (opencv 23202)  here: dark; test_sources, test_judge
    15 the picture is frozen (AVProLiveCamera 55)                   here: frozen; test_judge
    16 release() while read() runs crashes (opencv-python 121)      here: SIGTERM; test_worker, test_app
    17 asked for 720p, got YUYV at 5 fps (opencv 9540)              test_sources, test_devices
    18 it cannot be opened for hours (opencv 23787)                 here: absent, unplugged
    19 back-off with a limit, and never the end                     here: absent; test_capture
    C  display
    20 SDL draws for nobody without a word                          test_window, test_cli
    21 the compositor dies: one QUIT                                here: display goes; test_window
    22 the X server dies                                            test_recovery
    23 cage ends with its last output (cage 208)                    test_machine
    24 no picture after sleep, flips of seconds (hyprland 13223)    here: flips; test_flips, test_recovery
    25 no XDG_RUNTIME_DIR, no driver                                test_window, test_doctor, test_service
    26 minimised by a notification (SDL 3038)                       test_window: the environment
    27 the screen blanks itself                                     test_window, test_devices
    28 two SDLs in a process (opencv-python 1219)                   here
    29 memory creeps (pygame 1469)                                  here; test_draw: sheets do not pile up
    D  networks
    30 the CPU instead of the GPU, silently (onnxruntime 23372)     test_inference
    31 libraries that are installed and not found                   test_providers
    32 one CUDA error poisons the process (onnxruntime 26312)       here: CUDA, other answers
    33 memory of the GPU grows with each shape                      test_classify, test_providers
    34 damaged weights, answers that are no numbers                 here: no number; test_manifest
    35 the GPU is gone after an upgrade                             test_inference, test_service: comes back
    E  configuration
    36 to 39 two equal keys, YAML's types, typos, bombs             test_document, test_schema, test_config
    40 an editor's save is missed, or read by half                  here: edit; test_watch, test_edits
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pygame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kiosk.health import State
from kiosk.messages import Box, Caption, Entry, Frame, Scene
from kiosk.screen import texts
from kiosk.screen.draw import Canvas, Card, offscreen
from kiosk.screen.look import Look, Told
from kiosk.sections import DisplayConfig, WallConfig
from tests.conftest import ROOT
from tests.scenario import Played, Script, play

UP = "opening picture caption"
LIVE = "opening live"
AGAIN = "live"
LOADED = "opening warming live"
CODES = {None, 0, 66, 69, 70, 75}


@dataclass(frozen=True)
class Case:
    """A scenario and what is to be seen of it."""

    text: str
    wall: str
    """What stands on it, one after the other."""
    states: str
    exit_code: int | None = None
    last_words: str = ""
    """How the error begins with which it ends."""
    warning: str = ""
    """How the first line of the log begins that tells of no state."""
    silence: float = 1.0
    """Seconds for which the watchdog hears nothing, at most and nearly."""
    opened_at: tuple[float, ...] = (0,)
    """When the camera was tried, seconds."""
    kind: str = "camera"


CASES = {
    "all is well": Case("ok 100", UP, LIVE),
    # The camera.
    "unplugged for minutes": Case(
        "ok 50; absent 5; ok 50",
        f"{UP} resting picture caption",
        f"{LIVE} reopening {AGAIN}",
        warning="reopening: camera 0: gives no picture",
        opened_at=(0, 4.7, 6.7, 10.7, 18.7, 34.7, 64.7),
    ),
    "absent at the start": Case(
        "absent 3; ok 50",
        "resting picture caption",
        f"opening reopening {AGAIN}",
        warning="reopening: camera 0: cannot be opened",
        opened_at=(0, 1, 3, 7),
    ),
    "reads fail now and then": Case(
        "ok 50; false 2; ok 1100; false 1; ok 50",
        f"{UP} resting picture caption resting picture caption",
        f"{LIVE} reopening {AGAIN} reopening {AGAIN}",
        warning="reopening: camera 0: gives no picture",
        # After a minute of good frames the wait is a second again, not four.
        opened_at=(0, 4.7, 7.2, 77.6),
    ),
    "plugged in after the seal": Case(
        "ok 50; late; absent", f"{UP} off", LIVE, 75, "0: came after the seal; a new start reaches it"
    ),
    "a read that blocks": Case(
        "ok 50; block 40",
        f"{UP} picture resting off",
        f"{LIVE} stale",
        75,
        "stuck: a read has not returned for 15 seconds",
        silence=12.6,
    ),
    "a read that blocks for a while": Case(
        "ok 50; block 6; ok 50",
        f"{UP} picture resting picture caption",
        f"{LIVE} stale live",
        silence=3.75,
    ),
    "an opening that blocks": Case(
        "open-blocks 40", "opening off", "opening", 75, "stuck: a read has not returned for 15 seconds"
    ),
    "an opening that blocks after a fault": Case(
        "ok 50; false; open-blocks 40",
        f"{UP} resting off",
        f"{LIVE} reopening",
        75,
        "stuck: a read has not returned for 15 seconds",
        "reopening: camera 0: gives no picture",
        opened_at=(0, 4.7),
    ),
    "frozen, and well after it was opened again": Case(
        "ok 50; same 80; ok 50",
        f"{UP} resting picture caption",
        f"{LIVE} reopening {AGAIN}",
        warning="reopening: camera 0: gives the same picture again and again",
        opened_at=(0, 9.6),
    ),
    "a stream of a still room": Case("ok 50; same 400; ok 50", UP, LIVE, kind="stream"),
    "the lens is covered, and the same dark picture comes for minutes": Case(
        "ok 50; black 3000; ok 50",
        f"{UP} picture resting picture caption",
        f"{LIVE} resting {AGAIN}",
        warning="resting: the picture is black",
    ),
    "dark while it gets used to the light": Case("black 20; ok 50", UP, LIVE),
    "covered, and then it blocks": Case(
        "ok 50; black 100; block 40",
        f"{UP} picture resting off",
        f"{LIVE} resting",
        75,
        "stuck: a read has not returned for 15 seconds",
        "resting: the picture is black",
    ),
    "a few damaged pictures": Case("ok 50; damaged 3; ok 50", UP, LIVE),
    "nothing but damaged pictures": Case(
        "ok 50; damaged 200; ok 50",
        f"{UP} picture resting picture caption",
        f"{LIVE} stale reopening {AGAIN}",
        warning="reopening: camera 0: gives damaged pictures only",
        silence=7.7,
        opened_at=(0, 14.7),
    ),
    "another size and other channels in mid-stream": Case(
        "ok 50; size 96x72; ok 20; grey 20; size 48x96; alpha 20; ok 20", UP, LIVE
    ),
    "pictures of 16 bits": Case(
        "ok 50; deep; ok 50",
        f"{UP} resting picture caption",
        f"{LIVE} reopening {AGAIN}",
        warning="reopening: camera 0: gives (48, 64, 3) uint16",
        opened_at=(0, 4.7),
    ),
    # The networks.
    "networks that load for long": Case("loading 40; ok 800", UP, LOADED),
    "networks that load for ever": Case(
        "loading 9999; black 10000",
        "opening picture resting off",
        "opening warming resting",
        70,
        "stuck: a network does not answer",
        "resting: the picture is black",
    ),
    "the camera is gone while they load": Case(
        "loading 10; ok 20; absent 2; ok 50",
        "opening picture resting picture caption",
        f"opening warming reopening warming {AGAIN}",
        warning="reopening: camera 0: gives no picture",
        opened_at=(0, 2.8, 4.8, 8.8),
    ),
    "no model": Case(
        "no-model; ok 20", "opening off", "opening", 66, "models/nothing.onnx: not listed", silence=0.5
    ),
    "a network that hangs": Case(
        "ok 50; hang; ok 400",
        f"{UP} picture resting off",
        f"{LIVE} stale",
        70,
        "stuck: a network does not answer",
        silence=10.9,
    ),
    "a network that hangs at its first look": Case(
        "hang; ok 400", "opening picture off", "opening live", 70, "stuck: a network does not answer"
    ),
    "looks that take two seconds": Case("look 2; ok 200", "opening picture", LIVE),
    "an answer that is no number": Case(
        "ok 50; nan; ok 50", f"{UP} off", LIVE, 70, "tiny: the network's answer is not finite"
    ),
    "a CUDA error": Case(
        "ok 50; cuda-error; ok 50", f"{UP} off", LIVE, 70, "tiny: inference failed: CUDA failure 700"
    ),
    "other answers than were tested": Case(
        "ok 50; wrong; closed 3700",
        f"{UP} black off",
        f"{LIVE} closed",
        70,
        "tiny: to the test picture it must answer n1",
        "closed: always closed",
        silence=1.1,
    ),
    # The display.
    "one slow flip": Case("ok 50; flip 10; ok 200", UP, LIVE, silence=10.6),
    "a flip that takes very long": Case(
        "ok 50; flip 40; ok 700", f"{UP} off", LIVE, 69, "the display needs 40 seconds", silence=40.6
    ),
    "nothing but slow flips": Case(
        "ok 50; flips 3; ok 700", f"{UP} off", LIVE, 69, "the display needs 3 seconds", silence=3.6
    ),
    "flips that fail": Case(
        "ok 50; flip-fails; ok 50", f"{UP} off", LIVE, 69, "the display takes no picture"
    ),
    "the display goes": Case("ok 50; quit 1; ok 50", f"{UP} off", LIVE, 69, "the display went away"),
    "the display goes while the camera is gone": Case(
        "ok 50; quit 9; absent 8",
        f"{UP} resting off",
        f"{LIVE} reopening",
        69,
        "the display went away",
        "reopening: camera 0: gives no picture",
        opened_at=(0, 4.7, 6.7, 10.7),
    ),
    # Edits, hours and clocks.
    "a bad edit, and a good one": Case(
        "ok 50; config-bad; ok 50; config-good; ok 50", UP, LIVE, warning="not in force"
    ),
    "closed for a while": Case(
        "ok 50; closed 600; ok 50",
        f"{UP} black picture caption",
        f"{LIVE} closed live",
        warning="closed: always closed",
        silence=1.1,
        opened_at=(0, 603.6),
    ),
    "closed at the start": Case(
        "closed 60; ok 50",
        "black picture caption",
        "opening closed live",
        warning="closed: always closed",
        opened_at=(60,),
    ),
    "the night, by the clock on the wall": Case(
        "hours 10:00-18:00; ok 50; clock +6h; wait 60; clock +16h; ok 50",
        f"{UP} black picture caption",
        f"{LIVE} closed live",
        warning="closed: closed until Tuesday 10:00",
        silence=1.1,
        opened_at=(0, 63.6),
    ),
    "the clock is set back by a year": Case("hours 10:00-18:00; ok 50; clock -365d; ok 50", UP, LIVE),
    "the machine sleeps, and the camera with it": Case(
        "ok 50; suspend 30000; false; ok 50",
        f"{UP} resting picture caption",
        f"{LIVE} reopening {AGAIN}",
        warning="reopening: camera 0: gives no picture",
        opened_at=(0, 4.7),
    ),
    # The end.
    "the daily restart": Case("restart 13:00; ok 50; clock +1h; ok 50", f"{UP} off", LIVE, 0),
    "Escape": Case("ok 50; escape 1; ok 50", f"{UP} off", LIVE, 0),
    "SIGTERM": Case("ok 50; sigterm", f"{UP} off", LIVE, 0),
    "SIGTERM while the camera is gone": Case(
        "ok 50; sigterm 2; absent 3",
        f"{UP} resting off",
        f"{LIVE} reopening",
        0,
        warning="reopening: camera 0: gives no picture",
        opened_at=(0, 4.7),
    ),
    "SIGTERM while it is closed": Case(
        "ok 50; sigterm 2; closed 9",
        f"{UP} black off",
        f"{LIVE} closed",
        0,
        warning="closed: always closed",
        silence=1.1,
    ),
    "SIGTERM while a read blocks": Case(
        "ok 50; sigterm 2; block 40", f"{UP} off", LIVE, 75, "stuck, a read does not return"
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_seen_of_a_fault(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    played = play(case.text, tmp_path, case.kind)
    assert (played.stood, played.states) == (case.wall, case.states)
    assert (played.exit_code, played.last_words[: len(case.last_words)]) == (case.exit_code, case.last_words)
    assert played.warning[: len(case.warning) or None] == case.warning
    assert played.silence == pytest.approx(case.silence, abs=0.1)
    assert played.opened_at == pytest.approx(case.opened_at, abs=0.1)
    up = set(played.states.split()) - {"opening", "warming"}
    assert played.told("READY") == (("1",) if up else ())
    check_promises(played, tmp_path)


def check_promises(played: Played, folder: Path) -> None:
    """What holds whatever happens. Of pictures, captions and pings see players.Wall and stage.Stage."""
    assert played.broken == frozenset()
    assert sorted(path.name for path in folder.iterdir()) == ["venue.yaml", "words.yaml"], "nothing is stored"
    ended = played.exit_code is not None
    assert played.exit_code in CODES
    assert bool(played.last_words) == (played.exit_code not in (None, 0))
    assert played.told("STOPPING") == (("1",) if ended else ())
    assert (played.stood.split()[-1] == "off") == ended, "the wall is blanked, and only at the end"
    assert played.told("READY") in ((), ("1",))
    assert set(played.states.split()) <= {state.name.lower() for state in State}
    assert len(played.log) <= 3 * len(played.states.split()), "a line a change, not a line a frame"
    assert not any("a word" in line for line in played.log), "of a visitor nothing is said"


def test_the_picture_stands_for_three_seconds_at_most_when_no_other_comes(tmp_path: Path) -> None:
    wall = {what: at for at, what in play("ok 50; block 14", tmp_path).wall}
    last_frame_at = 0.5 + 50 / 16
    assert wall["picture"] - last_frame_at == pytest.approx(2, abs=0.1), "the caption goes first"
    assert wall["resting"] - last_frame_at == pytest.approx(3, abs=0.1)


def test_a_caption_stands_for_two_seconds_at_most_when_no_look_comes(tmp_path: Path) -> None:
    wall = {what: at for at, what in play("ok 50; hang; ok 200", tmp_path).wall}
    last_look_at = 0.5 + 50 / 16
    assert wall["picture"] - last_look_at == pytest.approx(2, abs=0.2)
    assert wall["resting"] - last_look_at == pytest.approx(5, abs=0.2)


def test_the_staff_see_a_dot_while_their_edit_is_bad_and_visitors_see_no_change(tmp_path: Path) -> None:
    played = play("ok 50; config-bad; ok 50; config-good; ok 50", tmp_path)
    assert played.marks == (False, True, False)
    assert played.told("STATUS")[-3:] == (
        "running",
        "running; an edit of the configuration is bad and not in force",
        "running",
    )


def test_systemd_is_told_each_state_in_words(tmp_path: Path) -> None:
    played = play("ok 50; black 60; ok 50; false; ok 50; block 5; ok 20; closed 9; sigterm", tmp_path)
    assert played.told("STATUS") == (
        "starting",
        "running",
        "resting, the source gives darkness, as with a covered lens",
        "running",
        "the source gives no picture; it is tried again",
        "running",
        "not well, the screen or the networks do not follow; systemd will start it anew",
        "running",
        "closed, by the opening hours",
        "stopping",
    )


def test_a_frozen_picture_does_not_come_back_when_the_camera_is_opened_again(tmp_path: Path) -> None:
    played = play("ok 50; same 300; ok 50", tmp_path)
    assert played.stood == f"{UP} resting picture caption"
    assert played.broken == frozenset()


def test_networks_that_look_every_three_seconds_have_not_stopped(tmp_path: Path) -> None:
    played = play("look 3; ok 400", tmp_path)
    assert (played.stood, played.states) == ("opening picture", LIVE)
    assert played.silence == 1.0


def test_what_must_not_be_shown_is_seen_by_the_wall_that_is_played(tmp_path: Path) -> None:
    """Without it every row of the table could be green."""
    stage = Script(tmp_path, "camera").stage
    picture = np.full((48, 64, 3), 99, np.uint8)
    stage.wall.show(Frame(picture, 0, stage.now - 3.1), Scene(0, stage.now - 2.1, ()), Card.OPENING, Told())
    assert {line.partition(" seconds")[0][:12] for line in stage.broken} == {"a picture 3.", "a caption 2."}
    stage.broken.clear()
    stage.wall.forget()
    stage.wall.show(Frame(picture, 0, stage.now), Scene(0, stage.now, ()), Card.OPENING, Told())
    assert stage.broken == {"a picture from before the fault", "a caption from before the fault"}
    stage.broken.clear()
    stage.now += 1
    stage.wall.show(Frame(stage.camera.last, 0, stage.now), None, Card.OPENING, Told())
    assert stage.broken == {"a picture from before the fault"}, "it is known by its pixels too"
    stage.close()


NUISANCES = st.one_of(
    st.sampled_from(
        ("config-bad", "config-good", "clock -365d", "clock +1h", "suspend 3600", "flip 5", "look 0.5")
    ),
    st.sampled_from(
        ("grey 3", "alpha 3", "deep", "size 96x72", "size 64x48", "false", "false 3", "absent 3")
    ),
    st.sampled_from(("block 0.25", "block 2", "block 9", "open-blocks 9", "closed 0.25", "closed 9")),
    st.builds("{} {}".format, st.sampled_from(("ok", "black", "damaged")), st.integers(1, 250)),
    st.builds("ok; same {}".format, st.integers(1, 70)),
)
ENDS = st.sampled_from(
    (
        "",
        "hang",
        "nan",
        "cuda-error",
        "quit 2",
        "escape 2",
        "sigterm 2",
        "flips 4",
        "flip-fails",
        "late",
        "block 16",
    )
)


@settings(max_examples=60, derandomize=True, deadline=None, database=None)
@given(
    start=st.sampled_from(("ok 40", "absent", "loading 20", "no-model", "closed 1")),
    nuisances=st.lists(NUISANCES, min_size=1, max_size=6),
    end=ENDS,
)
def test_whatever_happens_in_whatever_order_the_promises_hold(
    start: str, nuisances: list[str], end: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("venue")
    check_promises(play("; ".join((start, *nuisances, end, "ok 40; false 2")), folder), folder)


def test_one_sdl_is_loaded_and_nothing_opens_a_window_but_ours() -> None:
    code = """
from kiosk import environment
environment.apply()
import kiosk.app
libraries = {line.split("/")[-1] for line in open("/proc/self/maps") if "libSDL2-2" in line}
print(len(libraries))
"""
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "1\n"
    windows = ("cv2.imshow", "cv2.namedWindow", "cv2.waitKey")
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "kiosk").rglob("*.py")]
    assert not any(window in source for window in windows for source in sources)


def memory() -> int:
    """Bytes of this process that are in memory, as the kernel counts them."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_thousands_of_pictures_and_visitors_leave_nothing_in_memory() -> None:
    pygame.font.init()
    canvas = Canvas(offscreen((640, 360)), Look(DisplayConfig(), WallConfig(), texts.load("en")))
    image = np.random.default_rng(1).integers(0, 255, (90, 160, 3), np.uint8)

    def draw(first: int, count: int) -> None:
        for at in range(first, first + count):
            now = at / 16
            word = Entry(f"n{at // 8}", (f"visitor {at // 8}",), "a gloss", ("person",), None, None, None)
            caption = Caption(1 + at // 8, Box(40, 20, 80, 60), word, 0.5)
            canvas.paint(Frame(image.copy(), at, now), Scene(at, now, (caption,), anybody=True), now)

    draw(0, 400)
    before = memory()
    draw(400, 1200)
    assert memory() - before < 4 << 20, "150 visitors came and went"
