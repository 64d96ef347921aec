"""The report in its order: findings in, blocks out. First what hangs beside the piece, then all figures."""

from __future__ import annotations

from kiosk.audit import charts, figures, tables
from kiosk.audit.blocks import Block, Heading, Listing, Paragraph
from kiosk.audit.findings import Findings
from kiosk.audit.gaps import RATES, Gap
from kiosk.audit.subject import Subject
from kiosk.audit.wording import MEANING, by, capital, headline, name, number, sentence, verdict

TITLE = "Whom does it fail, and how?"
MOST_HEADLINES = 4
IMPORTANT = ("missed", "withheld", "offensive", "sensitive", "twice", "scores", "sureness")
SOURCES = (
    "Joy Buolamwini and Timnit Gebru, “Gender Shades: Intersectional Accuracy Disparities in Commercial "
    "Gender Classification”, FAT* 2018: errors by group and by their intersections, by skin type.",
    "Kate Crawford and Trevor Paglen, “Excavating AI”, 2019: ImageNet Roulette and the person categories.",
    "Kaiyu Yang et al., “Towards Fairer Datasets”, FAT* 2020: which categories are offensive or sensitive.",
    "Edwin B. Wilson 1927 (interval of a share); Robert G. Newcombe 1998 (of a difference of shares); Sture "
    "Holm 1979 (many comparisons); Burt Monroe, Michael Colaresi and Kevin Quinn 2008, “Fightin’ Words” "
    "(words that a group has more than others); George Miller 1955 (entropy).",
)
LIMITS = (
    "The table says who belongs to which group. Gender is as somebody perceived it in a picture, skin type "
    "as somebody rated it; neither is what a person says of herself, and both can be wrong.",
    "One face is expected in each picture. Where the piece finds more, it may have seen one face twice, or "
    "somebody in the background.",
    "The detector's score, the words and how sure the network is are of the faces that were found. Where a "
    "group's faces are missed more often, its found ones are the easier ones.",
    "No word is right or wrong here: nobody's category can be read from a picture.",
    "A word is said to be more a group's than the others' from z = 2 on. Many words were looked at, so that "
    "a few stand out by chance.",
)


def compose(found: Findings, subject: Subject) -> tuple[Block, ...]:
    """The whole report."""
    titles = dict(zip(subject.columns, subject.titles, strict=True))
    blocks: list[Block] = [
        Heading(TITLE, 1),
        Paragraph(_lead(found, subject), "lead"),
        *_headlines(found, titles),
        charts.overview(found, titles),
        *(Paragraph(text) for text in MEANING),
        _foot(subject),
        Heading("Faces", opens=True),
        tables.faces(found, titles),
        Heading("Words"),
        tables.words(found, titles),
        charts.distributions(found, titles),
        tables.names(found, titles),
        *_withheld(found),
        *_gaps(found, titles),
        *_robustness(found, titles, subject),
        *_left_out(found, titles),
        Heading("What this cannot say"),
        Listing(LIMITS),
        Heading("How it was done"),
        tables.subject(found, subject),
        Heading("Sources"),
        Listing(SOURCES),
    ]
    return tuple(blocks)


def _lead(found: Findings, subject: Subject) -> str:
    by_what = f", by {by(subject.titles)}" if subject.titles else ""
    return (
        f"The curators of this piece showed it {number(found.whole.pictures)} pictures of people and "
        f"counted: whose face it does not find, and what it calls the others{by_what}."
    )


def _headlines(found: Findings, titles: dict[str, str]) -> list[Block]:
    clear = sorted((gap for gap in found.gaps if gap.is_clear), key=_weight)
    first = [gap for gap in clear if gap.measure in RATES][:MOST_HEADLINES]
    blocks: list[Block] = [
        Paragraph(f"{headline(gap, _titles(gap.columns, titles))}.", "finding") for gap in first
    ]
    compared = f"{len(found.gaps)} comparisons were made, and corrected for their number (Holm, 5 %)"
    if found.gaps and not clear:
        blocks.append(
            Paragraph(
                f"No gap between groups is clear: {compared}, and chance alone does as much as any of them. "
                "That is not to say that there is none.",
                "finding",
            )
        )
    elif len(clear) > len(first):
        more = len(clear) - len(first)
        told = f"{more} more {'is' if more == 1 else 'are'} clear" if first else f"{more} are clear"
        blocks.append(Paragraph(f"{capital(compared)}; {told}, see “The clearest gap of each kind”.", "note"))
    elif clear:
        blocks.append(Paragraph(f"{capital(compared)}.", "note"))
    return blocks


