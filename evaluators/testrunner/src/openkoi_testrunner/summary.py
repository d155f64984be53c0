"""Read the short summary at the end of pytest's own words, for commands that hide pytest inside them."""

import re
from pathlib import Path

from .locations import deepest, own
from .outcome import CaseResult
from .wording import fails, tail

SUMMARY = re.compile(r"^=+ short test summary info =+$", re.M)
LINE = re.compile(r"^(?P<how>PASSED|FAILED|ERROR) (?P<name>.+?)(?: - (?P<reason>.*))?$", re.M)


def read_summary(text: str, root: Path) -> tuple[tuple[CaseResult, ...], tuple[str, ...]]:
    """The tests that the last summary names."""
    starts = [match.end() for match in SUMMARY.finditer(text)]
    if not starts:
        return (), ()
    return tuple(ran(match, text, root) for match in LINE.finditer(text[starts[-1] :])), ()


def ran(match: re.Match[str], text: str, root: Path) -> CaseResult:
    """The test, with the part of the text that is about it."""
    name = match["name"]
    if match["how"] == "PASSED":
        return CaseResult(name, passed=True)
    said = section(name, text)
    where = deepest(said, root) or own(name.partition("::")[0], root)
    return CaseResult(name, passed=False, title=fails(name, match["reason"] or ""), where=where, detail=tail(said))


def section(name: str, text: str) -> str:
    """What stands under the test's own headline."""
    short = re.escape(name.partition("::")[2].replace("::", ".") or name)
    found = re.search(rf"^_+ (?:ERROR \w+ (?:of )?)?{short} _+\n(.*?)(?=^(?:_{{3,}}|={{3,}}) |\Z)", text, re.M | re.S)
    return found[1] if found else ""
