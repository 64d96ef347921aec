"""Webster's bracketed etymologies in, text for a wall out. Pure.

The package's text of GCIDE has holes: a letter with an accent took the rest of its word, and sometimes
the words after it, out of the text. What stands before the first hole is kept, to the last whole clause.
"""

from __future__ import annotations

import re
import unicodedata

# GCIDE's transliteration of Greek: breathings before the letter they sit on, accents after it.
_GREEK = dict(zip("abgdezhqiklmnxoprstyufw", "αβγδεζηθικλμνξοπρστυυφω", strict=True))
_GREEK |= {"ch": "χ", "ps": "ψ"}
_BREATHING = {"'": "\u0313", '"': "\u0314"}
_ACCENT = {"`": "\u0301", "^": "\u0342", ":": "\u0308"}
_GREEK_LETTER = re.compile(r"(['\"]?)(ch|ps|[a-z])([`^:]*)", re.IGNORECASE)
_GREEK_WORD = re.compile(
    r"(?<![\w`^'\"])(?=-?[a-z'\"]*(?:[a-z][`^]|(?<![a-z])['\"][aeiouywhr]))"
    r"-?(?:['\"]?(?:ch|ps|[abgdezhqiklmnxoprstyufw])[`^]*(?::(?=[a-z`^]))?)+(?![\w`^])",
    re.IGNORECASE,
)

_LANGUAGE = (
    r"(?:AS|OE|OF|F|L|LL|NL|OL|Gr|LGr|NGr|G|OHG|MHG|LG|OLG|D|OD|MD|LD|Icel|Sw|OSw|Dan|ODan|Norw|OS|OFries|Fries"
    r"|Goth|Skr|It|OIt|Sp|OSp|Pg|Pr|Ir|OIr|Gael|W|Corn|Armor|Celt|Russ|OSlav|Pol|Bohem|Lith|Heb|Ar|Per|OPer|Zend|Turk"
    r"|Hind|Hung|Malay|Chin|Jap|Teut|Scot|Syr|Aram|Bisc|Serb|E)\."
)
_HOLES = tuple(
    re.compile(pattern)
    for pattern in (
        r"\n|\[?(?:1913 )?Webster\b|\{|\}|<|>|\?|\ufffd|~|[0-9]{2}|\[|\]",  # what followed, markup
        r"\((?:[A-Z][a-z]+\.|[a-z])\)|(?<!\w)\d\.",  # "(Bot.)", "1.": a sense that followed the bracket
        r"(?<![.:])  +\S",  # two spaces where a word was; after a full stop they are a typist's habit
        rf"\b{_LANGUAGE}(?:\s+[,;:)+=]|\s*$)",  # a language and no word: "F. , L."; "F., fr. L." is right
        rf"\b{_LANGUAGE}\s+(?:akin|and|or|fr|to|the|a|of|an|perh|prob|cf|through|with)\b",
        r"\bGr\.\s+(?!word|name|origin|fem|pl|masc|dim|\()(?![α-ωἀ-ῷ-])\S",  # not in Greek letters
        rf"\b{_LANGUAGE}\s+-?(?!ad|ab|de|ex|in|se|un|re|on|an|at|be|by|ge|of|ob|os|do|up|to|us|ut|is|id|pa|vi|et)"
        r"[a-z]{1,2}(?![\w.'’-])",  # "AS. m" for "AS. mōdor"
        r"(?<![\w.'’-])(?!nth|Mrs?|St)(?i:[b-df-hj-np-tv-xz]{2,})(?![\w.'’-])",  # a word without a vowel
        r"\+\s*(?:[A-Z]|$|[,;.])",
        r"(?:[,;:+(]|\b(?:of|and|or|from|fr\.|to|the|a|akin|dim\.|fem\.|cf\.|as|with|see|See))\s*(?=[.,;:)]|$)",
        r",\s*,|;\s*;|\(\s*\)|,\s*\.|;\s*\.|\s[,;]",
    )
)
_BOUNDARY = re.compile(r"[,;:.](?=\s)|\s\((?=\S)|\s(?=\+)")
_REFERENCE = re.compile(
    r"(?:^|(?<=[.,;:)\w])\s+|\s*\()"
    r"(?:(?:[Ss]ee|[Aa]nd cf\.|[Cc]f\.|[Cc]ompare|[Aa]nd see|[Ss]ame as|q\. v\.)\s+)?"
    r"(?:\d+(?:st|d|th)\s+)?(?:-?[A-Z]\w+|-\w+)(?:,?\s[^.;:()]*)?"
    r"\.?\)?$"
)
_ONLY_REFERENCE = re.compile(
    r"^(?:See|From|Fr\.|Cf\.|Same as|A? ?[Cc]orrupt(?:ion|ed)? (?:of|from)|[Ff]em\. of|[Dd]im\. of)\s+"
    r"(?:the (?:verb|adj\.|noun)\s+)?(?P<word>-?[A-Z][\w-]+)\b[^;:+]*$"
)
_STARTS_REFERENCE = ("See ", "Cf. ", "And cf. ", "Compare ", "and cf. ", "see ")


