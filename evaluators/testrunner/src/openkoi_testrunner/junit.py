"""Parse JUnit XML; documents with declarations are not parsed."""

import re
from pathlib import Path
from xml.etree import ElementTree

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .locations import first_location, workspace_path
from .messages import error_line
from .results import CaseResult, failed_case

DOCUMENT = lazy_pattern(r"<testsuites?[\s>].*</testsuites?>", re.DOTALL)


def read_junit(text: str, root: Path) -> tuple[tuple[CaseResult, ...], tuple[str, ...]]:
    """Return the tests of the document in the text, and the skipped ones."""
    found = DOCUMENT.search(text)
    if not found or "<!" in found[0].replace("<![CDATA[", ""):
        return (), ()
    try:
        cases = list(ElementTree.fromstring(found[0]).iter("testcase"))
    except ElementTree.ParseError:
        return (), ()
    left_out = [case for case in cases if case.find("skipped") is not None]
    return tuple(parse_case(case, root) for case in cases if case not in left_out), tuple(map(test_name, left_out))


def test_name(case: ElementTree.Element) -> str:
    """Return the test's name with its class."""
    return " > ".join(filter(None, (case.get("classname"), case.get("name"))))


def parse_case(case: ElementTree.Element, root: Path) -> CaseResult:
    """Return a test, with the location and message of its failure."""
    name = test_name(case)
    failure = next((child for child in case if child.tag in {"failure", "error"}), None)
    if failure is None:
        return CaseResult(name, passed=True)
    message = failure.text or failure.get("message") or ""
    reason = failure.get("message") or error_line(message)
    where = first_location(message, root) or case_location(case, root)
    return failed_case(name, reason, message, where)


def case_location(case: ElementTree.Element, root: Path) -> str:
    """Return the test's own location, if known."""
    path = workspace_path(case.get("file") or "", root)
    return f"{path}:{case.get('line') or 1}" if path else ""
