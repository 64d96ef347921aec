"""What a run without a screen tells: a line whenever a visitor's caption changes. Of passers-by nothing."""

from __future__ import annotations

import json

from kiosk.messages import SCENE_ID, Caption, Scene


class Teller:
    """For a source that shows no passer-by: a label of one on a disk is a label stored."""

    def __init__(self, start: float) -> None:
        """`start` is monotonic: the lines count from it."""
        self._start = start
        self._told: dict[int, dict[str, str]] = {}

    def lines(self, scene: Scene) -> list[str]:
        """What has changed since the scene before, a JSON object each."""
        seconds = round(scene.captured_at - self._start, 2)
        captions = [caption for caption in scene.captions if caption.track_id != SCENE_ID]
        said = {caption.track_id: _said(caption) for caption in captions}
        lines = [
            json.dumps({"t": seconds, "visitor": id_, **words}, ensure_ascii=False)
            for id_, words in said.items()
            if self._told.get(id_) != words
        ]
        self._told = said
        return lines


def _said(caption: Caption) -> dict[str, str]:
    """What is told of a caption: the word, or why it is withheld."""
    if caption.entry is None:
        return {"withheld": str(caption.withheld)}
    return {"synset": caption.entry.synset, "label": caption.entry.label}
