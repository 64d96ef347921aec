"""A request in, the network that it means out, with its weights and what is to be known of it."""

from __future__ import annotations

from dataclasses import dataclass

import timm
import torch

from classifier import weights
from classifier.network import Input, classifiers
from classifier.persons import check_classes, person_outputs, person_synsets
from kiosk.vision.classify import SIDE

DEFAULT_ARCH = "resnetv2_50x1_bit.goog_in21k"
SPDX = {"apache-2.0": "Apache-2.0", "mit": "MIT"}


@dataclass(frozen=True)
class Source:
    """A network with its weights, and what is to be known of it."""

    arch: str
    network: torch.nn.Module
    given: Input
    classes: tuple[str, ...]
    outputs: tuple[int, ...] | None
    """Of the head, one a class; None where the head has no others."""
    source: str
    licence: str
    weights: str
    """The arguments that name the weights again."""


def say(line: str) -> None:
    """Progress, a line a step."""
    print(line, flush=True)


def choose_arch(asked: str | None, read: weights.Weights | None) -> str:
    """The timm name to build: asked for, else what the file says, else the default."""
    said = read.arch if read is not None else None
    arch = asked or said or DEFAULT_ARCH
    if not timm.is_model(arch):
        near = timm.list_models(f"*{arch.split('.')[0]}*")[:3]
        hint = f"; there is {', '.join(near)}" if near else ""
        raise SystemExit(f"{arch}: must be the name of a timm model{hint}")
    try:
        timm.get_pretrained_cfg(arch, allow_unregistered=False)
    except RuntimeError as error:
        raise SystemExit(f"{arch}: must be a network whose weights timm knows: {error}") from error
    if said is not None and said.split(".")[0] != arch.split(".")[0]:
        raise SystemExit(f"{read.path.name}: must be weights of {arch}, but it says that it is {said}")
    return arch


def open_source(arch: str, read: weights.Weights | None, asked: str | None) -> Source:
    """Build the network, downloading its weights where none were read; exits where its head will not do.

    `asked` is the licence, where the person knows it.
    """
    cfg = timm.get_pretrained_cfg(arch)
    # Before anything is downloaded or built.
    size = cfg.num_classes if read is None else read.outputs(classifiers(cfg))
    given = Input(tuple(cfg.mean), tuple(cfg.std), cfg.input_size[-1] if cfg.fixed_input_size else SIDE)
    licence = asked or SPDX.get(cfg.license or "", cfg.license) or "not stated"
    if read is None:
        outputs = tuple(person_outputs(size, arch, cfg.label_names))
        say(f"downloading the weights of {arch}")
        network = weights.download(arch)
        source = f"{arch}, downloaded by timm from {cfg.hf_hub_id or cfg.url}"
        return Source(arch, network, given, person_synsets(), outputs, source, licence, f"--arch {arch}")
    named = f"--arch {arch} --weights {read.path.name}"
    source = f"{arch}, weights from the file {read.path.name} (sha256 {read.digest})"
    if read.recipe is not None:
        classes = check_classes(read.recipe.classes, size, read.path.name)
        given = Input(read.recipe.mean, read.recipe.std, read.recipe.side)
        licence = asked or "not stated: it lies with who trained it"
        network = weights.create(arch, size, read)
        return Source(arch, network, given, classes, None, f"{source}, fine-tuned", licence, named)
    outputs = tuple(person_outputs(size, read.path.name, cfg.label_names))
    network = weights.create(arch, size, read)
    return Source(arch, network, given, person_synsets(), outputs, source, licence, named)
