"""What the demo says around the run. Knows words and colours only."""

from collections.abc import Sequence
from pathlib import Path

import click

COLOURS = {"+": "green", "-": "red", "@": "cyan"}
REAL = 'OPENAI_API_KEY=... openkoi -m openai/gpt-5.2 "Fix the failing tests"'


def opening(folder: Path, task: str) -> str:
    """Say what is about to happen."""
    return f'A small project with five failing tests is in {folder}\n$ openkoi "{task}"\n'


def coloured(lines: Sequence[str]) -> str:
    """Paint a unified diff."""
    return "\n".join(painted(line) for line in lines)


def painted(line: str) -> str:
    """Paint one line of a diff by its first sign; the names of files are bold."""
    if line.startswith(("+++", "---")):
        return click.style(line, bold=True)
    return click.style(line, fg=COLOURS[line[0]]) if line[:1] in COLOURS else line


def closing(kept: Path | None) -> str:
    """Say what was not real, and how to do it with a model that is."""
    where = f"The project is kept in {kept}\n" if kept else ""
    return f"""{where}The model was scripted: its words, its figures and its cost come from a file.
All else was real: the files, the tools, the tests, the linter, the loop and its memory.
Run it again to see what it learned; --keep keeps the copy. With a real model, in a project of yours:

  {REAL}"""
