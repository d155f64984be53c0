"""A program that a command line names and that is not there: say so, with the one that was probably meant.

Reads lines as a shell does, roughly: it is a hint, and only asked for after the shell has found something missing.
"""

import os
import shlex
import shutil
from collections.abc import Collection, Iterator
from difflib import get_close_matches
from pathlib import Path

NOT_FOUND = 127
LONGEST_NAME = 100
BREAKS = "();<>|&\n"
PROJECT = ("", ".venv/bin", "venv/bin", "node_modules/.bin", "vendor/bin", "bin", "scripts")


def missing_program(line: str, output: str, workspace: Path) -> str:
    """Return a sentence about the first program of a line that is nowhere, and that the shell complains of."""
    complained = (name for name in programs(line) if f": {name}: " in output)
    name = next((name for name in complained if not shutil.which(name)), "")
    if not name or "/" in name or len(name) > LONGEST_NAME:
        return ""
    own = in_project(name, workspace)
    return unknown(name, own, () if own else on_path())


def programs(line: str) -> Iterator[str]:
    """Yield the words of a line that stand where a program is named."""
    reader = shlex.shlex(line, posix=True, punctuation_chars=BREAKS)
    reader.whitespace = " \t"
    reader.commenters = ""
    first = True
    try:
        for word in reader:
            if set(word) <= set(BREAKS):
                first = not set(word) & set("<>")
            elif first and not is_assignment(word):
                yield word
                first = False
    except ValueError:
        return


def is_assignment(word: str) -> bool:
    """Whether a word sets a variable for the program after it."""
    name, sign, _ = word.partition("=")
    return bool(sign) and name.isidentifier()


def unknown(name: str, own: str, known: Collection[str]) -> str:
    """Say that a program is not there, and what there is instead."""
    if own:
        return f"[There is no program {name!r} on PATH, but there is {own} in the project. Call it by that path.]"
    near = get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"[There is no program {name!r} on PATH or in the project.{hint}]"


def in_project(name: str, workspace: Path) -> str:
    """Return the path of a program where projects keep theirs."""
    paths = ((folder, workspace / folder / name) for folder in PROJECT)
    found = next((folder for folder, path in paths if path.is_file() and os.access(path, os.X_OK)), None)
    return "" if found is None else f"{found or '.'}/{name}"


def on_path() -> list[str]:
    """Name the programs that can be called."""
    names: set[str] = set()
    for folder in os.get_exec_path():
        try:
            names.update(os.listdir(folder or "."))  # noqa: PTH208  # names alone, of thousands of files
        except OSError:
            continue
    return sorted(names)
