"""`kiosk labels`: every category, its words, and whether a policy shows it."""

from __future__ import annotations

import argparse
import itertools
import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from kiosk.commands.options import add_config, read_config
from kiosk.config import LEXICON_PATH
from kiosk.messages import Entry
from kiosk.schema import Inline
from kiosk.words.lexicon import Lexicon
from kiosk.words.policy import Policy, Verdict
from kiosk.words.wordnet import PERSON

Row = tuple[Entry, Verdict]
COLUMNS = ("synset", "words", "gloss", "Webster", "chain", "verdict")
SHARES = (0.0, 0.2, 0.3, 0.18, 0.12, 0.2)
"""Of a terminal's width, what is left beside the ids."""
WIDE = 120


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = (
        "In a terminal a table; in a pipe a line each, with tabs between synset, words, gloss, Webster, "
        "chain, shown or withheld, reason and rule."
    )
    add_config(parser)
    parser.add_argument(
        "--policy", metavar="NAME_OR_FILE", help="a policy; default: the one in the configuration"
    )
    parser.add_argument("--withheld", action="store_true", help="only what is withheld")
    parser.add_argument("--grep", metavar="TEXT", help="only where id, words, chain, reason or rule hold it")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object a line")
    form.add_argument(
        "--tree", action="store_true", help="WordNet's branches, as `below:` means them, with their counts"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the categories. Raises ConfigError and ModelError."""
    lexicon = Lexicon.load(LEXICON_PATH)
    policy = Policy.load(_policy(arguments), lexicon)
    rows = [(entry, policy.verdict(id_)) for id_, entry in lexicon.items()]
    listed = [row for row in rows if _wanted(row, arguments.withheld, arguments.grep)]
    if arguments.tree:
        lines = tree(rows, {entry.synset for entry, _ in listed})
    elif arguments.json:
        lines = (json.dumps(as_object(row), ensure_ascii=False) for row in listed)
    elif sys.stdout.isatty():
        lines = table(listed, shutil.get_terminal_size().columns)
    else:
        lines = ("\t".join(cells(row)) for row in listed)
    for line in lines:
        print(line)
    return 0


def _policy(arguments: argparse.Namespace) -> str | Inline:
    if arguments.policy is None:
        return read_config(arguments).policy
    name = str(arguments.policy)
    # In a configuration a path is from the project's folder, on the command line from where one stands.
    return str(Path(name).absolute()) if Path(name).is_file() else name


def _wanted(row: Row, withheld: bool, text: str | None) -> bool:
    if withheld and row[1].shown:
        return False
    return text is None or text.casefold() in "\t".join(cells(row)).casefold()


def cells(row: Row) -> list[str]:
    """A row in texts, without tabs and line ends."""
    entry, verdict = row
    webster = entry.definition.text if entry.definition else ""
    texts = [
        entry.synset,
        ", ".join(entry.lemmas),
        entry.gloss,
        webster,
        " > ".join(entry.chain),
        "shown" if verdict.shown else "withheld",
        str(verdict.reason),
        verdict.rule,
    ]
    return [" ".join(text.split()) for text in texts]


def as_object(row: Row) -> dict[str, object]:
    """A row for JSON."""
    entry, verdict = row
    words = entry.definition
    return {
        "synset": entry.synset,
        "lemmas": entry.lemmas,
        "gloss": entry.gloss,
        "definition": {"text": words.text, "source": words.source} if words else None,
        "chain": entry.chain,
        "shown": verdict.shown,
        "reason": str(verdict.reason) or None,
        "rule": verdict.rule or None,
    }


def table(rows: Sequence[Row], width: int) -> Iterator[str]:
    """Lines of at most `width` letters; a narrow terminal leaves out Webster and the chain."""
    left = [at for at in range(len(COLUMNS)) if width >= WIDE or COLUMNS[at] not in ("Webster", "chain")]
    room = max(width - 9 - 2 * (len(left) - 1), 0)
    total = sum(SHARES[at] for at in left)
    widths = {at: int(room * SHARES[at] / total) if SHARES[at] else 9 for at in left}
    yield "  ".join(_fit(COLUMNS[at], widths[at]) for at in left).rstrip()
    for row in rows:
        *texts, reason, rule = cells(row)
        if rule:
            texts[-1] += f" by {rule}"
        elif reason:
            texts[-1] += f": {reason}"
        yield "  ".join(_fit(texts[at], widths[at]) for at in left).rstrip()[:width]
    withheld = sum(not verdict.shown for _, verdict in rows)
    yield f"{len(rows)} categories: {len(rows) - withheld} shown, {withheld} withheld"[:width]


def _fit(text: str, width: int) -> str:
    return text.ljust(width) if len(text) <= width else f"{text[: max(width - 1, 0)]}…"


def tree(rows: Sequence[Row], listed: set[str]) -> Iterator[str]:
    """A line for each branch with something of `listed` below: name, id, how many are shown and withheld.

    A branch stands once, where its chain puts it, and counts what lies below it on any way.
    """
    names = {entry.synset: entry.label for entry, _ in rows}
    parents: dict[str, str] = {}
    members: dict[str, list[Row]] = {}
    for entry, verdict in rows:
        path = (entry.synset, *entry.above[: len(entry.chain)])
        parents.update(itertools.pairwise(path))
        for id_, name in zip(path[1:], entry.chain, strict=True):
            names.setdefault(id_, name)
        for id_ in (entry.synset, *entry.above):
            members.setdefault(id_, []).append((entry, verdict))
    children: dict[str, list[str]] = {}
    for child, parent in parents.items():
        children.setdefault(parent, []).append(child)
    waiting = [(PERSON, 0)]
    while waiting:
        id_, depth = waiting.pop()
        below = members.get(id_, [])
        if id_ not in children or not any(entry.synset in listed for entry, _ in below):
            continue
        shown = sum(verdict.shown for _, verdict in below)
        yield f"{'  ' * depth}{names[id_]}  {id_}  {shown} shown, {len(below) - shown} withheld"
        ordered = sorted(children[id_], key=lambda child: (len(members[child]), names[child]))
        waiting += [(child, depth + 1) for child in ordered]
