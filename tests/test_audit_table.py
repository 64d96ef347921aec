from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiosk.audit.table import BANDS, MAX_VALUES, NOT_STATED, Choice, clean, fitzpatrick, read
from kiosk.errors import InputError, UsageError

LIGHT, DARK = BANDS


def written(folder: Path, content: bytes | str) -> Path:
    path = folder / "table.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_each_line_has_its_picture_and_its_group(tmp_path: Path) -> None:
    path = written(tmp_path, "path,skin,gender\na.jpg,dark,female\nsub/b.png,light,male\n")
    table = read(path, Choice(("gender", "skin")))
    assert (table.columns, table.lines) == (("gender", "skin"), 2)
    assert [(line.number, line.picture, line.cell) for line in table] == [
        (2, tmp_path / "a.jpg", ("female", "dark")),
        (3, tmp_path / "sub" / "b.png", ("male", "light")),
    ]


def test_a_table_like_that_of_the_pilot_parliaments_works_as_it_is(tmp_path: Path) -> None:
    # Lines end as on an old Mac, values are in capitals or not, and the pictures lie in a folder beside it.
    (tmp_path / "imgs").mkdir()
    (tmp_path / "imgs" / "img1.jpg").touch()
    path = written(
        tmp_path,
        "id,Img Name,Gender,numeric,Skin Color,Country\r"
        "1,img1.jpg,Male,0,Darker,Rwanda\r"
        "2,img2.jpg,female,1,lighter,Iceland\r"
        "3,img3.jpg,male,0,darker ,Rwanda\r",
    )
    table = read(path, Choice(("Skin Color", "gender")))
    assert table.columns == ("Skin Color", "Gender")
    assert [line.cell for line in table] == [("Darker", "Male"), ("lighter", "female"), ("Darker", "Male")]
    assert next(iter(table)).picture == tmp_path / "imgs" / "img1.jpg"


def test_skin_types_are_put_into_two_bands(tmp_path: Path) -> None:
    path = written(tmp_path, "skin,path\n1,a.jpg\nIII,b.jpg\ntype iv,c.jpg\n6.0,d.jpg\n,e.jpg\n")
    table = read(path, Choice(("skin",), ("Skin",)))
    assert table.columns == ("skin",)
    assert [line.cell[0] for line in table] == [LIGHT, LIGHT, DARK, DARK, NOT_STATED]


def test_each_skin_type_has_its_band() -> None:
    assert [fitzpatrick(text) for text in "123456"] == [LIGHT] * 3 + [DARK] * 3
    assert [fitzpatrick(text) for text in ("I", "ii", "III", "IV", "v", "VI")] == [LIGHT] * 3 + [DARK] * 3
    assert {fitzpatrick(text) for text in ("", "0", "7", "VII", "IIII", "dark", "1.5", "16")} == {""}


def test_what_is_no_skin_type_gets_a_line_each(tmp_path: Path) -> None:
    path = written(tmp_path, "path,skin\na.jpg,dark\nb.jpg,2\nc.jpg,VII\n")
    with pytest.raises(InputError) as caught:
        read(path, Choice(fitzpatrick=("skin",)))
    assert str(caught.value).splitlines() == [
        f"{path}:2: skin: must be a Fitzpatrick type, 1 to 6 or I to VI, not 'dark'",
        f"{path}:4: skin: must be a Fitzpatrick type, 1 to 6 or I to VI, not 'VII'",
    ]


@pytest.mark.parametrize(
    "content",
    [
        "path;skin\na,b.jpg;dark\n",
        "path\tskin\na,b.jpg\tdark\n",
        '\ufeffpath,skin\r\n"a,b.jpg",dark\r\n',
        '\n\npath,skin\n\n"a,b.jpg", dark\n,\n',
    ],
)
def test_the_forms_of_csv_that_spreadsheets_write_are_read(tmp_path: Path, content: str) -> None:
    (line,) = read(written(tmp_path, content), Choice(("skin",)))
    assert (line.picture.name, line.cell) == ("a,b.jpg", ("dark",))


def test_a_path_that_is_no_utf_8_finds_its_file(tmp_path: Path) -> None:
    raw = "Zoë.jpg".encode("latin-1")
    (line,) = read(written(tmp_path, b"path,who\n" + raw + b"," + raw + b"\n"), Choice(("who",)))
    assert bytes(line.picture).endswith(raw)
    assert line.cell == ("Zo\ufffd.jpg",)


