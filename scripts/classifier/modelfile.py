"""A finished model file and its entry in, both on the disk out: the model, and `manifest.yaml` beside it.

The entry replaces the one of the same file name or comes last; every other line and comment stays as it is.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import yaml

from kiosk import schema
from kiosk.errors import ConfigError
from kiosk.manifest import MANIFEST, Manifest, ModelFile

NEW_MANIFEST = (
    "# Every model file, its digest and where it comes from. "
    "The digest is checked before a file is loaded.\nmodels:\n"
)
SIMPLE_NAME = re.compile(r"[\w.-]+")


def check_place(path: Path) -> None:
    """Exit unless a model may be written to `path`: found out before the work, not after it."""
    if path.suffix != ".onnx":
        raise SystemExit(f"{path}: the file to write must end in .onnx")
    if not path.parent.is_dir():
        raise SystemExit(f"{path.parent}: must be a folder, found none")
    if path.is_dir():
        raise SystemExit(f"{path}: must be a file, found a folder")
    if not os.access(path.parent, os.W_OK):
        raise SystemExit(f"{path.parent}: must be a folder that can be written to")
    manifest = path.with_name(MANIFEST)
    if manifest.exists():
        _read(manifest)
        _blocks(_text(manifest), manifest)


def write(path: Path, content: bytes, entry: ModelFile) -> None:
    """Model and manifest, whole or not at all: a kiosk that starts meanwhile reads old or new ones."""
    manifest = path.with_name(MANIFEST)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        temporary = {target: Path(folder) / target.name for target in (path, manifest)}
        _save(temporary[path], content)
        text = _text(manifest) if manifest.exists() else NEW_MANIFEST
        _save(temporary[manifest], with_entry(text, entry, manifest).encode())
        before = _read(manifest).models if manifest.exists() else ()
        wanted = {model.file: model for model in before} | {entry.file: entry}
        if {model.file: model for model in _read(temporary[manifest]).models} != wanted:
            raise SystemExit(f"{manifest}: its entries must stand as in '- file: ...' blocks, one key a line")
        with _uninterrupted():
            for target, source in temporary.items():
                source.replace(target)


def with_entry(text: str, entry: ModelFile, manifest: Path) -> str:
    """The manifest's text with the entry in it."""
    blocks = _blocks(text, manifest)
    found = blocks.get(entry.file)
    last = max((end for _, end in blocks.values()), default=len(text))
    start, end = found or (last, last)
    dash = next((text[at:].index("-") for at, _ in blocks.values()), 2)
    before = text[:start]
    if before and not before.endswith("\n"):
        before += "\n"
    return before + _block(entry, dash) + text[end:]


def _block(entry: ModelFile, indent: int) -> str:
    name = entry.file if SIMPLE_NAME.fullmatch(entry.file) else json.dumps(entry.file)
    texts = {key: text for key, text in asdict(entry).items() if key != "file" and text}
    # JSON's strings are YAML's double-quoted scalars.
    lines = [f"- file: {name}", *(f"  {key}: {json.dumps(text)}" for key, text in texts.items())]
    return "".join(f"{' ' * indent}{line}\n" for line in lines)


def _blocks(text: str, manifest: Path) -> dict[str, tuple[int, int]]:
    """File name to the lines of its entry: where they start and end, in characters."""
    tree = yaml.compose(text, Loader=yaml.BaseLoader)
    (models,) = [value for key, value in tree.value if key.value == "models"] if tree else [None]
    if isinstance(models, yaml.ScalarNode) and not models.value:
        return {}
    if not isinstance(models, yaml.SequenceNode) or models.flow_style:
        raise SystemExit(f"{manifest}: must list its models as '- file: ...' blocks")
    blocks = {}
    for item in models.value:
        fields = {key.value: value for key, value in item.value}
        start = text.rindex("\n", 0, item.start_mark.index) + 1
        end = max(value.end_mark.index for value in fields.values())
        # Behind a block scalar its mark stands at the start of the next line.
        if text[end - 1] != "\n":
            end = text.find("\n", end) + 1 or len(text)
        blocks[fields["file"].value] = (start, end)
    return blocks


def _text(path: Path) -> str:
    return path.read_bytes().decode()


def _read(path: Path) -> Manifest:
    try:
        return schema.load(path, Manifest)
    except ConfigError as error:
        raise SystemExit(f"{path.name} must be good before an entry is added: {error.problems[0]}") from error


def _save(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Between the two files: a model that is not the manifest's would keep the kiosk from starting."""
    handlers = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
