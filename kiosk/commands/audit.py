"""`kiosk audit`: whom does the piece fail, and how? A table of pictures in, aggregates by group out.

It keeps no picture and no row a person. It is not sealed, for it opens no camera and writes a report.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from kiosk.audit import comparison, exchange, markdown, page, plots, report, table
from kiosk.audit.blocks import Block, Chart
from kiosk.audit.examination import Step, examine
from kiosk.audit.figures import Vocabulary
from kiosk.audit.findings import find
from kiosk.audit.meter import meter
from kiosk.audit.progress import NAME, Progress, identify, write_whole
from kiosk.audit.subject import describe
from kiosk.audit.table import Cell, Choice
from kiosk.audit.tally import Count
from kiosk.commands.options import add_config, read_config
from kiosk.errors import INTERRUPTED, InputError, UsageError
from kiosk.pipeline import Pipeline
from kiosk.words import tables

MIN_GROUP, ROBUSTNESS = 10, 200
SAVE_EVERY, REDRAW_EVERY = 30.0, 0.2
"""Seconds."""
TELL_EVERY = 1000
"""Lines of the table, where there is no terminal."""
CLEAR = "\x1b[K"
"""A terminal clears the rest of the line."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = (
        "docs/audit.md: what such an audit can say and cannot, and how to come by pictures for it."
    )
    add_config(parser)
    parser.add_argument("table", type=Path, nargs="?", metavar="TABLE.csv", help="a picture a line")
    parser.add_argument(
        "--group",
        action="append",
        default=[],
        metavar="COLUMN",
        help="count by this column; several: by each, and by all of them together",
    )
    parser.add_argument(
        "--fitzpatrick",
        action="append",
        default=[],
        metavar="COLUMN",
        help="count by this one too: skin types 1 to 6 (or I to VI), put into the bands I–III and IV–VI",
    )
    parser.add_argument(
        "--picture", default="", metavar="COLUMN", help="of the paths; default: the first that holds some"
    )
    parser.add_argument(
        "--root", type=Path, metavar="FOLDER", help="from where the paths are; default: beside the table"
    )
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="for the report; default: TABLE.audit")
    parser.add_argument(
        "--min-group",
        type=_group_size,
        default=MIN_GROUP,
        metavar="N",
        help="smaller groups are not told of; default: %(default)s",
    )
    parser.add_argument(
        "--robustness",
        type=_count,
        default=ROBUSTNESS,
        metavar="N",
        help="so many pictures of each group are also looked at darker, brighter, with less contrast, out of "
        "focus and from farther away; 0: none; default: %(default)s",
    )
    parser.add_argument(
        "--compare",
        type=Path,
        nargs=2,
        metavar=("A.json", "B.json"),
        help="instead: two reports, of two models, detectors or policies",
    )
    parser.add_argument("--force", action="store_true", help="compare also what is of different tables")


def run(arguments: argparse.Namespace) -> int:
    """Audit, or compare. Raises UsageError, InputError, ConfigError, ModelError and InferenceError."""
    if arguments.compare:
        return _compare(arguments)
    if arguments.table is None:
        raise UsageError("a TABLE.csv must be given, or --compare A.json B.json")
    if 0 < arguments.robustness < arguments.min_group:
        raise UsageError(f"--robustness: must be 0, or at least --min-group, which is {arguments.min_group}")
    config = read_config(arguments)
    choice = Choice(tuple(arguments.group), tuple(arguments.fitzpatrick), arguments.picture, arguments.root)
    pictures = table.read(arguments.table, choice)
    safety = _safety()
    pipeline = Pipeline(config)
    out = arguments.out or Path(f"{arguments.table.stem}.audit")
    identity = identify(pictures, config, pipeline, safety, arguments.robustness)
    progress = Progress(out / NAME, identity, arguments.min_group)
    counts = progress.read()
    progress.write(counts)  # a folder that cannot be written is told of now, and not in an hour
    _say_what_is_there(counts, progress)
    if not pictures.columns:
        _say("no --group and no --fitzpatrick: the whole is told of, and no groups")
    with stopping() as stop:
        steps = examine(pictures, pipeline, counts, safety, arguments.robustness)
        exit_code = follow(steps, pictures.lines, counts, progress, stop)
        if exit_code == INTERRUPTED:
            return exit_code
        words = Vocabulary(pipeline.lexicon, pipeline.policy)
        found = find(pictures.columns, counts, words, arguments.min_group, bool(safety))
        subject = describe(pictures, config, pipeline, safety, arguments.robustness, datetime.date.today())
        _write(out / "audit.json", exchange.as_json(found, subject))
        _write_report(out, "audit", report.compose(found, subject), report.TITLE)
        progress.remove()
    return InputError.exit_code if found.unreadable else exit_code


