from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from onnx import TensorProto, helper

from kiosk.config import ROOT
from kiosk.errors import InferenceError, ModelError
from kiosk.messages import Box, Face, Frame, Image
from kiosk.sections import DetectionConfig, InferenceConfig
from kiosk.vision.detect import (
    DEFAULT_INPUT_WH,
    MAX_CANDIDATES,
    MAX_IOU,
    Answer,
    FaceDetector,
    Letterbox,
    decode,
    suppress,
)
from kiosk.vision.inference import Session

ASTRONAUT_FACE = Box(182, 58, 270, 178)
CPU = InferenceConfig(gpu="off")


@pytest.fixture(scope="module")
def detector() -> FaceDetector:
    made = FaceDetector.open(DetectionConfig(min_face_height=8), CPU)
    made.warm_up()
    return made


@pytest.fixture(scope="module")
def astronaut() -> Image:
    return picture("astronaut.png")


def picture(name: str) -> Image:
    image = cv2.imread(str(ROOT / "models" / "portraits" / name))
    assert image is not None
    return image


def frame(image: Image) -> Frame:
    return Frame(image, index=0, captured_at=0.0)


def wall(width: int, height: int) -> Image:
    return np.full((height, width, 3), (128, 134, 140), np.uint8)


def hang(on: Image, image: Image, x: int, y: int, height: int) -> Box:
    """Paste `image`, scaled to a height, and return where the astronaut's face is then."""
    scale = height / image.shape[0]
    width = round(image.shape[1] * scale)
    on[y : y + height, x : x + width] = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
    face = ASTRONAUT_FACE
    return Box(x + face.x0 * scale, y + face.y0 * scale, x + face.x1 * scale, y + face.y1 * scale)


