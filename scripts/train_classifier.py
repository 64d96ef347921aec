"""Pictures of people by synset in, a fine-tuned ResNet-50 out.

    train_classifier.py PICTURES --out CKPT [--weights FILE | --from-scratch] [--resume] ...

Needs the extra `train`. PICTURES holds a folder (n10609198/) or a tar (n10609198.tar) of pictures for every
synset to learn. Of the person synsets those that have pictures become the classes, in the order of their ids;
anything else is named and ignored. Killed, it goes on with the same command and --resume.

    export_classifier.py --arch resnet50 --weights CKPT --out models/person.onnx

makes the kiosk's model of the checkpoint. Like the original ImageNet Roulette: a ResNet-50 (He et al., "Deep
Residual Learning for Image Recognition", 2016) with its batch normalisation, RandomResizedCrop, flip, and
RandAugment (Cubuk et al. 2020).
"""

from __future__ import annotations

import os

os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"  # of the library that fetches the pretrained weights

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import NoReturn

import timm
import torch
from classifier import checkpoint
from classifier.batches import seed_everything
from classifier.pictures import PictureError, find_pictures, is_validation, synset_entries
from classifier.recipe import RecipeError, Settings
from classifier.training import Split, Training, TrainingError

CLASSES = Path(__file__).parent.parent / "models" / "classes.txt"
NAMED = 5  # of a long list
EX_INTERRUPTED = 130


class Parser(argparse.ArgumentParser):
    """One line for a mistake."""

    def error(self, message: str) -> NoReturn:
        """Exit with 2."""
        self.exit(2, f"{self.prog}: {message}\n")


class Number:
    """An argument from `low` to `high`."""

    def __init__(self, kind: type, low: float, high: float = float("inf")) -> None:
        self._kind, self._low, self._high = kind, low, high

    def __call__(self, text: str) -> float:
        """The number. Raises ArgumentTypeError."""
        try:
            value = self._kind(text)
        except ValueError:
            value = float("nan")
        if not self._low <= value <= self._high or value == float("inf"):
            kind = "a whole number" if self._kind is int else "a number"
            upper = "" if self._high == float("inf") else f" to {self._high}"
            raise argparse.ArgumentTypeError(f"must be {kind} from {self._low}{upper}, found {text!r}")
        return value


def parser() -> Parser:
    """The command line."""
    result = Parser(prog="train_classifier", description="Fine-tune a classifier of people.")
    add = result.add_argument
    add("pictures", type=Path, metavar="PICTURES", help="a folder of folders or tars named by synset")
    add(
        "--out", type=Path, required=True, metavar="CKPT", help="the checkpoint, rewritten as the run goes on"
    )
    add("--resume", action="store_true", help="go on with --out where it stands; begin where there is none")
    add("--classes", type=Path, default=CLASSES, metavar="FILE", help="synset ids to learn, one a line")
    add("--arch", default="resnet50", help="timm's name of the network (resnet50)")
    start = result.add_mutually_exclusive_group()
    start.add_argument(
        "--weights", type=Path, metavar="FILE", help="torch checkpoint or safetensors to start from"
    )
    start.add_argument("--from-scratch", action="store_true", help="start from random weights")
    add("--image-size", type=Number(int, 32, 1024), default=224, help="pixels, in training (224)")
    add("--epochs", type=Number(int, 1), default=30, help="(30)")
    add("--warmup-epochs", type=Number(float, 0), default=1.0, help="epochs of rising rate (1)")
    add("--batch-size", type=Number(int, 2), default=128, help="pictures a step (128)")
    add("--lr", type=Number(float, 0), default=0.05, help="the highest learning rate (0.05)")
    add("--weight-decay", type=Number(float, 0), default=1e-4, help="(0.0001)")
    add("--momentum", type=Number(float, 0, 1), default=0.9, help="(0.9)")
    add("--label-smoothing", type=Number(float, 0, 0.9), default=0.1, help="(0.1)")
    add("--randaugment", type=Number(int, 0, 9), default=9, help="magnitude, 0 for none (9)")
    add(
        "--min-crop",
        type=Number(float, 0.01, 1),
        default=0.08,
        help="smallest share of a picture shown (0.08)",
    )
    add("--mixup", type=Number(float, 0), default=0.0, help="alpha, 0 for none (0)")
    add("--balanced", action="store_true", help="draw every class as often as every other")
    add("--validation", type=Number(float, 0.001, 0.5), default=0.1, help="share kept from training (0.1)")
    add("--seed", type=Number(int, 0), default=1, help="of the order, the augmentation, and a new head (1)")
    add(
        "--workers",
        type=Number(int, 0),
        default=min(8, os.cpu_count() or 1),
        help="processes that read pictures",
    )
    add("--save-steps", type=Number(int, 1), default=500, help="write the checkpoint this often (500)")
    add("--device", choices=("auto", "cuda", "cpu"), default="auto", help="(auto)")
    add("--log-batches", type=Path, metavar="FILE", help="append the digest of every batch")
    return result


