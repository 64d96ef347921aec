from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

from kiosk.trust import landlock
from tests.sealed import told

RESTRICT = """
kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
text = landlock.restrict((), abstract_sockets=False)
"""


def test_only_device_nodes_may_be_written_to_and_no_file_below_dev() -> None:
    nodes = list(landlock.nodes())
    assert {Path("/dev/null"), Path("/dev/zero")} <= set(nodes)
    assert all(stat.S_ISCHR(node.lstat().st_mode) for node in nodes)
    assert not any(node.is_relative_to("/dev/shm") for node in nodes)
    names = " ".join(str(node) for node in nodes)
    assert not any(word in names for word in ("tty", "pts", "mem", "kmsg", "lp", "disk"))


def test_what_is_named_like_a_device_and_is_none_gets_no_right(tmp_path: Path) -> None:
    (tmp_path / "video0").write_text("")
    (tmp_path / "null").symlink_to("/dev/null")
    (tmp_path / "dri").mkdir()
    (tmp_path / "dri" / "card0").mkdir()
    assert list(landlock.nodes(tmp_path)) == []


def test_no_file_is_created_written_emptied_renamed_or_removed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("as it was")
    (tmp_path / "folder").mkdir()
    report = told(
        RESTRICT
        + """
kept, folder = Path("kept"), Path("folder")
print(json.dumps([answer(it) for it in (
    lambda: Path("new").touch(),
    lambda: kept.open("r+"),
    lambda: kept.open("a"),
    lambda: os.truncate(kept, 0),
    lambda: os.open(kept, os.O_RDONLY | os.O_TRUNC),
    lambda: os.open("folder", os.O_TMPFILE | os.O_RDWR),
    lambda: kept.rename("other"),
    lambda: kept.unlink(),
    lambda: folder.rmdir(),
    lambda: folder.rename("other"),
    lambda: Path("other").mkdir(),
    lambda: Path("other").symlink_to("word"),
    lambda: os.mkfifo("other"),
    lambda: socket.socket(socket.AF_UNIX).bind("other"),
    lambda: Path("/proc/self/comm").write_text("word"),
)]))
""",
        tmp_path,
    )
    assert report == ["Permission denied"] * len(report)
    assert kept.read_text() == "as it was"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "kept"]


def test_no_file_is_moved_or_linked_to_another_folder(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("")
    (tmp_path / "folder").mkdir()
    report = told(
        RESTRICT
        + """
print(json.dumps([answer(lambda: os.rename("kept", "folder/kept")),
                  answer(lambda: os.link("kept", "folder/kept"))]))
""",
        tmp_path,
    )
    assert set(report) <= {"Permission denied", "Invalid cross-device link"}


def test_devices_can_be_written_to_and_files_be_read(tmp_path: Path) -> None:
    (tmp_path / "model").write_text("weights")
    report = told(
        RESTRICT
        + """
print(json.dumps([Path("/dev/null").write_text("x"), Path("model").read_text(), os.listdir(".")]))
""",
        tmp_path,
    )
    assert report == [1, "weights", ["model"]]


def test_tcp_is_closed_but_for_the_ports_that_are_given(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for ports, expected in (((), "Permission denied"), ((port,), "done")):
            code = RESTRICT.replace("restrict(()", f"restrict({ports}") + (
                f"connect = lambda: socket.create_connection(('127.0.0.1', {port}), 1).close()\n"
                "print(json.dumps(answer(connect)))"
            )
            assert told(code, tmp_path) == expected


def test_an_abstract_socket_of_another_program_is_out_of_reach_unless_x11_needs_it(tmp_path: Path) -> None:
    assert landlock.abi() >= 6, "Landlock here is older than Linux 6.12 and cannot scope abstract sockets"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(f"\0seal-{os.getpid()}")
        server.listen(1)
        name = server.getsockname().decode()
        for allowed in (False, True):
            code = RESTRICT.replace("sockets=False", f"sockets={allowed}") + (
                f"connect = lambda: socket.socket(socket.AF_UNIX).connect({name!r})\n"
                "print(json.dumps(answer(connect)))"
            )
            assert told(code, tmp_path) == ("done" if allowed else "Operation not permitted")


def test_a_device_that_only_the_seal_keeps_closed_is_known(tmp_path: Path) -> None:
    """As is a camera that was plugged in again: its node is new. /dev/full stands for one."""
    before, after = told(
        """
        nodes = [Path("/dev/full"), Path("/dev/null"), Path("/dev/none")]
        before = [landlock.is_sealed_off(node) for node in nodes]
        """
        + RESTRICT.replace("\n", "\n        ")
        + """
        print(json.dumps([before, [landlock.is_sealed_off(node) for node in nodes]]))
        """,
        tmp_path,
    )
    assert before == [False, False, False]
    assert after == [True, False, False]


def test_what_landlock_does_here_is_said(tmp_path: Path) -> None:
    text = told(RESTRICT.replace("restrict(()", "restrict((554,)") + "print(json.dumps(text))", tmp_path)
    assert text.startswith(f"ABI {landlock.abi()}; ")
    assert text.endswith("may be written to, and no file; TCP only to port 554")
