"""Fetch the ImageNet team's tables of safety and imageability into config/imagenet/, and check them.

Yang et al., "Towards Fairer Datasets", FAT* 2020; they are published at https://image-net.org/data/.

    python scripts/fetch_imagenet_safety.py                       # from the web
    python scripts/fetch_imagenet_safety.py SAFETY IMAGEABILITY   # from two files at hand
"""

from __future__ import annotations

import argparse
import collections
import shutil
import sys
import tempfile
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kiosk.errors import ConfigError
from kiosk.words import tables

SOURCE = "https://image-net.org/data/"
PUBLISHED = {"safe": 1239, "sensitive": 1156, "offensive": 437}
VISUAL = 158
"""Safe, and of imageability 4 or more."""


def main() -> int:
    """Put both tables in place, or leave everything as it was."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("safety", nargs="?", type=Path, help=f"a file like {tables.SAFETY_FILE}")
    parser.add_argument("imageability", nargs="?", type=Path, help=f"a file like {tables.IMAGEABILITY_FILE}")
    parser.add_argument("--out", type=Path, default=tables.FOLDER, help="default: %(default)s")
    arguments = parser.parse_args()
    if (arguments.safety is None) != (arguments.imageability is None):
        parser.error("give both files, or none")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            put(arguments.safety, folder / tables.SAFETY_FILE)
            put(arguments.imageability, folder / tables.IMAGEABILITY_FILE)
            problems = check(folder)
        except (OSError, ConfigError) as error:
            problems = [f"{error}; the tables can be got by hand from {SOURCE}"]
        if problems:
            print("\n".join(problems), file=sys.stderr)
            return 1
        arguments.out.mkdir(parents=True, exist_ok=True)
        for table in folder.iterdir():
            shutil.copyfile(table, arguments.out / table.name)
    print(f"{arguments.out}: {tables.SAFETY_FILE} and {tables.IMAGEABILITY_FILE} are good")
    return 0


def put(source: Path | None, target: Path) -> None:
    """Copy a file at hand, or fetch the published one."""
    if source is not None:
        shutil.copyfile(source, target)
        return
    with urllib.request.urlopen(SOURCE + target.name, timeout=60) as answer:
        target.write_bytes(answer.read(tables.MAX_BYTES + 1))


def check(folder: Path) -> list[str]:
    """What is not as published, a line each."""
    safety, scores = tables.read_safety(folder), tables.read_imageability(folder)
    counts = dict(collections.Counter(safety.values()))
    visual = sum(safety.get(id_) == "safe" and score >= 4 for id_, score in scores.items())
    problems = []
    if counts != PUBLISHED:
        problems.append(f"safety must be {PUBLISHED}, found {counts}")
    if visual != VISUAL:
        problems.append(f"{VISUAL} must be safe and of imageability 4 or more, found {visual}")
    return problems


if __name__ == "__main__":
    sys.exit(main())
