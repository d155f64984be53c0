"""What a build or a test makes again: deleting it is not asked about when git tracks nothing of it and ignores it all.

What the words of a line say is decided without looking; what git says of a folder is looked up last.
"""

import os
import re
import subprocess
from collections.abc import Collection, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from .finding import Command
from .words import Word

NAMES = (
    *("build", "dist", "out", "target", "_build", "cmake-build-*", "node_modules", "bower_components", "__pycache__"),
    *(".venv", "venv", ".tox", ".nox", ".eggs", "*.egg-info", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".cache"),
    *(".hypothesis", "htmlcov", "coverage", ".nyc_output", ".next", ".nuxt", ".output", ".svelte-kit", ".parcel-cache"),
    *(
        ".turbo",
        ".angular",
        ".gradle",
        ".dart_tool",
        "storybook-static",
        ".vite",
        "obj",
        ".docusaurus",
        "zig-cache",
        "zig-out",
    ),
)
FILES = (
    *("*.pyc", "*.pyo", ".coverage", ".coverage.*", "coverage.xml", "coverage.json", "lcov.info", "*.tsbuildinfo"),
    *(".eslintcache", ".stylelintcache", "junit.xml", ".DS_Store", "*.o", "*.obj", "*.class", "*.gcda", "*.gcno"),
)
DELETING = frozenset({"rm", "rimraf"})
# What else a line may do before without putting something of value into such a folder.
HARMLESS_BEFORE = frozenset({"cd", "pushd", "echo", "printf", "ls", "rm", "rimraf", "test", "[", "set", "true", "pwd"})
# Where a later command of the line may run before the deletion.
OUT_OF_ORDER = re.compile(r"\b(for|while|until|select|function|trap|eval|alias)\b|\(\s*\)|(?<![&>|])&(?![&>\d])")
BRACES = re.compile(r"\{([\w.,/-]+)\}")
COMPUTED = re.compile(r"[$`*?\[{~\\]")
SECONDS = 10


def generated_targets(command: Command, earlier: Collection[str], line: str) -> tuple[str, ...]:
    """Return the folders that a command deletes when all of them are of this kind by name; else nothing.

    ``earlier`` are the words of the commands before it in the line: what they may have moved there is of value.
    """
    words = [one for word in command.words if not word.option for one in braced(word)]
    if command.name not in DELETING or not words or OUT_OF_ORDER.search(line):
        return ()
    if not all(word.known and (is_generated(word.text) or is_pattern(word)) for word in words):
        return ()
    paths = tuple(whole(word.text) for word in words)
    names = {part for path in paths for part in path.split("/") if is_made_again(part)}
    if any(name in word for name in names for word in earlier):
        return ()
    found = (patterns_of(path) if is_pattern(word) else (path,) for word, path in zip(words, paths, strict=True))
    return tuple(path for some in found for path in some)


def braced(word: Word) -> list[Word]:
    """Return what a shell makes of braces, as in ``rm -rf {build,dist}``."""
    found = BRACES.search(word.text) if word.glob else None
    if not found:
        return [word]
    before, after = word.text[: found.start()], word.text[found.end() :]
    return [replace(word, text=before + one + after) for one in found[1].split(",")]


def whole(path: str) -> str:
    """Return a path in one spelling; all that is in a folder counts as the folder."""
    return os.path.normpath(path).removesuffix("/*")


def is_pattern(word: Word) -> bool:
    """Return whether a word is one of these patterns, for what lies in the folder that is worked in itself."""
    return word.glob and word.text in {*NAMES, *FILES}


def patterns_of(name: str, above: str = "") -> tuple[str, ...]:
    """Return how git is asked for what has such a name, and for all that is in it."""
    return tuple(f":(glob){above}{name}{deeper}" for deeper in ("", "/**"))


def is_made_again(name: str) -> bool:
    """Return whether a name, or a pattern of names, is one of these."""
    return any(name == one or (not COMPUTED.search(name) and fnmatchcase(name, one)) for one in (*NAMES, *FILES))


def is_below(path: str) -> bool:
    """Return whether a path lies in the folder that is worked in."""
    return not path.startswith("/") and ".." not in path.split("/") and not COMPUTED.search(path)


def is_generated(path: str) -> bool:
    """Return whether a path is below the folder that is worked in, and is or lies in a folder of such a name."""
    plain = whole(path)
    return is_below(plain) and any(map(is_made_again, plain.split("/")))


def is_disposable(paths: Sequence[str], folders: Sequence[str], workspace: Path) -> bool:
    """Return whether git has or would take nothing that is in these, in whichever of the folders the line is."""
    if any(COMPUTED.search(folder) for folder in folders):
        return False
    patterns = [path for path in paths if path.startswith(":(glob)")]
    if patterns and (folders or not lists_nothing(patterns, workspace)):
        return False
    places = [workspace / folder / path for folder in (".", *folders) for path in paths if path not in patterns]
    return all(is_plain(place, workspace) for place in places) and all(map(is_ignored, places))


def is_plain(place: Path, workspace: Path) -> bool:
    """Return whether a path is one of the workspace, with no link on the way, and no file with a folder's name."""
    real, written = os.path.realpath(place), os.path.normpath(workspace.resolve() / place)
    inside = any(map(is_made_again, Path(os.path.relpath(place.parent, workspace)).parts))
    known = not place.is_file() or inside or any(fnmatchcase(place.name, name) for name in FILES)
    return real == written and Path(real).is_relative_to(workspace.resolve()) and known


def is_ignored(folder: Path) -> bool:
    """Return whether git tracks nothing in a folder and ignores all that is in it. Runs nothing of the repository's."""
    return lists_nothing([str(folder)], next(parent for parent in folder.parents if parent.is_dir()))


def lists_nothing(paths: Sequence[str], above: Path) -> bool:
    """Return whether git tracks none of these paths, and would add none. Runs nothing of the repository's."""
    settings = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
    line = ["git", *settings, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths]
    try:
        done = subprocess.run(line, cwd=above, capture_output=True, timeout=SECONDS, check=False)
    except (OSError, ValueError, subprocess.SubprocessError):
        return False
    return done.returncode == 0 and not done.stdout