def read_classes(path: Path) -> list[str]:
    """The synset ids of a list, sorted: all of the 2,833 or some."""
    people = set(CLASSES.read_text(encoding="ascii").split())
    try:
        classes = set(path.read_text(encoding="ascii").split())
    except UnicodeDecodeError as error:
        raise TrainingError(f"{path}: must list synset ids, found {error.reason}") from error
    if not classes or not classes <= people:
        found = min(classes - people, default="nothing")
        raise TrainingError(f"{path}: must list person synsets like n10609198, found {found}")
    return sorted(classes)


def some(names: Sequence[str]) -> str:
    """How many, and the first few."""
    rest = ", ..." if len(names) > NAMED else ""
    return f"{len(names)} ({', '.join(names[:NAMED])}{rest})"


def gather(root: Path, classes: Sequence[str], validation: float) -> Split:
    """The pictures of the classes, split; says what is missing and what is ignored."""
    if not root.is_dir():
        raise TrainingError(f"{root}: must be a folder of folders or tars named by synset, found none")
    entries = synset_entries(root)
    ignored = sorted(entries.keys() - set(classes))
    if ignored:
        print(f"ignored, no person synset of the list: {some(ignored)}")
    train, kept, missing = {}, [], []
    for synset in classes:
        pictures = find_pictures(synset, entries.get(synset, ()))
        learnt = [picture for picture in pictures if not is_validation(picture, validation)]
        if learnt:
            train[synset] = learnt
            kept += [picture for picture in pictures if is_validation(picture, validation)]
        else:
            missing.append(synset)
    if missing:
        print(f"missing, no pictures to train on: {some(missing)} of {len(classes)} synsets")
    if len(train) < 2:
        raise TrainingError(f"{root}: must have pictures of two person synsets at least, found {len(train)}")
    if not kept:
        raise TrainingError(f"{root}: --validation {validation} keeps no picture to validate on")
    return Split(list(train), [picture for pictures in train.values() for picture in pictures], kept)


def create_model(args: argparse.Namespace, classes: int, *, resuming: bool) -> torch.nn.Module:
    """The network with a head for the classes, with the weights to start from."""
    if not timm.is_model(args.arch):
        raise TrainingError(f"--arch must be one of timm's networks, found {args.arch!r}")
    seed_everything(args.seed)
    pretrained = not (args.weights or args.from_scratch or resuming)
    try:
        model = timm.create_model(args.arch, pretrained=pretrained, num_classes=classes)
    except (OSError, RuntimeError) as error:
        raise TrainingError(
            f"--arch {args.arch}: the pretrained weights must be fetched or given by --weights: "
            f"{checkpoint.first_line(error)}"
        ) from error
    if args.weights and not resuming:
        head = "with its head" if checkpoint.load_weights(model, args.weights) else "with a new head"
        print(f"starting from {args.weights}, {head}")
    return model


def choose_device(name: str) -> torch.device:
    """Raises TrainingError where CUDA is wanted and missing."""
    if name == "cuda" and not torch.cuda.is_available():
        raise TrainingError("--device cuda needs an NVIDIA GPU and torch with CUDA, found none")
    return torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")


def check_out(out: Path, *, resume: bool) -> bool:
    """Whether there is a run to go on with. Raises TrainingError rather than overwrite one."""
    if not out.parent.is_dir():
        raise TrainingError(f"--out {out}: the folder {out.parent} must exist")
    if out.exists() and not resume:
        raise TrainingError(f"--out {out} exists: --resume goes on with it, another name begins anew")
    if resume and not out.exists():
        print(f"no {out} to resume: beginning")
    return out.exists()


def train(args: argparse.Namespace) -> None:
    """Do what the command line says."""
    settings = Settings(**{field.name: getattr(args, field.name) for field in fields(Settings)})
    device = choose_device(args.device)
    resuming = check_out(args.out, resume=args.resume)
    split = gather(args.pictures, read_classes(args.classes), settings.validation)
    print(
        f"{len(split.classes)} classes, {len(split.train)} pictures to train on, "
        f"{len(split.validation)} to validate on; {args.arch} on {device.type}",
        flush=True,
    )
    torch.backends.cudnn.benchmark = True  # every batch to learn from has the same shape
    run = Training(
        create_model(args, len(split.classes), resuming=resuming),
        split,
        settings,
        out=args.out,
        device=device,
        workers=args.workers,
        save_steps=args.save_steps,
        log=args.log_batches,
    )
    if resuming:
        run.resume()
        print(f"resuming after {run.epoch} epochs and {run.step} steps", flush=True)
    run.run()
    print(f"{args.out}: {settings.epochs} epochs, top-1 {run.scores['top1']:.1%}")


def main(argv: Sequence[str] | None = None) -> int:
    """Train; the exit code."""
    args = parser().parse_args(argv)
    try:
        train(args)
    # OSError: a full disk, a folder that may not be read; its text names the file.
    except (TrainingError, RecipeError, PictureError, checkpoint.CheckpointError, OSError) as error:
        print(f"train_classifier: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\ntrain_classifier: interrupted; --resume goes on from {args.out}", file=sys.stderr)
        return EX_INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
