from __future__ import annotations

from dataclasses import replace

import numpy as np
import pygame
import pytest

from kiosk.messages import SCENE_ID, Box, Caption, Definition, Entry, Frame, Image, Scene
from kiosk.screen import texts
from kiosk.screen.attract import Procession
from kiosk.screen.draw import Canvas, Card, offscreen, paint_picture
from kiosk.screen.look import Look, Network
from kiosk.screen.sheets import CAPTIONS, Printer
from kiosk.screen.theme import theme
from kiosk.screen.typeset import Paragraph, Span
from kiosk.sections import DisplayConfig, WallConfig

SILENT = WallConfig(warning="", note="", idle="")
NETWORK = Network(2833, "")
BLUE, RED, GREEN, ACCENT = (255, 0, 0), (0, 0, 255), (0, 255, 0), (0x14, 0xFF, 0x39)
SWOT = Entry(
    "n10684630",
    ("swot", "grind", "nerd", "wonk", "dweeb"),
    "an insignificant student who is ridiculed as being affected or boringly studious",
    ("learner", "person"),
    Definition("grind", "A student that studies hard; a dig; a wonk.", True, "Webster 1913"),
    "AS. grindan; perh. akin to L. frendere to gnash, grind",
    "Webster 1913",
)


@pytest.fixture(autouse=True)
def fonts() -> None:
    pygame.font.init()


def uniform(colour: tuple[int, int, int], width: int = 1280, height: int = 720) -> Image:
    return np.full((height, width, 3), colour, np.uint8)


