"""How a frame is shown: which part of it, where on the screen, mirrored or not. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from kiosk.messages import Box


@dataclass(frozen=True)
class Rect:
    """Pixels of the screen: top left, width, height."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """X of the first column beside it."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """Y of the first row below it."""
        return self.y + self.height

    def overlap(self, other: Rect) -> int:
        """Shared area, square pixels."""
        width = min(self.right, other.right) - max(self.x, other.x)
        height = min(self.bottom, other.bottom) - max(self.y, other.y)
        return max(0, width) * max(0, height)

    def contains(self, other: Rect) -> bool:
        """Whether all of `other` lies inside."""
        return (
            self.x <= other.x
            and self.y <= other.y
            and other.right <= self.right
            and other.bottom <= self.bottom
        )

    def distance(self, other: Rect) -> int:
        """The wider of the gaps between the columns and between the rows, pixels; 0 where they touch."""
        across = max(other.x - self.right, self.x - other.right)
        down = max(other.y - self.bottom, self.y - other.bottom)
        return max(0, across, down)

    def grown(self, margin: int) -> Rect:
        """The same with `margin` pixels more on every side."""
        return Rect(self.x - margin, self.y - margin, self.width + 2 * margin, self.height + 2 * margin)

    def joined(self, other: Rect) -> Rect:
        """The smallest that holds both."""
        x, y = min(self.x, other.x), min(self.y, other.y)
        return Rect(x, y, max(self.right, other.right) - x, max(self.bottom, other.bottom) - y)

    def nearest(self, x: int, y: int, size_wh: tuple[int, int]) -> Rect:
        """A rectangle of a size as near to (x, y) as fits inside; at the top left where it cannot."""
        width, height = size_wh
        return Rect(
            max(self.x, min(x, self.right - width)), max(self.y, min(y, self.bottom - height)), width, height
        )


@dataclass(frozen=True)
class View:
    """How a frame is shown: scaled, cut or bordered, and mirrored."""

    frame_wh: tuple[int, int]
    screen_wh: tuple[int, int]
    fit: str
    """cover or contain."""
    mirror: bool

    @property
    def scale(self) -> float:
        """Screen pixels for a pixel of the frame."""
        ratios = (self.screen_wh[0] / self.frame_wh[0], self.screen_wh[1] / self.frame_wh[1])
        return max(ratios) if self.fit == "cover" else min(ratios)

    @property
    def source(self) -> tuple[int, int, int, int]:
        """What of the frame is seen: x0, y0, x1, y1 in its pixels, about its middle."""
        width, height = self.frame_wh
        seen_w = min(width, max(1, round(self.screen_wh[0] / self.scale)))
        seen_h = min(height, max(1, round(self.screen_wh[1] / self.scale)))
        x0, y0 = (width - seen_w) // 2, (height - seen_h) // 2
        return x0, y0, x0 + seen_w, y0 + seen_h

    @property
    def target(self) -> Rect:
        """Where on the screen it is seen."""
        x0, y0, x1, y1 = self.source
        width = min(self.screen_wh[0], max(1, round((x1 - x0) * self.scale)))
        height = min(self.screen_wh[1], max(1, round((y1 - y0) * self.scale)))
        if self.fit == "cover":
            width, height = self.screen_wh
        return Rect((self.screen_wh[0] - width) // 2, (self.screen_wh[1] - height) // 2, width, height)

    def rect(self, box: Box) -> Rect:
        """A box of the frame on the screen, mirrored with the picture; it may stick out."""
        x0, y0, x1, y1 = self.source
        target = self.target
        scale_x, scale_y = target.width / (x1 - x0), target.height / (y1 - y0)
        left, right = (x1 - box.x1, x1 - box.x0) if self.mirror else (box.x0 - x0, box.x1 - x0)
        x, y = round(target.x + left * scale_x), round(target.y + (box.y0 - y0) * scale_y)
        # Each side is rounded by itself: a width rounded by itself would put the right side a pixel off.
        x1, y1 = round(target.x + right * scale_x), round(target.y + (box.y1 - y0) * scale_y)
        return Rect(x, y, x1 - x, y1 - y)

    def shows(self, rect: Rect) -> bool:
        """Whether the middle of a rectangle of the screen lies in the picture."""
        target = self.target
        x, y = rect.x + rect.width // 2, rect.y + rect.height // 2
        return target.x <= x < target.right and target.y <= y < target.bottom
