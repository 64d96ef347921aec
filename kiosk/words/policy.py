"""Which categories a venue shows, and what is said of the rest: a policy file and guesses in, a choice out.

A policy is `config/policies/NAME.yaml`, any file of that form, or the same lines in the configuration.
Pure but for reading it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kiosk import schema
from kiosk.config import ROOT, named
from kiosk.document import Node, Problems, key_at
from kiosk.errors import ConfigError
from kiosk.messages import Entry, Guess, Reason
from kiosk.words import tables
from kiosk.words.counts import Counts, RuleCount
from kiosk.words.rules import Catalogue, Rule

FOLDER = ROOT / "config" / "policies"
MAX_RULES = 3000  # more than there are categories
EXCEPTIONS = "exceptions"


@dataclass(frozen=True)
class Group:
    """Rules that have a reason in common; the unit in which a curator takes some out."""

    name: str = schema.text("a name for the group")
    reason: schema.ByLanguage = schema.text("why these are withheld, as it may stand on the wall", ())
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True)
class PolicyFile:
    """The whole file."""

    show: str = schema.choice("what is shown to begin with", "all", ("all", "none"))
    when_withheld: str = schema.choice(
        "say: that a word is withheld and why; next: the next shown guess; hide: no box at all",
        "say",
        ("say", "next", "hide"),
    )
    reason: schema.ByLanguage = schema.text(
        "with show: none, why a category is withheld that no rule shows", ()
    )
    groups: tuple[Group, ...] = ()
    exceptions: tuple[Rule, ...] = ()
    reasons: tuple[schema.ByLanguage, ...] = schema.text("reasons that stand above, in other languages", ())

    def __post_init__(self) -> None:
        if self.show == "none" and not self.reason:
            raise ValueError("with 'show: none' a 'reason:' must say why a category is withheld")
        names = [group.name for group in self.groups]
        for group in self.groups:
            if group.name == EXCEPTIONS:
                raise ValueError(f"no group may have the name '{EXCEPTIONS}'")
            if not group.rules:
                raise ValueError(f"group '{group.name}' must have rules")
            if names.count(group.name) > 1:
                raise ValueError(f"two groups have the name '{group.name}'")
            if self.show == "all" and not group.reason:
                raise ValueError(f"group '{group.name}' must have a reason")


@dataclass(frozen=True)
class Verdict:
    """What a policy says of one category."""

    shown: bool
    reason: Reason
    """Why it is withheld, as it may stand on the wall; false where it is shown."""
    rule: str
    """Which rule decides, for the curator, for example "peoples: below: n09620078"; empty for none."""


@dataclass(frozen=True)
class Choice:
    """What is shown of a face's guesses."""

    guess: Guess
    withheld: Verdict | None
    """Why the word of `guess` must not be shown; None where it may be."""
    passed_over: int
    """How many better guesses are withheld."""


@dataclass(frozen=True)
class _Line:
    """A rule with its group, its place and the categories it means."""

    group: str
    rule: str
    place: str
    reason: Reason
    matches: frozenset[str]

    def __str__(self) -> str:
        return f"{self.group}: {self.rule}"


