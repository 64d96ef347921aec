"""The settings of a run in, what follows from them out: transforms, loss, optimizer, schedule.

SGD with Nesterov momentum; the rate climbs over the warm-up and falls by a cosine to zero (Goyal et al.,
"Accurate, Large Minibatch SGD", 2017; Loshchilov and Hutter, "SGDR", 2017). Mixup after Zhang et al.,
"mixup: Beyond Empirical Risk Minimization", 2018. All of it is timm's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from timm.data import IMAGENET_DEFAULT_MEAN, IMAGENET_DEFAULT_STD, Mixup, create_transform
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler

from classifier.batches import Transform

INPUT_SIZE = 224  # pixels: the kiosk's contract for classifiers, kiosk/vision/classify.py


class RecipeError(Exception):
    """Settings that do not go together, and why."""


@dataclass(frozen=True)
class Settings:
    """What decides the batches and what is learnt from them: fixed for the whole run."""

    arch: str
    image_size: int
    """Pixels, of the training pictures. Validation is always at INPUT_SIZE."""
    epochs: int
    warmup_epochs: float
    batch_size: int
    lr: float
    weight_decay: float
    momentum: float
    label_smoothing: float
    randaugment: int
    """Magnitude, 0 to 9; 0: none."""
    min_crop: float
    """The smallest share of the picture that a crop shows."""
    mixup: float
    """alpha; 0: none."""
    balanced: bool
    validation: float
    """Share of the pictures kept from training."""
    seed: int

    def check(self, model: torch.nn.Module, pictures: int) -> None:
        """Raises RecipeError where the settings do not fit each other, the network, or so many pictures."""
        if self.warmup_epochs >= self.epochs:
            raise RecipeError(
                f"--warmup-epochs must be below --epochs {self.epochs}, found {self.warmup_epochs}"
            )
        if self.mixup and self.batch_size % 2:
            raise RecipeError(f"--batch-size must be even with --mixup, found {self.batch_size}")
        if pictures < self.batch_size:
            raise RecipeError(
                f"--batch-size must be at most the {pictures} pictures to train on, found {self.batch_size}"
            )
        known = model.pretrained_cfg
        if known.get("fixed_input_size") and {known["input_size"][-1], self.image_size} != {INPUT_SIZE}:
            raise RecipeError(
                f"--arch {self.arch} takes one size only: it and --image-size must be {INPUT_SIZE} pixels, "
                f"found {known['input_size'][-1]} and {self.image_size}"
            )


class Normalisation(NamedTuple):
    """What the network's weights expect of RGB values from 0 to 1."""

    mean: tuple[float, ...]
    std: tuple[float, ...]

    @classmethod
    def of(cls, model: torch.nn.Module) -> Normalisation:
        """As timm knows it; ImageNet's where it does not."""
        known = model.pretrained_cfg
        return cls(
            tuple(known.get("mean", IMAGENET_DEFAULT_MEAN)), tuple(known.get("std", IMAGENET_DEFAULT_STD))
        )


def train_transform(settings: Settings, normalisation: Normalisation) -> Transform:
    """RandomResizedCrop, flip, and RandAugment (or, without it, a jitter of colours)."""
    # Above 9 its posterizing would keep no bit at all, which Pillow refuses.
    policy = f"rand-m{settings.randaugment}-mstd0.5-mmax9-inc1" if settings.randaugment else None
    return create_transform(
        settings.image_size,
        is_training=True,
        scale=(settings.min_crop, 1.0),
        auto_augment=policy,
        interpolation="random",
        mean=normalisation.mean,
        std=normalisation.std,
    )


def validation_transform(normalisation: Normalisation) -> Transform:
    """The whole square, as the kiosk shows it to the network."""
    mean, std = normalisation
    return create_transform(INPUT_SIZE, interpolation="bicubic", crop_pct=1.0, mean=mean, std=std)


def create_mixup(settings: Settings, classes: int) -> Mixup | None:
    """Mixes a batch of even length with itself; the loss does the smoothing."""
    return Mixup(settings.mixup, label_smoothing=0, num_classes=classes) if settings.mixup else None


def create_optimizer(settings: Settings, model: torch.nn.Module) -> torch.optim.Optimizer:
    """No decay of biases and of normalisation."""
    return create_optimizer_v2(
        model, "nesterov", lr=settings.lr, weight_decay=settings.weight_decay, momentum=settings.momentum
    )


def create_schedule(settings: Settings, optimizer: torch.optim.Optimizer, steps: int) -> CosineLRScheduler:
    """By updates, of which an epoch has `steps`. It holds no state but the settings."""
    warmup = round(settings.warmup_epochs * steps)
    return CosineLRScheduler(
        optimizer,
        t_initial=max(1, settings.epochs * steps - warmup),
        warmup_t=warmup,
        warmup_lr_init=settings.lr / 100,
        warmup_prefix=True,
        t_in_epochs=False,
    )
