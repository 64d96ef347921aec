"""Public ImageNet-21k weights, or a fine-tuned checkpoint, in; the person classifier out, for the kiosk.

    export_classifier.py [--arch NAME] [--weights FILE] [--out FILE] [--fp16] [--int8 FOLDER] [--force]

Default: BiT-M ResNet-50x1 (Kolesnikov et al., "Big Transfer", 2020), whose training set, ImageNet of autumn
2011, holds all 2,833 person categories: cut to these outputs it is a ResNet-50 person classifier. Any timm
network with such a head will do, and any checkpoint of train_classifier.py. Needs the extra `export`.

The outputs are found by synset id, the head is sliced, weight standardisation is folded into the weights,
normalisation and softmax are in the graph; what comes out is verified against torch before it is written.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from kiosk import environment
from kiosk.errors import KioskError


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description="Make the person classifier from public ImageNet-21k weights or a fine-tuned checkpoint."
    )
    parser.add_argument(
        "--arch",
        metavar="NAME",
        help="timm name (default: what the checkpoint says, else resnetv2_50x1_bit.goog_in21k)",
    )
    parser.add_argument(
        "--weights",
        type=Path,
        metavar="FILE",
        help="safetensors, torch checkpoint or Google's .npz; without it timm downloads the weights",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="(default: models/NAME.onnx)")
    parser.add_argument("--licence", metavar="TEXT", help="of the weights (default: what timm states)")
    parser.add_argument("--fp16", action="store_true", help="also write NAME.fp16.onnx")
    parser.add_argument(
        "--int8", type=Path, metavar="FOLDER", help="also write NAME.int8.onnx, calibrated on these pictures"
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="write fp16 and int8 also where they agree too little with float32",
    )
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and convert; exits with one line where that fails."""
    args = parse(arguments)
    received: list[int] = []

    def interrupt(number: int, _frame: FrameType | None) -> None:
        received.append(number)
        raise KeyboardInterrupt  # for SIGTERM too, so that what is half done is taken away

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    try:
        environment.apply()  # onnxruntime reads it when it is imported
        # Here, so that a slip on the command line is answered at once and not after torch has loaded.
        from classifier import conversion

        conversion.convert(conversion.Request(**vars(args)))
    except BaseException as error:
        # Asked of the list, for a library can turn the interruption into an error of its own.
        if received:
            print("interrupted: what was written is whole, the rest is not there", file=sys.stderr)
            raise SystemExit(128 + received[0]) from None
        if isinstance(error, KioskError):
            raise SystemExit(str(error)) from error
        raise


if __name__ == "__main__":
    main()
