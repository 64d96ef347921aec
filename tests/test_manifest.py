from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from kiosk import config, schema
from kiosk.errors import ModelError
from kiosk.manifest import MANIFEST, Manifest, load_model

CONTENT = bytes(range(256)) * 40
ENTRY = """\
  - file: {file}
    sha256: {sha256}
    source: somewhere
    licence: MIT
    method: python scripts/make_net.py
"""


def write(folder: Path, content: bytes = CONTENT, **entry: str) -> Path:
    """A folder with a network and a manifest that describes CONTENT; gives the network's path."""
    entry = {"file": "net.onnx", "sha256": hashlib.sha256(CONTENT).hexdigest(), **entry}
    (folder / MANIFEST).write_text("models:\n" + ENTRY.format(**entry), encoding="utf-8")
    path = folder / "net.onnx"
    path.write_bytes(content)
    return path


def refusal(path: Path) -> str:
    """The one line with which a model is refused."""
    with pytest.raises(ModelError) as caught:
        load_model(path)
    line = str(caught.value)
    assert line.isprintable()
    return line


def test_a_model_with_the_right_digest_is_given_byte_for_byte(tmp_path: Path) -> None:
    assert load_model(write(tmp_path)).content == CONTENT


@pytest.mark.parametrize("at", [0, len(CONTENT) // 2, len(CONTENT) - 1])
def test_a_model_that_is_damaged_by_one_byte_is_refused(tmp_path: Path, at: int) -> None:
    damaged = bytearray(CONTENT)
    damaged[at] ^= 1
    path = write(tmp_path, bytes(damaged))
    wanted, found = (hashlib.sha256(content).hexdigest() for content in (CONTENT, bytes(damaged)))
    assert refusal(path) == (
        f"{path}: sha256 must be {wanted} (manifest.yaml), but the file's is {found}. "
        "To build it again: python scripts/make_net.py"
    )


@pytest.mark.parametrize(
    "content", [b"", CONTENT[:-1], CONTENT + b"\0", b"version https://git-lfs.github.com/"]
)
def test_a_model_of_another_length_is_refused(tmp_path: Path, content: bytes) -> None:
    assert "sha256 must be" in refusal(write(tmp_path, content))


def test_a_model_that_is_missing_is_told_with_the_way_to_build_it(tmp_path: Path) -> None:
    path = write(tmp_path)
    path.unlink()
    assert refusal(path) == (
        f"{path}: No such file or directory. To build it again: python scripts/make_net.py"
    )


def test_a_model_that_is_not_listed_is_refused_for_its_digest_cannot_be_checked(tmp_path: Path) -> None:
    path = write(tmp_path, file="other.onnx")
    assert refusal(path) == f"{path}: not listed in {tmp_path}/{MANIFEST}, so its digest cannot be checked"


def test_a_folder_without_a_manifest_gives_no_model(tmp_path: Path) -> None:
    path = write(tmp_path)
    (tmp_path / MANIFEST).unlink()
    assert refusal(path) == f"{tmp_path}/{MANIFEST}: cannot be read: No such file or directory"


@pytest.mark.parametrize(
    ("manifest", "problem"),
    [
        ("models: [", "1:10: not YAML: "),
        ("models: net.onnx", "1:9: models: must be a list"),
        ("models:\n  - file: net.onnx\n", "2:5: models[0].sha256: missing (digest of the file"),
        ("model: []\n", "1:1: model: unknown key. Did you mean 'models'?"),
        ("models:\n  - {fil: a, sha: b}\n", "models[0].licence: missing (licence of the weights); "),
        ("models: [" * 3000, "nested too deeply"),
        ("\0", "1:1: a character that YAML does not allow"),
    ],
)
def test_a_malformed_manifest_gives_no_model_and_one_line(
    tmp_path: Path, manifest: str, problem: str
) -> None:
    path = write(tmp_path)
    (tmp_path / MANIFEST).write_text(manifest, encoding="utf-8")
    line = refusal(path)
    assert line.startswith(f"{tmp_path}/{MANIFEST}:")
    assert problem in line


MODELS = config.ROOT / "models"
LISTED = [model.file for model in schema.load(MODELS / MANIFEST, Manifest).models]


@pytest.mark.parametrize("file", LISTED)
def test_every_model_that_the_manifest_lists_is_there_and_is_that_file(file: str) -> None:
    assert len(load_model(MODELS / file).content) > 0


def test_every_network_in_the_folder_is_listed_once() -> None:
    networks = {path.name for path in MODELS.glob("*.onnx")}
    assert networks
    assert networks <= set(LISTED)
    assert len(LISTED) == len(set(LISTED))


def test_the_networks_of_the_default_configuration_are_listed() -> None:
    defaults = config.Config()
    for path in (defaults.detection.model, defaults.classification.model):
        assert config.model_path(path).parent == MODELS
        assert config.model_path(path).name in LISTED