class Policy:
    """Every category's verdict, settled when the file is read."""

    def __init__(self, content: PolicyFile, places: Sequence[str], catalogue: Catalogue, ids: Sequence[str]):
        """`places` has one place a rule, in the order of the file. Raises ConfigError for a missing table."""
        self.show = content.show
        self.when_withheld = content.when_withheld
        rules = [(group.name, group.reason, rule) for group in content.groups for rule in group.rules]
        rules += [(EXCEPTIONS, (), rule) for rule in content.exceptions]
        given = [reason for _, of_group, rule in rules for reason in (rule.reason, of_group)]
        reasons = _in_full((*given, content.reason, *content.reasons))
        self._lines = []
        for (name, reason, rule), place in zip(rules, places, strict=True):
            try:
                matches = catalogue.matches(rule)
            except ValueError as error:
                raise ConfigError((f"{place}: {error}",)) from error
            why = reasons[rule.reason or reason or content.reason]
            self._lines.append(_Line(name, catalogue.title(rule), place, why, matches))
        why = Reason() if self.show == "all" else reasons[content.reason]
        self._verdicts = dict.fromkeys(ids, Verdict(self.show == "all", why, ""))
        self._decides = [0] * len(self._lines)
        self._settle()

    @classmethod
    def load(
        cls, what: str | schema.Inline, lexicon: Mapping[str, Entry], table_folder: Path = tables.FOLDER
    ) -> Policy:
        """A shipped policy by its name, any by its file, or one that stands in the configuration.

        Raises ConfigError with every problem.
        """
        catalogue = Catalogue(lexicon, table_folder)
        places: list[str] = []

        def look_up(root: Node, problems: Problems) -> None:
            for node in _rule_nodes(root):
                places.append(str(node.place))
                for key, value in node.content.items() if isinstance(node.content, dict) else ():
                    text = value.content if isinstance(value.content, str) else ""
                    if text and (problem := catalogue.problem(key, text)):
                        problems.append((value.place, f"{key}: {problem}"))
            if len(places) > MAX_RULES:
                problems.append((root.place, f"must have at most {MAX_RULES} rules, not {len(places)}"))

        if isinstance(what, schema.Inline):
            content = schema.load_inline(what, PolicyFile, look_up)
        else:
            content = schema.load(find(what), PolicyFile, check=look_up)
        return cls(content, places, catalogue, list(lexicon))

    def verdict(self, synset: str) -> Verdict:
        """Raises KeyError for what is no category."""
        return self._verdicts[synset]

    def choose(self, guesses: Sequence[Guess]) -> Choice | None:
        """What to show of a face's guesses, best first; None for nothing at all."""
        if not guesses:
            return None
        verdict = self.verdict(guesses[0].synset)
        if verdict.shown:
            return Choice(guesses[0], None, 0)
        if self.when_withheld == "hide":
            return None
        if self.when_withheld == "next":
            for passed_over, guess in enumerate(guesses):
                if self.verdict(guess.synset).shown:
                    return Choice(guess, None, passed_over)
        return Choice(guesses[0], verdict, 0)

    def counts(self) -> Counts:
        """What each rule does, and what is left."""
        shown = sum(verdict.shown for verdict in self._verdicts.values())
        rules = tuple(
            RuleCount(line.group, line.rule, line.place, len(line.matches), decides)
            for line, decides in zip(self._lines, self._decides, strict=True)
        )
        return Counts(shown, len(self._verdicts) - shown, rules)

    def _settle(self) -> None:
        """The first exception that means a category has the last word, else the first rule."""
        ordered = sorted(enumerate(self._lines), key=lambda item: item[1].group != EXCEPTIONS)
        settled: set[str] = set()
        for at, line in ordered:
            shown = (self.show == "all") == (line.group == EXCEPTIONS)
            for id_ in line.matches - settled:
                self._verdicts[id_] = Verdict(shown, Reason() if shown else line.reason, str(line))
                self._decides[at] += 1
            settled |= line.matches


def _in_full(reasons: Iterable[schema.ByLanguage]) -> dict[schema.ByLanguage, Reason]:
    """Each of a file's reasons; a text alone has the translations of the same text elsewhere in the file."""
    made = {reason: Reason(reason) for reason in reasons}
    translated = {str(reason): reason for reason in made.values() if len(reason.texts) > 1}
    return made | {key: translated.get(str(why), why) for key, why in made.items() if len(why.texts) == 1}


def find(name_or_path: str) -> Path:
    """The file of a policy; a path is absolute or from the project's folder. Raises ConfigError."""
    return named(FOLDER, name_or_path, key_at("policy", name_or_path))


def _rule_nodes(root: Node) -> Iterator[Node]:
    """Every rule of a file in its order of force, be the file as wrong as it may."""
    groups = _items(root, "groups")
    for group in groups:
        yield from _items(group, "rules")
    yield from _items(root, EXCEPTIONS)


def _items(node: Node, key: str) -> list[Node]:
    found = node.content.get(key) if isinstance(node.content, dict) else None
    return found.content if found is not None and isinstance(found.content, list) else []
