"""Parse the short summary at the end of pytest's output, for commands that call pytest."""

import re
from pathlib import Path

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .locations import deepest_location, workspace_path
from .results import CaseResult, failed_case

SUMMARY = lazy_pattern(r"^=+ short test summary info =+$", re.M)
LINE = lazy_pattern(r"^(?P<how>PASSED|FAILED|ERROR) (?P<name>.+?)(?: - (?P<reason>.*))?$", re.M)


def read_summary(text: str, root: Path) -> tuple[tuple[CaseResult, ...], tuple[str, ...]]:
    """Return the tests in the last summary."""
    starts = [match.end() for match in SUMMARY.finditer(text)]
    if not starts:
        return (), ()
    return tuple(parse_case(match, text, root) for match in LINE.finditer(text[starts[-1] :])), ()


def parse_case(match: re.Match[str], text: str, root: Path) -> CaseResult:
    """Return a test, with the part of the text that is about it."""
    name = match["name"]
    if match["how"] == "PASSED":
        return CaseResult(name, passed=True)
    text_part = test_section(name, text)
    where = deepest_location(text_part, root) or workspace_path(name.partition("::")[0], root)
    return failed_case(name, match["reason"] or "", text_part, where)


def test_section(name: str, text: str) -> str:
    """Return the text below the test's own heading."""
    short = re.escape(name.partition("::")[2].replace("::", ".") or name)
    found = re.search(rf"^_+ (?:ERROR \w+ (?:of )?)?{short} _+\n(.*?)(?=^(?:_{{3,}}|={{3,}}) |\Z)", text, re.M | re.S)
    return found[1] if found else ""
