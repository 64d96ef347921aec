"""Blocks in, Markdown out. Charts are left out: the tables hold their figures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kiosk.audit.blocks import Block, Heading, Listing, Paragraph, Row, Table

_MARKUP = re.compile(r"([\\`*_\[\]<>|#~])")


def render(blocks: Sequence[Block]) -> str:
    """The whole report. What a table says of groups is shown to the letter, be it Markdown or HTML."""
    return "\n\n".join(text for block in blocks for text in _texts(block)) + "\n"


def _texts(block: Block) -> Iterator[str]:
    if isinstance(block, Heading):
        yield f"{'#' * block.level} {_plain(block.text)}"
    elif isinstance(block, Paragraph):
        text = _plain(block.text)
        yield f"**{text}**" if block.style == "finding" else text
    elif isinstance(block, Listing):
        yield "\n".join(f"- {_plain(item)}" for item in block.items)
    elif isinstance(block, Table):
        if block.caption:
            yield f"*{_plain(block.caption)}*"
        rule = "|".join(["---"] + ["---" if block.prose else "---:"] * (len(block.head) - 1))
        rows = (_cells(row, len(block.head)) for row in block.rows)
        yield "\n".join((_line([_plain(cell) for cell in block.head]), f"|{rule}|", *rows))


def _cells(row: Row, width: int) -> str:
    cells = [_plain(cell) for cell in row.cells]
    if row.opens:
        cells = [f"**{cells[0]}**", *[""] * (width - 1)]
    return _line(cells)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    """Nothing in it is markup."""
    return _MARKUP.sub(r"\\\1", text)
