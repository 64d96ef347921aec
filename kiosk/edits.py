"""The configuration as somebody edits it while the piece runs: a good edit in force, a bad one told.

In: the files. Out: what is in force from now on, or nothing: what was in force then stays in force.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kiosk.config import Config, check_models, load, only_at_start
from kiosk.errors import ConfigError
from kiosk.messages import Entry
from kiosk.schema import Inline
from kiosk.screen import texts, theme_file
from kiosk.screen.texts import Texts
from kiosk.vision.sources import plan
from kiosk.watch import Watch
from kiosk.words import policy, tables
from kiosk.words.policy import Policy

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Edit:
    """What a good edit says."""

    config: Config
    policy: Policy
    texts: tuple[Texts, ...]


def check_named(config: Config) -> tuple[Texts, ...]:
    """The texts of the wall. Raises ConfigError with every problem of source, theme and texts.

    Models are another matter: one that is missing when the piece starts has an exit code of its own.
    """
    found: list[Texts] = []
    _all(
        lambda: plan(config.source),
        lambda: theme_file.load(config.display.theme),
        lambda: found.extend(texts.load(config.wall.language)),
    )
    return tuple(found)


def read(config: Config, lexicon: Mapping[str, Entry]) -> Edit:
    """All that a configuration names but its models. Raises ConfigError with every problem."""
    said: list[tuple[Texts, ...]] = []
    policies: list[Policy] = []
    _all(
        lambda: said.append(check_named(config)),
        lambda: policies.append(Policy.load(config.policy, lexicon)),
    )
    return Edit(config, policies[0], said[0])


def read_with_models(config: Config, lexicon: Mapping[str, Entry]) -> Edit:
    """The same; that a model is missing is one of the problems."""
    found: list[Edit] = []
    _all(lambda: found.append(read(config, lexicon)), lambda: check_models(config))
    return found[0]


def _all(*steps: Callable[[], object]) -> None:
    """Take every step, then raise ConfigError with the problems of all."""
    problems: list[str] = []
    for step in steps:
        try:
            step()
        except ConfigError as error:
            problems += error.problems
    if problems:
        raise ConfigError(tuple(problems))


class Edits:
    """Watches a configuration file and the policy, the theme and the texts that it names."""

    def __init__(self, path: Path, overrides: Sequence[str], config: Config, now: float) -> None:
        """`config` is what `path` and `overrides` gave at the start; `now` is monotonic."""
        self._path, self._overrides, self._config = path, tuple(overrides), config
        self._watched: tuple[Path, ...] = tuple(_files(path, config))
        self._watch = Watch(self._watched, now)
        self.are_bad = False
        """Whether the files as they stand now are not what is in force."""

    def poll(self, lexicon: Mapping[str, Entry], now: float) -> Edit | None:
        """Call often. What a good edit says, once; None where nothing is to be changed."""
        if not self._watch.changed(now):
            return None
        try:
            config = load(self._path, self._overrides)
            watched = tuple(_files(self._path, config))
            if watched != self._watched:
                # Before they are read: also where one is bad, its mending must be seen.
                self._watched, self._watch = watched, Watch(watched, now)
            edit = read_with_models(config, lexicon)
        except ConfigError as error:
            for problem in error.problems:
                log.warning("not in force, what was stays: %s", problem)
            self.are_bad = True
            return None
        for key in only_at_start(self._config, config):
            log.warning("%s: changed, and in force after a new start", key)
        log.info("%s: read again, in force", self._path)
        self._config, self.are_bad = config, False
        return edit


def _files(path: Path, config: Config) -> Iterator[Path]:
    """The configuration first, then what it names and is there by that name."""
    yield path
    if not isinstance(config.policy, Inline):
        yield from _found(lambda name: (policy.find(name),), config.policy)
    yield from _found(lambda name: (theme_file.find(name),), config.display.theme)
    yield from _found(texts.files, config.wall.language)
    yield tables.FOLDER


def _found(find: Callable[[str], tuple[Path, ...]], name: str) -> tuple[Path, ...]:
    try:
        return find(name)
    except ConfigError:  # told where it is read
        return ()
