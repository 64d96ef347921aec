"""A caption as the paragraphs of a dictionary entry, from the fullest to the shortest. Pure."""

from __future__ import annotations

from kiosk.messages import Caption, Entry
from kiosk.screen.texts import Texts, likelihood
from kiosk.screen.theme import Style, Theme
from kiosk.screen.typeset import Paragraph, Span


def versions(caption: Caption, classes: int, theme: Theme, texts: Texts) -> tuple[tuple[Paragraph, ...], ...]:
    """The entry, one of `classes`: all of it; without the other lemmas and the chain; the gloss.

    Of a word that is withheld there is one version: that it is, and why.
    """
    entry = caption.entry
    if entry is None:
        return (_withheld(caption, theme, texts),)
    head = (Paragraph((Span(entry.label, theme.headword), Span(f"  {texts.part_of_speech}", theme.aside))),)
    gloss = _said(texts.gloss_source, entry.gloss, theme, theme.body)
    webster, origin = _webster(entry, theme, texts), _origin(entry, theme, texts)
    guess = _remark(remark(caption, classes, texts), theme)
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
    return caption.entry.label if caption.entry else texts.withheld_label


def remark(caption: Caption, classes: int, texts: Texts) -> str:
    """How sure the network is, and whether it was surer of something else."""
    said = likelihood(texts, caption.probability, classes)
    if caption.passed_over:
        said += f"; {texts.passed_over.format(count=caption.passed_over)}"
    return said


def _withheld(caption: Caption, theme: Theme, texts: Texts) -> tuple[Paragraph, ...]:
    text = texts.withheld if caption.box else texts.withheld_scene
    return (Paragraph((Span(text.format(reason=caption.withheld), theme.body),)),)


def _said(
    who: str, text: str, theme: Theme, style: Style, space_before: float = 0.5
) -> tuple[Paragraph, ...]:
    """Who says it, small, and what is said; nothing where nothing is said."""
    return (Paragraph((Span(f"{who}  ", theme.voice), Span(text, style)), space_before),) if text else ()


def _remark(text: str, theme: Theme) -> tuple[Paragraph, ...]:
    return (Paragraph((Span(text, theme.voice),), 0.6),)


def _lemmas(entry: Entry, theme: Theme, texts: Texts) -> tuple[Paragraph, ...]:
    return _said(texts.also, ", ".join(entry.lemmas[1:]), theme, theme.aside, 0.2)


def _webster(entry: Entry, theme: Theme, texts: Texts) -> tuple[Paragraph, ...]:
    definition = entry.definition
    if definition is None:
        return ()
    source, word, own = definition.source, definition.headword, _is_label(definition.headword, entry)
    if not definition.of_person:
        text = texts.not_of_person if own else texts.other_word_not_of_person
        return _remark(text.format(source=source, word=word), theme)
    who = source if own else texts.of_other_word.format(source=source, word=word)
    return _said(who, definition.text, theme, theme.body)


def _origin(entry: Entry, theme: Theme, texts: Texts) -> tuple[Paragraph, ...]:
    # The etymology is of the word that the definition is of.
    word = entry.definition.headword if entry.definition else entry.label
    text = texts.origin if _is_label(word, entry) else texts.origin_of_other_word
    who = text.format(source=entry.etymology_source, word=word)
    return _said(who, entry.etymology or "", theme, theme.aside)


def _is_label(word: str, entry: Entry) -> bool:
    """Whether a dictionary's headword is the one in the plate; it may be another lemma."""
    return word.casefold() == entry.label.casefold()


def _kind(entry: Entry, theme: Theme, texts: Texts) -> tuple[Paragraph, ...]:
    return _said(texts.kind, " › ".join(entry.chain), theme, theme.body)