def _say_what_is_there(counts: Mapping[Cell, Count], progress: Progress) -> None:
    pictures = sum(count.tally.pictures for count in counts.values())
    unreadable = sum(count.tally.unreadable for count in counts.values())
    if counts:
        lost = f" and {unreadable:,} could not be read" if unreadable else ""
        _say(
            f"going on: {pictures:,} pictures are counted already{lost}; to begin anew delete {progress.path}"
        )


class Stop:
    """Whether somebody asked for it."""

    asked = False

    def __call__(self, *_: object) -> None:
        """As a signal's handler."""
        self.asked = True


@contextlib.contextmanager
def stopping() -> Iterator[Stop]:
    """Ctrl-C and SIGTERM end the picture first: what is counted is then whole."""
    stop = Stop()
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def follow(
    steps: Iterable[Step], lines: int, counts: Mapping[Cell, Count], progress: Progress, stop: Stop
) -> int:
    """Go on to the end or until somebody stops it, and keep the counts either way; the exit code."""
    terminal = sys.stderr.isatty()
    began = saved = drawn = time.monotonic()
    looked = exit_code = 0
    try:
        for step in steps:
            now = time.monotonic()
            looked += not step.is_known
            if step.problem:
                exit_code = InputError.exit_code
                _say(step.problem)
            if terminal and now - drawn >= REDRAW_EVERY:
                drawn = now
                line = meter(step.lines, lines, looked, now - began)
                print(f"\r{line}{CLEAR}", end="", file=sys.stderr, flush=True)
            if not terminal and step.lines % TELL_EVERY == 0:
                print(meter(step.lines, lines, looked, now - began), file=sys.stderr, flush=True)
            if now - saved >= SAVE_EVERY:
                saved = now
                progress.write(counts)
            if stop.asked and step.lines < lines:
                exit_code = INTERRUPTED
                break
    finally:
        if terminal:
            print(f"\r{CLEAR}", end="", file=sys.stderr, flush=True)
        progress.write(counts)
    if exit_code == INTERRUPTED:
        _say(f"stopped after {step.lines:,} of {lines:,} lines; the same command goes on from there")
    return exit_code


def _compare(arguments: argparse.Namespace) -> int:
    one, other = (exchange.read(path) for path in arguments.compare)
    blocks = comparison.compose(one, other, arguments.force)
    if arguments.out:
        _write_report(arguments.out, "comparison", blocks, comparison.TITLE)
    else:
        print(markdown.render(blocks), end="")
    return 0


def _safety() -> dict[str, str]:
    """The ImageNet team's table, where it was fetched."""
    return tables.read_safety(tables.FOLDER) if (tables.FOLDER / tables.SAFETY_FILE).is_file() else {}


def _write_report(out: Path, name: str, blocks: Sequence[Block], title: str) -> None:
    charts = [block for block in blocks if isinstance(block, Chart)]
    drawings: tuple[str, ...] = ()
    try:
        drawings = plots.draw(charts) if charts else ()
    except ImportError:
        lack = "matplotlib is not installed: pip install '.[audit]', or scripts/setup audit"
        _say(f"charts are plain bars, for {lack}")
    _write(out / f"{name}.md", markdown.render(blocks))
    _write(out / f"{name}.html", page.render(blocks, drawings, title))


def _write(path: Path, text: str) -> None:
    write_whole(path, text)
    print(path)


def _say(line: str) -> None:
    print(f"{CLEAR if sys.stderr.isatty() else ''}kiosk: {line}", file=sys.stderr)


def _group_size(text: str) -> int:
    return _at_least(text, 2)


def _count(text: str) -> int:
    return _at_least(text, 0)


def _at_least(text: str, least: int) -> int:
    """As an argparse type."""
    if not text.isdecimal() or not text.isascii() or len(text) > 9 or int(text) < least:
        raise argparse.ArgumentTypeError(f"must be a whole number from {least} on, not '{text}'")
    return int(text)