def halves(width: int = 1280, height: int = 720) -> Image:
    """Blue at the left, red at the right."""
    image = uniform(RED, width, height)
    image[:, : width // 2] = BLUE
    return image


def paint(
    image: Image,
    captions: tuple[Caption, ...] = (),
    size_wh: tuple[int, int] = (1280, 720),
    wall: WallConfig = SILENT,
    fit: str = "cover",
    mirror: bool = True,
) -> Image:
    looks = look(wall, fit=fit, mirror=mirror)
    return paint_picture(Frame(image, 0, 0.0), captions, size_wh, looks)


def look(wall: WallConfig = SILENT, network: Network = NETWORK, still: bool = True, **display) -> Look:
    language = texts.load(wall.language)
    return Look(DisplayConfig(**display), wall, language, network, still=still)


def scene(*captions: Caption, at: float = 0.0, anybody: bool = True) -> Scene:
    return Scene(0, at, captions, anybody)


def pixels(surface: pygame.Surface) -> Image:
    return np.ascontiguousarray(np.asarray(pygame.surfarray.array3d(surface)).transpose(1, 0, 2)[:, :, ::-1])


def where(picture: Image, colour: tuple[int, int, int]) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of all that has a colour; the last two exclusive."""
    rows, columns = np.nonzero((picture == colour).all(axis=2))
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


def test_a_blue_left_pixel_in_is_a_blue_right_pixel_out() -> None:
    picture = paint(halves())
    assert tuple(picture[0, 0]) == RED
    assert tuple(picture[0, -1]) == BLUE
    assert (picture == halves()[:, ::-1]).all()


def test_without_the_mirror_left_stays_left() -> None:
    assert (paint(halves(), mirror=False) == halves()).all()


def test_a_picture_is_the_same_at_another_size() -> None:
    picture = paint(halves(), size_wh=(1920, 1080))
    assert picture.shape == (1080, 1920, 3)
    assert (picture[:, :955] == RED).all()
    assert (picture[:, 965:] == BLUE).all()


def test_text_is_not_mirrored() -> None:
    box = Box(600, 300, 680, 400)
    caption = Caption(1, box, SWOT, 0.031)
    mirrored = paint(uniform((90, 90, 90)), (caption,))
    mirrored_box = Caption(1, Box(1280 - 680, 300, 1280 - 600, 400), SWOT, 0.031)
    plain = paint(uniform((90, 90, 90)), (mirrored_box,), mirror=False)
    assert (mirrored == plain).all()
    assert (mirrored != mirrored[:, ::-1]).any()


@pytest.mark.parametrize("mirror", [False, True])
def test_the_box_is_a_thin_line_exactly_round_the_face(mirror: bool) -> None:
    box = Box(200, 300, 280, 400)
    picture = paint(uniform((90, 90, 90)), (Caption(1, box, SWOT, 0.031),), (1920, 1080), mirror=mirror)
    x0, x1 = ((1280 - 280) * 1.5, (1280 - 200) * 1.5) if mirror else (200 * 1.5, 280 * 1.5)
    left, right, top, bottom, line = round(x0), round(x1), 450, 600, 3
    on_line = (picture[top:bottom, left:right] == ACCENT).all(axis=2)
    inside = on_line[line:-line, line:-line]
    assert on_line.sum() == on_line.size - inside.size
    assert not inside.any()
    assert (picture[bottom:, left:right] != ACCENT).any(axis=2).all()


def test_the_plate_stands_on_the_box_at_its_left() -> None:
    picture = paint(uniform((90, 90, 90)), (Caption(1, Box(600, 300, 680, 400), SWOT, 0.031),), mirror=False)
    row = (picture[299, :, :] == ACCENT).all(axis=1)
    assert row[600]
    assert not row[599]


def test_cover_cuts_the_sides_and_contain_leaves_black_borders() -> None:
    striped = uniform(GREEN)
    striped[:, :100], striped[:, -100:] = BLUE, RED
    covered = paint(striped, size_wh=(1080, 1920))
    assert (covered == GREEN).all()
    contained = paint(striped, size_wh=(1080, 1920), fit="contain")
    assert (contained[:656] == 0).all()
    assert (contained[656 + 608 :] == 0).all()
    assert tuple(contained[960, 0]) == RED
    assert tuple(contained[960, -1]) == BLUE


def test_contain_leaves_black_borders_at_the_sides_of_a_portrait_frame() -> None:
    contained = paint(uniform(GREEN, 720, 1280), size_wh=(1920, 1080), fit="contain")
    assert where(contained, GREEN) == (656, 0, 656 + 608, 1080)
    assert (contained[:, :656] == 0).all()
    assert (contained[:, 656 + 608 :] == 0).all()


def test_without_a_frame_no_pixel_of_the_visitor_is_left() -> None:
    surface = pygame.Surface((1280, 720), depth=32)
    canvas = Canvas(surface, look(WallConfig(), still=False))
    red = scene(Caption(1, Box(600, 300, 680, 400), SWOT, 0.031))
    for tenth in range(10):
        canvas.paint(Frame(uniform(RED), 0, 0.0), red, tenth / 10)
    assert (pixels(surface)[:, :, 2] == 255).sum() > 100_000
    canvas.paint(None, None, 1.0)
    once = pixels(surface)
    reddish = once[:, :, 2].astype(int) - once[:, :, 1]
    assert reddish.max() < 30
    blank = pygame.Surface((1280, 720), depth=32)
    fresh = Canvas(blank, look(WallConfig(), still=False))
    for tenth in range(10):
        fresh.paint(None, None, tenth / 10)
        canvas.paint(None, None, 1 + tenth / 10)
    assert (pixels(blank) == pixels(surface)).all()
    canvas.paint(None, None, 3.0, Card.BLACK)
    assert not pixels(surface).any()


def test_the_picture_of_before_does_not_shine_through_the_borders() -> None:
    surface = pygame.Surface((1080, 1920), depth=32)
    canvas = Canvas(surface, look(fit="contain"))
    canvas.paint(Frame(uniform(RED, 720, 1280), 0, 0.0), scene(), 0.0)
    canvas.paint(Frame(uniform(GREEN), 1, 0.1), scene(), 0.1)
    assert not (pixels(surface) == RED).all(axis=2).any()


def test_the_frame_is_left_as_it_was_and_read_only() -> None:
    image = halves()
    before = image.copy()
    frame = Frame(image, 0, 0.0)
    caption = Caption(1, Box(600, 300, 680, 400), SWOT, 0.031)
    for mirror in (True, False):
        paint_picture(frame, (caption,), (1280, 720), look(WallConfig(), mirror=mirror))
    assert (frame.image == before).all()
    assert not frame.image.flags.writeable


def test_a_visitor_in_the_part_that_is_cut_off_gets_no_plate() -> None:
    grey = uniform((90, 90, 90))
    outside = Caption(1, Box(20, 300, 100, 400), SWOT, 0.031)
    assert (paint(grey, (outside,), (1080, 1920)) == (90, 90, 90)).all()


def test_a_box_that_sticks_out_is_drawn_as_far_as_it_is_seen() -> None:
    picture = paint(uniform((90, 90, 90)), (Caption(1, Box(-40, -50, 160, 200), SWOT, 0.031),), mirror=False)
    assert tuple(picture[100, 159]) == ACCENT
    assert tuple(picture[100, 0]) == (90, 90, 90)


def test_the_label_of_the_scene_stands_at_the_upper_left_of_the_picture() -> None:
    caption = Caption(SCENE_ID, None, SWOT, 0.031)
    left, top, _, _ = where(paint(uniform((90, 90, 90)), (caption,)), ACCENT)
    assert (left, top) == (9, 9)
    contained = paint(uniform((90, 90, 90)), (caption,), (1080, 1920), fit="contain")
    left, top, _, _ = where(contained, ACCENT)
    assert (left, top) == (14, 656 + 14)


def test_with_nobody_there_the_idle_text_stands_in_the_middle() -> None:
    grey, wall = uniform((90, 90, 90)), WallConfig(warning="", note="", idle="Step in front.")
    picture = paint_nobody(grey, (1280, 720), wall)
    rows, columns = np.nonzero((picture != (90, 90, 90)).any(axis=2))
    assert (columns.min() + columns.max()) / 2 == pytest.approx(640, abs=2)
    assert (rows.min() + rows.max()) / 2 == pytest.approx(360, abs=2)
    spoken = paint(grey, (Caption(1, Box(20, 300, 100, 400), SWOT, 0.031),), wall=wall)
    assert (spoken[300:420, 560:720] == (90, 90, 90)).all()


@pytest.mark.parametrize("size_wh", [(1920, 1080), (1080, 1920), (1280, 720), (3840, 2160)])
def test_the_footer_is_wide_and_low(size_wh: tuple[int, int]) -> None:
    picture = paint(uniform((90, 90, 90)), (), size_wh, WallConfig())
    rows, columns = np.nonzero((picture != (90, 90, 90)).any(axis=2))
    assert (columns.min(), columns.max()) == (0, size_wh[0] - 1)
    assert rows.max() == size_wh[1] - 1
    assert rows.min() > 0.85 * size_wh[1]
    assert (picture[rows.min() :].max(axis=2) > 190).sum() > 500


def test_a_venue_without_words_has_no_footer() -> None:
    assert (paint(uniform((90, 90, 90))) == (90, 90, 90)).all()


def test_what_is_said_of_the_network_and_the_notice_stand_in_the_footer() -> None:
    def footer(network: Network, notice: str) -> Image:
        surface = pygame.Surface((1280, 720), depth=32)
        looks = replace(look(network=network), footnotes=((notice,),))
        Canvas(surface, looks).paint(Frame(uniform(GREEN), 0, 0.0), scene(), 0.0)
        return pixels(surface)

    assert (footer(Network(10, ""), "") == GREEN).all()
    one, two = footer(Network(10, "A stand-in."), ""), footer(Network(10, "A stand-in."), "A demonstration.")
    assert 0 < (one != GREEN).any(axis=(1, 2)).sum() < (two != GREEN).any(axis=(1, 2)).sum()


def test_sheets_are_used_again_and_do_not_pile_up() -> None:
    surface = pygame.Surface((1280, 720), depth=32)
    canvas = Canvas(surface, look())
    frame, box = Frame(uniform((90, 90, 90)), 0, 0.0), Box(600, 300, 680, 400)
    caption = Caption(1, box, SWOT, 0.031)
    canvas.paint(frame, scene(caption), 0.0)
    first = pixels(surface)
    canvas.paint(frame, scene(Caption(1, box, SWOT, 0.0312)), 0.1)
    assert canvas.remembered == 1
    assert (pixels(surface) == first).all()
    for at in range(500):
        entry = Entry(f"n{at:08}", (f"word {at}",), f"gloss {at}", ("person",), None, None, None)
        canvas.paint(frame, scene(Caption(1, box, entry, 0.5)), 1.0 + at)
    assert canvas.remembered == CAPTIONS
    canvas.paint(frame, scene(at=999.0), 999.0)
    canvas.paint(frame, scene(caption, at=1000.0), 1000.0)
    assert (pixels(surface) == first).all()


def test_more_visitors_than_are_remembered_are_all_labelled() -> None:
    captions = []
    for at in range(CAPTIONS + 8):
        entry = Entry(f"n{at:08}", (f"w{at}",), "gloss", ("person",), None, None, None)
        x, y = 20 + 120 * (at % 10), 80 + 150 * (at // 10)
        captions.append(Caption(at + 1, Box(x, y, x + 30, y + 40), entry, 0.5))
    picture = paint(uniform((90, 90, 90)), tuple(captions), mirror=False)
    for caption in captions:
        assert caption.box is not None
        assert tuple(picture[int(caption.box.y0), int(caption.box.x0)]) == ACCENT


def test_set_text_is_no_wider_than_its_column_in_the_real_fonts() -> None:
    printer, look = Printer(), theme(DisplayConfig(), (1920, 1080))
    text = " ".join(
        (SWOT.gloss, SWOT.etymology or "", "ὑποκριτής fr. ὑποκρίνεσθαι, AVATAR WAVE To. Ty. fi ffl")
    )
    for width in range(200, 700, 37):
        for style in (look.body, look.aside, look.headword, look.voice):
            block = printer.set([Paragraph((Span(text, style),))], width)
            assert block.width <= width


@pytest.mark.parametrize("text", ["\u00ad", "\u200b", "\x00", "\ud800", " ", "😀"])
def test_a_venues_text_that_cannot_be_drawn_does_not_take_the_piece_down(text: str) -> None:
    wall = WallConfig(warning=text, note="Nothing is stored.", idle=text)
    picture = paint_nobody(uniform(GREEN), (1280, 720), wall)
    assert (picture != GREEN).any()


def paint_nobody(image: Image, size_wh: tuple[int, int], wall: WallConfig, *, anybody: bool = False) -> Image:
    surface = offscreen(size_wh)
    Canvas(surface, look(wall)).paint(Frame(image, 0, 0.0), scene(anybody=anybody), 0.0)
    return pixels(surface)


def test_the_idle_text_is_for_nobody_and_not_for_a_visitor_of_whom_nothing_is_said() -> None:
    grey, wall = uniform((90, 90, 90)), WallConfig(warning="", idle="Step in front.")
    assert len(np.unique(paint_nobody(grey, (640, 360), wall, anybody=True))) == 1
    assert len(np.unique(paint_nobody(grey, (640, 360), wall))) > 10


def test_no_word_is_remembered_when_the_last_visitor_has_left() -> None:
    canvas = Canvas(offscreen((640, 360)), look(WallConfig(), still=False))
    frame = Frame(uniform((90, 90, 90)), 0, 0.0)
    canvas.paint(frame, scene(Caption(1, Box(600, 300, 680, 400), SWOT, 0.031)), 0.0)
    assert canvas.remembered == 1
    canvas.paint(frame, scene(at=0.1), 0.1)
    assert canvas.remembered == 0


class Wall:
    """A canvas on which nothing is still, painted on a virtual clock."""

    def __init__(self, wall: WallConfig = SILENT, **display) -> None:
        self.surface = offscreen((1280, 720))
        self.canvas = Canvas(self.surface, look(wall, still=False, **display))

    def paint(self, now: float, *captions: Caption, at: float | None = None) -> Image:
        frame = Frame(uniform((90, 90, 90)), 0, now)
        self.canvas.paint(frame, scene(*captions, at=now if at is None else at), now)
        return pixels(self.surface)


def accent(picture: Image) -> int:
    return int((picture == ACCENT).all(axis=2).sum())


def test_a_caption_comes_and_goes_softly_and_leaves_nothing() -> None:
    wall, caption = Wall(mirror=False), Caption(1, Box(600, 300, 680, 400), SWOT, 0.031)
    first = wall.paint(0.0, caption)
    assert (first == (90, 90, 90)).all()
    half = wall.paint(0.1, caption)
    assert (half != (90, 90, 90)).any() and not accent(half)
    full = wall.paint(0.5, caption)
    assert accent(full) > 2000
    leaving = wall.paint(0.6)
    assert not accent(leaving) and (leaving != (90, 90, 90)).any()
    assert (wall.paint(0.8) == (90, 90, 90)).all()


def test_a_percent_that_changes_makes_nothing_fade() -> None:
    wall, box = Wall(mirror=False), Box(600, 300, 680, 400)
    for tenth in range(10):
        wall.paint(tenth / 10, Caption(1, box, SWOT, 0.031))
    before = accent(wall.surface and pixels(wall.surface))
    after = wall.paint(1.0, Caption(1, box, SWOT, 0.47))
    assert accent(after) == before
    assert before > 2000


def test_a_box_and_its_plate_go_along_between_two_looks() -> None:
    wall = Wall(mirror=False)
    lefts = []
    for frame in range(60):
        look_at = frame // 6 * 6
        x = 200 + 5 * look_at
        picture = wall.paint(frame / 30, Caption(1, Box(x, 300, x + 80, 400), SWOT, 0.031), at=look_at / 30)
        if frame > 30:
            lefts.append(where(picture[200:300], ACCENT)[0])
    steps = np.diff(lefts)
    assert steps.min() >= 0 and steps.max() <= 15, "every frame a little, not every look a lot"
    assert lefts[-1] - lefts[0] == pytest.approx(5 * len(steps), abs=25)


def test_two_languages_take_turns() -> None:
    wall = Wall(WallConfig(language="en, de", turn=10, note="", idle=""), mirror=False)
    caption = Caption(1, Box(600, 300, 680, 400), SWOT, 0.031)
    seen = [[wall.paint(second + tenth / 10, caption) for tenth in range(10)][-1] for second in range(31)]
    assert (seen[5] == seen[9]).all()
    assert (seen[5] != seen[15]).any(axis=2).mean() > 0.01
    assert (seen[5] == seen[25]).all()


@pytest.mark.parametrize("size_wh", [(1280, 720), (720, 1280)])
def test_a_footer_of_many_words_leaves_the_mirror_free(size_wh: tuple[int, int]) -> None:
    wall = WallConfig(note="Nothing is stored. " * 31, idle="")
    surface = offscreen(size_wh)
    Canvas(surface, look(wall, text_scale=3)).paint(Frame(uniform(GREEN, *size_wh), 0, 0.0), scene(), 0.0)
    untouched = (pixels(surface) == GREEN).all(axis=(1, 2)).sum()
    assert untouched >= 0.69 * size_wh[1]


@pytest.mark.parametrize("card", [Card.OPENING, Card.RESTING])
def test_every_card_has_its_words(card: Card) -> None:
    surface = offscreen((1280, 720))
    Canvas(surface, look()).paint(None, None, 0.0, card)
    assert (pixels(surface).max(axis=2) > 190).sum() > 300


WORDS = tuple(
    Entry(f"n{at:08}", (f"word {at}",), "somebody of that kind", ("person",), None, None, None)
    for at in range(5)
)
LABEL = Caption(SCENE_ID, None, SWOT, 0.031)


class EmptyRoom:
    """A canvas painted on a virtual clock, ten times a second, with nobody there unless it is said."""

    def __init__(self, after: float = 5.0, idle: str = "Step in front.", words=WORDS, **display) -> None:
        self.surface, self.image = offscreen((320, 180)), uniform((90, 90, 90), 320, 180)
        wall = WallConfig(warning="", note="", idle=idle, attract_after=after)
        self.canvas = Canvas(self.surface, replace(look(wall, still=False, **display), words=words))
        self.tenths = 0

    def stay(self, seconds: float, *captions: Caption, anybody: bool = False, known: bool = True) -> Image:
        for _ in range(round(10 * seconds)):
            self.tenths += 1
            now = self.tenths / 10
            frame = Frame(self.image, self.tenths, now)
            seen = scene(*captions, at=now, anybody=anybody) if known else None
            self.canvas.paint(frame, seen, now)
        return pixels(self.surface)


def bare(picture: Image) -> bool:
    return bool((picture == (90, 90, 90)).all())


def test_with_nobody_there_for_a_while_words_pass_by_and_the_idle_text_gives_way() -> None:
    room, mute = EmptyRoom(shift=False), EmptyRoom(idle="", shift=False)
    assert (room.stay(4.5) != mute.stay(4.5)).any()
    assert bare(mute.stay(0.4))
    room.stay(0.4)
    with_idle, without = room.stay(3), mute.stay(3)
    assert accent(without) > 50
    assert (with_idle == without).all()


def test_the_scenes_label_gives_way_to_the_words_also_between_two() -> None:
    room, mute = EmptyRoom(), EmptyRoom(idle="")
    assert accent(room.stay(4.5, LABEL)) > 50
    room.stay(3, LABEL), mute.stay(7.5)
    for _ in range(20):
        assert (room.stay(0.5, LABEL) == mute.stay(0.5)).all()


def test_there_is_a_moment_of_the_bare_room_between_two_words() -> None:
    room = EmptyRoom(idle="")
    seen = [bare(room.stay(0.1)) for _ in range(300)]
    after = seen[seen.index(False) :]
    assert 0.6 < 1 - np.mean(after) < 0.95


def test_the_words_are_gone_three_tenths_of_a_second_after_somebody_came() -> None:
    room = EmptyRoom(idle="")
    assert accent(room.stay(8)) > 50
    room.stay(0.1, anybody=True)
    assert not accent(room.stay(0.1, anybody=True))
    assert bare(room.stay(0.2, anybody=True))
    assert bare(room.stay(4.9))


def test_while_it_is_not_known_whether_anybody_is_there_no_words_pass_by() -> None:
    room = EmptyRoom(idle="")
    assert bare(room.stay(20, known=False))
    assert bare(room.stay(20, anybody=True))
    room.stay(8)
    room.canvas.paint(None, None, 48.1)
    assert not pixels(room.surface).any()
    # After a pause nobody knows who was there meanwhile.
    assert all(bare(room.stay(0.5)) for _ in range(9))


def test_a_venue_that_wants_no_words_has_the_idle_text_for_good() -> None:
    never, empty = EmptyRoom(after=0), EmptyRoom(words=())
    first = never.stay(2)
    assert not bare(first)
    assert (never.stay(50) == first).all()
    assert (empty.stay(52) == first).all()


def test_the_words_of_two_canvases_are_one_procession() -> None:
    procession = Procession(7)
    looks = replace(look(WallConfig(warning="", idle="", attract_after=1), still=False), words=WORDS)
    pictures = []
    for later in (0.0, 100.0):
        surface = offscreen((320, 180))
        canvas = Canvas(surface, looks, procession)
        for tenth in range(40):
            now = later + tenth / 10
            canvas.paint(Frame(uniform((90, 90, 90), 320, 180), 0, now), scene(at=now, anybody=False), now)
        pictures.append(pixels(surface))
    assert (pictures[0] != pictures[1]).any(), "the second goes on with another word"


def test_the_scenes_label_is_moved_by_a_pixel_or_two_and_a_visitors_is_not() -> None:
    def lefts(caption: Caption, **display) -> set[int]:
        room = EmptyRoom(after=0, mirror=False, **display)
        found = set()
        for minute in range(16):
            room.tenths = 600 * minute
            found.add(where(room.stay(1, caption, anybody=caption.box is not None), ACCENT)[0])
        return found

    still = lefts(LABEL, shift=False)
    assert len(still) == 1
    left = still.pop()
    assert lefts(LABEL) == {left - 2, left - 1, left, left + 1, left + 2}
    assert len(lefts(Caption(1, Box(150, 75, 170, 100), SWOT, 0.031))) == 1
