"""The devices, examined: camera, stream or file, display, monitors, blanking.

In: what was found of each. Out: lines, each right, wrong with the cure, or unknown. Nothing is opened here,
and of a picture only its size and faults are known.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kiosk.screen.displays import Found, Monitor
from kiosk.sections import CameraConfig
from kiosk.trust.machine import Line, State
from kiosk.vision.judge import Verdict
from kiosk.vision.measure import Measured
from kiosk.vision.sources import Plan

PROC = Path("/proc")
# Of the rate that was asked for: less is another mode of the camera, or the exposure of a dark room.
ENOUGH_FPS = 0.7
TOO_MANY_DAMAGED = 0.02
_USB = (
    "another USB port, without a hub or another camera on it: the kernel calls a USB bus without bandwidth "
    "left 'No space left on device'"
)


@dataclass(frozen=True)
class Node:
    """The device node of a camera."""

    path: Path
    is_there: bool
    may_be_used: bool
    """By this account."""
    group: str
    """To which it belongs."""
    users: tuple[str, ...]
    """Other programs that have it open, as far as this account may see."""


def node(path: Path, proc: Path = PROC) -> Node:
    """Look at it without opening it."""
    import grp  # not on Windows

    if not path.exists():
        return Node(path, False, False, "", ())
    owner = path.stat().st_gid
    try:
        group = grp.getgrgid(owner).gr_name
    except KeyError:
        group = str(owner)
    return Node(path, True, os.access(path, os.R_OK | os.W_OK), group, tuple(_users(path, proc)))


def obstacles(found: Node) -> Iterator[Line]:
    """What keeps a camera from being opened; nothing where nothing does."""
    if not found.is_there:
        cure = "plug it in, or name another as the source"
        yield Line(State.WRONG, "camera", f"{found.path} is not there", cure)
    elif not found.may_be_used:
        cure = f"sudo usermod -aG {found.group} $USER, and log in again"
        yield Line(State.WRONG, "camera", f"this account has no right to {found.path}", cure)
    elif found.users:
        cure = "end that first; the service: sudo systemctl stop kiosk"
        yield Line(State.WRONG, "camera", f"{found.path} is in use by {', '.join(found.users)}", cure)


def no_camera() -> Line:
    """`auto` where there is none."""
    cure = "plug one in, or name it as the source"
    return Line(State.UNKNOWN, "camera", "none found, so that the demonstration is shown", cure)


def no_pictures(what: Plan, problem: str) -> Line:
    """A source that cannot be opened, or gives nothing."""
    cures = {
        "camera": f"end other programs that use it; unplug it and plug it in again; {_USB}",
        "stream": "is the address right, and does a player on this machine show it?",
    }
    return Line(State.WRONG, what.kind, problem, cures.get(what.kind, ""))


def source(what: Plan, asked: CameraConfig, found: Measured) -> Iterator[Line]:
    """What it gives, and whether that is what was asked for."""
    width, height = found.size_wh
    said = f"{str(what).removeprefix(what.kind).strip()}: " if what.target else ""
    said += f"{width}x{height} at {found.fps:.1f} fps {found.encoding}".rstrip()
    if what.kind == "camera":
        said += f" (asked {asked.width}x{asked.height} {asked.fps})"
    if found.verdict is Verdict.FROZEN:
        cure = "unplug it and plug it in again; where it comes back, another port or camera"
        yield Line(State.WRONG, what.kind, f"{said}, always the same picture", cure)
    elif found.damaged > TOO_MANY_DAMAGED * found.frames:
        damage = f"{found.damaged} of {found.frames} pictures damaged"
        yield Line(State.WRONG, what.kind, f"{said}, {damage}", f"a shorter cable; {_USB}")
    elif what.kind == "camera" and found.size_wh != (asked.width, asked.height):
        cure = f"ask for what it has: camera.width: {width}, camera.height: {height}"
        yield Line(State.WRONG, "camera", f"{said}, another size", cure)
    elif what.kind == "camera" and found.fps < ENOUGH_FPS * asked.fps:
        cure = f"more light, for darkness makes it slow; a smaller size; {_USB}; or a lower camera.fps"
        yield Line(State.WRONG, "camera", f"{said}, too slow", cure)
    elif found.verdict is Verdict.BLACK:
        cure = "uncover the lens, or put on the light, and look again"
        yield Line(State.UNKNOWN, what.kind, f"{said}, black", cure)
    else:
        yield Line(State.OK, what.kind, said)


def stuck(what: Plan) -> Line:
    """A source that answers nothing at all."""
    cure = "unplug it and plug it in again; where it comes back, another port or camera"
    return Line(State.WRONG, what.kind, "stuck: a read does not return", cure)


def display(found: Found, screen: int) -> Iterator[Line]:
    """The screens of the desktop, and whether the configured one is among them."""
    sizes = ", ".join(f"{at}: {width}x{height}" for at, (width, height) in enumerate(found.sizes_wh))
    if screen < len(found.sizes_wh):
        yield Line(State.OK, "display", f"{found.driver}, screen {sizes}; the piece takes {screen}")
    else:
        cure = "change display.screen, or plug that screen in"
        yield Line(State.WRONG, "display", f"no screen {screen}; {found.driver} has {sizes}", cure)


def no_display(problem: str, session: Mapping[str, str], desktops: Sequence[str]) -> Line:
    """Why nothing can be drawn: wrong; unknown where a desktop runs, but this shell does not belong to it."""
    named = [f"{name}={session[name]}" for name in ("DISPLAY", "WAYLAND_DISPLAY") if session.get(name)]
    if named:
        cure = "does that desktop run, and may this account draw on it (XAUTHORITY)?"
        return Line(State.WRONG, "display", f"{problem} ({', '.join(named)})", cure)
    if desktops:
        cure = f"from the account of the desktop: {desktops[0]} kiosk doctor"
        return Line(State.UNKNOWN, "display", "this shell belongs to no desktop, but there is one", cure)
    cure = "start it from a desktop; without one: sudo scripts/install-service --cage"
    return Line(State.WRONG, "display", f"{problem}; no desktop runs", cure)


def monitors(found: Sequence[Monitor]) -> Iterator[Line]:
    """What is plugged in, what it is best driven with, and whether it sleeps."""
    for monitor in found:
        size = "{}x{}".format(*monitor.size_wh) if monitor.size_wh else "size unknown"
        rate = f" at {monitor.refresh_hz:.0f} Hz" if monitor.refresh_hz else ""
        inches = f", {monitor.diagonal:.0f} inches" if monitor.diagonal else ""
        said = f"{monitor.name}: {size}{rate}{inches}"
        if monitor.is_on:
            yield Line(State.OK, "monitor", said)
        else:
            cure = "press a key; and see the line on blanking"
            yield Line(State.WRONG, "monitor", f"{said}, asleep", cure)
    if not found:
        yield Line(State.UNKNOWN, "monitor", "the kernel tells of none")


def blanking(driver: str, console_after: int) -> Iterator[Line]:
    """Who may turn the screen black: the console after so many seconds, and the desktop, which is not asked.

    `driver` is SDL's, "" where there is none.
    """
    if driver == "x11":
        cure = "look: xset q; for good: xset s off -dpms"
        yield Line(State.UNKNOWN, "blanking", "the piece asks the X server not to, while it runs", cure)
    elif driver == "wayland":
        cure = "look in the desktop's settings; cage never does"
        yield Line(State.UNKNOWN, "blanking", "the piece asks the desktop not to, while it runs", cure)
    elif console_after:
        cure = "consoleblank=0 on the kernel's command line, and restart"
        yield Line(State.WRONG, "blanking", f"the console goes black after {console_after} s", cure)
    else:
        yield Line(State.OK, "blanking", "the console never goes black")


def _users(path: Path, proc: Path) -> Iterator[str]:
    """Name and number of each other process that has it open."""
    target = path.resolve()
    for process in sorted(proc.glob("[0-9]*"), key=lambda it: int(it.name)):
        if int(process.name) == os.getpid():
            continue
        try:
            if any(link.readlink() == target for link in (process / "fd").iterdir()):
                yield f"{(process / 'comm').read_text().strip()} ({process.name})"
        except OSError:  # somebody else's, or ended meanwhile
            continue
