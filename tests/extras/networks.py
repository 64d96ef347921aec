"""Networks with weights by chance whose answers differ by picture, in the three formats of weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import safetensors.torch
import timm
import timm.data
import torch

SUBSETS = {21841: "imagenet-22k", 21842: "imagenet-22k-ms", 21843: "imagenet-21k-goog"}


def order(outputs: int) -> list[str]:
    """timm's class list for a full head."""
    return timm.data.ImageNetInfo(SUBSETS[outputs]).label_names()


def features(network: torch.nn.Module, images: np.ndarray) -> torch.Tensor:
    """(N, 224, 224, 3) uint8 RGB to what the head sees, (N, D)."""
    with torch.inference_mode():
        found = network.forward_head(network.forward_features(normalised(network, images)), pre_logits=True)
    return found.flatten(1).clone()


def normalised(network: torch.nn.Module, images: np.ndarray) -> torch.Tensor:
    """(N, 3, side, side) as the network was trained to see them."""
    cfg = network.pretrained_cfg
    x = torch.from_numpy(images).permute(0, 3, 1, 2).double() / 255
    mean, std = (torch.tensor(cfg[key], dtype=torch.float64).reshape(3, 1, 1) for key in ("mean", "std"))
    x = ((x - mean) / std).float()
    side = cfg["input_size"][-1] if cfg.get("fixed_input_size") else 224
    return torch.nn.functional.interpolate(x, (side, side), mode="bilinear", antialias=True)


def create(arch: str, outputs: int, images: np.ndarray, sure_of: list[int] | None = None) -> torch.nn.Module:
    """Its answers to `images` differ: the head sees how a picture's features depart from their mean.

    `sure_of` names the few outputs that win, by a wide margin; else any may, by a narrow one.
    """
    torch.manual_seed(0)
    network = timm.create_model(arch, num_classes=outputs).eval()
    for name, parameter in network.named_parameters():
        if parameter.ndim == 4 and "head" not in name:
            torch.nn.init.kaiming_normal_(parameter)
        elif "norm" in name and parameter.ndim == 1:
            torch.nn.init.uniform_(parameter, *((0.5, 1.5) if name.endswith("weight") else (-0.8, 0.3)))
    found = features(network, images)
    centre = found.mean(0)
    directions = torch.randn(outputs, found.shape[1])
    if sure_of is not None:
        # Pictures depart from the mean along one direction most of all: half of them answer +, half -.
        axis = torch.linalg.svd(found - centre, full_matrices=False).Vh[0]
        directions = torch.zeros(outputs, found.shape[1])
        directions[sure_of[0]], directions[sure_of[1]] = axis, -axis
    weight = directions * 2.5 / ((found - centre) @ directions.T).std()
    if sure_of is not None:
        weight = directions * 3 / ((found - centre) @ axis).std()
    head = network.get_submodule(network.pretrained_cfg["classifier"])
    with torch.no_grad():
        head.weight.copy_(weight.reshape(head.weight.shape))
        head.bias.copy_(-(weight @ centre))
    return network


def whole_head(network: torch.nn.Module, images: np.ndarray, synsets: list[str]) -> np.ndarray:
    """(N, C): softmax over these categories' columns of the network as timm built it, in timm's order."""
    columns = {synset: at for at, synset in enumerate(order(network.num_classes))}
    with torch.inference_mode():
        logits = network(normalised(network, images))
    return torch.softmax(logits[:, [columns[synset] for synset in synsets]].double(), dim=1).numpy()


def save_safetensors(network: torch.nn.Module, path: Path) -> Path:
    safetensors.torch.save_file({name: t.contiguous() for name, t in network.state_dict().items()}, path)
    return path


def save_torch(network: torch.nn.Module, path: Path, wrapper: str | None = None) -> Path:
    """`wrapper`: the key under which a training script keeps the weights."""
    state = network.state_dict()
    torch.save(state if wrapper is None else {wrapper: state, "epoch": 3}, path)
    return path


def save_google(network: torch.nn.Module, path: Path) -> Path:
    """BiT as Google hands it out: kernels (height, width, in, out), names of the original code.

    github.com/google-research/big_transfer, bit_pytorch/models.py, load_from.
    """
    arrays: dict[str, np.ndarray] = {}

    def kernel(name: str, conv: torch.nn.Module) -> None:
        arrays[f"resnet/{name}/kernel"] = conv.weight.detach().permute(2, 3, 1, 0).numpy()

    def group_norm(name: str, norm: torch.nn.Module) -> None:
        arrays[f"resnet/{name}/group_norm/gamma"] = norm.weight.detach().numpy()
        arrays[f"resnet/{name}/group_norm/beta"] = norm.bias.detach().numpy()

    kernel("root_block/standardized_conv2d", network.stem.conv)
    for number, stage in enumerate(network.stages, start=1):
        for unit, block in enumerate(stage.blocks, start=1):
            for letter, at in (("a", 1), ("b", 2), ("c", 3)):
                place = f"block{number}/unit{unit:02d}/{letter}"
                kernel(f"{place}/standardized_conv2d", block.get_submodule(f"conv{at}"))
                group_norm(place, block.get_submodule(f"norm{at}"))
            if block.downsample is not None:
                place = f"block{number}/unit{unit:02d}/a/proj"
                kernel(f"{place}/standardized_conv2d", block.downsample.conv)
    arrays["resnet/group_norm/gamma"] = network.norm.weight.detach().numpy()
    arrays["resnet/group_norm/beta"] = network.norm.bias.detach().numpy()
    kernel("head/conv2d", network.head.fc)
    arrays["resnet/head/conv2d/bias"] = network.head.fc.bias.detach().numpy()
    np.savez(path, **arrays)
    return path
