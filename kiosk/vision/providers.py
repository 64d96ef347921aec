"""A device of the configuration in, onnxruntime's execution providers and their options out.

Also what a GPU lacks, and what this machine is. Imports no onnxruntime.
"""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from typing import Any

from kiosk.config import ROOT
from kiosk.sections import InferenceConfig

CPU, CUDA, TENSORRT = "CPUExecutionProvider", "CUDAExecutionProvider", "TensorrtExecutionProvider"
NAMES = {CPU: "cpu", CUDA: "cuda", TENSORRT: "tensorrt"}
ENGINES = ROOT / "models" / "engines"
DRIVER = Path("/proc/driver/nvidia/version")
CPUINFO = Path("/proc/cpuinfo")
MEBIBYTE = 1 << 20

Provider = tuple[str, dict[str, str]]


def wanted(device: str, config: InferenceConfig, *, build_engines: bool = False) -> list[Provider]:
    """Providers for a `device` of the configuration, best first; the CPU is always the last."""
    providers: list[Provider] = [(CPU, {})]
    if config.gpu == "off" or device == "cpu":
        return providers
    providers.insert(0, (CUDA, cuda_options(config)))
    if device == "tensorrt":
        providers.insert(0, (TENSORRT, tensorrt_options(build_engines=build_engines)))
    return providers


def cuda_options(config: InferenceConfig) -> dict[str, str]:
    """Options of the CUDA provider (onnxruntime, CUDA Execution Provider)."""
    options = {
        # DEFAULT can choose an algorithm fifty times slower than its best (PaddleOCR#17970).
        "cudnn_conv_algo_search": "HEURISTIC",
        # Otherwise the arena doubles with every new shape and never shrinks.
        "arena_extend_strategy": "kSameAsRequested",
    }
    if config.gpu_memory:
        options["gpu_mem_limit"] = str(config.gpu_memory * MEBIBYTE)
    if config.cuda_graph:
        options["enable_cuda_graph"] = "1"
    return options


def tensorrt_options(*, build_engines: bool) -> dict[str, str]:
    """Options of the TensorRT provider. An engine takes minutes to build: `kiosk bench --build-engines`."""
    options = {
        "trt_fp16_enable": "1",
        "trt_engine_cache_enable": "1",
        "trt_engine_cache_path": str(ENGINES),
        "trt_profile_min_shapes": "images:1x224x224x3",
        "trt_profile_opt_shapes": "images:4x224x224x3",
        "trt_profile_max_shapes": "images:8x224x224x3",
    }
    if build_engines:
        options |= {"trt_timing_cache_enable": "1", "trt_timing_cache_path": str(ENGINES)}
    return options


def has_engines(folder: Path = ENGINES) -> bool:
    """Whether an engine has been built."""
    return any(folder.glob("*.engine"))


def missing_for_gpu(available: list[str], version: str, not_loaded: list[str], driver: Path = DRIVER) -> str:
    """What stands between the networks and the GPU, in sentences.

    `available` are the providers of the installed onnxruntime, `not_loaded` the libraries it could not load.
    """
    if CUDA not in available:
        return (
            f"onnxruntime {version} is a build for the CPU: pip install 'onnxruntime-gpu[cuda,cudnn]' "
            "(extra 'gpu')."
        )
    if not driver.exists():
        return "No NVIDIA driver is loaded: does nvidia-smi answer?"
    if not_loaded:
        return (
            f"These libraries cannot be loaded: {', '.join(not_loaded)}. pip install "
            "'onnxruntime-gpu[cuda,cudnn]' (extra 'gpu'); [cuda] alone brings neither cuBLAS nor cuDNN."
        )
    return (
        f"The driver ({driver.read_text().splitlines()[0].strip()}) and the libraries of onnxruntime-gpu "
        f"{version} are there; is the driver older than its CUDA, or was it updated without a restart?"
    )


def libraries_not_loaded(printed: str) -> list[str]:
    """The library names in what `onnxruntime.preload_dlls` prints: it does not raise."""
    return re.findall(r"Failed to load (\S+?):", printed)


def has_int8_dot_product(cpuinfo: Path = CPUINFO) -> bool:
    """Whether this CPU multiplies bytes fast: VNNI on x86-64, the dot product on Arm."""
    try:
        flags = set(cpuinfo.read_text().split())
    except OSError:
        return False
    return bool(flags & {"avx512_vnni", "avx_vnni", "asimddp"})


def threads(config: InferenceConfig) -> int:
    """CPU threads of a network: one core is left for the camera and the screen."""
    return config.threads or max(1, (os.cpu_count() or 2) - 1)


def machine() -> str:
    """Processor, cores and system, in a few words."""
    model = platform.processor() or platform.machine()
    for line in CPUINFO.read_text().splitlines() if CPUINFO.exists() else ():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"


def as_argument(providers: list[Provider]) -> list[Any]:
    """The list as InferenceSession takes it."""
    return [(name, options) if options else name for name, options in providers]
