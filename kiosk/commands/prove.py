"""`kiosk prove`: nothing is stored. Seal, run, try everything, and print what the kernel refused."""

from __future__ import annotations

import argparse
import datetime
import platform
import time
from collections.abc import Iterator
from dataclasses import dataclass

from kiosk import __version__
from kiosk.commands.options import add_config, read_config, seconds
from kiosk.config import Config, redacted
from kiosk.errors import ConfigError, SealError
from kiosk.trust import evidence
from kiosk.trust.seal import Policy, Seal, ports, seal

LIMITS = (
    "What this does not prove: that nobody films the screen; that the camera, the display or the machine's "
    "administrator does not store the picture by other means; that the program which runs tomorrow is the "
    "one that ran here. For that, compare the program's digest with the one that you noted at the opening: "
    f"{evidence.DIGEST_COMMAND}"
)


@dataclass(frozen=True)
class Line:
    """One row of the table."""

    what: str
    answer: str
    good: bool


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_config(parser)
    parser.add_argument(
        "--source", metavar="SRC", default="demo", help="as for kiosk run, or camera; default: %(default)s"
    )
    parser.add_argument(
        "--seconds", type=seconds, default=5.0, metavar="S", help="run for so long; default: 5"
    )
    parser.add_argument("--report", action="store_true", help="print it as Markdown, for the venue's file")


def run(arguments: argparse.Namespace) -> int:
    """Print the table. Raises SealError, after it, where a line does not hold."""
    config = read_config(arguments)
    # Not required: a gap is to be shown in the table, not to hide it.
    sealed = seal(Policy(required=False, ports=ports(config.source)))
    frames = _run_pipeline(config, arguments.seconds)
    lines = tuple(_lines(sealed.tried_again(), frames, redacted(config.source)))
    for text in _report(lines, sealed) if arguments.report else _table(lines, sealed):
        print(text)
    failed = [line.what for line in lines if not line.good]
    if failed:
        raise SealError(f"seal: {len(failed)} of {len(lines)} lines do not hold: {'; '.join(failed)}")
    return 0


def _run_pipeline(config: Config, duration: float) -> int:
    """Analyse the source, and return the number of frames; what was seen is forgotten."""
    # Inside the seal, as in `kiosk run`.
    from kiosk.pipeline import Pipeline
    from kiosk.vision.sources import open_source, plan

    pipeline = Pipeline(config)
    what = plan("auto" if config.source == "camera" else config.source)
    if config.source == "camera" and what.kind != "camera":
        raise ConfigError(("source: no camera was found",))
    source = open_source(what, config.camera)
    end, frames = time.monotonic() + duration, 0
    try:
        while time.monotonic() < end:
            pipeline.look(source.read())
            frames += 1
    finally:
        source.close()
    return frames


def _lines(sealed: Seal, frames: int, source: str) -> Iterator[Line]:
    yield Line(f"Analyse pictures ({source})", f"{frames} analysed", frames > 0)
    for layer in sealed.layers:
        yield Line(f"Layer: {layer.name}", layer.detail, layer.in_force or not layer.needed)
    for attempt in sealed.attempts:
        purpose = "Store" if attempt.purpose == "store" else "Send"
        yield Line(f"{purpose}: {attempt.what}", attempt.answer, attempt.refused)
    for finding in evidence.findings():
        yield Line(finding.what, finding.found, finding.good)


def _about() -> tuple[str, ...]:
    now = datetime.datetime.now(datetime.timezone.utc).astimezone()
    return (
        f"{now:%Y-%m-%d %H:%M %Z}, kiosk {__version__}, {platform.system()} {platform.release()}",
        f"Program's digest: {evidence.program_digest()}",
    )


def _table(lines: tuple[Line, ...], sealed: Seal) -> Iterator[str]:
    yield from _about()
    yield ""
    width = max(len(line.what) for line in lines)
    for line in lines:
        yield f"{'pass' if line.good else 'FAIL'}  {line.what:{width}}  {line.answer}"
    yield f"\n{_verdict(lines, sealed)}\n\n{LIMITS}"


def _report(lines: tuple[Line, ...], sealed: Seal) -> Iterator[str]:
    yield "# Nothing is stored: what was tried, and what the kernel answered\n"
    for text in _about():
        yield f"- {text}"
    yield "\n| | what was tried | what the kernel answered |\n|---|---|---|"
    for line in lines:
        yield f"| {'pass' if line.good else '**FAIL**'} | {_cell(line.what)} | {_cell(line.answer)} |"
    yield f"\n**{_verdict(lines, sealed)}**\n\n{LIMITS}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _verdict(lines: tuple[Line, ...], sealed: Seal) -> str:
    good = sum(line.good for line in lines)
    if good == len(lines):
        send = "send to nobody but the stream" if sealed.policy.ports else "not send"
        return f"All {good} lines hold: this process could not store, and could {send}."
    return f"{len(lines) - good} of {len(lines)} lines do not hold."
