"""`kiosk doctor`: what of this machine is right for the piece, what is wrong and its cure, what is unknown.

Every part is examined as the piece would meet it, inside the seal. Nothing is written, and no picture is
shown or kept.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from kiosk.commands.examination import CHECKS, Check, Examination
from kiosk.commands.options import add_config, overrides, seconds
from kiosk.errors import KioskError
from kiosk.trust.machine import Line, State

NOTHING_WRONG, SOMETHING_WRONG = 0, 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_config(parser)
    parser.add_argument(
        "--seconds", type=seconds, default=3.0, metavar="S", help="measure the source for so long; default: 3"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.epilog = (
        "Exit code: 0 where nothing is wrong, 1 where something is; what is unknown (?) does not count. "
        "The camera must be free: sudo systemctl stop kiosk."
    )


def run(arguments: argparse.Namespace) -> int:
    """Print a line for each thing, and say by the exit code whether one is wrong."""
    examination = Examination(arguments.config, overrides(arguments), arguments.seconds)
    told: list[Line] = []
    with ExitStack() as last:
        if arguments.json:
            last.callback(lambda: print(as_json(told)))
        examine(CHECKS, examination, told, quiet=arguments.json)
    return SOMETHING_WRONG if any(line.state is State.WRONG for line in told) else NOTHING_WRONG


def examine(
    checks: Sequence[tuple[str, Check]], examination: Examination, told: list[Line], *, quiet: bool
) -> None:
    """Make all checks, and add their lines to `told`.

    What nobody foresaw is no finding, but a fault of this program, and ends it as such: after the rest.
    """
    with ExitStack() as rest:
        for what, check in reversed(checks):
            rest.push(_Step(what, check, examination, told, quiet))


def lines(what: str, check: Check, examination: Examination) -> Iterator[Line]:
    """The lines of one check, and one for what kept it from its end."""
    try:
        yield from check(examination)
    except KioskError as error:
        for problem in str(error).splitlines():
            yield Line(State.WRONG, what, problem)
    except ImportError as error:
        cure = "scripts/setup; on Debian also: sudo apt-get install libgl1 libglib2.0-0"
        yield Line(State.WRONG, what, str(error), cure)
    except OSError as error:
        yield Line(State.UNKNOWN, what, f"{error.filename or 'the system'}: {error.strerror}")
    except ValueError as error:
        yield Line(State.UNKNOWN, what, f"the system says what is not understood: {error}")


def as_json(told: list[Line]) -> str:
    """The lines, and how many are wrong and unknown."""
    states = [line.state for line in told]
    return json.dumps(
        {
            "wrong": states.count(State.WRONG),
            "unknown": states.count(State.UNKNOWN),
            "lines": [dataclasses.asdict(line) | {"state": line.state.name.lower()} for line in told],
        },
        ensure_ascii=False,
    )


@dataclass(frozen=True)
class _Step:
    """One check, made when those before it have been, also where one of them failed."""

    what: str
    check: Check
    examination: Examination
    told: list[Line]
    quiet: bool

    def __call__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        if kind is not None and not issubclass(kind, Exception):
            return  # somebody pressed Ctrl-C
        for line in lines(self.what, self.check, self.examination):
            self.told.append(line)
            if not self.quiet:
                print(line, flush=True)
