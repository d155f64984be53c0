"""Test that modules missing on Windows and macOS affect only the functions that need them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SKIPPED = {".venv", "tests", "project", "build", "dist", ".ci", "__main__.py"}
IMPORT_ALL = "import importlib\nfor name in {modules!r}:\n    importlib.import_module(name)\nprint('all')\n"
RUN = "import runpy\nsys.argv = {command!r}\nrunpy.run_module('openkoi', run_name='__main__', alter_sys=True)\n"
SCRIPT = """
price: {input: 3.0, output: 15.0}
turns:
  - calls: [{tool: write_file, arguments: {path: pond.md, content: "carp"}}]
  - says: "Written."
    repeat: true
"""


def modules() -> list[str]:
    """Return every module of every distribution."""
    names = []
    for source in sorted(ROOT.glob("**/src")):
        if SKIPPED & set(source.relative_to(ROOT).parts):
            continue
        for path in sorted(source.rglob("*.py")):
            parts = path.relative_to(source).with_suffix("").parts
            if not SKIPPED & {*path.relative_to(source).parts}:
                names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


def run_as(platform: str, code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run code in a process that looks like one on this platform."""
    lines = f"import sys\nsys.path.insert(0, {str(ROOT / 'tests')!r})\nimport other_platforms\n"
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", f"{lines}other_platforms.look_like({platform!r})\n{code}"],
        cwd=folder,
        env={**kept, "OPENKOI_HOME": str(folder.parent / "home"), "OLLAMA_HOST": "127.0.0.1:1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def openkoi_on_windows(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_as("win32", RUN.format(command=["openkoi", *arguments]), folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    (work / "script.yaml").write_text(SCRIPT)
    return work


def test_there_are_modules_to_import() -> None:
    assert len(modules()) > 100


@pytest.mark.row("TEST-06")
@pytest.mark.parametrize("platform", ["win32", "darwin"], ids=["windows", "macos"])
def test_every_module_can_be_imported_elsewhere(platform: str, tmp_path: Path) -> None:
    result = run_as(platform, IMPORT_ALL.format(modules=modules()), tmp_path)

    assert "all" == result.stdout.strip(), result.stderr


@pytest.mark.row("TEST-06")
def test_a_task_changes_files_and_is_undone_without_posix_modules(folder: Path) -> None:
    result = openkoi_on_windows(folder, "-m", "scripted/script.yaml", "--iterate", "0", "Write about the pond")
    text = (folder / "pond.md").read_text()
    undone = openkoi_on_windows(folder, "undo")

    assert (0, "Written.\n") == (result.returncode, result.stdout), result.stderr
    assert "carp" == text
    assert 0 == undone.returncode, undone.stderr
    assert not (folder / "pond.md").exists()


@pytest.mark.row("TEST-06")
def test_doctor_names_what_windows_lacks(folder: Path) -> None:
    result = openkoi_on_windows(folder, "doctor")
    lines = result.stdout.splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("  Sandbox:"))

    assert "level 0 of 3" in lines[place]
    facts = "\n".join(lines[place : place + 6])
    assert all(f"{level}: " in facts for level in ("bubblewrap", "landlock", "limits"))
