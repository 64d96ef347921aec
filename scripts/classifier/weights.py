"""A file of weights in, a timm network with them out.

Three formats, told apart by their first bytes and not by their name: safetensors; a torch checkpoint, loaded
with weights_only, the state_dict itself or wrapped by a training script; and Google's original .npz of
BiT (Kolesnikov et al., "Big Transfer", 2020), ViT and Mixer, which timm's networks read themselves.
"""

from __future__ import annotations

import argparse
import hashlib
import logging
import pickle
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.torch
import timm.models
import torch

# Training scripts keep the weights under one of these; the averaged ones are the better ones, as in timm.
WRAPPERS = ("state_dict_ema", "model_ema", "state_dict", "model")
GOOGLE_HEADS = ("resnet/head/conv2d/kernel", "head/kernel")  # BiT; ViT and Mixer
DAMAGE = (
    OSError,
    EOFError,
    KeyError,
    RuntimeError,
    ValueError,
    TypeError,
    AttributeError,
    pickle.UnpicklingError,
    safetensors.SafetensorError,
    zipfile.BadZipFile,
    zlib.error,
)
FORMATS = "safetensors, a torch checkpoint (weights only), or Google's .npz"


@dataclass(frozen=True)
class Recipe:
    """What a fine-tuned network's checkpoint says beside its weights."""

    classes: Any
    """Synset ids in the order of the outputs, as found; to be checked."""
    mean: tuple[float, ...]
    std: tuple[float, ...]
    """Of the three channels RGB, 0 to 1."""
    side: int
    """Width and height of its pictures, pixels."""


@dataclass(frozen=True)
class Weights:
    """A file of weights, read."""

    path: Path
    tensors: Mapping[str, torch.Tensor]
    """By timm's names; of Google's format the head alone, which timm reads by itself."""
    google: bool = False
    arch: str | None = None
    """timm name, where the file says it."""
    recipe: Recipe | None = None

    @property
    def digest(self) -> str:
        """sha256 of the file."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()

    def outputs(self, classifiers: Sequence[str]) -> int:
        """How many outputs the head has; exits where there is none."""
        names = GOOGLE_HEADS if self.google else [f"{name}.weight" for name in classifiers]
        found = [self.tensors[name] for name in names if name in self.tensors]
        if not found:
            raise SystemExit(
                f"{self.path.name}: must hold a head ({names[0]}), found {len(self.tensors)} tensors without"
            )
        return int(found[0].shape[-1 if self.google else 0])


def read(path: Path) -> Weights:
    """Exits with one line where the file is none of the three formats, or damaged."""
    if not path.is_file():
        raise SystemExit(
            f"{path}: must be a file of weights, found {'a folder' if path.is_dir() else 'none'}"
        )
    try:
        with path.open("rb") as file:
            start = file.read(9)
        if start[8:] == b"{":  # eight bytes of length, then JSON
            return Weights(path, timm.models.clean_state_dict(safetensors.torch.load_file(path)))
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                members = archive.namelist()
            if members and all(name.endswith(".npy") for name in members):
                return Weights(path, _google_head(path), google=True)
        # Training scripts of timm store their arguments.
        with torch.serialization.safe_globals([argparse.Namespace]):
            checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    except DAMAGE as error:
        raise SystemExit(f"{path.name}: must be {FORMATS}, and whole: {first_line(error)}") from error
    return _unwrap(path, checkpoint)


def create(arch: str, outputs: int, weights: Weights) -> torch.nn.Module:
    """The network with the weights in it; exits where they do not fit."""
    settings = {"num_classes": outputs, "exportable": True}
    try:
        if weights.google:
            network = timm.create_model(arch, **settings)
            network.load_pretrained(str(weights.path))
            return network.eval()
        source = {"state_dict": dict(weights.tensors), "num_classes": outputs}
        return timm.create_model(arch, pretrained=True, pretrained_cfg_overlay=source, **settings).eval()
    except DAMAGE as error:
        raise SystemExit(f"{weights.path.name}: {_unfit(arch, outputs, weights, error)}") from error


def download(arch: str) -> torch.nn.Module:
    """The network with the weights that timm's hub has for it; exits where there are none or no network."""
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # it tells each of its ten attempts
    try:
        return timm.create_model(arch, pretrained=True, exportable=True).eval()
    # The hub's HTTP client is another one in each version, and their errors have nothing else in common.
    except Exception as error:
        raise SystemExit(
            f"{arch}: its weights cannot be downloaded: {first_line(error)} "
            "Where there is no network, fetch them elsewhere and use --weights FILE"
        ) from error


def first_line(error: BaseException) -> str:
    """Libraries explain at length; a person gets one line."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]


def _google_head(path: Path) -> dict[str, torch.Tensor]:
    with np.load(path, allow_pickle=False) as arrays:
        return {name: torch.from_numpy(arrays[name]) for name in GOOGLE_HEADS if name in arrays}


def _unwrap(path: Path, checkpoint: object) -> Weights:
    if not isinstance(checkpoint, dict):
        raise SystemExit(f"{path.name}: must hold a dict of tensors, found {type(checkpoint).__name__}")
    state = next((checkpoint[key] for key in WRAPPERS if checkpoint.get(key) is not None), checkpoint)
    tensors = {name: tensor for name, tensor in dict(state).items() if isinstance(tensor, torch.Tensor)}
    if not tensors:
        raise SystemExit(f"{path.name}: must hold a dict of tensors, found none in it")
    arch = checkpoint.get("arch")
    return Weights(
        path,
        timm.models.clean_state_dict(tensors),
        arch=arch if isinstance(arch, str) else None,
        recipe=_recipe(path, checkpoint) if "classes" in checkpoint else None,
    )


def _recipe(path: Path, checkpoint: dict[str, Any]) -> Recipe:
    try:
        mean, std = (tuple(float(value) for value in checkpoint[key]) for key in ("mean", "std"))
        side = int(checkpoint["input_size"])
    except (KeyError, TypeError, ValueError) as error:
        raise SystemExit(
            f"{path.name}: a checkpoint with 'classes' must have mean and std (three numbers each) and "
            f"input_size (pixels): {first_line(error)}"
        ) from error
    if len(mean) != 3 or len(std) != 3 or min(std) <= 0 or not 32 <= side <= 1024:
        raise SystemExit(
            f"{path.name}: mean and std must be three numbers each, std above 0, and input_size 32 to 1024, "
            f"found {mean}, {std}, {side}"
        )
    return Recipe(checkpoint["classes"], mean, std, side)


def _unfit(arch: str, outputs: int, weights: Weights, error: BaseException) -> str:
    """What was wanted and what was found, from the names and shapes; else the library's own words."""
    wanted = {} if weights.google else timm.create_model(arch, num_classes=outputs).state_dict()
    shapes = {name: tuple(tensor.shape) for name, tensor in weights.tensors.items()}
    wrong = [name for name, tensor in wanted.items() if shapes.get(name) != tuple(tensor.shape)]
    if not wrong:
        return f"must be weights of {arch}: {first_line(error)}"
    return (
        f"must be weights of {arch}, but {len(wrong)} of its {len(wanted)} tensors are missing or of another "
        f"shape: the first is {wrong[0]}, wanted is {tuple(wanted[wrong[0]].shape)}, "
        f"found {shapes.get(wrong[0], 'none')}"
    )
