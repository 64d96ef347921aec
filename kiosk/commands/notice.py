"""`kiosk notice`: the notice for the entrance, filled from the configuration in force, as Markdown.

The texts are in config/notices, a file a language; the venue may change them.
"""

from __future__ import annotations

import argparse
import re
import string
from dataclasses import dataclass, fields
from pathlib import Path

from kiosk import schema
from kiosk.commands.options import add_config, line, read_config
from kiosk.config import ROOT, Config, redacted
from kiosk.document import key_at
from kiosk.errors import ConfigError

FOLDER = ROOT / "config" / "notices"
LANGUAGES = ("de", "en", "es", "fr", "it")
PLACEHOLDERS = {"lifetime": {"forgotten"}, "responsible": {"venue", "contact"}}


@dataclass(frozen=True)
class Notice:
    """The texts of one language; those named in PLACEHOLDERS have something to fill in."""

    title: str = schema.text("heading of the page")
    decimal: str = schema.text("what stands between 1 and 5 in one and a half")
    second: str = schema.text("one second")
    seconds: str = schema.text("several seconds")
    what: str = schema.text("heading: what happens here")
    camera: str = schema.text("what happens, with a camera")
    stream: str = schema.text("what happens, with a stream")
    words: str = schema.text("heading: what the words are")
    meaning: str = schema.text("what the words are")
    stored: str = schema.text("heading: nothing is stored")
    promise: str = schema.text("that nothing is stored")
    sealed_camera: str = schema.text("what the seal takes away, with a camera")
    sealed_stream: str = schema.text("what the seal takes away, with a stream")
    stream_beyond: str = schema.text("that a network camera is not under the seal")
    long: str = schema.text("heading: for how long")
    lifetime: str = schema.text("for how long, with {forgotten}")
    who: str = schema.text("heading: who is responsible")
    responsible: str = schema.text("who is responsible, with {venue} and {contact}")
    venue: str = schema.text("where the venue is not given: a blank to fill in by hand")
    contact: str = schema.text("where the contact is not given: a blank to fill in by hand")
    rights: str = schema.text("heading: your rights")
    rights_text: str = schema.text("your rights")
    avoid: str = schema.text("heading: how not to be seen")
    avoid_text: str = schema.text("how not to be seen")
    plural_from: float = schema.number("from which number on it is several; 0: all but 1", 0, 0, 10)

    def __post_init__(self) -> None:
        for field in fields(self):
            wanted = PLACEHOLDERS.get(field.name, set())
            if field.name != "plural_from" and placeholders(getattr(self, field.name)) != wanted:
                names = " and ".join(f"{{{name}}}" for name in sorted(wanted)) or "nothing"
                raise ValueError(f"{field.name} must have {names} between braces")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_config(parser)
    add_venue(parser)


def add_venue(parser: argparse.ArgumentParser) -> None:
    """Add what a notice must be told."""
    parser.add_argument("--source", metavar="SRC", help="as in `kiosk run`: a camera or a stream's URL")
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="default: %(default)s")
    parser.add_argument(
        "--venue", type=line, default="", metavar="TEXT", help="name and address; default: a blank"
    )
    parser.add_argument(
        "--contact", type=line, default="", metavar="TEXT", help="whom to ask; default: a blank"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the notice. Raises ConfigError, also where the source films nobody."""
    config = read_config(arguments)
    texts = read(arguments.language)
    sealed = config.privacy.seal == "required"
    print(compose(texts, config, sealed, arguments.venue, arguments.contact))
    return 0


def read(language: str, folder: Path = FOLDER) -> Notice:
    """The texts of a language. Raises ConfigError."""
    return schema.load(folder / f"{language}.yaml", Notice)


def compose(texts: Notice, config: Config, sealed: bool, venue: str = "", contact: str = "") -> str:
    """The notice. `sealed` says that the piece does not run unless the kernel holds it to its promise."""
    stream = is_stream(config.source)
    forgotten = duration(texts, config.tracking.forget_after)
    stored = [texts.promise]
    if sealed:
        stored.append(texts.sealed_stream if stream else texts.sealed_camera)
    if stream:
        stored.append(texts.stream_beyond)
    responsible = texts.responsible.format(venue=venue or texts.venue, contact=contact or texts.contact)
    sections = (
        (texts.what, texts.stream if stream else texts.camera),
        (texts.words, texts.meaning),
        (texts.stored, " ".join(stored)),
        (texts.long, texts.lifetime.format(forgotten=forgotten)),
        (texts.who, responsible),
        (texts.rights, texts.rights_text),
        (texts.avoid, texts.avoid_text),
    )
    return "\n\n".join([f"# {texts.title}", *(f"## {heading}\n\n{text}" for heading, text in sections)])


def is_stream(source: str) -> bool:
    """Whether the source is a stream and not a camera. Raises ConfigError where it is neither."""
    if re.match(r"[a-z]+://", source):
        return True
    # `auto` is a camera here: where there is none, nobody is filmed and no notice is needed.
    if source == "auto" or source.isdecimal() or source.startswith("/dev/"):
        return False
    key = key_at("source", source)
    raise ConfigError(
        (f"{key}: must be a camera or a stream for a notice; '{redacted(source)}' films nobody",)
    )


def duration(texts: Notice, seconds: float) -> str:
    """A time in the language, with its unit."""
    several = seconds >= texts.plural_from if texts.plural_from else seconds != 1
    return f"{decimal(texts, f'{seconds:g}')} {texts.seconds if several else texts.second}"


def decimal(texts: Notice, number: str) -> str:
    """A number as the language writes it."""
    return number.replace(".", texts.decimal, 1)


def placeholders(text: str) -> set[str]:
    """What stands between braces, all of it. Raises ValueError for an open brace."""
    parts = string.Formatter().parse(text)
    return {
        name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
        for _, name, spec, conversion in parts
        if name is not None
    }