def greek(word: str) -> str:
    """One transliterated word in Greek letters: "mh`thr" to "μήτηρ"."""

    def letter(match: re.Match[str]) -> str:
        breathing, latin, accents = match.groups()
        plain = _GREEK[latin.lower()]
        if latin[0].isupper():
            plain = plain.upper()
        marks = sorted((_ACCENT[mark] for mark in accents), key=lambda mark: mark != "\u0308")
        return plain + _BREATHING.get(breathing, "") + "".join(marks)

    text = unicodedata.normalize("NFC", _GREEK_LETTER.sub(letter, word))
    return text[:-1] + "ς" if text.endswith("σ") else text


def reference(raw: str | None) -> str | None:
    """The headword, in lower case, to which an etymology only points: "[See Soldier.]" to "soldier"."""
    match = _ONLY_REFERENCE.match(_unbracket(raw or ""))
    return match["word"].lower() if match else None


def clean(raw: str | None, stump: str | None = None) -> str | None:
    """The etymology without brackets, cross-references, holes and markup; None where nothing is left.

    `stump` is what is left of the first word that is known to be broken; "" where nothing can be trusted.

    Greek stands in Greek letters; "fr.", "akin to" and the abbreviated languages stay as printed.
    """
    if stump == "":
        return None
    text = _GREEK_WORD.sub(lambda match: greek(match[0]), _unbracket(raw or ""))
    text = _without_references(text)
    patterns = (*_HOLES, re.compile(rf"(?<!\w){re.escape(stump)}(?!\w)")) if stump else _HOLES
    holes = [match.start() for pattern in patterns if (match := pattern.search(text))]
    if holes:
        text = text[: min(holes) + 1]
        cuts = [
            match.start() for match in _BOUNDARY.finditer(text[:-1] + " ") if not _abbreviation(text, match)
        ]
        text = _without_references(text[: cuts[-1]]) if cuts else ""
    text = _closed(re.sub(r"\s+", " ", text)).strip(" ,;:.+(")
    text = re.sub(
        r",? (?:p\. pr?|pl|dim|fem|masc|acc|prop|orig|lit|perh|prob|contr|superl|compar|m|f|n)$", "", text
    )
    return _finished(unicodedata.normalize("NFC", text))


def _unbracket(raw: str) -> str:
    text = raw.strip().removeprefix("[")
    if text.endswith("]"):
        text = text[:-1]
    return text.strip()


def _abbreviation(text: str, match: re.Match[str]) -> bool:
    """Whether a full stop ends an abbreviation and no sentence."""
    if match[0] != ".":
        return False
    return not re.search(r"[a-z\u0370-\u1fff)]{4,}$", text[: match.start()])


def _without_references(text: str) -> str:
    """Trailing sentences that only point elsewhere ("See Solid, and cf. Sold, n.") taken away."""
    while True:
        sentences = re.split(r"(?<=[\w)]{3}\.)\s+(?=[A-Z])|(?<=[a-z)])\.\s+(?=(?:See|Cf\.|Compare)\s)", text)
        last = sentences[-1]
        if len(sentences) > 1 and (last.startswith(_STARTS_REFERENCE) or _REFERENCE.fullmatch(last)):
            text = text[: text.rindex(last)].strip()
            continue
        shorter = re.sub(
            r"[,;.]?\s+(?:\(?[Ss]ee|and cf\.|[Cc]f\.)\s+(?:\d\w+\s+)?-?[A-Z][\w-]+[^.;:]*\.?\)?$", "", text
        )
        shorter = "" if shorter.startswith(("See ", "Cf. E.")) else shorter
        if shorter == text:
            return text
        text = shorter


def _closed(text: str) -> str:
    """Cut back to before a bracket that never closes."""
    while text.count("(") > text.count(")"):
        text = text[: text.rindex("(")]
    return text


def _finished(text: str) -> str | None:
    """None unless something is left that tells of another word, not only of a language."""
    words = re.sub(_LANGUAGE, "", text)
    if (
        not re.search(r"[a-zα-ωἀ-ῷ]{3}", words)
        or reference(text)
        or text.endswith(" priv")
        or "ritten" in text
    ):
        return None
    if words == text and "+" not in text and len(text.split()) < 3:
        return None
    if text.count(")") != text.count("("):
        return None
    return text
