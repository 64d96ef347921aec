"""A timm network in, a network with the kiosk's contract out, in torch and in ONNX.

Contract: `images` (N, 224, 224, 3) uint8 RGB to `probabilities` (N, C) float32.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import onnx
import torch
from onnx import helper
from timm.layers import Conv2dSame, ScaledStdConv2d, ScaledStdConv2dSame, StdConv2d, StdConv2dSame
from torch import nn
from torch.nn import functional

from kiosk.vision.classify import SIDE

OPSET, IR_VERSION_MAX = 18, 10
BYTES_MAX = 2_000_000_000  # protobuf's limit: one file, for external data are refused by the kiosk
STANDARDISED = (StdConv2d, StdConv2dSame, ScaledStdConv2d, ScaledStdConv2dSame)


@dataclass(frozen=True)
class Input:
    """What a network was trained to see."""

    mean: tuple[float, ...]
    std: tuple[float, ...]
    """Of the three channels RGB, 0 to 1."""
    side: int = SIDE
    """Width and height, pixels."""


class PersonClassifier(nn.Module):
    """The contract's graph round a network: normalisation before it, softmax behind it."""

    def __init__(self, network: nn.Module, given: Input, dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.network = network.to(dtype)
        self.side = given.side
        self.dtype = dtype
        self.register_buffer("mean", 255 * torch.tensor(given.mean).reshape(3, 1, 1), persistent=False)
        self.register_buffer("std", 255 * torch.tensor(given.std).reshape(3, 1, 1), persistent=False)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """(N, 224, 224, 3) uint8 RGB to (N, C) probabilities, float32."""
        x = (images.permute(0, 3, 1, 2).float() - self.mean) / self.std
        x = resize(x, self.side)
        # In half precision the softmax of thousands of small probabilities would round most of them away.
        return torch.softmax(self.network(x.to(self.dtype)).float(), dim=1)


def resize(x: torch.Tensor, side: int) -> torch.Tensor:
    """(N, 3, 224, 224) to (N, 3, side, side), for a network that was made for another size."""
    if side == SIDE:
        return x
    return functional.interpolate(x, (side, side), mode="bilinear", antialias=side < SIDE)


def classifiers(network_or_cfg: nn.Module | object) -> tuple[str, ...]:
    """Names of the layers that are the head: one, or two in a distilled network."""
    cfg = getattr(network_or_cfg, "pretrained_cfg", network_or_cfg)
    names = cfg["classifier"] if isinstance(cfg, dict) else cfg.classifier
    return (names,) if isinstance(names, str) else tuple(names or ())


def slice_head(network: nn.Module, outputs: Sequence[int]) -> None:
    """Keep these outputs of the head, in this order; the others are never computed."""
    for name in classifiers(network):
        head = network.get_submodule(name)
        if not isinstance(head, nn.Linear | nn.Conv2d):
            raise SystemExit(f"{name}: the head must be a linear layer, found {type(head).__name__}")
        head.weight = nn.Parameter(head.weight.detach()[list(outputs)])
        if head.bias is not None:
            head.bias = nn.Parameter(head.bias.detach()[list(outputs)])
        setattr(head, "out_features" if isinstance(head, nn.Linear) else "out_channels", len(outputs))


def fold_standardisation(network: nn.Module) -> None:
    """Replace each convolution that standardises its weights at every run by a plain one that need not.

    Weight standardisation: Qiao et al., arXiv:1903.10520; the scaled one: Brock et al., arXiv:2101.08692.
    """
    for name, module in list(network.named_modules()):
        if isinstance(module, STANDARDISED):
            parent, _, child = name.rpartition(".")
            setattr(network.get_submodule(parent), child, _plain(module))


def _plain(module: nn.Conv2d) -> nn.Conv2d:
    weight = module.weight.detach().double().reshape(module.out_channels, -1)
    variance, mean = torch.var_mean(weight, dim=1, correction=0, keepdim=True)
    weight = (weight - mean) / torch.sqrt(variance + module.eps)
    if isinstance(module, ScaledStdConv2d | ScaledStdConv2dSame):
        weight = weight * (module.gain.detach().double() * module.scale).reshape(-1, 1)
    kind = Conv2dSame if getattr(module, "same_pad", False) else nn.Conv2d
    plain = kind(
        module.in_channels,
        module.out_channels,
        module.kernel_size,
        stride=module.stride,
        padding=module.padding,
        dilation=module.dilation,
        groups=module.groups,
        bias=module.bias is not None,
    )
    plain.weight = nn.Parameter(weight.reshape(module.weight.shape).to(module.weight.dtype))
    if module.bias is not None:
        plain.bias = nn.Parameter(module.bias.detach())
    return plain


def probabilities(classifier: nn.Module, images: torch.Tensor) -> torch.Tensor:
    """(N, 224, 224, 3) uint8 RGB to (N, C) float32, four pictures at a time."""
    with torch.inference_mode():
        return torch.cat([classifier(batch) for batch in images.split(4)])


def to_onnx(classifier: PersonClassifier, metadata: dict[str, str]) -> bytes:
    """The same as an ONNX file with the contract's metadata."""
    size = sum(tensor.nbytes for tensor in classifier.state_dict().values())
    if size > BYTES_MAX:
        raise SystemExit(f"the network must be under {BYTES_MAX:,} bytes to be one file, found {size:,}")
    example = torch.zeros(2, SIDE, SIDE, 3, dtype=torch.uint8)
    with torch.no_grad(), warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")  # the libraries' own deprecations
        program = torch.onnx.export(
            classifier.eval(),
            (example,),
            dynamo=True,
            input_names=["images"],
            output_names=["probabilities"],
            dynamic_shapes={"images": {0: torch.export.Dim("N")}},
            opset_version=OPSET,
            verbose=False,
        )
    model = program.model_proto
    model.producer_name, model.producer_version = "export_classifier.py", ""
    model.ir_version = min(model.ir_version, IR_VERSION_MAX)
    _forget_origin(model)
    helper.set_model_props(model, metadata)
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def _forget_origin(model: onnx.ModelProto) -> None:
    """Take out the exporter's notes: each node carries a stack trace with the paths of this machine."""
    graph = model.graph
    for item in (
        model,
        graph,
        *graph.node,
        *graph.initializer,
        *graph.input,
        *graph.output,
        *graph.value_info,
    ):
        del item.metadata_props[:]
        item.doc_string = ""
