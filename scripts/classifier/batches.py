"""Pictures in, batches out. What a batch holds depends on nothing but the seed, the epoch and its place.

Each picture's augmentation is seeded by its place in the order of its epoch, so that neither the number of
workers nor a resumed run changes a batch.
"""

from __future__ import annotations

import random
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from PIL import Image
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler, WeightedRandomSampler

from classifier.pictures import UNREADABLE, Picture, reason

Transform = Callable[[Image.Image], torch.Tensor]


def seed_everything(*numbers: int) -> None:
    """Seed the three generators that timm's transforms, mixup and drop-out draw from."""
    words = np.random.SeedSequence(numbers).generate_state(4)
    random.seed(int(words[0]))
    np.random.seed(words[1])
    torch.manual_seed(int(words[2]) << 32 | int(words[3]))


class Place(NamedTuple):
    """One picture's turn."""

    epoch: int
    position: int
    """In the order of the epoch."""
    index: int
    """Of the picture."""


class Broken(NamedTuple):
    """A picture that could not be read."""

    name: str
    reason: str


class Sample(NamedTuple):
    """A picture ready for the network, or what is wrong with it."""

    image: torch.Tensor | None
    """(3, H, W)"""
    target: int
    broken: Broken | None


class Batch(NamedTuple):
    """Samples put together, without those that could not be read."""

    images: torch.Tensor
    """(N, 3, H, W) float32 RGB, normalised."""
    targets: torch.Tensor
    """(N,) int64, indices of classes."""
    broken: tuple[Broken, ...]


class Pictures(Dataset[Sample]):
    """Pictures of known classes, each transformed with generators seeded by its place."""

    def __init__(
        self, pictures: Sequence[Picture], classes: Sequence[str], transform: Transform, seed: int
    ) -> None:
        """Every picture's synset must be one of `classes`."""
        self.pictures = pictures
        index = {synset: number for number, synset in enumerate(classes)}
        self.targets = [index[picture.synset] for picture in pictures]
        self._transform = transform
        self._seed = seed

    def __len__(self) -> int:
        return len(self.pictures)

    def __getitem__(self, place: Place) -> Sample:
        picture, target = self.pictures[place.index], self.targets[place.index]
        try:
            image = picture.read()
        except UNREADABLE as error:
            return Sample(None, target, Broken(str(picture), reason(error)))
        seed_everything(self._seed, place.epoch, place.position)
        return Sample(self._transform(image), target, None)


class Order(BatchSampler):
    """The batches of one epoch as lists of places, from the batch `start` on.

    `weights`: how often each picture is drawn, with replacement; None: each once. A last batch that is not
    full is left out.
    """

    def __init__(
        self,
        length: int,
        batch_size: int,
        epoch: int,
        *,
        seed: int,
        start: int = 0,
        weights: Sequence[float] | None = None,
    ) -> None:
        generator = torch.Generator().manual_seed(
            int(np.random.SeedSequence((seed, epoch)).generate_state(1)[0])
        )
        if weights is None:
            indices = RandomSampler(range(length), generator=generator)
        else:
            indices = WeightedRandomSampler(weights, length, generator=generator)
        super().__init__(indices, batch_size, drop_last=True)
        self._epoch = epoch
        self._start = start

    def __len__(self) -> int:
        return super().__len__() - self._start

    def __iter__(self) -> Iterator[list[Place]]:
        for number, indices in enumerate(super().__iter__()):
            if number >= self._start:
                first = number * self.batch_size
                yield [Place(self._epoch, first + at, index) for at, index in enumerate(indices)]


def in_turn(length: int, batch_size: int) -> list[list[Place]]:
    """Batches of every picture once, as they come: for validation."""
    places = [Place(0, index, index) for index in range(length)]
    return [places[first : first + batch_size] for first in range(0, length, batch_size)]


def balanced_weights(targets: Sequence[int]) -> list[float]:
    """One weight a picture, so that every class is drawn as often as every other."""
    counts = np.bincount(targets)
    return [1.0 / counts[target] for target in targets]


def collate(samples: Sequence[Sample]) -> Batch:
    """Put together those that could be read."""
    whole = [sample for sample in samples if sample.image is not None]
    images = torch.stack([sample.image for sample in whole]) if whole else torch.empty(0)
    targets = torch.tensor([sample.target for sample in whole], dtype=torch.int64)
    return Batch(images, targets, tuple(sample.broken for sample in samples if sample.broken))


def ignore_interrupt(worker: int) -> None:
    """Let the main process alone answer Ctrl-C; it stops its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def load(
    pictures: Pictures, order: Iterable[list[Place]], workers: int, device: torch.device
) -> DataLoader[Batch]:
    """The batches, prepared by `workers` processes (0: by this one)."""
    return DataLoader(
        pictures,
        batch_sampler=order,
        num_workers=workers,
        collate_fn=collate,
        pin_memory=device.type == "cuda",
        worker_init_fn=ignore_interrupt,
    )
