"""What is installed, examined: Python, packages, configuration, words, fonts, networks, GPU, seal.

In: what was found of each. Out: lines, each right, wrong with the cure, or unknown. Pure but for reading
fonts and the times of files, and imports no library: it can tell of one that is missing.
"""

from __future__ import annotations

import configparser
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from kiosk.screen import typeface
from kiosk.sections import InferenceConfig
from kiosk.trust.machine import Line, State
from kiosk.trust.seal import Seal
from kiosk.vision.graphics import Graphics

# Several packages bring the same module, one for each use.
FAMILIES = ("onnxruntime", "opencv")
_COMPARED = re.compile(r"(>=|==|<)([\d.]+)")
_REQUIREMENT = re.compile(r"([\w.-]+)(?:\[.*?\])?([^;]*)")


def python(version: tuple[int, int], setup_cfg: str) -> Iterator[Line]:
    """Whether this Python, such as (3, 11), is one that setup.cfg allows."""
    wanted, said = _options(setup_cfg)["python_requires"], f"{version[0]}.{version[1]}"
    if _fits(said, wanted):
        yield Line(State.OK, "Python", said)
    else:
        cure = "set up anew with another: PYTHON=python3.11 scripts/setup"
        yield Line(State.WRONG, "Python", f"{said}, but must be {wanted}", cure)


def packages(installed: Mapping[str, str], setup_cfg: str) -> Iterator[Line]:
    """Whether what setup.cfg asks for is there; `installed` maps names, as PyPI writes them, to versions."""
    bad, good = [], []
    for requirement in _options(setup_cfg)["install_requires"].strip().splitlines():
        found = _REQUIREMENT.match(requirement.strip())
        if found is None:
            continue
        name, wanted = found[1], found[2]
        family = next((it for it in FAMILIES if name.startswith(it)), None)
        there = [it for it in installed if it == name or (family and it.startswith(family))]
        if not there:
            bad.append(f"{name} is missing")
        elif not any(_fits(installed[it], wanted) for it in there):
            bad.append(f"{there[0]} is {installed[there[0]]}, but must be {wanted.strip()}")
        else:
            good += [f"{it} {installed[it]}" for it in there]
    if bad:
        yield Line(State.WRONG, "packages", "; ".join(bad), "scripts/setup")
    else:
        yield Line(State.OK, "packages", ", ".join(dict.fromkeys(good)))


def configuration(problems: Sequence[str], path: Path) -> Iterator[Line]:
    """A line for each problem."""
    for problem in problems:
        yield Line(State.WRONG, "configuration", problem)
    if not problems:
        yield Line(State.OK, "configuration", f"{path} is good")


def lexicon(entries: int, made_at: float, sources: Sequence[Path]) -> Iterator[Line]:
    """Whether it is younger than each of the files that make it; `made_at` is its st_mtime."""
    newer = [path.name for path in sources if path.stat().st_mtime > made_at]
    if newer:
        found = f"{entries} entries, older than the program that makes it ({newer[0]})"
        yield Line(State.WRONG, "lexicon", found, "kiosk lexicon")
    else:
        yield Line(State.OK, "lexicon", f"{entries} entries")


def fonts(files: Sequence[Path]) -> Iterator[Line]:
    """Whether each can be read and is a font."""
    bad = []
    for path in files:
        try:
            typeface.typeface(path)
        except ValueError as error:
            bad.append(f"{path.name} {error}")
    if bad:
        yield Line(State.WRONG, "fonts", "; ".join(bad), "get the program's files anew")
    else:
        yield Line(State.OK, "fonts", f"{len(files)} files can be read")


def networks(runs_on: Sequence[tuple[str, str]], runtime: str) -> Iterator[Line]:
    """`runs_on` pairs each network's name with its device."""
    said = ", ".join(f"{name} runs on {device}" for name, device in runs_on)
    yield Line(State.OK, "networks", f"{said} ({runtime})")


def gpu(config: InferenceConfig, devices: Sequence[str], there: Graphics, lack: str) -> Iterator[Line]:
    """Whether the GPU that there is is used.

    `devices` are those of the networks, () where none could be loaded; `lack` says what stands between one
    of them and the GPU, and is empty where it was not to run there.
    """
    driver = f"driver {there.driver}" if there.driver else "no driver"
    if there.must_restart:
        found = f"{driver}, but its library is {', '.join(there.libraries)} since an update"
        cure = "restart the machine; then keep it so: sudo apt-mark hold 'nvidia-*'"
        yield Line(State.WRONG, "GPU", found, cure)
    elif devices and "cpu" not in devices:
        yield Line(State.OK, "GPU", f"{driver}, runs every network")
    elif config.gpu == "off":
        yield Line(State.OK, "GPU", "not used, for inference.gpu is off")
    elif not there.cards and not there.driver:
        yield Line(State.OK, "GPU", "none of NVIDIA's in this machine; the CPU does it")
    elif not there.driver:
        cure = "on Debian: sudo apt-get install nvidia-driver, and restart; or inference.gpu: off"
        yield Line(State.WRONG, "GPU", "there is one, but its driver is not loaded", cure)
    elif lack:
        yield Line(State.WRONG, "GPU", f"{driver}, but not used", lack)
    elif devices:
        yield Line(State.OK, "GPU", f"{driver}; the configuration leaves a network to the CPU")
    else:
        yield Line(State.UNKNOWN, "GPU", f"{driver}; no network could be loaded")


def sealed(found: Seal, *, required: bool) -> Iterator[Line]:
    """The layers in force, and what was not refused."""
    layers = [
        f"Landlock ({it.detail})" if it.name == "Landlock" else it.name for it in found.layers if it.in_force
    ]
    for gap in found.gaps:
        if required:
            cure = "mend that; or privacy.seal: best-effort, and the wall says what is missing"
            yield Line(State.WRONG, "seal", gap, cure)
        else:
            yield Line(State.OK, "seal", f"{gap}; the wall says so, for privacy.seal is best-effort")
    if not found.gaps:
        tried = f"{len(found.attempts)} ways to store and to send were tried and refused"
        yield Line(State.OK, "seal", f"{', '.join(layers)}; {tried}")


def _options(setup_cfg: str) -> configparser.SectionProxy:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(setup_cfg)
    return parser["options"]


def _fits(version: str, wanted: str) -> bool:
    """Whether a version is within ">=3.10,<3.14": by its numbers, and nothing behind them."""
    found = _numbers(version)
    for sign, limit in _COMPARED.findall(wanted.replace(" ", "")):
        other = _numbers(limit)
        if not (found >= other if sign == ">=" else found < other if sign == "<" else found == other):
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    numbers = [int(part) for part in re.findall(r"\d+", re.split(r"[^\d.]", version)[0])]
    while numbers and not numbers[-1]:  # 2.0 is 2
        numbers.pop()
    return tuple(numbers)
