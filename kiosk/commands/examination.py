"""The machine examined part by part, as the piece would meet it. A configuration in, lines out.

Libraries are imported in the checks: a missing one is told, and none starts a thread before the seal.
"""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from importlib.metadata import distributions
from pathlib import Path

from kiosk.commands import installation
from kiosk.config import LEXICON_PATH, ROOT, Config, load
from kiosk.errors import CameraError, ConfigError, DisplayError, InferenceError, ModelError
from kiosk.trust import machine
from kiosk.trust.machine import Line, State
from kiosk.trust.seal import Policy, Seal, display, ports, seal

SETUP_CFG = ROOT / "setup.cfg"
# What makes the lexicon, and writes it.
MAKERS = ("choice", "errata", "etymology", "gcide", "lexicon", "senses", "wordnet")


class Examination:
    """The checks. Each may raise what its part raises; they belong in the order of CHECKS."""

    def __init__(self, path: Path, overrides: tuple[str, ...], duration: float) -> None:
        """`duration` in seconds: of measuring the source."""
        self._path, self._duration = path, duration
        self._problems: tuple[str, ...] = ()
        try:
            self._config = load(path, overrides)
        except ConfigError as error:
            self._config, self._problems = Config(), error.problems
        self._sealed: Seal | None = None
        self._driver = ""
        self._devices: tuple[str, ...] = ()

    def seal(self) -> Iterator[Line]:
        """Put it on; what it is worth is told by `seal_shut`, when the display is open."""
        policy = Policy(required=False, display=display(os.environ), ports=ports(self._config.source))
        self._sealed = seal(policy)
        return iter(())

    def configuration(self) -> Iterator[Line]:
        """And all that it names."""
        from kiosk.edits import read
        from kiosk.words.lexicon import Lexicon

        problems = self._problems
        if not problems:
            try:
                read(self._config, Lexicon.load(LEXICON_PATH))
            except ConfigError as error:
                problems = error.problems
            except ModelError:  # told with the lexicon
                pass
        yield from installation.configuration(problems, self._path)
        if self._problems:
            yield Line(State.UNKNOWN, "configuration", "what follows is for the defaults, not for yours")

    def python(self) -> Iterator[Line]:
        """Its version, and the packages'."""
        wanted = SETUP_CFG.read_text(encoding="utf-8")
        yield from installation.python(sys.version_info[:2], wanted)
        there = {re.sub(r"[-_.]+", "-", it.name).lower(): it.version for it in distributions()}
        yield from installation.packages(there, wanted)

    def display(self) -> Iterator[Line]:
        """Screens, monitors, and what may turn them black."""
        from kiosk.commands import devices
        from kiosk.screen import displays

        try:
            found = displays.found()
        except DisplayError as error:
            yield devices.no_display(str(error), os.environ, displays.desktops())
        else:
            self._driver = found.driver
            yield from devices.display(found, self._config.display.screen)
        yield from devices.monitors(tuple(displays.monitors()))
        yield from devices.blanking(self._driver, displays.console_blanks_after())

    def seal_shut(self) -> Iterator[Line]:
        """What holds, now that the display is open."""
        if self._sealed is not None:
            required = self._config.privacy.seal == "required"
            yield from installation.sealed(self._sealed.shut(), required=required)

    def lexicon(self) -> Iterator[Line]:
        """The words."""
        from kiosk.words.lexicon import Lexicon

        entries = len(Lexicon.load(LEXICON_PATH))
        sources = [ROOT / "kiosk" / "words" / f"{name}.py" for name in MAKERS]
        yield from installation.lexicon(entries, LEXICON_PATH.stat().st_mtime, sources)

    def networks(self) -> Iterator[Line]:
        """Whether each is what the manifest says, and where it really runs."""
        from kiosk.vision.classify import Classifier
        from kiosk.vision.detect import FaceDetector
        from kiosk.vision.inference import runtime

        detector = FaceDetector.open(self._config.detection, self._config.inference)
        detector.warm_up()
        classifier = Classifier.open(self._config.classification, self._config.inference)
        classifier.warm_up()
        sessions = (detector.session, classifier.session)
        self._devices = tuple(session.device for session in sessions)
        yield from installation.networks([(it.name, it.device) for it in sessions], runtime())

    def gpu(self) -> Iterator[Line]:
        """Whether the one that there is is used."""
        from kiosk.vision.graphics import graphics

        there = graphics()
        lack = self._lack() if there.driver and self._config.inference.gpu != "off" else ""
        yield from installation.gpu(self._config.inference, self._devices, there, lack)

    def source(self) -> Iterator[Line]:
        """What it gives."""
        from kiosk.commands import devices
        from kiosk.vision.camera import device
        from kiosk.vision.measure import measure
        from kiosk.vision.sources import plan

        try:
            what = plan(self._config.source)
        except ConfigError:  # told with the configuration
            return
        if what.kind == "demo" and self._config.source == "auto":
            yield devices.no_camera()
        obstacles = (
            list(devices.obstacles(devices.node(device(what.target)))) if what.kind == "camera" else []
        )
        yield from obstacles
        if obstacles:
            return
        try:
            measured = measure(what, self._config.camera, self._duration)
        except CameraError as error:
            yield devices.no_pictures(what, str(error))
            return
        if measured is None:
            yield devices.stuck(what)
        else:
            yield from devices.source(what, self._config.camera, measured)

    def fonts(self) -> Iterator[Line]:
        """Those that are shipped; a theme's own are told with the configuration."""
        from kiosk.screen.typeface import FACES, NAMES, file

        yield from installation.fonts([file(family, face) for family in NAMES for face in FACES])

    def service(self) -> Iterator[Line]:
        """Whether it starts with the machine."""
        yield from machine.service(ROOT, self._path.resolve())
        yield from machine.cage()

    def swap(self) -> Iterator[Line]:
        """Memory on a disk."""
        return machine.swap()

    def cores(self) -> Iterator[Line]:
        """Memory after a crash."""
        return machine.cores(dumpable=machine.is_dumpable())

    def clock(self) -> Iterator[Line]:
        """The time."""
        return machine.clock(datetime.now().astimezone(), machine.clock_state())

    def memory(self) -> Iterator[Line]:
        """How much."""
        return machine.memory()

    def disk(self) -> Iterator[Line]:
        """Room for set-up."""
        return machine.disk(shutil.disk_usage(ROOT).free, is_set_up=LEXICON_PATH.exists())

    def heat(self) -> Iterator[Line]:
        """Of the processor."""
        return machine.heat()

    def _lack(self) -> str:
        """What stands between the GPU and a network that was not told to stay on the CPU."""
        from kiosk.vision.classify import Classifier
        from kiosk.vision.detect import FaceDetector

        required = dataclasses.replace(self._config.inference, gpu="required")
        try:
            if self._config.detection.device != "cpu":
                FaceDetector.open(self._config.detection, required)
            if self._config.classification.device != "cpu":
                Classifier.open(self._config.classification, required)
        except (InferenceError, ModelError) as error:
            return str(error)
        return ""


Check = Callable[[Examination], Iterator[Line]]
CHECKS: tuple[tuple[str, Check], ...] = (
    ("seal", Examination.seal),
    ("Python", Examination.python),
    ("configuration", Examination.configuration),
    ("display", Examination.display),
    ("seal", Examination.seal_shut),
    ("lexicon", Examination.lexicon),
    ("networks", Examination.networks),
    ("GPU", Examination.gpu),
    ("source", Examination.source),
    ("fonts", Examination.fonts),
    ("service", Examination.service),
    ("swap", Examination.swap),
    ("core files", Examination.cores),
    ("clock", Examination.clock),
    ("memory", Examination.memory),
    ("disk", Examination.disk),
    ("heat", Examination.heat),
)
