"""Blocks in, one self-contained HTML page out, made to be printed on A4 and hung beside the piece.

It loads nothing: style and drawings stand in it. Charts that were not drawn are set as bars of plain HTML.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from kiosk.audit.bars import bars
from kiosk.audit.blocks import Block, Chart, Heading, Listing, Paragraph, Row, Table

STYLE = """
@page { size: A4; margin: 17mm 18mm 16mm; }
:root { --ink: #1b1b1b; --soft: #5a5a5a; --rule: #c9c6c0; --point: #a8380a; }
* { box-sizing: border-box; }
html { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
body { margin: 0 auto; padding: 14mm 8mm; max-width: 190mm; background: #fff; color: var(--ink);
  font: 10.5pt/1.45 "Noto Serif", Charter, "Source Serif 4", Georgia, Cambria, serif;
  hyphens: manual; text-rendering: optimizeLegibility; }
h1 { font-size: 34pt; line-height: 1.05; font-weight: 600; margin: 0 0 6mm; letter-spacing: -0.01em; }
h2 { font-size: 15pt; line-height: 1.2; font-weight: 600; margin: 9mm 0 2mm; break-after: avoid; }
p { margin: 0 0 2.6mm; max-width: 150mm; orphans: 3; widows: 3; }
.lead { font-size: 14.5pt; line-height: 1.35; margin-bottom: 6mm; }
.finding { font-size: 12pt; line-height: 1.4; padding-left: 4mm; border-left: 1.2mm solid var(--point); }
.sheet { break-before: page; margin-top: 0; }
.note, figcaption small, caption { color: var(--soft); font-size: 8.5pt; line-height: 1.35; }
ul { margin: 0 0 3mm; padding-left: 5mm; max-width: 155mm; }
li { margin-bottom: 1.8mm; }
figure { margin: 5mm 0 6mm; break-inside: avoid; }
figcaption { font-weight: 600; margin-bottom: 2mm; break-after: avoid; }
figcaption small { display: block; font-weight: 400; }
figure svg { display: block; width: 100%; height: auto; }
table { border-collapse: collapse; width: 100%; margin: 3mm 0 6mm; break-inside: avoid;
  font: 8.5pt/1.35 "Noto Sans", "Source Sans 3", "Helvetica Neue", Arial, sans-serif;
  font-variant-numeric: tabular-nums lining-nums; }
caption { caption-side: top; break-after: avoid; text-align: left; padding-bottom: 1.5mm; max-width: 150mm;
  font-family: "Noto Serif", Charter, "Source Serif 4", Georgia, Cambria, serif; }
.prose { break-inside: auto; }
thead { display: table-header-group; break-after: avoid; }
tr { break-inside: avoid; }
th { font-weight: 600; text-align: left; vertical-align: bottom; }
td, th { padding: 0.9mm 2.5mm 0.9mm 0; vertical-align: top; }
thead th { border-bottom: 0.4mm solid var(--ink); vertical-align: bottom; }
tbody tr { border-bottom: 0.15mm solid var(--rule); }
.figures td, .figures thead th + th { text-align: right; white-space: nowrap; }
.figures thead th + th { white-space: normal; }
.figures td:last-child, .figures thead th:last-child { padding-right: 0; }
tbody th { font-weight: 400; min-width: 26mm; max-width: 50mm; overflow-wrap: anywhere; }
td { overflow-wrap: break-word; }
tr.opens th { font-weight: 600; padding-top: 2.6mm; }
.bars { display: grid; column-gap: 4mm; font: 8.5pt/1 "Noto Sans", "Helvetica Neue", Arial, sans-serif; }
.bars > * { padding: 1mm 0; }
.bars .opens, .bars .title { font-weight: 600; padding-top: 2.4mm; }
.bars .label { overflow-wrap: anywhere; line-height: 1.2; }
.bars .ends { display: flex; justify-content: space-between; color: var(--soft); font-size: 7.5pt; }
.track { position: relative; height: 4.4mm; border-left: 0.2mm solid var(--soft);
  border-right: 0.2mm solid var(--rule); }
.track .line { position: absolute; top: 1.9mm; height: 0.6mm; background: var(--ink); }
.track .point { position: absolute; top: 1.2mm; width: 2mm; height: 2mm; margin-left: -1mm;
  border-radius: 50%; background: var(--point); }
@media print { body { padding: 0; max-width: none; } }
@media screen and (max-width: 700px) { h1 { font-size: 26pt; } table { display: block; overflow-x: auto; } }
"""


def render(blocks: Sequence[Block], drawings: Sequence[str], title: str) -> str:
    """`drawings` are SVG elements, one for each chart in their order; or there are none."""
    waiting = list(drawings)
    parts: list[str] = []
    for block in blocks:
        drawing = waiting.pop(0) if isinstance(block, Chart) and waiting else ""
        parts += _elements(block, drawing)
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _elements(block: Block, drawing: str) -> Iterator[str]:
    if isinstance(block, Heading):
        mark = ' class="sheet"' if block.opens else ""
        yield f"<h{block.level}{mark}>{escape(block.text)}</h{block.level}>"
    elif isinstance(block, Paragraph):
        mark = f' class="{block.style}"' if block.style else ""
        yield f"<p{mark}>{escape(block.text)}</p>"
    elif isinstance(block, Listing):
        yield "\n".join(("<ul>", *(f"<li>{escape(item)}</li>" for item in block.items), "</ul>"))
    elif isinstance(block, Table):
        yield from _table(block)
    else:
        note = block.note
        if drawing and any(mark and mark.bins for panel in block.panels for mark in panel.marks):
            note += " Grey: the whole distribution."
        caption = f"{escape(block.title)}<small>{escape(note)}</small>"
        yield f"<figure><figcaption>{caption}</figcaption>{drawing or bars(block)}</figure>"


def _table(table: Table) -> Iterator[str]:
    yield '<table class="prose">' if table.prose else '<table class="figures">'
    if table.caption:
        yield f"<caption>{escape(table.caption)}</caption>"
    if any(table.head):
        head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in table.head)
        yield f"<thead><tr>{head}</tr></thead>"
    yield "<tbody>"
    for row in table.rows:
        yield _row(row, len(table.head))
    yield "</tbody></table>"


def _row(row: Row, width: int) -> str:
    if row.opens:
        return f'<tr class="opens"><th colspan="{width}" scope="rowgroup">{escape(row.cells[0])}</th></tr>'
    cells = "".join(f"<td>{escape(cell)}</td>" for cell in row.cells[1:])
    return f'<tr><th scope="row">{escape(row.cells[0])}</th>{cells}</tr>'
