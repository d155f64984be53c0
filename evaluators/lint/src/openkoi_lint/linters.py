"""Find a project's linters and their commands."""

import os
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from openkoi_base.files.project_commands import shell_command
from openkoi_base.files.project_files import find_project_files, read_source

from .languages import SCRIPTS, SHELLS, find_linters
from .linter import FILE, FileOptions, Linter
from .mypy import read_mypy
from .parse_lines import read_lines
from .project_files import LINT_SKIPPED, read_tool_tables
from .ruff import read_ruff

SURELY_WRONG = ("--select", "E9,F63,F7,F82")
RUFF = ("check", "--output-format", "json-lines", "--no-cache")
MYPY = ("--no-error-summary", "--no-color-output", "--no-pretty", "--show-error-codes", "--cache-dir", os.devnull)

PYTHON = frozenset({".py", ".pyi"})
COVERED = {"ruff": PYTHON, "mypy": PYTHON, "eslint": SCRIPTS, "tsc": SCRIPTS, "clippy": {".rs"}, "go vet": {".go"}}
COVERED |= {"shellcheck": SHELLS}
RUFF_STDIN = ("--force-exclude", "--stdin-filename", FILE, "-")
RUFF_NAMED = ("--force-exclude", "--")


def find_all_linters(root: Path, venv: str, commands: Mapping[str, str] | Sequence[str]) -> tuple[Linter, ...]:
    """Return the project's linters, then the configured ones."""
    python = has_files(PYTHON, root)
    own = [linter for linter in (ruff_linter(root, venv), mypy_linter(root, venv)) if linter] if python else []
    return (*own, *find_linters(root), *configured_linters(commands))


def has_work(label: str, root: Path) -> bool:
    """Return whether files that a linter checks remain; the label may name a folder after the linter."""
    suffixes = COVERED.get(label.partition(" in ")[0])
    return suffixes is None or has_files(suffixes, root)


def has_files(suffixes: Collection[str], root: Path) -> bool:
    """Return whether the project has a file with one of these suffixes."""
    return any(True for _ in find_project_files(root, lambda name: name.endswith(tuple(suffixes)), LINT_SKIPPED))


def ruff_linter(root: Path, venv: str) -> Linter | None:
    """Return ruff with the project's rules, or only with rules for certain errors when it has none."""
    texts = [read_source(root / name) for name in ("ruff.toml", ".ruff.toml")]
    settings = read_tool_tables(root).get("ruff")
    asked = settings is not None or any((root / name).is_file() for name in ("ruff.toml", ".ruff.toml"))
    program = find_program("ruff", root, venv)
    if not asked and not program:
        return None
    rules = () if asked else SURELY_WRONG
    chooses = "include" in f"{settings} {texts}"  # a file that is named is checked, whatever the project includes
    options = FileOptions(PYTHON | {".ipynb"}, "probe.py", RUFF_STDIN, None if chooses else RUFF_NAMED)
    return Linter("ruff", (*program, *RUFF, *rules) if program else (), read_ruff, targets=(".",), files=options)


def mypy_linter(root: Path, venv: str) -> Linter | None:
    """Return mypy if the project configures it."""
    cfg = read_source(root / "setup.cfg")
    settings = read_tool_tables(root).get("mypy")
    if settings is None and "[mypy]" not in cfg and not any((root / n).is_file() for n in ("mypy.ini", ".mypy.ini")):
        return None
    program = find_program("mypy", root, venv)
    texts = "\n".join((cfg, read_source(root / "mypy.ini"), read_source(root / ".mypy.ini")))
    keys = set(settings) if isinstance(settings, dict) else set()
    chosen = keys & {"files", "packages", "modules"} or any(line.startswith("files") for line in texts.splitlines())
    targets = () if chosen else (".",)
    return Linter("mypy", (*program, *MYPY, *python_option(root), *targets) if program else (), read_mypy, wide=True)


def configured_linters(commands: Mapping[str, str] | Sequence[str]) -> Iterator[Linter]:
    """Yield the linters from the settings, run by the shell; one without a name is named by its first word."""
    named = (
        commands.items() if isinstance(commands, Mapping) else [(text.split()[0], text) for text in commands if text]
    )
    for name, text in named:
        yield Linter(name, shell_command(text), read_lines)


def find_program(name: str, root: Path, venv: str) -> tuple[str, ...]:
    """Return the command of a Python tool: the project's, the active environment's, the system's, or OpenKoi's."""
    for folder in (root / ".venv", root / "venv", *([Path(venv)] if venv else [])):
        program = shutil.which(name, path=str(folder / ("Scripts" if os.name == "nt" else "bin")))
        if program:
            return (program,)
    if found := shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent)):
        return (found,)
    return (sys.executable, "-P", "-m", name) if sys.executable and find_spec(name) else ()


def python_option(root: Path) -> tuple[str, ...]:
    """Return the option that makes mypy use the project's own interpreter."""
    path = root / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    return ("--python-executable", str(path)) if path.exists() else ()
