"""The state of a training run in a file, and back.

A checkpoint is a dict that torch loads with weights_only, all of it or nothing on the disk:

    arch          timm name
    classes       synset ids in the order of the outputs
    model         state_dict
    mean, std     of RGB values from 0 to 1
    input_size    224: pixels, width and height of what the network is validated on and will be given
    epoch         complete epochs
    step          steps done of the epoch after these
    optimizer, scaler     state_dicts
    settings      what must not change within a run
    pictures      fingerprint of the training pictures
    validation    top1 and top5 after the last complete epoch, 0 to 1
"""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import safetensors
import timm.models
import torch

Checkpoint = dict[str, Any]

UNREADABLE = (
    OSError,
    EOFError,
    KeyError,
    RuntimeError,
    ValueError,
    TypeError,
    AttributeError,
    pickle.UnpicklingError,
    safetensors.SafetensorError,
)


class CheckpointError(Exception):
    """A file of weights cannot be used, and why."""


def save(checkpoint: Checkpoint, path: Path) -> None:
    """Replace the file at once, also when killed or when the power goes."""
    # One name for every attempt: what a killed run leaves of it, the next one overwrites.
    beside = path.with_name(f".{path.name}.part")
    try:
        with beside.open("wb") as file:
            torch.save(checkpoint, file)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def load(path: Path) -> Checkpoint:
    """Read what `save` wrote. Raises CheckpointError for anything else."""
    try:
        checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    except UNREADABLE as error:
        raise CheckpointError(f"{path}: must be a checkpoint of this script: {first_line(error)}") from error
    wanted = {"arch", "classes", "model", "epoch", "step", "optimizer", "scaler", "settings", "pictures"}
    if not isinstance(checkpoint, dict) or not wanted <= checkpoint.keys():
        raise CheckpointError(f"{path}: must be a checkpoint of this script, found something else")
    return checkpoint


def load_weights(model: torch.nn.Module, path: Path) -> bool:
    """Start from a torch checkpoint or a safetensors file; whether its head was taken too.

    The head is taken where it has as many outputs. Raises CheckpointError where the rest does not fit.
    """
    try:
        found = timm.models.load_state_dict(str(path))
    except UNREADABLE as error:
        raise CheckpointError(
            f"{path}: must be a torch checkpoint (weights only) or safetensors: {first_line(error)}"
        ) from error
    wanted = model.state_dict()
    head = tuple(f"{name}." for name in head_names(model))
    unfit = [
        name
        for name, tensor in wanted.items()
        if name not in found or getattr(found[name], "shape", None) != tensor.shape
    ]
    wrong = [name for name in unfit if not name.startswith(head)]
    if wrong:
        raise CheckpointError(
            f"{path}: {len(wrong)} of the network's {len(wanted)} tensors are missing or of another size, "
            f"the first is {wrong[0]}"
        )
    # Both halves of a head, weight and bias, or neither.
    kept = {name for name in wanted if not (unfit and name.startswith(head))}
    model.load_state_dict({name: found[name] for name in kept}, strict=False)
    return not unfit


def head_names(model: torch.nn.Module) -> tuple[str, ...]:
    """The layers that depend on the number of classes."""
    names = model.pretrained_cfg["classifier"]
    return (names,) if isinstance(names, str) else tuple(names)


def first_line(error: BaseException) -> str:
    """Libraries explain at length; a person gets one line."""
    return (str(error).splitlines() or [type(error).__name__])[0]
