"""`kiosk kit`: what a venue needs on paper, from the configuration in force, as Markdown and as one PDF.

Wall text, notice for the entrance, staff card and hardware sheet. The texts are in config/kit, a file a
language (the notice's in config/notices); the venue may change them. Without fpdf2 there is no PDF, and a
line says so; with --pdf that is an error, and nothing is written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kiosk import schema
from kiosk.commands import booklet, notice, placement
from kiosk.commands.booklet import Sheet
from kiosk.commands.options import add_config, read_config
from kiosk.commands.placement import Figures
from kiosk.config import ROOT, Config
from kiosk.errors import InputError, UsageError
from kiosk.hours import ALWAYS, WEEKDAYS, HoursConfig
from kiosk.screen import texts

FOLDER = ROOT / "config" / "kit"
TITLE = "ImageNet Roulette"
# What may be said, by the configuration: see `circumstances`.
WHEN = (
    "always", "camera", "stream", "auto", "best-effort", "scene", "no-scene", "withholding", "keys",
    "no-keys", "aim", "zone", "attract", "hours", "restart",
)  # fmt: skip
PLACEHOLDERS = {
    "wall": set[str](),
    "staff": {"forgotten", "farthest", "contact", "opening", "resting", "held", "aim", "restart"},
    "hardware": {
        "width", "height", "fps", "seen_width", "seen_height", "fov", "focal", "face", "min_face", "farthest",
        "nearest", "eyes", "lowest", "highest", "working", "distance", "pixels", "across", "upright", "mount",
        "tilt",
    },
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A line of a table. One with {distance} or {mount} stands once for each of them."""

    left: str = schema.text("left column")
    right: str = schema.text("right column")
    when: str = schema.choice("where it is said", "always", WHEN)


@dataclass(frozen=True)
class Section:
    """A part of a sheet; its first row is the table's head."""

    heading: str = schema.text("heading", "", empty=True)
    text: str = schema.text("paragraphs and lists, as Markdown", "", empty=True)
    rows: tuple[Row, ...] = ()
    when: str = schema.choice("where it is said", "always", WHEN)


@dataclass(frozen=True)
class Part:
    """A sheet."""

    name: str = schema.text("what the sheet is called")
    title: str = schema.text("heading of the sheet")
    sections: tuple[Section, ...] = ()

    def texts(self) -> Iterator[str]:
        """Everything that it may say."""
        yield from (self.name, self.title)
        for section in self.sections:
            yield from (section.heading, section.text)
            for row in section.rows:
                yield from (row.left, row.right)


@dataclass(frozen=True)
class Kit:
    """The texts of one language. Each part has what PLACEHOLDERS says to fill in, all of it, and no more."""

    wall: Part = schema.section(Part)
    staff: Part = schema.section(Part)
    hardware: Part = schema.section(Part)

    def __post_init__(self) -> None:
        for name, wanted in PLACEHOLDERS.items():
            part: Part = getattr(self, name)
            found = set[str]().union(*map(notice.placeholders, part.texts()))
            if found != wanted:
                wrong = ", ".join(f"{{{text}}}" for text in sorted(found ^ wanted))
                raise ValueError(f"{name}: too much or missing between braces: {wrong}")


