"""A caption as the paragraphs of a dictionary entry, from the fullest to the shortest. Pure."""

from __future__ import annotations

from kiosk.messages import Caption, Entry
from kiosk.screen.texts import Texts, likelihood
from kiosk.screen.theme import Theme
from kiosk.screen.typeset import Paragraph, Span


def versions(caption: Caption, classes: int, theme: Theme, texts: Texts) -> tuple[tuple[Paragraph, ...], ...]:
    """The entry for one of `classes` categories: all of it; without the dictionaries' asides; the gloss."""
    entry = caption.entry
    head = _head(entry, theme, texts)
    gloss = _spoken(texts.gloss_source, entry.gloss, theme)
    guess = Paragraph((Span(likelihood(texts, caption.probability, classes), theme.voice),), 0.6)
    lemmas, webster, origin, kind = (
        _lemmas(entry, theme, texts),
        _webster(entry, theme, texts),
        _origin(entry, theme, texts),
        _kind(entry, theme, texts),
    )
    full = (*head, *lemmas, gloss, *webster, *origin, *kind, guess)
    middle = (*head, gloss, *webster, guess)
    short = (*head, gloss, guess)
    return full, middle, short


def _head(entry: Entry, theme: Theme, texts: Texts) -> tuple[Paragraph, ...]:
    return (Paragraph((Span(entry.label, theme.headword), Span(f"  {texts.part_of_speech}", theme.aside))),)


def _spoken(source: str, text: str, theme: Theme) -> Paragraph:
    """Who says it, small, and what is said."""
    return Paragraph((Span(f"{source}  ", theme.voice), Span(text, theme.body)), 0.5)


def _lemmas(entry: Entry, theme: Theme, texts: Texts) -> tuple[Paragraph, ...]:
    if len(entry.lemmas) < 2:
        return ()
    others = ", ".join(entry.lemmas[1:])
    return (Paragraph((Span(f"{texts.also}  ", theme.voice), Span(others, theme.aside)), 0.2),)


def _webster(entry: Entry, theme: Theme, texts: Texts) -> tuple[Paragraph, ...]:
    definition = entry.definition
    if definition is None:
        return ()
    if not definition.of_person:
        return (Paragraph((Span(f"{definition.source} {texts.not_of_person}", theme.voice),), 0.5),)
    return (_spoken(definition.source, definition.text, theme),)


def _origin(entry: Entry, theme: Theme, texts: Texts) -> tuple[Paragraph, ...]:
    if entry.etymology is None:
        return ()
    return (Paragraph((Span(f"{texts.origin}  ", theme.voice), Span(entry.etymology, theme.aside)), 0.5),)


def _kind(entry: Entry, theme: Theme, texts: Texts) -> tuple[Paragraph, ...]:
    if not entry.chain:
        return ()
    return (
        Paragraph((Span(f"{texts.kind}  ", theme.voice), Span(" › ".join(entry.chain), theme.body)), 0.5),
    )
