"""The picture of the folders: who may import whom, and who alone imports what."""

from __future__ import annotations

import ast
import graphlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "kiosk"
MAX_LINES = 260

WINGS = ("vision", "words", "screen", "trust")
# Each imports only from lines above its own; the modules of one line do not know each other.
# A wing and the commands stand for all of their modules.
LAYERS = (
    ("__init__", "clock", "environment", "errors", "messages", "polygon", "worker"),
    ("document",),
    ("schema",),
    ("hours", "sections"),
    ("config", "manifest", "watch"),
    WINGS,
    ("edits", "headless", "pipeline"),
    ("capture",),
    ("analysis", "health"),
    ("supervisor",),
    ("app", "standby"),
    (
        "audit",
        "audit.blocks",
        "audit.changes",
        "audit.meter",
        "audit.observation",
        "audit.statistics",
        "audit.table",
    ),
    ("audit.suppression", "audit.tally"),
    ("audit.examination", "audit.figures", "audit.progress", "audit.subject"),
    ("audit.gaps",),
    ("audit.findings",),
    ("audit.wording",),
    ("audit.bars", "audit.exchange", "audit.plots", "audit.tables"),
    ("audit.charts", "audit.comparison", "audit.markdown", "audit.page"),
    ("audit.report",),
    ("commands.options",),
    ("commands.booklet", "commands.devices", "commands.installation", "commands.notice"),
    ("commands.examination", "commands.footage", "commands.placement", "commands.timings"),
    ("commands.painting", "commands.steps"),
    ("commands.live",),
    ("commands",),
    ("cli",),
    ("__main__",),
)
# Who alone imports what; () is nobody.
ALONE: dict[str, tuple[str, ...]] = {
    "yaml": ("document",),
    "onnxruntime": ("vision.inference",),
    "pygame": (
        "screen.displays",
        "screen.draw",
        "screen.footer",
        "screen.overlay",
        "screen.picture",
        "screen.piece",
        "screen.sheets",
        "screen.standing",
        "screen.window",
    ),
    "threading": ("analysis", "app", "capture", "standby", "trust.selftest", "worker"),
    "argparse": ("cli", "commands"),
    "cv2": (
        "audit.changes",
        "commands.annotate",
        "commands.footage",
        "screen.picture",
        "screen.window",
        "vision",
    ),
    "signal": ("app", "cli", "commands.audit", "standby"),
    "socket": ("trust.notify", "trust.attempts", "trust.limits", "trust.seccomp", "trust.selftest"),
    "ssl": (),
    "http": (),
    "urllib": ("trust.seal",),  # urlsplit: which port a stream needs
    "requests": (),
    "ftplib": (),
    "smtplib": (),
    "asyncio": (),
    "concurrent": (),
    "multiprocessing": (),
    "subprocess": (),
    "pickle": (),
    "shelve": (),
    "sqlite3": (),
    "ctypes": ("screen.power", "trust"),
    "tempfile": ("words.lexicon",),
    "fpdf": ("commands.booklet",),
    "matplotlib": ("audit.plots",),
}
# Calls by which a picture or a label could be kept.
WRITERS = {
    "FileStorage", "VideoWriter", "imwrite", "mkdir", "mkstemp", "save", "savez", "tofile", "touch",
    "write_bytes", "write_text",
}  # fmt: skip
MAY_WRITE = (
    "audit.progress",
    "commands.annotate",
    "commands.bench",
    "commands.kit",
    "trust.attempts",
    "words.lexicon",
)


def name_of(path: Path) -> str:
    """A module's name below the package: "vision.track", "app"; a folder's own file is its "__init__"."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


TREES = {name_of(path): ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}
MODULES = sorted(TREES)


def imports(tree: ast.AST) -> Iterator[str]:
    """The dotted name of everything that a module imports, wherever in it the import stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def inner_imports(module: str) -> set[str]:
    """The modules of the kiosk that a module imports, by their names below the package."""
    found = set()
    for name in imports(TREES[module]):
        if name == "kiosk" or name.startswith("kiosk."):
            parts = name.split(".")[1:]
            while parts and ".".join(parts) not in TREES:
                parts.pop()  # what is imported from a module
            found.add(".".join(parts) or "__init__")
    return found


def stands_for(entry: str, module: str) -> bool:
    """Whether an entry of the tables above is this module, or the folder in which it stands."""
    return module == entry or module.startswith(f"{entry}.")


def layer(module: str) -> int:
    """The line on which a module stands: the one that names it most exactly."""
    found = [
        (len(entry), at) for at, line in enumerate(LAYERS) for entry in line if stands_for(entry, module)
    ]
    assert found, f"{module}: has no place in the picture"
    return max(found)[1]


