"""Files that somebody may edit: have they changed, and are they whole? By polling; pure but for stat(2).

Editors save in many ways: in place, by a second file that is renamed over the first, by deletion and a new
file, through a link. All of them change the modification time, the size or the inode of what the path
leads to, and all leave it alone when they are done.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

# A file that changed is taken for whole when it has not changed again for so long: half a file is not read.
SETTLED_AFTER = 0.5
# How often the files are looked at.
INTERVAL = 0.25

_Signature = tuple[tuple[int, ...] | None, ...]


class Watch:
    """Watches files and folders; a missing one is watched too, and a missing first one is waited for."""

    def __init__(self, paths: Iterable[Path], now: float) -> None:
        """`now` is in seconds, monotonic, as in `changed`."""
        self._paths = tuple(paths)
        self._known = self._seen = self._look()
        self._seen_at = self._looked_at = now

    def changed(self, now: float) -> bool:
        """Call often. True once for every change, when the files have settled and the first is there."""
        if now - self._looked_at < INTERVAL:
            return False
        self._looked_at = now
        found = self._look()
        if found != self._seen:
            self._seen, self._seen_at = found, now
        settled = now - self._seen_at >= SETTLED_AFTER
        if found == self._known or not settled or found[0] is None:
            return False
        self._known = found
        return True

    def _look(self) -> _Signature:
        return tuple(_signature(path) for path in self._paths)


def _signature(path: Path) -> tuple[int, ...] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    # The last one for a file whose rights were mended.
    return state.st_mtime_ns, state.st_size, state.st_ino, state.st_mode
