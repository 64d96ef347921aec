"""What a GPU does to the piece, in one table: scripts/gpu_check.sh calls it where there is one.

    gpu_check.py [--device cuda] [--runs 200] [--long 10000]

On a machine without a GPU, --device cpu goes through the same parts. Exits with 1 where a part fails.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from kiosk import environment

environment.apply()

import numpy as np  # noqa: E402  onnxruntime reads the environment when it is imported

from kiosk.config import ROOT, model_path  # noqa: E402
from kiosk.errors import KioskError  # noqa: E402
from kiosk.manifest import Model, load_model  # noqa: E402
from kiosk.sections import ClassificationConfig, DetectionConfig, InferenceConfig  # noqa: E402
from kiosk.vision import providers  # noqa: E402
from kiosk.vision.classify import GPU_BATCHES, SIDE, Classifier  # noqa: E402
from kiosk.vision.detect import FaceDetector  # noqa: E402
from kiosk.vision.inference import Session, runtime  # noqa: E402

WARM_UP = 5
GROWTH_MIB_MAX = 16.0


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    part: str
    result: str
    good: bool = True


def milliseconds(work: Callable[[], object], runs: int) -> float:
    """Median of `runs`, after a warm-up."""
    times = []
    for _ in range(WARM_UP + runs):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return 1000 * statistics.median(times[WARM_UP:])


def batch(size: int) -> np.ndarray:
    """(size, 224, 224, 3) uint8, the same each time."""
    return np.random.default_rng(size).integers(0, 256, (size, SIDE, SIDE, 3), np.uint8)


def what_runs(device: str, config: InferenceConfig) -> Iterator[Row]:
    """Where each network runs, and that the classifier's known answer holds there."""
    detector = FaceDetector.open(DetectionConfig(device=device), config)
    yield Row(
        "detector runs on", f"{detector.session.device}, {runtime()}", detector.session.device == device
    )
    classifier = Classifier.open(ClassificationConfig(device=device), config)
    yield Row(
        "classifier runs on, known answer", classifier.session.device, classifier.session.device == device
    )
    width, height = detector.input_wh
    picture = np.zeros((1, height, width, 3), np.uint8)
    yield Row(
        f"detector {width}x{height}", f"{milliseconds(lambda: detector.session.run(picture), 50):.2f} ms"
    )


def precisions(model: Path, device: str, config: InferenceConfig, runs: int) -> Iterator[Row]:
    """Each batch size of each precision that lies beside the model."""
    for precision in ("", ".fp16"):
        file = model.with_name(f"{model.stem}{precision}.onnx")
        if not file.exists():
            yield Row(file.name, "not there")
            continue
        model_file = load_model(file)
        session = Session(model_file.content, model_file.name, device, config)
        times = [milliseconds(partial(session.run, batch(size)), runs) for size in GPU_BATCHES]
        yield Row(
            f"{file.name}, {'/'.join(map(str, GPU_BATCHES))} faces",
            " ".join(f"{time:.2f}" for time in times) + " ms",
        )


def bindings(model: Model, device: str, config: InferenceConfig, runs: int) -> Iterator[Row]:
    """Bound buffers against plain runs, side by side, and with a CUDA graph."""
    picture = batch(1)
    session = Session(model.content, model.name, device, config)
    plain = session.run_unbound
    bound = session.bind(picture)
    same = np.allclose(bound.run(picture)[0], plain(picture)[0], atol=1e-5)
    first, second = milliseconds(lambda: plain(picture), runs), milliseconds(lambda: bound.run(picture), runs)
    yield Row("plain run / bound buffers", f"{first:.3f} / {second:.3f} ms, ratio {first / second:.2f}", same)
    if device == "cuda":
        graph = Session(model.content, model.name, device, replace(config, cuda_graph=True))
        same = np.allclose(graph.run(picture)[0], plain(picture)[0], atol=1e-4)
        yield Row("with a CUDA graph", f"{milliseconds(lambda: graph.run(picture), runs):.3f} ms", same)


def tensorrt(model: Model, config: InferenceConfig, runs: int) -> Iterator[Row]:
    """An engine built in a folder of its own, and its speed."""
    with tempfile.TemporaryDirectory() as folder:
        providers.ENGINES = Path(folder)
        began = time.perf_counter()
        try:
            session = Session(model.content, model.name, "tensorrt", config, build_engines=True)
        except KioskError as error:
            yield Row("TensorRT", f"not there: {error}")
            return
        milli = milliseconds(lambda: session.run(batch(1)), runs)
        yield Row("TensorRT, 1 face", f"{milli:.3f} ms, built in {time.perf_counter() - began:.0f} s")


def sealed(config: InferenceConfig) -> Iterator[Row]:
    """Whether the networks run inside the seal, and the seal holds round them."""
    command = [
        sys.executable,
        "-B",
        "-m",
        "kiosk",
        "prove",
        "--seconds",
        "3",
        "--set",
        f"inference.gpu={config.gpu}",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    said = (done.stderr if done.returncode else done.stdout).strip().splitlines()
    verdict = next((line for line in said if "lines hold" in line), said[-1] if said else "nothing was said")
    yield Row("the seal round it", verdict, done.returncode == 0)


def growth(model: Model, device: str, config: InferenceConfig, runs: int) -> Iterator[Row]:
    """How much memory many runs of changing batches leave behind, on the host and on the GPU."""
    session = Session(model.content, model.name, device, config)
    batches = [batch(size) for size in GPU_BATCHES]
    for at in range(min(200, runs)):
        session.run(batches[at % len(batches)])
    host, gpu = host_mebibytes(), gpu_mebibytes(device)
    for at in range(runs):
        session.run(batches[at % len(batches)])
    more, more_gpu = host_mebibytes() - host, gpu_mebibytes(device) - gpu
    good = more < GROWTH_MIB_MAX and more_gpu < GROWTH_MIB_MAX
    yield Row(f"growth over {runs} runs", f"host {more:.1f} MiB, GPU {more_gpu:.1f} MiB", good)


def host_mebibytes() -> float:
    """The most this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def gpu_mebibytes(device: str) -> float:
    """What is taken of the GPU, by everybody; 0 without one."""
    if device == "cpu":
        return 0.0
    command = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[0])


def table(device: str, runs: int, long: int) -> Iterator[Row]:
    """Every part; one that fails is a row, and the others go on."""
    config = InferenceConfig(gpu="off" if device == "cpu" else "required")
    path = model_path(ClassificationConfig().model)
    model = load_model(path)
    parts = [
        what_runs(device, config),
        precisions(path, device, config, runs),
        bindings(model, device, config, runs),
        *([] if device == "cpu" else [tensorrt(model, config, runs)]),
        sealed(config),
        growth(model, device, config, long),
    ]
    for part in parts:
        try:
            yield from part
        except KioskError as error:
            yield Row(part.__name__, str(error), False)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="What a GPU does to the piece.")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--runs", type=int, default=200, help="measured runs of each part")
    parser.add_argument("--long", type=int, default=10_000, help="runs for the growth of memory")
    args = parser.parse_args()
    print(providers.machine())
    bad = 0
    for row in table(args.device, args.runs, args.long):
        bad += not row.good
        print(f"{'good' if row.good else 'BAD ':5}{row.part:36}{row.result}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
