"""A request in, model files out: reads, checks, slices, folds, exports, verifies, writes."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from classifier import agreement, modelfile, weights
from classifier.agreement import Images, Probabilities
from classifier.network import (
    PersonClassifier,
    fold_standardisation,
    probabilities,
    resize,
    slice_head,
    to_onnx,
)
from classifier.quantise import quantise
from classifier.source import Source, choose_arch, open_source, say
from classifier.squares import Folder, drawn_squares
from kiosk.config import ROOT
from kiosk.manifest import ModelFile
from kiosk.vision.known_answer import KnownAnswer, picture

Answers = Callable[[bytes, str, Images], Probabilities]

VERIFIED = 16
EVALUATED = 64


@dataclass(frozen=True)
class Request:
    """What a person asked for."""

    arch: str | None
    weights: Path | None
    out: Path | None
    licence: str | None
    fp16: bool
    int8: Path | None
    force: bool


@dataclass(frozen=True)
class Export:
    """One model file to be written."""

    path: Path
    metadata: dict[str, str]
    command: str

    def write(self, content: bytes, ask: Answers) -> None:
        """The file and its entry in the manifest; `ask` gives the network's answers to pictures."""
        (known,) = ask(content, self.path.name, picture()[None])
        entry = ModelFile(
            file=self.path.name,
            sha256=hashlib.sha256(content).hexdigest(),
            source=self.metadata["source"],
            licence=self.metadata["licence"],
            method=f"{self.command}, with the extra export",
            known_answer=str(KnownAnswer.of(self.metadata["classes"].split(), known)),
        )
        modelfile.write(self.path, content, entry)
        say(f"written: {self.path} ({len(content):,} bytes) and its entry in {modelfile.MANIFEST}")

    def variant(self, suffix: str, option: str, change: str) -> Export:
        """The same network with other numbers, in a file beside."""
        return Export(
            self.path.with_name(f"{self.path.stem}.{suffix}.onnx"),
            self.metadata | {"method": f"{self.metadata['method']} {change}"},
            f"{self.command} {option}",
        )


def convert(request: Request) -> None:
    """Do all that was asked; exits with one line where it cannot be done."""
    read = None
    if request.weights is not None:
        say(f"reading {request.weights}")
        read = weights.read(request.weights)
    arch = choose_arch(request.arch, read)
    export_path = request.out or ROOT / "models" / f"{arch}.onnx"
    modelfile.check_place(export_path)
    folder = Folder.open(request.int8) if request.int8 is not None else None
    source = open_source(arch, read, request.licence)
    say(f"{arch}: {len(source.classes):,} person categories")
    export = _export(source, export_path)
    content = _float32(source, export)
    export.write(content, agreement.answers)
    if request.fp16:
        _half(source, content, export, force=request.force)
    if folder is not None:
        _int8(content, export, folder, force=request.force)
    shown = export_path.resolve()
    shown = shown.relative_to(ROOT) if shown.is_relative_to(ROOT) else shown
    say("to use it, in config/kiosk.yaml:")
    say(f"classification.model: {shown}")


def _export(source: Source, path: Path) -> Export:
    cut = (
        f"the {len(source.classes):,} person outputs of its ImageNet-21k head"
        if source.outputs is not None
        else f"its {len(source.classes):,} outputs, all of them person categories"
    )
    metadata = {
        "classes": " ".join(source.classes),
        "source": source.source,
        "licence": source.licence,
        "method": f"The network's own training, and {cut}: softmax over these alone. Normalisation is in the "
        "graph, weight standardisation is folded into the weights.",
    }
    return Export(path, metadata, f"python scripts/export_classifier.py {source.weights}")


def _float32(source: Source, export: Export) -> bytes:
    """Slice, fold and export; exits unless each step answers as the one before."""
    images = drawn_squares(VERIFIED)
    say(f"asking the network as it is, on {VERIFIED} pictures")
    wanted = _whole_head(source, images)
    if source.outputs is not None:
        slice_head(source.network, source.outputs)
    fold_standardisation(source.network)
    classifier = PersonClassifier(source.network, source.given)
    say("asking the sliced and folded network")
    sliced = probabilities(classifier, torch.from_numpy(images)).numpy()
    _require_exact("sliced head against the same columns of the whole head", sliced, wanted)
    say("exporting (about half a minute)")
    content = to_onnx(classifier, export.metadata)
    say("verifying")
    found = agreement.answers(content, export.path.name, images)
    _require_exact("onnxruntime against torch", found, sliced)
    return content


def _whole_head(source: Source, images: Images) -> Probabilities:
    """The answers of the network before anything is changed: softmax over the person columns of its head."""
    columns = list(source.outputs) if source.outputs is not None else slice(None)

    def answer(batch: torch.Tensor) -> torch.Tensor:
        x = (batch.permute(0, 3, 1, 2) / 255 - _planes(source.given.mean)) / _planes(source.given.std)
        return torch.softmax(source.network(resize(x, source.given.side))[:, columns], dim=1)

    return probabilities(answer, torch.from_numpy(images)).numpy()


def _planes(values: Sequence[float]) -> torch.Tensor:
    return torch.tensor(values).reshape(3, 1, 1)


def _require_exact(what: str, found: Probabilities, wanted: Probabilities) -> None:
    result = agreement.compare(found, wanted)
    say(f"{what}: {result}")
    if not result.is_exact:
        raise SystemExit(
            f"{what}: must be the same first answers and within {agreement.TOLERANCE:.0e}, found {result}"
        )


def _half(source: Source, reference: bytes, export: Export, *, force: bool) -> None:
    export = export.variant("fp16", "--fp16", "Weights and computation in float16, the softmax in float32.")
    say("exporting in float16 (about half a minute)")
    content = to_onnx(PersonClassifier(source.network, source.given, torch.float16), export.metadata)
    # Where a GPU is, it is the one that will compute in float16.
    ask = functools.partial(agreement.answers, device="auto")
    _write_agreeing(export, content, reference, drawn_squares(EVALUATED), ask, force=force)


def _int8(reference: bytes, export: Export, folder: Folder, *, force: bool) -> None:
    export = export.variant("int8", "--int8 PICTURES", "Quantised to int8, calibrated on pictures.")
    say(f"calibrating int8 on {len(folder.calibrating)} pictures")
    content = quantise(reference, folder.calibration_squares(), export.metadata)
    images = folder.evaluation_squares()
    _write_agreeing(export, content, reference, images, agreement.exact_answers, force=force)


def _write_agreeing(
    export: Export, content: bytes, reference: bytes, images: Images, ask: Answers, *, force: bool
) -> None:
    """Print how well a variant agrees with float32, and write it; exits where that is too little."""
    wanted = agreement.answers(reference, "float32", images)
    result = agreement.compare(ask(content, export.path.name, images), wanted)
    say(f"{export.path.name} against float32: {result}")
    if result.top1 < agreement.TOP1_MIN and not force:
        raise SystemExit(
            f"{export.path.name}: must have float32's first answer on {agreement.TOP1_MIN:.0%} of pictures, "
            f"found {result.top1:.1%}; it is not written (--force writes it)"
        )
    export.write(content, ask)