def wing(module: str) -> str | None:
    folder = module.partition(".")[0]
    return folder if folder in WINGS else None


def test_the_picture_is_of_this_package() -> None:
    assert {"app", "cli", "vision.track", "words.caption", "screen.draw", "commands.run"} <= set(MODULES)
    assert "errors" in inner_imports("document")
    assert inner_imports("app") > {"supervisor", "worker", "screen.window", "vision.sources"}
    assert "__init__" in inner_imports("cli")
    for entry in (entry for line in LAYERS for entry in line):
        assert any(stands_for(entry, module) for module in MODULES), f"{entry}: is not there any more"


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_one_way(module: str) -> None:
    for imported in inner_imports(module):
        below = layer(imported) < layer(module)
        assert below or (wing(module) is not None and wing(imported) == wing(module)), (
            f"{module} must not import {imported}"
        )


def test_wings_never_import_each_other() -> None:
    for module in MODULES:
        if wing(module):
            others = {wing(imported) for imported in inner_imports(module)} - {None, wing(module)}
            assert not others, f"{module} imports from {others}"


def test_nothing_is_imported_in_a_circle() -> None:
    graphlib.TopologicalSorter({module: inner_imports(module) for module in MODULES}).prepare()


@pytest.mark.parametrize("library", ALONE)
def test_who_alone_imports_what(library: str) -> None:
    users = {
        module for module in MODULES if library in {name.split(".")[0] for name in imports(TREES[module])}
    }
    strangers = {user for user in users if not any(stands_for(entry, user) for entry in ALONE[library])}
    assert not strangers, f"{library} is imported by {strangers}"
    idle = {entry for entry in ALONE[library] if not any(stands_for(entry, user) for user in users)}
    assert not idle, f"{library} is not imported by {idle} any more"


def test_nothing_is_imported_that_is_not_declared() -> None:
    outer = {name.split(".")[0] for module in MODULES for name in imports(TREES[module])}
    foreign = outer - set(sys.stdlib_module_names) - {"kiosk"}
    assert foreign == {"cv2", "fpdf", "matplotlib", "numpy", "onnxruntime", "pygame", "yaml"}


def test_words_know_no_pixels_and_the_screen_and_the_words_no_network() -> None:
    for module in MODULES:
        libraries = {name.split(".")[0] for name in imports(TREES[module])}
        if wing(module) == "words":
            assert not libraries & {"cv2", "numpy", "pygame", "onnxruntime"}, module
        if wing(module) == "screen":
            assert "onnxruntime" not in libraries, module
        if wing(module) == "vision":
            assert "pygame" not in libraries, module


def test_the_app_makes_no_thread_of_its_own() -> None:
    used = {
        node.attr
        for node in ast.walk(TREES["app"])
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "threading"
    }
    assert used == {"Event"}
    assert not any(name.startswith("threading.") for name in imports(TREES["app"]))


def attributes(module: str) -> set[str]:
    return {node.attr for node in ast.walk(TREES[module]) if isinstance(node, ast.Attribute)}


def test_only_the_camera_and_the_sources_open_a_capture() -> None:
    users = {module for module in MODULES if "VideoCapture" in attributes(module)}
    assert users == {"vision.camera", "vision.sources"}


def opens_for_writing(module: str) -> bool:
    """Whether a module opens a file in a mode that writes, or calls what writes one."""
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Call):
            called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if called in WRITERS:
                return True
            texts = [item.value for item in (*node.args, *(word.value for word in node.keywords))
                     if isinstance(item, ast.Constant) and isinstance(item.value, str)]  # fmt: skip
            modes = [text for text in texts if text and set(text) <= set("rwaxbt+")]
            if called in ("open", "fdopen", "NamedTemporaryFile") and any(
                set(mode) & set("wax+") for mode in modes
            ):
                return True
    return False


def test_only_what_is_asked_to_writes_a_file() -> None:
    assert {module for module in MODULES if opens_for_writing(module)} == set(MAY_WRITE)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_is_one_noun_and_says_which(module: str) -> None:
    path = PACKAGE / f"{module.replace('.', '/')}.py"
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_LINES
    assert ast.get_docstring(TREES[module]), "a module's docstring says what goes in and what comes out"


def test_a_command_is_a_module_with_configure_and_run() -> None:
    commands = next(
        node.value
        for node in TREES["cli"].body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id == "COMMANDS"
    )
    for command in ast.literal_eval(commands):
        functions = {
            node.name for node in TREES[f"commands.{command}"].body if isinstance(node, ast.FunctionDef)
        }
        assert {"configure", "run"} <= functions, command