class FakeSession:
    """A network whose answer is given: one face centred in each named cell of a grid."""

    device = "cpu"
    name = "fake.onnx"
    outputs: tuple[str, ...] = ("offset", "heatmap", "scale")

    def __init__(self, *faces: tuple[int, int, float, float]) -> None:
        """`faces` are row, column, score and the natural logarithm of the side in cells."""
        self.input = SimpleNamespace(shape=[1, "height", "width", 3], type="tensor(uint8)")
        self.faces = faces
        self.seen: list[tuple[int, ...]] = []

    def run(self, array: Image) -> tuple[np.ndarray, ...]:
        self.seen.append(array.shape)
        _, height, width, _ = array.shape
        heatmap = np.zeros((1, 1, height // 4, width // 4), np.float32)
        scale = np.zeros((1, 2, height // 4, width // 4), np.float32)
        for row, column, score, side in self.faces:
            heatmap[0, 0, row, column] = score
            scale[0, :, row, column] = side
        return np.zeros_like(scale), heatmap, scale


def fake(session: FakeSession, config: DetectionConfig | None = None) -> FaceDetector:
    return FaceDetector(session, config or DetectionConfig())  # type: ignore[arg-type]


# The committed network on real pictures.


def test_the_astronaut_has_one_face(detector: FaceDetector, astronaut: Image) -> None:
    faces = detector(frame(astronaut))
    assert len(faces) == 1
    assert faces[0].box.iou(ASTRONAUT_FACE) > 0.6
    assert 0.5 <= faces[0].score <= 1


def test_a_blank_picture_has_no_face(detector: FaceDetector) -> None:
    assert detector(frame(wall(1280, 720))) == ()


def test_the_network_takes_bgr(detector: FaceDetector, astronaut: Image) -> None:
    as_it_is = detector(frame(astronaut))[0]
    turned_round = detector(frame(np.ascontiguousarray(astronaut[..., ::-1])))[0]
    assert as_it_is.score > turned_round.score + 0.01


def test_two_people_are_found_each_with_a_box_and_the_surer_first(
    detector: FaceDetector, astronaut: Image
) -> None:
    image = wall(1280, 720)
    first = hang(image, astronaut, 80, 200, 500)
    second = hang(image, astronaut, 760, 150, 400)
    faces = detector(frame(image))
    assert len(faces) == 2
    for wanted in (first, second):
        assert max(face.box.iou(wanted) for face in faces) > 0.6
    assert faces[0].score >= faces[1].score


@pytest.mark.parametrize(
    ("width", "height", "x", "y", "side"),
    [
        (1280, 720, 700, 200, 500),
        (720, 1280, 100, 700, 550),
        (3840, 2160, 2300, 600, 1500),
        (1080, 1080, 500, 500, 580),
        (96, 64, 30, 0, 64),
        (1920, 400, 1500, 0, 400),
    ],
    ids=["landscape", "portrait", "4K", "square", "tiny", "banner"],
)
def test_a_face_is_found_in_its_place_whatever_the_shape_of_the_frame(
    detector: FaceDetector, astronaut: Image, width: int, height: int, x: int, y: int, side: int
) -> None:
    image = wall(width, height)
    wanted = hang(image, astronaut, x, y, side)
    faces = detector(frame(image))
    assert len(faces) == 1
    assert faces[0].box.iou(wanted) > 0.6


def test_a_frame_of_another_shape_leaves_nothing_of_the_last_one_behind(
    detector: FaceDetector, astronaut: Image
) -> None:
    assert len(detector(frame(astronaut))) == 1
    assert detector(frame(wall(1280, 300))) == ()
    assert len(detector(frame(astronaut))) == 1


def test_the_frame_is_left_as_it_was(detector: FaceDetector, astronaut: Image) -> None:
    before = astronaut.copy()
    one = frame(astronaut)
    first = detector(one)
    assert detector(one) == first
    assert np.array_equal(one.image, before)


@pytest.mark.parametrize("size_wh", [(64, 64), (640, 384)])
def test_the_size_of_the_input_comes_from_the_configuration(
    astronaut: Image, size_wh: tuple[int, int]
) -> None:
    made = FaceDetector.open(DetectionConfig(input=size_wh, min_score=0.3), CPU)
    made.warm_up()
    assert made.input_wh == size_wh
    faces = made(frame(astronaut))
    assert len(faces) == 1
    assert faces[0].box.iou(ASTRONAUT_FACE) > 0.6


# The detector round a network whose answer is known.


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_an_automatic_size_follows_the_device(device: str) -> None:
    session = FakeSession()
    session.device = device
    made = fake(session)
    made.warm_up()
    width, height = DEFAULT_INPUT_WH[device]
    assert made.input_wh == (width, height)
    assert session.seen == [(1, height, width, 3)] * 3


def test_a_cell_becomes_a_box_in_pixels_of_the_frame() -> None:
    # Cell (10, 20) of a 384x224 picture: centre (82, 42), side 8 cells = 32 pixels; times five in the frame.
    made = fake(FakeSession((10, 20, 0.75, np.log(8))))
    (face,) = made(frame(wall(1920, 1120)))
    assert face.score == 0.75
    assert (face.box.x0, face.box.y0, face.box.x1, face.box.y1) == pytest.approx(
        (330, 130, 490, 290), abs=1e-3
    )


def test_faces_below_the_minimum_score_are_left_out() -> None:
    session = FakeSession((10, 20, 0.7, 2.0), (40, 70, 0.4, 2.0), (10, 70, 0.5, 2.0))
    image = wall(1920, 1120)
    assert [face.score for face in fake(session)(frame(image))] == pytest.approx([0.7, 0.5])
    sure = fake(session, DetectionConfig(min_score=0.6))
    assert [face.score for face in sure(frame(image))] == pytest.approx([0.7])


def test_no_score_is_below_the_minimum_not_even_by_rounding() -> None:
    # The nearest float32 to 0.7 is a little below it.
    session = FakeSession((10, 20, 0.7, 2.0))
    assert fake(session, DetectionConfig(min_score=0.7))(frame(wall(1920, 1120))) == ()


def test_each_axis_has_its_own_zoom_where_the_letterbox_rounds() -> None:
    # 1000x7 becomes 384x3; cell (0, 40) has its centre at (162, 2), and the face is 2 pixels wide and high.
    made = fake(FakeSession((0, 40, 0.9, np.log(0.5))), DetectionConfig(min_face_height=1))
    (face,) = made(frame(wall(1000, 7)))
    wanted = (161 * 1000 / 384, 1 * 7 / 3, 163 * 1000 / 384, 3 * 7 / 3)
    assert (face.box.x0, face.box.y0, face.box.x1, face.box.y1) == pytest.approx(wanted, abs=1e-3)


def test_a_face_of_any_height_is_found_for_who_is_looked_at_is_decided_later() -> None:
    session = FakeSession((10, 20, 0.9, np.log(8)))  # 32 pixels of the network's picture
    config = DetectionConfig(min_face_height=2000, max_face_height=2000)
    (face,) = fake(session, config)(frame(wall(384, 224)))
    assert face.box.height == pytest.approx(32, abs=1e-3)


def test_a_face_that_leaves_the_frame_is_cut_at_its_edge() -> None:
    session = FakeSession((0, 0, 0.9, np.log(30)), (55, 95, 0.8, np.log(30)))
    first, second = fake(session)(frame(wall(768, 448)))
    assert (first.box.x0, first.box.y0) == (0, 0)
    assert (first.box.x1, first.box.y1) == pytest.approx((124, 124), abs=1e-3)
    assert (second.box.x1, second.box.y1) == (768, 448)


def test_a_face_in_the_black_beside_the_picture_is_no_face() -> None:
    session = FakeSession((10, 90, 0.9, 2.0))
    assert fake(session, DetectionConfig(min_face_height=8))(frame(wall(224, 224))) == ()


def test_a_crowd_without_end_is_cut_to_the_best() -> None:
    heatmap = np.linspace(0.5, 1, 60 * 60, dtype=np.float32).reshape(1, 1, 60, 60)
    zeros = np.zeros((1, 2, 60, 60), np.float32)
    boxes, scores = decode(Answer(heatmap, zeros, zeros), 0.5, (1.0, 1.0), (240, 240))
    assert len(boxes) == len(scores) == MAX_CANDIDATES
    assert scores[0] == 1
    assert (np.diff(scores) <= 0).all()


# Letterbox.


@pytest.mark.parametrize(
    ("frame_wh", "fitted_wh"),
    [
        ((1280, 720), (384, 216)),
        ((720, 1280), (126, 224)),
        ((3840, 2160), (384, 216)),
        ((384, 224), (384, 224)),
        ((16, 8), (384, 192)),
        ((4000, 1), (384, 1)),
        ((1, 4000), (1, 224)),
    ],
)
def test_the_letterbox_keeps_the_aspect_and_is_black_beside_the_picture(
    frame_wh: tuple[int, int], fitted_wh: tuple[int, int]
) -> None:
    letterbox = Letterbox((384, 224))
    letterbox(np.full((224, 384, 3), 255, np.uint8))
    canvas = letterbox(np.full((frame_wh[1], frame_wh[0], 3), 200, np.uint8))
    width, height = fitted_wh
    assert canvas.shape == (224, 384, 3)
    assert (canvas[:height, :width] == 200).all()
    assert not canvas[height:].any()
    assert not canvas[:, width:].any()
    assert letterbox.zoom_xy == pytest.approx((frame_wh[0] / width, frame_wh[1] / height))


# Non-maximum suppression.


def test_of_two_boxes_that_overlap_the_surer_stays() -> None:
    boxes = np.array([[0, 0, 100, 100], [20, 0, 120, 100], [300, 0, 400, 100]], np.float64)
    assert suppress(boxes, MAX_IOU).tolist() == [0, 2]


def test_boxes_overlap_from_the_limit_on() -> None:
    # Shared 100, together 200: exactly one half.
    boxes = np.array([[0, 0, 15, 10], [5, 0, 20, 10]], np.float64)
    assert suppress(boxes, 0.5).tolist() == [0]
    assert suppress(boxes, 0.5001).tolist() == [0, 1]


def test_a_dropped_box_drops_no_other() -> None:
    # The third overlaps the second, which the first has dropped, and not the first.
    boxes = np.array([[0, 0, 100, 100], [50, 0, 150, 100], [100, 0, 200, 100]], np.float64)
    assert suppress(boxes, MAX_IOU).tolist() == [0, 2]


def test_of_equal_boxes_the_first_stays() -> None:
    assert suppress(np.array([[0, 0, 10, 10]] * 5, np.float64), MAX_IOU).tolist() == [0]


def test_no_boxes_stay_no_boxes() -> None:
    assert suppress(np.zeros((0, 4)), MAX_IOU).tolist() == []


def test_equal_scores_keep_the_order_of_the_grid() -> None:
    session = FakeSession((40, 70, 0.6, 2.0), (10, 20, 0.6, 2.0), (10, 70, 0.6, 2.0))
    faces = fake(session)(frame(wall(1920, 1120)))
    assert [round(face.box.centre[0]) for face in faces] == [410, 1410, 1410]
    assert [round(face.box.centre[1]) for face in faces] == [210, 210, 810]


# Whatever a network answers.

_finite = st.floats(allow_nan=False, allow_infinity=False, width=32)


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    score = st.floats(0, 1, width=32)
    return Answer(
        draw(arrays(np.float32, (1, 1, rows, columns), elements=score)),
        draw(arrays(np.float32, (1, 2, rows, columns), elements=_finite)),
        draw(arrays(np.float32, (1, 2, rows, columns), elements=_finite | st.floats(-1, 1, width=32))),
    )


@given(
    answers(),
    st.floats(0.05, 0.99),
    st.tuples(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3)),
    st.tuples(st.integers(1, 8000), st.integers(1, 8000)),
)
def test_boxes_are_inside_the_frame_and_sorted_whatever_the_network_answers(
    answer: Answer, min_score: float, zoom_xy: tuple[float, float], frame_wh: tuple[int, int]
) -> None:
    boxes, scores = decode(answer, min_score, zoom_xy, frame_wh)
    kept = suppress(boxes, MAX_IOU)
    assert np.isfinite(boxes).all()
    assert ((boxes[:, :2] >= 0) & (boxes[:, :2] < boxes[:, 2:]) & (boxes[:, 2:] <= frame_wh)).all()
    assert ((scores >= min_score) & (scores <= 1)).all()
    assert (np.diff(scores) <= 0).all()
    faces = [Face(Box(*boxes[i].tolist()), float(scores[i])) for i in kept]
    assert all(a.box.iou(b.box) < MAX_IOU + 1e-9 for i, a in enumerate(faces) for b in faces[:i])


# Files that are no face detector.


def model(shape: list[int | str], kind: int, outputs: tuple[str, ...]) -> bytes:
    """A network that copies its input to each of its outputs."""
    made = helper.make_model(
        helper.make_graph(
            [helper.make_node("Identity", ["image"], [name]) for name in outputs],
            "wrong",
            [helper.make_tensor_value_info("image", kind, shape)],
            [helper.make_tensor_value_info(name, kind, shape) for name in outputs],
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    onnx.checker.check_model(made)
    content: bytes = made.SerializeToString()
    return content


HEADS = ("heatmap", "scale", "offset")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (model([1, "height", "width", 3], TensorProto.UINT8, ("boxes", "heatmap")), "has boxes, heatmap"),
        (model([1, "height", "width", 3], TensorProto.FLOAT, HEADS), r"not tensor\(float\)"),
        (model([1, 3, "height", "width"], TensorProto.UINT8, HEADS), r"\(1, 3, height, width\)"),
        (model([1, 480, 640, 3], TensorProto.UINT8, HEADS), r"\(1, 224, 384, 3\).*\(1, 480, 640, 3\)"),
        (model(["n", 4], TensorProto.UINT8, HEADS), r"\(n, 4\)"),
    ],
    ids=["outputs", "type", "layout", "size", "rank"],
)
def test_another_network_is_refused_in_one_line(content: bytes, message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        FaceDetector(Session(content, "wrong.onnx", "cpu", CPU), DetectionConfig())
    assert str(caught.value).startswith("wrong.onnx: ")
    assert "\n" not in str(caught.value)


# Networks that fail while they run.


def constant(name: str, value: float) -> bytes:
    """A network that finds nobody, but for one number of the output `name`."""
    outputs = {"heatmap": 1, "scale": 2, "offset": 2}
    answers = {key: np.zeros((1, depth, 56, 96), np.float32) for key, depth in outputs.items()}
    answers[name][0, 0, 17, 23] = value
    made = helper.make_model(
        helper.make_graph(
            [helper.make_node("Identity", [f"{key} of old"], [key]) for key in outputs],
            "constant",
            [helper.make_tensor_value_info("image", TensorProto.UINT8, [1, 224, 384, 3])],
            [
                helper.make_tensor_value_info(key, TensorProto.FLOAT, [1, depth, 56, 96])
                for key, depth in outputs.items()
            ],
            [onnx.numpy_helper.from_array(answer, f"{key} of old") for key, answer in answers.items()],
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    content: bytes = made.SerializeToString()
    return content


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_one_number_that_is_none_ends_the_detection(name: str, value: float) -> None:
    broken = FaceDetector(Session(constant(name, value), "broken.onnx", "cpu", CPU), DetectionConfig())
    with pytest.raises(InferenceError, match=r"^broken\.onnx: .* not finite"):
        broken(frame(wall(640, 360)))


def test_the_same_network_with_numbers_finds_nobody() -> None:
    sound = FaceDetector(Session(constant("scale", 3.0), "sound.onnx", "cpu", CPU), DetectionConfig())
    assert sound(frame(wall(640, 360))) == ()


def test_a_gpu_that_is_lost_ends_the_detection() -> None:
    class Lost(Session):
        def run_unchecked(self, array: Image) -> tuple[np.ndarray, ...]:
            raise RuntimeError("CUDA failure 999: unknown error ; GPU=0 ; hostname=venue ;\nmore")

    lost = FaceDetector(Lost(constant("scale", 3.0), "lost.onnx", "cpu", CPU), DetectionConfig())
    with pytest.raises(InferenceError, match=r"^lost\.onnx: inference failed: CUDA failure 999[^\n]*$"):
        lost(frame(wall(640, 360)))


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    for name in ("manifest.yaml", "centerface.onnx"):
        (tmp_path / name).write_bytes((ROOT / "models" / name).read_bytes())
    changed = tmp_path / "centerface.onnx"
    content = bytearray(changed.read_bytes())
    content[len(content) // 2] ^= 1
    changed.write_bytes(content)
    with pytest.raises(ModelError, match="sha256"):
        FaceDetector.open(DetectionConfig(model=str(changed)), CPU)