@dataclass(frozen=True)
class Quoted:
    """What the staff card tells of the wall and of the keys, as it is filled in."""

    opening: str
    resting: str
    """As they stand on the wall; of a wall of two languages both."""
    held: str
    """For how long Escape is held, with its unit."""
    aim: str
    """For how long the aiming view stands after a start, with its unit."""
    restart: str
    """When the daily restart is, such as 05:00."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_config(parser)
    notice.add_venue(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where the files go")
    parser.add_argument("--fov", type=_degrees, default=placement.FOV, metavar="DEGREES",
                        help="of the camera, from corner to corner; default: %(default)g")  # fmt: skip
    parser.add_argument("--pdf", action="store_true", help="without fpdf2 write nothing and fail")


def run(arguments: argparse.Namespace) -> int:
    """Write the kit, over an older one. Raises ConfigError, UsageError, and InputError for the folder."""
    config = read_config(arguments)
    language, venue, contact = arguments.language, arguments.venue, arguments.contact
    if any(0xD800 <= ord(letter) < 0xE000 for letter in f"{arguments.out}{venue}{contact}"):
        raise UsageError("--out, --venue and --contact must be UTF-8 text")
    sheets = compose(read(language), notice.read(language), config, arguments.fov, venue, contact)
    files = [(f"{part}.{language}.md", sheet.markdown.encode()) for part, sheet in sheets]
    try:
        made = booklet.pdf([sheet for _, sheet in sheets], TITLE, language)
        files.append((f"kit.{language}.pdf", made))
    except ImportError as error:
        lack = "no PDF, for fpdf2 is not installed: pip install '.[kit]', or scripts/setup kit"
        if arguments.pdf:
            raise UsageError(f"--pdf: {lack}") from error
        print(f"kiosk: {lack}", file=sys.stderr)
    for name, content in files:
        path = arguments.out / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror}") from error
        print(path)
    return 0


def read(language: str, folder: Path = FOLDER) -> Kit:
    """The texts of a language. Raises ConfigError."""
    return schema.load(folder / f"{language}.yaml", Kit)


def compose(
    kit: Kit, entrance: notice.Notice, config: Config, fov: float, venue: str = "", contact: str = ""
) -> tuple[tuple[str, Sheet], ...]:
    """The sheets, each with the name of its file. `fov` in degrees. Raises ConfigError as the notice does.

    And where the wall's language cannot be read: the staff card quotes what stands on the wall.
    """
    sealed = config.privacy.seal == "required"
    said = circumstances(config)
    figures = placement.figures(config, entrance, fov, contact)
    quoted = quote(config, entrance)

    def sheet(part: Part, hung: bool) -> Sheet:
        return Sheet(part.name, _markdown(part, said, figures, quoted), hung)

    at_the_door = notice.compose(entrance, config, sealed, venue, contact) + "\n"
    return (
        ("wall", sheet(kit.wall, hung=True)),
        ("notice", Sheet(entrance.title, at_the_door, hung=True)),
        ("staff", sheet(kit.staff, hung=False)),
        ("hardware", sheet(kit.hardware, hung=False)),
    )


def quote(config: Config, entrance: notice.Notice) -> Quoted:
    """What is on the wall, in the wall's language; times as `entrance` writes them. Raises ConfigError."""
    wall = texts.load(config.wall.language)
    return Quoted(
        opening=" / ".join(text.opening for text in wall),
        resting=" / ".join(text.resting for text in wall),
        held=notice.duration(entrance, config.staff.leave_after),
        aim=notice.duration(entrance, config.staff.aim),
        restart=config.hours.restart,
    )


def circumstances(config: Config) -> frozenset[str]:
    """Those of WHEN that this configuration makes. Raises ConfigError where nobody is filmed."""
    return frozenset(
        {
            "always",
            "stream" if notice.is_stream(config.source) else "camera",
            "scene" if config.captions.scene else "no-scene",
            *(["auto"] if config.source == "auto" else []),
            *(["best-effort"] if config.privacy.seal != "required" else []),
            *(["withholding"] if config.policy != "as-2019" else []),
            "keys" if config.staff.keys else "no-keys",
            *(["aim"] if config.staff.aim else []),
            *(["zone"] if config.zone.polygon else []),
            *(["attract"] if config.wall.attract_after else []),
            *(["hours"] if _closes(config.hours) else []),
            *(["restart"] if config.hours.restart != "never" else []),
        }
    )


def _closes(hours: HoursConfig) -> bool:
    """Whether it is ever closed, or may be."""
    return bool(hours.exceptions) or any(getattr(hours, day) != ALWAYS for day in WEEKDAYS)


def _markdown(part: Part, said: frozenset[str], figures: Figures, quoted: Quoted) -> str:
    blocks = [f"# {part.title}"]
    for section in part.sections:
        if section.when not in said:
            continue
        if section.heading:
            blocks.append(f"## {section.heading}")
        if section.text:
            blocks.append(section.text.strip("\n").format(**vars(figures), **vars(quoted)))
        rows = [line for row in section.rows if row.when in said for line in _lines(row, figures, quoted)]
        if rows:
            blocks.append("\n".join([rows[0], "|---|---|", *rows[1:]]))
    return "\n\n".join(blocks) + "\n"


def _lines(row: Row, figures: Figures, quoted: Quoted) -> Iterator[str]:
    each: tuple[Figures, ...] = (figures,)
    for name, repeats in (("{distance}", figures.by_distance), ("{mount}", figures.by_mount)):
        each = repeats if name in row.left else each
    for values in each:
        yield f"| {row.left} | {row.right} |".format(**vars(values), **vars(quoted))


def _degrees(text: str) -> float:
    """An angle of a lens without distortion, as an argparse type."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 10 <= value <= 150:
        raise argparse.ArgumentTypeError(f"must be from 10 to 150 degrees, not '{text}'")
    return value
