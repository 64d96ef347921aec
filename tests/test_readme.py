from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILES = sorted(
    str(path.relative_to(ROOT / "kiosk"))
    for path in (ROOT / "kiosk").rglob("*.py")
    if path.name != "__init__.py"
)


@pytest.mark.parametrize("file", FILES)
def test_the_readme_names_every_file_of_the_kiosk(file: str) -> None:
    assert f"`{file}`" in (ROOT / "README.md").read_text(encoding="utf-8")
