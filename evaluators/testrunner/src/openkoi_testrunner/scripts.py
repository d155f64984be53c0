"""Add report options to the scripts that run JavaScript tests."""

import re
import shlex
from collections.abc import Sequence
from itertools import count
from pathlib import PurePosixPath

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

OPERATORS = lazy_pattern(r"(\s*(?:&&|\|\||;|\||[()])\s*)")
BEFORE = {"npx", "cross-env", "node", "yarn", "pnpm", "exec", "dotenv", "--", "bunx"}
COVERING = {"c8", "nyc"}
FILE = "{file}"
UNWANTED = ("--coverage", "--reporter", "--watch")


@dataclass(frozen=True, slots=True)
class Runner:
    """A runner's options for reporting, and for running only tests with certain names."""

    report: tuple[str, ...]
    only: str = ""
    streams: bool = False


RUNNERS = {
    "vitest": Runner(("--reporter=json", f"--outputFile={FILE}", "--coverage.enabled=false"), "-t"),
    "jest": Runner(("--json", f"--outputFile={FILE}", "--coverage=false"), "-t"),
    "mocha": Runner(("--reporter=json", f"--reporter-option=output={FILE}"), "--grep"),
    "ava": Runner(("--tap",), streams=True),
}


def runners_of(script: str) -> list[Runner]:
    """Return the runners in a script that can report."""
    return [RUNNERS[name] for part in OPERATORS.split(script) if (name := find_runner(part.split())[0])]


def find_runner(words: Sequence[str]) -> tuple[str, int]:
    """Return the runner in a command and its position; only launchers may precede it."""
    for place, word in enumerate(words):
        name = PurePosixPath(word).name.partition(".")[0].lstrip("_")
        if name in RUNNERS:
            return name, place
        if not (
            word in BEFORE | COVERING
            or word.startswith("-")
            or "=" in word
            or (place and is_coverage_command(words[:place]))
        ):
            return "", 0
    return "", 0


def is_coverage_command(words: Sequence[str]) -> bool:
    """Return whether the words belong to a coverage program."""
    return not COVERING.isdisjoint(words)


def add_reports(script: str, names: Sequence[str] = ()) -> str:
    """Return the script with report options for every runner in it, each with its own file, limited to these tests."""
    numbers = count()
    parts = OPERATORS.split(script)
    return "".join(
        add_report_options(part, names, next(numbers)) if find_runner(part.split())[0] else part for part in parts
    )


def add_report_options(part: str, names: Sequence[str], number: int) -> str:
    """Return a command with its runner's report options, and without coverage, which would write into the workspace."""
    words = part.split()
    name, place = find_runner(words)
    runner = RUNNERS[name]
    report = [option.replace(FILE, f'"$OPENKOI_REPORT-{number}"') for option in runner.report]
    chosen = [runner.only, shlex.quote(name_pattern(names))] if names and runner.only else []
    rest = [word for word in words[place + 1 :] if not word.startswith(UNWANTED)]
    first = rest[:1] if rest[:1] == ["run"] else []
    return " ".join([*drop_coverage(words[:place]), words[place], *first, *report, *chosen, *rest[len(first) :]])


def drop_coverage(words: Sequence[str]) -> list[str]:
    """Return what precedes the runner, without a coverage program and its options."""
    places = [place for place, word in enumerate(words) if word in COVERING]
    return list(words[: places[0]] if places else words)


def name_pattern(names: Sequence[str]) -> str:
    """Return an expression that matches tests by their names, without the file's."""
    return "|".join(f"^{re.escape(' '.join(name.split(' > ')[1:]))}$" for name in names)


def shell_script(script: str, mark: str, reports: int) -> str:
    """Return the script with files for its reports, each printed after a mark. It runs in the project's folder."""
    files = " ".join(f'"$OPENKOI_REPORT-{number}"' for number in range(reports))
    return (
        'OPENKOI_REPORT="${TMPDIR:-/tmp}/openkoi-runlog-$$"; export OPENKOI_REPORT\n'
        f"( {script}\n)\ncode=$?\n"
        f"for file in {files}; do printf '\\n%s\\n' '{mark}'; cat \"$file\" 2>/dev/null; rm -f \"$file\"; done\n"
        "exit $code"
    )
