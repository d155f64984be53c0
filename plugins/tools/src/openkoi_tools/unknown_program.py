"""Explain that a program of a command line is missing, with the one that was probably meant.

Lines are split roughly as a shell does: it is a hint, and only used after the shell has found something missing.
"""

import os
import shlex
import shutil
from collections.abc import Collection, Iterator
from difflib import get_close_matches
from pathlib import Path

EXIT_NOT_FOUND = 127
MAX_NAME_CHARACTERS = 100
BREAKS = "();<>|&\n"
PROJECT_FOLDERS = ("", ".venv/bin", "venv/bin", "node_modules/.bin", "vendor/bin", "bin", "scripts")


def describe_missing_program(line: str, output: str, workspace: Path) -> str:
    """Return a sentence about the first program of a line that is missing, and that the shell reports."""
    complained = (name for name in program_words(line) if f": {name}: " in output)
    name = next((name for name in complained if not shutil.which(name)), "")
    if not name or "/" in name or len(name) > MAX_NAME_CHARACTERS:
        return ""
    own = find_in_project(name, workspace)
    return describe_unknown(name, own, () if own else programs_on_path())


def program_words(line: str) -> Iterator[str]:
    """Yield the words in the positions of program names."""
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
    """Return whether a word sets a variable for the program after it."""
    name, sign, _ = word.partition("=")
    return bool(sign) and name.isidentifier()


def describe_unknown(name: str, own: str, known: Collection[str]) -> str:
    """Report that a program is missing, and suggest another one."""
    if own:
        return f"[Program not found on PATH: {name!r}. The project has {own}. Call it by that path.]"
    near = get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"[Program not found on PATH or in the project: {name!r}.{hint}]"


def find_in_project(name: str, workspace: Path) -> str:
    """Return the path of a program in the folders where projects keep their own."""
    paths = ((folder, workspace / folder / name) for folder in PROJECT_FOLDERS)
    found = next((folder for folder, path in paths if path.is_file() and os.access(path, os.X_OK)), None)
    return "" if found is None else f"{found or '.'}/{name}"


def programs_on_path() -> list[str]:
    """Return the names of the programs that can be called."""
    names: set[str] = set()
    for folder in os.get_exec_path():
        try:
            names.update(os.listdir(folder or "."))  # noqa: PTH208  # names alone, of thousands of files
        except OSError:
            continue
    return sorted(names)
