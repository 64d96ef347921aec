from __future__ import annotations

from pathlib import Path

import pytest

from kiosk.sections import InferenceConfig
from kiosk.vision import providers
from kiosk.vision.providers import CPU, CUDA, TENSORRT


def names(device: str, **config: str) -> list[str]:
    return [name for name, _ in providers.wanted(device, InferenceConfig(**config))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("device", "gpu", "wanted"),
    [
        ("auto", "preferred", [CUDA, CPU]),
        ("cuda", "preferred", [CUDA, CPU]),
        ("cuda", "required", [CUDA, CPU]),
        ("tensorrt", "preferred", [TENSORRT, CUDA, CPU]),
        ("cpu", "preferred", [CPU]),
        ("auto", "off", [CPU]),
        ("tensorrt", "off", [CPU]),
    ],
)
def test_the_device_and_the_policy_say_which_providers_are_asked(
    device: str, gpu: str, wanted: list[str]
) -> None:
    assert names(device, gpu=gpu) == wanted


def test_cuda_never_searches_by_default_and_keeps_its_memory_small() -> None:
    options = providers.cuda_options(InferenceConfig(gpu_memory=512))
    assert options["cudnn_conv_algo_search"] == "HEURISTIC"
    assert options["arena_extend_strategy"] == "kSameAsRequested"
    assert options["gpu_mem_limit"] == str(512 * 1024 * 1024)
    assert "enable_cuda_graph" not in options
    free = providers.cuda_options(InferenceConfig(gpu_memory=0, cuda_graph=True))
    assert "gpu_mem_limit" not in free
    assert free["enable_cuda_graph"] == "1"


def test_engines_and_timings_are_only_written_when_they_are_built() -> None:
    assert "trt_timing_cache_enable" not in providers.tensorrt_options(build_engines=False)
    assert providers.tensorrt_options(build_engines=True)["trt_timing_cache_enable"] == "1"


def test_an_engine_is_seen(tmp_path: Path) -> None:
    assert not providers.has_engines(tmp_path / "nowhere")
    assert not providers.has_engines(tmp_path)
    (tmp_path / "x.engine").touch()
    assert providers.has_engines(tmp_path)


def test_what_a_gpu_lacks_is_told_in_the_order_in_which_it_is_mended(tmp_path: Path) -> None:
    driver = tmp_path / "version"
    wheel = providers.missing_for_gpu([CPU], "1.31.1", ["libcudnn.so.9"], driver)
    assert "build for the CPU" in wheel
    assert "No NVIDIA driver" in providers.missing_for_gpu([CUDA, CPU], "1.31.1", ["libcudnn.so.9"], driver)
    driver.write_text("NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06\nGCC version: 12\n")
    libraries = providers.missing_for_gpu([CUDA, CPU], "1.31.1", ["libcudnn.so.9"], driver)
    assert "libcudnn.so.9" in libraries and "[cuda,cudnn]" in libraries
    rest = providers.missing_for_gpu([CUDA, CPU], "1.31.1", [], driver)
    assert "580.65.06" in rest and "restart" in rest
    assert all("\n" not in said for said in (wheel, libraries, rest))


def test_the_libraries_that_onnxruntime_only_prints_are_heard() -> None:
    printed = (
        "Failed to load libcublasLt.so.13: libcublasLt.so.13: cannot open shared object file: No such file\n"
        "Failed to load libcudnn.so.9: libcudnn.so.9: cannot open shared object file\nPlease follow https://x\n"
    )
    assert providers.libraries_not_loaded(printed) == ["libcublasLt.so.13", "libcudnn.so.9"]


@pytest.mark.parametrize(
    ("flags", "fast"),
    [("fpu avx2 avx512_vnni", True), ("fpu avx_vnni", True), ("fp asimddp", True), ("fpu avx2", False)],
)
def test_a_cpu_made_for_bytes_is_known_by_its_flags(tmp_path: Path, flags: str, fast: bool) -> None:
    (tmp_path / "cpuinfo").write_text(f"processor : 0\nflags\t\t: {flags}\n")
    assert providers.has_int8_dot_product(tmp_path / "cpuinfo") is fast


def test_without_cpuinfo_a_cpu_is_taken_for_a_plain_one(tmp_path: Path) -> None:
    assert not providers.has_int8_dot_product(tmp_path / "nothing")


def test_one_core_is_left_for_the_screen() -> None:
    assert providers.threads(InferenceConfig(threads=3)) == 3
    assert providers.threads(InferenceConfig(threads=0)) >= 1
