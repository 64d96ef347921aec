"""The process environment that keeps the libraries quiet. Applied before any of them is imported.

Each variable stops something that was measured: telemetry and its two files under ~/.cache
(onnxruntime from 1.29 on, at import), shader and kernel caches, a sound card held open, a window
that minimises itself, a camera read that blocks for ten seconds.
"""

import os
import sys

SETTINGS = {
    "ORT_DISABLE_TELEMETRY": "1",
    "ORT_TELEMETRY_DISABLED": "1",  # the second name in circulation for the same switch
    "CUDA_CACHE_DISABLE": "1",
    "MESA_SHADER_CACHE_DISABLE": "true",
    "__GL_SHADER_DISK_CACHE": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYGAME_HIDE_SUPPORT_PROMPT": "1",
    "SDL_AUDIODRIVER": "dummy",
    "SDL_VIDEO_MINIMIZE_ON_FOCUS_LOSS": "0",
    "OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT": "2",
    "OPENCV_IO_MAX_IMAGE_PIXELS": "50000000",
    "OPENCV_FOR_THREADS_NUM": "1",  # a second thread only gets in the way of the networks'
    "SDL_NO_SIGNAL_HANDLERS": "1",  # of SIGTERM SDL makes a window that was closed
    "OPENCV_FFMPEG_LOGLEVEL": "-8",  # a line for every damaged picture
    "OPENCV_LOG_LEVEL": "SILENT",  # what matters comes back as a value or an exception
}
# Debugging switches of these libraries write files (OPENCV_TRACE) or send (ORT_*): none is inherited.
FOREIGN_PREFIXES = ("OPENCV_", "ORT_", "CV_")
LIBRARIES = ("onnxruntime", "cv2", "pygame")


def apply() -> None:
    """Drop what could make a library write or send, and set what keeps it quiet.

    Raises RuntimeError where a library was imported before: it has read its environment already.
    """
    early = [name for name in LIBRARIES if name in sys.modules]
    if early and any(os.environ.get(key) != value for key, value in SETTINGS.items()):
        raise RuntimeError(f"the environment must be set before {', '.join(early)} is imported")
    for name in list(os.environ):
        if name.startswith(FOREIGN_PREFIXES) and name not in SETTINGS:
            del os.environ[name]
    os.environ.update(SETTINGS)
    sys.dont_write_bytecode = True
