"""Format what the demo prints around the run."""

from collections.abc import Sequence
from pathlib import Path

import click

COLOURS = {"+": "green", "-": "red", "@": "cyan"}
REAL_MODEL_EXAMPLE = 'OPENAI_API_KEY=... openkoi -m openai/gpt-5.2 "Fix the failing tests"'


def format_opening(folder: Path, task: str) -> str:
    """Return the introduction: what is about to happen."""
    return f'A small project with five failing tests is in {folder}\n$ openkoi "{task}"\n'


def color_diff(lines: Sequence[str]) -> str:
    """Color a unified diff."""
    return "\n".join(color_line(line) for line in lines)


def color_line(line: str) -> str:
    """Color one line of a diff by its first character; make file names bold."""
    if line.startswith(("+++", "---")):
        return click.style(line, bold=True)
    return click.style(line, fg=COLOURS[line[0]]) if line[:1] in COLOURS else line


def format_closing(kept: Path | None) -> str:
    """Return the closing note: what was scripted, and how to use a real model."""
    where = f"The project is kept in {kept}\n" if kept else ""
    return f"""{where}The model was scripted: its answers, token counts and cost come from a file.
Everything else was real: files, tools, tests, loop and memory.
Run the demo again to see what OpenKoi learned; --keep keeps the project folder. With a real model, in your own project:

  {REAL_MODEL_EXAMPLE}"""
