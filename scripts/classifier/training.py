"""A network and pictures in, a trained network in a checkpoint out.

Mixed precision on CUDA only. A killed run that is resumed sees the batches that it would have seen. On a CPU
with the same number of threads its weights, too, are the same to the last bit; a GPU may round differently
each time.
"""

from __future__ import annotations

import hashlib
import math
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from tqdm import tqdm

from classifier import checkpoint
from classifier.batches import (
    Batch,
    Order,
    Pictures,
    Transform,
    balanced_weights,
    in_turn,
    load,
    seed_everything,
)
from classifier.pictures import Picture, fingerprint
from classifier.recipe import (
    INPUT_SIZE,
    Normalisation,
    Settings,
    create_mixup,
    create_optimizer,
    create_schedule,
    train_transform,
    validation_transform,
)

LINE_SECONDS = 30  # between lines where there is no terminal for a bar
CHECK_STEPS = 20  # between looks at the loss, each of which waits for the GPU


class TrainingError(Exception):
    """The run cannot go on, and why."""


@dataclass
class Split:
    """The pictures to learn from and those to be asked about."""

    classes: Sequence[str]
    train: list[Picture] = field(default_factory=list)
    validation: list[Picture] = field(default_factory=list)


class Training:
    """One run: where it stands, and how it goes on."""

    def __init__(
        self,
        model: torch.nn.Module,
        split: Split,
        settings: Settings,
        *,
        out: Path,
        device: torch.device,
        workers: int,
        save_steps: int,
        log: Path | None = None,
    ) -> None:
        """`log`: a file that gets "epoch step sha256" of every batch that was learnt from."""
        settings.check(model, len(split.train))
        self.model = model.to(device, memory_format=torch.channels_last)
        self.split = split
        self.settings = settings
        self.epoch = 0
        self.step = 0
        self.scores = {"top1": 0.0, "top5": 0.0}
        self._out, self._log = out, log
        self._device = device
        self._workers = workers
        self._save_steps = save_steps
        self._named: set[str] = set()
        self._normalisation = Normalisation.of(model)
        self._train = self._pictures(split.train, train_transform(settings, self._normalisation))
        self._validation = self._pictures(split.validation, validation_transform(self._normalisation))
        self._weights = balanced_weights(self._train.targets) if settings.balanced else None
        self._steps = len(split.train) // settings.batch_size
        self._mixup = create_mixup(settings, len(split.classes))
        self._loss = torch.nn.CrossEntropyLoss(label_smoothing=settings.label_smoothing)
        self._optimizer = create_optimizer(settings, self.model)
        self._schedule = create_schedule(settings, self._optimizer, self._steps)
        self._scaler = torch.amp.GradScaler(device.type, enabled=device.type == "cuda")

    def _pictures(self, pictures: Sequence[Picture], transform: Transform) -> Pictures:
        return Pictures(pictures, self.split.classes, transform, self.settings.seed)

    def run(self) -> None:
        """Train the epochs that are left; after each, validate, save and say so."""
        while self.epoch < self.settings.epochs:
            begun = time.monotonic()
            loss = self._train_epoch()
            self.scores = self.validate()
            self.epoch, self.step = self.epoch + 1, 0
            self.save()
            tqdm.write(
                f"epoch {self.epoch}/{self.settings.epochs}: loss {loss:.3f}, "
                f"top-1 {self.scores['top1']:.1%}, top-5 {self.scores['top5']:.1%}, "
                f"{time.monotonic() - begun:.0f} s"
            )
            sys.stdout.flush()

    def _train_epoch(self) -> float:
        """From the step where the run stands to the end of the epoch; the mean loss."""
        self.model.train()
        total, count = torch.zeros((), device=self._device), 0
        for batch in self._progress(self.batches(), f"epoch {self.epoch + 1}/{self.settings.epochs}"):
            self._report(batch)
            # Mixup's and drop-out's draws, too, belong to the step and not to what happened before it.
            seed_everything(self.settings.seed, self.epoch, self.step, 1)
            self._schedule.step_update(self.epoch * self._steps + self.step)
            if len(batch.targets) > 1:  # batch normalisation needs two
                total += self._learn(batch)
                count += 1
            self.step += 1
            saving = self.step % self._save_steps == 0 and self.step < self._steps
            if saving or self.step % CHECK_STEPS == 0 or self.step == self._steps:
                self._check(total)
            if saving:
                self.save()
        return total.item() / max(1, count)

    def batches(self) -> Collection[Batch]:
        """Those of the epoch that are left, before mixup."""
        order = Order(
            len(self._train),
            self.settings.batch_size,
            self.epoch,
            seed=self.settings.seed,
            start=self.step,
            weights=self._weights,
        )
        return load(self._train, order, self._workers, self._device)

    def _learn(self, batch: Batch) -> torch.Tensor:
        """One step of the optimizer; the loss, still on the device."""
        images, targets = self._move(batch)
        if self._mixup:
            even = len(images) // 2 * 2  # it mixes pairs, and a broken picture may have left one alone
            images, targets = self._mixup(images[:even], targets[:even])
        if self._log:
            self._log_batch(images, targets)
        with self._autocast():
            loss = self._loss(self.model(images), targets)
        self._optimizer.zero_grad()
        self._scaler.scale(loss).backward()
        self._scaler.step(self._optimizer)
        self._scaler.update()
        return loss.detach()

    def _move(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        images = batch.images.to(self._device, memory_format=torch.channels_last, non_blocking=True)
        return images, batch.targets.to(self._device, non_blocking=True)

    def _autocast(self) -> torch.amp.autocast | nullcontext[None]:
        return torch.amp.autocast("cuda") if self._device.type == "cuda" else nullcontext()

    def _log_batch(self, images: torch.Tensor, targets: torch.Tensor) -> None:
        digest = hashlib.sha256(images.cpu().contiguous().numpy().tobytes())
        digest.update(targets.cpu().numpy().tobytes())
        with self._log.open("a", encoding="ascii") as log:
            log.write(f"{self.epoch} {self.step} {digest.hexdigest()}\n")

    def _check(self, total: torch.Tensor) -> None:
        if not math.isfinite(total.item()):
            raise TrainingError(
                f"the loss is not finite at epoch {self.epoch + 1}, step {self.step}: try a smaller --lr "
                f"than {self.settings.lr}"
            )

    def validate(self) -> dict[str, float]:
        """top1 and top5, 0 to 1, on the validation pictures."""
        self.model.eval()
        top1 = top5 = count = 0
        order = in_turn(len(self._validation), self.settings.batch_size)
        batches = load(self._validation, order, self._workers, self._device)
        with torch.inference_mode():
            for batch in self._progress(batches, "validation"):
                self._report(batch)
                if not len(batch.targets):
                    continue
                images, targets = self._move(batch)
                with self._autocast():
                    logits = self.model(images)
                best = logits.topk(min(5, logits.shape[1])).indices == targets[:, None]
                top1 += int(best[:, 0].sum())
                top5 += int(best.sum())
                count += len(targets)
        return {"top1": top1 / max(1, count), "top5": top5 / max(1, count)}

    def _report(self, batch: Batch) -> None:
        """Name each broken picture once."""
        for name, reason in batch.broken:
            if name not in self._named:
                self._named.add(name)
                tqdm.write(f"skipped {name}: {reason}")
                sys.stdout.flush()

    def _progress(self, batches: Collection[Batch], name: str) -> Iterator[Batch]:
        """A bar on a terminal, now and then a line elsewhere."""
        said = time.monotonic()
        # disable=None: silent where there is no terminal.
        for number, batch in enumerate(tqdm(batches, desc=name, unit="batch", leave=False, disable=None)):
            yield batch
            if not sys.stderr.isatty() and time.monotonic() - said >= LINE_SECONDS:
                said = time.monotonic()
                print(f"{name}: {number + 1}/{len(batches)} batches", flush=True)

    def save(self) -> None:
        """Write the whole state to the run's file."""
        state = {
            "arch": self.settings.arch,
            "classes": list(self.split.classes),
            "model": self.model.state_dict(),
            "mean": list(self._normalisation.mean),
            "std": list(self._normalisation.std),
            "input_size": INPUT_SIZE,
            "epoch": self.epoch,
            "step": self.step,
            "optimizer": self._optimizer.state_dict(),
            "scaler": self._scaler.state_dict(),
            "settings": asdict(self.settings),
            "pictures": fingerprint(self.split.train),
            "validation": self.scores,
        }
        checkpoint.save(state, self._out)

    def resume(self) -> None:
        """Go on where the run's file stands. Raises TrainingError where it would be another run."""
        state = checkpoint.load(self._out)
        for name, value in asdict(self.settings).items():
            if state["settings"].get(name) != value:
                raise TrainingError(
                    f"{self._out} was begun with --{name.replace('_', '-')} {state['settings'].get(name)}, "
                    f"found {value}: --resume takes the same options"
                )
        if state["classes"] != list(self.split.classes) or state["pictures"] != fingerprint(self.split.train):
            raise TrainingError(
                f"{self._out} was begun with other pictures: --resume needs the same; "
                f"--weights {self._out} with another --out starts from what was learnt"
            )
        self.model.load_state_dict(state["model"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._scaler.load_state_dict(state["scaler"])
        self.epoch, self.step, self.scores = state["epoch"], state["step"], state["validation"]