def test_an_unknown_column_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    path = written(tmp_path, "path,skin,gender\na.jpg,dark,female\n")
    for choice in (Choice(("gendre",)), Choice(picture="gendre"), Choice(fitzpatrick=("gendre",))):
        with pytest.raises(UsageError) as caught:
            read(path, choice)
        assert str(caught.value) == (
            f"{path}: no column 'gendre'. Did you mean 'gender'? There are path, skin, gender"
        )


def test_two_columns_of_one_name_are_told(tmp_path: Path) -> None:
    path = written(tmp_path, "path,skin,Skin,skin\na.jpg,1,2,3\n")
    with pytest.raises(UsageError, match="2 columns are called 'skin'"):
        read(path, Choice(("skin",)))
    assert read(path, Choice(("Skin",))).columns == ("Skin",)


def test_a_column_of_names_makes_no_groups(tmp_path: Path) -> None:
    path = written(
        tmp_path, "path,name\n" + "".join(f"{at}.jpg,person {at}\n" for at in range(MAX_VALUES + 1))
    )
    with pytest.raises(UsageError, match=f"--group name: has more than {MAX_VALUES} values"):
        read(path, Choice(("name",)))


def test_more_columns_than_anybody_can_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at most 3 columns at a time, not 4"):
        read(written(tmp_path, "path,a,b,c,d\nx.jpg,1,2,3,4\n"), Choice(tuple("abcd")))


@pytest.mark.parametrize("content", ["", "\n\n", ",,\n"])
def test_an_empty_table_is_told(tmp_path: Path, content: str) -> None:
    with pytest.raises(InputError, match="whose first line names its columns"):
        read(written(tmp_path, content), Choice())


def test_a_table_without_pictures_is_told(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match="no column holds paths to pictures; name it: --picture COLUMN, one of a, b"
    ):
        read(written(tmp_path, "a,b\n1,2\n"), Choice())
    (line,) = read(written(tmp_path, "a,b\n1,2\n"), Choice(picture="b", root=Path("/photos")))
    assert line.picture == Path("/photos/2")


def test_a_table_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read(tmp_path / "none.csv", Choice())
    with pytest.raises(InputError, match="must be a file"):
        read(tmp_path, Choice())
    with pytest.raises(InputError, match=r"table.csv:2: must be a table in CSV"):
        read(written(tmp_path, f"path\na.jpg,{'x' * 200_000}\n"), Choice())


def test_a_short_line_has_a_problem_and_the_others_go_on(tmp_path: Path) -> None:
    path = written(tmp_path, "path,skin\na.jpg,dark\nb.jpg\n ,dark\nc\0.jpg,dark\nd.jpg,dark\n")
    table = read(path, Choice(("skin",)))
    lines = list(table)
    assert table.lines == len(lines) == 5
    assert [line.number for line in lines if line.problem] == [3, 4, 5]
    assert {line.problem for line in lines[1:4]} == {
        f"{path}:{number}: must have a path to a picture and every column" for number in (3, 4, 5)
    }


def test_a_line_with_more_cells_than_the_first_is_in_no_group(tmp_path: Path) -> None:
    path = written(tmp_path, "path,town,skin\na.jpg,Ulm,dark,\nb.jpg,Paris, Texas,light\nc.jpg,Ulm,light\n")
    table = read(path, Choice(("skin",)))
    one, moved, other = table
    assert moved.problem == f"{path}:3: must have 3 columns as the first line, not 4"
    assert (one.problem, one.cell) == ("", ("dark",)), "a last delimiter moves nothing"
    assert other.cell == ("light",)
    assert table.spellings == ({"dark": "dark", "light": "light"},)


def test_a_table_in_utf_16_is_told_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    for encoding in ("utf-16", "utf-16-le"):
        path.write_bytes("path,skin\na.jpg,dark\n".encode(encoding))
        with pytest.raises(InputError, match="must be a table in CSV as UTF-8; this looks like UTF-16"):
            read(path, Choice())


def test_another_table_has_another_digest(tmp_path: Path) -> None:
    first = read(written(tmp_path, "path\na.jpg\n"), Choice()).digest
    assert read(written(tmp_path, "path\nb.jpg\n"), Choice()).digest != first


@given(st.text(max_size=200))
def test_a_value_is_one_short_line_that_can_be_printed(text: str) -> None:
    cleaned = clean(text)
    assert cleaned.isprintable()
    assert len(cleaned) <= 60
    assert clean(cleaned) == cleaned
