"""What a policy does to all categories: how many it shows and withholds, and by which rules."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RuleCount:
    """What one rule does."""

    group: str
    """EXCEPTIONS for an exception."""
    rule: str
    place: str
    """File, line and column."""
    matches: int
    """How many categories it means."""
    decides: int
    """On how many of them it has the last word: withheld by it, or shown by it."""


@dataclass(frozen=True)
class Counts:
    """What a policy does to all categories."""

    shown: int
    withheld: int
    rules: tuple[RuleCount, ...]
    """In the order of the file, exceptions last."""

    @property
    def groups(self) -> dict[str, int]:
        """On how many categories each group has the last word."""
        counts: dict[str, int] = {}
        for rule in self.rules:
            counts[rule.group] = counts.get(rule.group, 0) + rule.decides
        return counts

    @property
    def idle(self) -> tuple[RuleCount, ...]:
        """Rules that mean no category."""
        return tuple(rule for rule in self.rules if not rule.matches)
