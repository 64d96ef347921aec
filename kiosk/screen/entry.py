"""A caption as the paragraphs of a dictionary entry, from the fullest to the shortest. Pure.

The headword in bold, the part of speech in italics, the other lemmas; each sense with the name of its
dictionary; the etymology in italics and brackets; the kinds as a path up to *person*; and, apart from all
that, how sure the network is.
"""

from __future__ import annotations

import re
from dataclasses import replace

from kiosk.messages import Caption, Entry
from kiosk.screen.texts import Texts, likelihood
from kiosk.screen.theme import Style, Theme
from kiosk.screen.typeset import Paragraph, Span

_NO_BREAK = "\N{NO-BREAK SPACE}"
# Between who speaks and what is said, and between headword and part of speech.
_GAP = "\N{NO-BREAK SPACE}\N{NO-BREAK SPACE}"
# Space above a paragraph, in ems of the entries' type.
_SENSE, _LEMMAS, _REMARK = 0.5, 0.1, 0.65


def versions(caption: Caption, classes: int, theme: Theme, texts: Texts) -> tuple[tuple[Paragraph, ...], ...]:
    """The entry, one of `classes`: all of it; without the other lemmas and the chain; the gloss.

    Of a word that is withheld there is one version: that it is, and why.
    """
    entry = caption.entry
    if entry is None:
        return (_withheld(caption, theme, texts),)
    head = _head(entry, theme, texts)
    gloss = _said(texts.gloss_source, entry.gloss, theme)
    webster, origin = _webster(entry, theme, texts), _origin(entry, theme, texts)
    guess = _remark(remark(caption, classes, texts), theme, _REMARK)
    return (
        (
            *head,
            *_lemmas(entry, theme, texts),
            *gloss,
            *webster,
            *origin,
            *_kind(entry, theme, texts),
            *guess,
        ),
        (*head, *gloss, *webster, *origin, *guess),
        (*head, *gloss, *guess),
    )


def label(caption: Caption, texts: Texts) -> str:
    """What stands in the plate."""
    return curled(caption.entry.label) if caption.entry else texts.withheld_label


def remark(caption: Caption, classes: int, texts: Texts) -> str:
    """How sure the network is, and whether it was surer of something else."""
    said = likelihood(texts, caption.probability, classes)
    if caption.passed_over:
        said = texts.passed_over.format(guess=said, count=caption.passed_over)
    return said


def curled(text: str) -> str:
    """A dictionary's text with the marks of print for those of a typewriter; not a letter is changed.

    WordNet quotes ‘words’ between ` and ', and whole sentences between two straight marks.
    """
    text = re.sub(r"`([^`']*)'", r"‘\1’", text)
    text = re.sub(r"(^|[\s(\[–—-])\"", r"\1“", text).replace('"', "”")
    return text.replace("'", "’").replace("--", "—").replace(" - ", " – ")


def _withheld(caption: Caption, theme: Theme, texts: Texts) -> tuple[Paragraph, ...]:
    text = texts.withheld if caption.box else texts.withheld_scene
    return (Paragraph((Span(text.format(reason=caption.withheld.in_(texts.code)), theme.body),)),)


def _head(entry: Entry, theme: Theme, texts: Texts) -> tuple[Paragraph, ...]:
    word = Span(curled(entry.label), theme.headword)
    return (Paragraph((word, Span(f" {_NO_BREAK}{texts.part_of_speech}", theme.aside)), hang=theme.hang),)


def _lemmas(entry: Entry, theme: Theme, texts: Texts) -> tuple[Paragraph, ...]:
    # A lemma of several words stays on one line.
    others = ", ".join(lemma.replace(" ", _NO_BREAK) for lemma in map(curled, entry.lemmas[1:]))
    return _paragraph(texts.also, (Span(others, theme.aside),), theme, _LEMMAS) if others else ()


def _said(who: str, text: str, theme: Theme) -> tuple[Paragraph, ...]:
    """Who says it, small, and what is said; nothing where nothing is said."""
    return _paragraph(who, (Span(curled(text), theme.body),), theme, _SENSE) if text else ()


def _paragraph(who: str, said: tuple[Span, ...], theme: Theme, space: float) -> tuple[Paragraph, ...]:
    # The gap is no place to end a line: who speaks is not left alone there.
    spans = (Span(f"{who}{_GAP}", theme.voice), *said)
    return (Paragraph(spans, _ems(space, theme), theme.hang),)


def _remark(text: str, theme: Theme, space: float) -> tuple[Paragraph, ...]:
    return (Paragraph((Span(text, theme.voice),), _ems(space, theme), theme.hang),)


def _ems(space: float, theme: Theme) -> float:
    """A paragraph counts its space in ems of its first span, which is the small type."""
    return space * theme.body.size / theme.voice.size


def _webster(entry: Entry, theme: Theme, texts: Texts) -> tuple[Paragraph, ...]:
    definition = entry.definition
    if definition is None:
        return ()
    source, word, own = definition.source, curled(definition.headword), _is_label(definition.headword, entry)
    if not definition.of_person:
        text = texts.not_of_person if own else texts.other_word_not_of_person
        return _remark(text.format(source=source, word=word), theme, _SENSE)
    who = source if own else texts.of_other_word.format(source=source, word=word)
    return _said(who, definition.text, theme)


def _origin(entry: Entry, theme: Theme, texts: Texts) -> tuple[Paragraph, ...]:
    if not entry.etymology:
        return ()
    # The etymology is of the word that the definition is of.
    word = entry.definition.headword if entry.definition else entry.label
    text = texts.origin if _is_label(word, entry) else texts.origin_of_other_word
    who = text.format(source=entry.etymology_source, word=curled(word))
    return _paragraph(who, (Span(f"[{kept_together(curled(entry.etymology))}]", theme.aside),), theme, _SENSE)


def kept_together(etymology: str) -> str:
    """With no line's end between a language and its word, as in "L. philosophus", nor behind a plus."""
    return re.sub(r"(\b[A-Za-z]{1,5}\.|\+) (?=\S)", "\\1\N{NO-BREAK SPACE}", etymology)


def _is_label(word: str, entry: Entry) -> bool:
    """Whether a dictionary's headword is the one in the plate; it may be another lemma."""
    return word.casefold() == entry.label.casefold()


def _kind(entry: Entry, theme: Theme, texts: Texts) -> tuple[Paragraph, ...]:
    """A line ends behind an arrow: one sees that the path goes on."""
    if not entry.chain:
        return ()
    path: list[Span] = []
    for kind in map(curled, entry.chain):
        if path:
            path.append(Span(f"{_NO_BREAK}› ", theme.arrow))
        path.append(Span(kind.replace(" ", _NO_BREAK), theme.body))
    path[-1] = replace(path[-1], style=_strong(theme.body))
    return _paragraph(texts.kind, tuple(path), theme, _SENSE)


def _strong(style: Style) -> Style:
    return replace(style, face="bold")
