"""A head's size in, the outputs that stand for person categories out.

ImageNet has been handed out in several versions. That of autumn 2011 has 21,841 synsets with pictures, in
it all 2,833 person categories; Google's copy has two synsets more, Microsoft's one. In January 2021 most of
the person subtree was taken out (Yang et al., "Towards Fairer Datasets", FAT* 2020). The order of a head's
outputs is in the class lists that timm carries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import timm.data

from kiosk.config import ROOT

CLASSES_PATH = ROOT / "models" / "classes.txt"
FULL = (21841, 21842, 21843)
# ImageNet-21K-P of the winter release (Ridnik et al. 2021), and the whole of it (MViTv2 has one output more).
WINTER_2021 = (10450, 19167, 19168)
WANTED = "wanted is a head of ImageNet of autumn 2011, which has 21,841, 21,842 or 21,843 outputs"


def person_synsets() -> tuple[str, ...]:
    """The 2,833 ids, in the order in which an exported network answers."""
    return tuple(CLASSES_PATH.read_text(encoding="ascii").split())


def person_outputs(outputs: int, name: str, label_names: Sequence[str] | None = None) -> list[int]:
    """For each person category its output in a head of so many; exits where the head does not have them all.

    `label_names` is the class order where the network says it itself; `name` is whose head it is.
    """
    people = person_synsets()
    order = label_names or _class_order(outputs, name, people)
    rank = {synset: at for at, synset in enumerate(order)}
    missing = [synset for synset in people if synset not in rank]
    if missing:
        raise SystemExit(
            f"{name}: {len(missing):,} of the {len(people):,} person categories are missing among its "
            f"{outputs:,} outputs (the first: {missing[0]}); {WANTED}"
        )
    return [rank[synset] for synset in people]


def check_classes(classes: Any, outputs: int, name: str) -> tuple[str, ...]:
    """The class list of a fine-tuned network; exits unless it names each output with a person category."""
    if not isinstance(classes, list | tuple) or not all(isinstance(synset, str) for synset in classes):
        raise SystemExit(f"{name}: 'classes' must be a list of synset ids")
    strangers = sorted(set(classes) - set(person_synsets()))
    if strangers:
        raise SystemExit(
            f"{name}: {len(strangers)} of its {len(classes)} classes are no person category, "
            f"the first is {strangers[0][:40]!r}"
        )
    if len(set(classes)) != len(classes) or len(classes) != outputs:
        raise SystemExit(
            f"{name}: must name each of its {outputs} outputs once, found {len(classes)} classes, "
            f"{len(set(classes))} of them different"
        )
    return tuple(classes)


def _class_order(outputs: int, name: str, people: Sequence[str]) -> list[str]:
    if outputs in WINTER_2021:
        raise SystemExit(
            f"{name}: has {outputs:,} outputs, the head of ImageNet's winter 2021 release, "
            f"which lost most person categories; {WANTED}"
        )
    subset = timm.data.infer_imagenet_subset({"num_classes": outputs})
    if subset is None:
        raise SystemExit(f"{name}: has {outputs:,} outputs, which is no version of ImageNet's head; {WANTED}")
    order = timm.data.ImageNetInfo(subset).label_names()
    if outputs not in FULL:
        found = len(set(people) & set(order))
        raise SystemExit(
            f"{name}: has {outputs:,} outputs ({subset}), "
            f"with only {found:,} of the {len(people):,} person categories; {WANTED}"
        )
    return order
