"""`kiosk lexicon`: build the file of words from the installed dictionaries; done once, at set-up."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kiosk.config import LEXICON_PATH
from kiosk.errors import ModelError
from kiosk.words import gcide, wordnet
from kiosk.words.lexicon import Lexicon, build, write


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--out",
        type=Path,
        default=LEXICON_PATH,
        metavar="FILE",
        help="where to write it; default: %(default)s",
    )
    parser.add_argument(
        "--classes",
        type=Path,
        default=LEXICON_PATH.with_name("classes.txt"),
        metavar="FILE",
        help="the synset ids, one a line; default: %(default)s",
    )


def run(arguments: argparse.Namespace) -> int:
    """Build and write the lexicon, and print what is in it."""
    lexicon = build(read_ids(arguments.classes), wordnet.data_folder(), gcide.data_folder(), _report)
    write(lexicon, arguments.out)
    print(summary(lexicon, arguments.out))
    return 0


def read_ids(path: Path) -> list[str]:
    """Synset ids, in the order of the file."""
    try:
        ids = path.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path} must hold synset ids, one a line, but cannot be read") from error
    if not ids:
        raise ModelError(f"{path} must hold synset ids, one a line, but is empty")
    return ids


def summary(lexicon: Lexicon, path: Path) -> str:
    """One line: how many entries, and how many of them the dictionary knows."""
    definitions = [entry.definition for entry in lexicon.values() if entry.definition]
    persons = sum(definition.of_person for definition in definitions)
    etymologies = sum(entry.etymology is not None for entry in lexicon.values())
    return (
        f"{path}: {len(lexicon)} entries; Webster defines {persons} as persons, "
        f"knows {len(definitions) - persons} in another sense only, and derives {etymologies}"
    )


def _report(done: int, total: int) -> None:
    """On a terminal one line that is written over; in a pipe or a log, a line a third."""
    last = done == total
    if sys.stdout.isatty():
        if last or done % 50 == 0:
            print(f"\rlexicon: {done} of {total}", end="\n" if last else "", flush=True)
    elif last or (done % (total // 3 or 1) == 0 and done + 2 < total):
        print(f"lexicon: {done} of {total}", flush=True)
