"""Which linters a project has, and how they are called. Reads files, runs nothing."""

import os
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from openkoi_hookspecs import Finding

from .lines import read_lines
from .mypy import read_mypy
from .ruff import read_ruff

PASSED_OVER = {"node_modules", "venv", "site-packages", "build", "dist", "vendor", "__pycache__"}
MOST_FILES = 20_000
SURELY_WRONG = ("--select", "E9,F63,F7,F82")
RUFF = ("check", "--output-format", "json-lines", "--no-cache")
MYPY = ("--no-error-summary", "--no-color-output", "--no-pretty", "--show-error-codes", "--cache-dir", os.devnull)
Reader = Callable[[str, Path], tuple[Finding, ...]]


@dataclass(frozen=True, slots=True)
class Linter:
    """A command that looks at the project, and who understands it. Without ``argv`` it is wanted and not installed."""

    name: str
    argv: tuple[str, ...]
    read: Reader
    wide: bool = False


def linters(root: Path, venv: str, commands: Mapping[str, str] | Sequence[str]) -> tuple[Linter, ...]:
    """The project's own, then those that are configured."""
    own = [linter for linter in (ruff(root, venv), mypy(root, venv)) if linter] if has_python(root) else []
    return (*own, *configured(commands))


def ruff(root: Path, venv: str) -> Linter | None:
    """Ruff by the project's rules; where it has none, only what is surely wrong."""
    asked = "ruff" in tools(root) or any((root / name).is_file() for name in ("ruff.toml", ".ruff.toml"))
    program = called("ruff", root, venv)
    if not asked and not program:
        return None
    rules = () if asked else SURELY_WRONG
    return Linter("ruff", (*program, *RUFF, *rules, ".") if program else (), read_ruff)


def mypy(root: Path, venv: str) -> Linter | None:
    """Mypy, when the project configures it."""
    cfg = source(root / "setup.cfg")
    settings = tools(root).get("mypy")
    if settings is None and "[mypy]" not in cfg and not any((root / n).is_file() for n in ("mypy.ini", ".mypy.ini")):
        return None
    program = called("mypy", root, venv)
    texts = "\n".join((cfg, source(root / "mypy.ini"), source(root / ".mypy.ini")))
    keys = set(settings) if isinstance(settings, dict) else set()
    chosen = keys & {"files", "packages", "modules"} or any(line.startswith("files") for line in texts.splitlines())
    targets = () if chosen else (".",)
    return Linter("mypy", (*program, *MYPY, *python(root), *targets) if program else (), read_mypy, wide=True)


def configured(commands: Mapping[str, str] | Sequence[str]) -> Iterator[Linter]:
    """What a person wrote into the configuration, for the shell; one without a name goes by its first word."""
    named = (
        commands.items() if isinstance(commands, Mapping) else [(text.split()[0], text) for text in commands if text]
    )
    for name, text in named:
        argv = ("cmd", "/c", text) if os.name == "nt" else ("sh", "-c", text)
        yield Linter(name, argv, read_lines)


def called(name: str, root: Path, venv: str) -> tuple[str, ...]:
    """How to call a Python tool: the project's own, the active environment's, the machine's, ours."""
    for folder in (root / ".venv", root / "venv", *([Path(venv)] if venv else [])):
        program = shutil.which(name, path=str(folder / ("Scripts" if os.name == "nt" else "bin")))
        if program:
            return (program,)
    if found := shutil.which(name):
        return (found,)
    return (sys.executable, "-m", name) if sys.executable and find_spec(name) else ()


def python(root: Path) -> tuple[str, ...]:
    """Which interpreter's packages mypy reads: the project's own, if it has one."""
    path = root / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    return ("--python-executable", str(path)) if path.exists() else ()


def tools(root: Path) -> dict[str, object]:
    """The tool tables of pyproject.toml; none when it is missing or broken."""
    try:
        tables = tomllib.loads(source(root / "pyproject.toml")).get("tool")
    except tomllib.TOMLDecodeError:
        return {}
    return tables if isinstance(tables, dict) else {}


def source(path: Path) -> str:
    """The text of a file; empty when there is none to read."""
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""


def has_python(root: Path) -> bool:
    """Whether the project has a Python file of its own, as far as a bounded look finds one."""
    left = MOST_FILES
    for _, folders, names in os.walk(root):
        if any(name.endswith((".py", ".pyi")) for name in names):
            return True
        folders[:] = [name for name in folders if name not in PASSED_OVER and not name.startswith(".")]
        left -= len(names)
        if left <= 0:
            break
    return False
