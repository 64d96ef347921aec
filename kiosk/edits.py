"""The configuration as somebody edits it while the piece runs: a good edit in force, a bad one told.

In: the files. Out: a new configuration and policy, or nothing: what was in force then stays in force.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

from kiosk.config import Config, check_models, load, only_at_start
from kiosk.errors import ConfigError
from kiosk.messages import Entry
from kiosk.schema import Inline
from kiosk.vision.sources import plan
from kiosk.watch import Watch
from kiosk.words import tables
from kiosk.words.policy import Policy, find

log = logging.getLogger(__name__)


class Edits:
    """Watches a configuration file and the policy that it names."""

    def __init__(self, path: Path, overrides: Sequence[str], config: Config, now: float) -> None:
        """`config` is what `path` and `overrides` gave at the start; `now` is monotonic."""
        self._path, self._overrides, self._config = path, tuple(overrides), config
        self._watched_policy: str | Inline = ""
        self._watch = self._watching(config.policy, now)
        self.are_bad = False
        """Whether the files as they stand now are not what is in force."""

    def poll(self, lexicon: Mapping[str, Entry], now: float) -> tuple[Config, Policy] | None:
        """Call often. What a good edit says, once; None where nothing is to be changed."""
        if not self._watch.changed(now):
            return None
        try:
            config = load(self._path, self._overrides)
            if config.policy != self._watched_policy:
                # Before it is read: also where it is bad, its mending must be seen.
                self._watch = self._watching(config.policy, now)
            policy = Policy.load(config.policy, lexicon)
            plan(config.source)
            check_models(config)
        except ConfigError as error:
            for problem in error.problems:
                log.warning("not in force, what was stays: %s", problem)
            self.are_bad = True
            return None
        for key in only_at_start(self._config, config):
            log.warning("%s: changed, and in force after a new start", key)
        log.info("%s: read again, in force", self._path)
        self._config, self.are_bad = config, False
        return config, policy

    def _watching(self, policy: str | Inline, now: float) -> Watch:
        self._watched_policy = policy
        own_file = () if isinstance(policy, Inline) else (find(policy),)
        return Watch((self._path, *own_file, tables.FOLDER), now)
