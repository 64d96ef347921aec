"""Model files and their pinned digests: `models/manifest.yaml`.

In: a path. Out: the model, its bytes read once and hashed before any parser sees them: onnxruntime
loads a file with 400 damaged bytes of weights without complaint.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from kiosk import schema
from kiosk.errors import ConfigError, ModelError

MANIFEST = "manifest.yaml"


@dataclass(frozen=True)
class ModelFile:
    """One entry of the manifest."""

    file: str = schema.text("name of the file, beside the manifest")
    sha256: str = schema.text("digest of the file, 64 hexadecimal digits")
    source: str = schema.text("where the weights come from")
    licence: str = schema.text("licence of the weights")
    method: str = schema.text("how to build the file again")
    known_answer: str = schema.text(
        "a classifier's answer to the test picture: best synset and its probability", "", empty=True
    )


@dataclass(frozen=True)
class Model:
    """A file that is what the manifest says."""

    name: str
    content: bytes = field(repr=False)
    known_answer: str
    """As in the manifest; empty where it gives none."""


@dataclass(frozen=True)
class Manifest:
    """The whole file."""

    models: tuple[ModelFile, ...] = ()


def load_model(path: Path) -> Model:
    """A model that is listed in the manifest beside it.

    Raises ModelError: missing, not listed, or not the file that the manifest describes.
    """
    manifest_path = path.parent / MANIFEST
    try:
        manifest = schema.load(manifest_path, Manifest)
    except ConfigError as error:
        raise ModelError("; ".join(error.problems)) from error
    listed = {model.file: model for model in manifest.models}.get(path.name)
    if listed is None:
        raise ModelError(f"{path}: not listed in {manifest_path}, so its digest cannot be checked")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}. To build it again: {listed.method}") from error
    digest = hashlib.sha256(content).hexdigest()
    if digest != listed.sha256:
        raise ModelError(
            f"{path}: sha256 must be {listed.sha256} ({manifest_path.name}), but the file's is {digest}. "
            f"To build it again: {listed.method}"
        )
    return Model(path.name, content, listed.known_answer)