def _foot(subject: Subject) -> Paragraph:
    title = f" ({subject.classifier_title})" if subject.classifier_title else ""
    return Paragraph(
        f"Detector {subject.detector}, classifier {subject.classifier}{title}, policy {subject.policy}; "
        f"{subject.table}, {subject.day}.",
        "note",
    )


def _weight(gap: Gap) -> tuple[int, float, float]:
    """What is told first: faces missed and words withheld, then by how clear it is and how large."""
    return IMPORTANT.index(gap.measure), gap.corrected, -gap.difference


def _withheld(found: Findings) -> list[Block]:
    told = [one for grouping in found.groupings for one in grouping.groups] + [found.whole]
    words = {word for one in told if one.labels for word in (*one.labels.frequent, *one.labels.typical)}
    reasons = sorted({word.reason for word in words if word.reason})
    kept = (
        f"Words that fewer than {figures.LEAST_LABEL} pictures got are not named."
        " z: how much more often than to the other groups, in standard deviations."
    )
    if reasons:
        kept += f" [withheld]: the policy of this venue does not show the word: {'; '.join(reasons)}."
    return [Paragraph(kept, "note")]


def _gaps(found: Findings, titles: dict[str, str]) -> list[Block]:
    if not found.gaps:
        return []
    ordered = sorted(found.gaps, key=lambda gap: (not gap.is_clear, _weight(gap)))
    clear = [
        sentence(gap, _titles(gap.columns, titles), len(found.gaps))
        for gap in ordered
        if gap.is_clear and gap.measure in RATES
    ]
    return [
        Heading("The clearest gap of each kind"),
        *([Listing(tuple(clear))] if clear else []),
        tables.gaps(ordered, titles),
    ]


def _robustness(found: Findings, titles: dict[str, str], subject: Subject) -> list[Block]:
    if not found.whole.under:
        return []
    blocks: list[Block] = [
        Heading("Is it the light, or the model?"),
        Paragraph(
            f"The first {subject.robustness} pictures of each group were also shown to the piece changed, so "
            "that a camera's exposure is not mistaken for the model's bias, or the reverse. If a gap closes "
            "when pictures are brightened, look at the light first; if it stays whatever is changed, light, "
            "contrast, sharpness and distance alone do not make it; if one opens, that is where the piece "
            "will fail somebody first.",
        ),
        charts.changes(found, titles),
    ]
    for grouping in found.groupings:
        if grouping.steadiness:
            blocks += [
                tables.steadiness(grouping, found.missed(grouping), titles),
                Paragraph(verdict(found.missed(grouping), grouping.steadiness), "finding"),
            ]
    return [*blocks, tables.same_words(found, titles)]


def _left_out(found: Findings, titles: dict[str, str]) -> list[Block]:
    items = []
    for grouping in found.groupings:
        small = "; ".join(name(key) for key in grouping.too_small)
        title = by(_titles(grouping.columns, titles))
        if grouping.too_small:
            none = "" if grouping.groups else " (so many are too small that none is told of)"
            items.append(f"Too small, by {title}{none}: {small}.")
        mute = "; ".join(name(one.key) for one in grouping.groups if one.labels is None)
        if mute:
            items.append(f"Too few faces found to tell of their words, by {title}: {mute}.")
    if not items:
        return []
    lost = (
        f"A group of fewer than {found.least} pictures is not told of, and its pictures, "
        f"{number(found.lost)} in all, are in no other figure either, so that it cannot be worked out by "
        "subtraction."
    )
    return [Heading("Not told"), Paragraph(lost), Listing(tuple(items))]


def _titles(columns: tuple[str, ...], titles: dict[str, str]) -> tuple[str, ...]:
    return tuple(titles[column] for column in columns)
