"""Parse JUnit XML; documents with declarations are not parsed."""

import re
from pathlib import Path
from xml.etree import ElementTree

from .locations import first, own
from .outcome import CaseResult
from .wording import fails, last_words, tail

DOCUMENT = re.compile(r"<testsuites?[\s>].*</testsuites?>", re.DOTALL)


def read_junit(text: str, root: Path) -> tuple[tuple[CaseResult, ...], tuple[str, ...]]:
    """The tests of the document in the text, and those that were skipped."""
    found = DOCUMENT.search(text)
    if not found or "<!" in found[0].replace("<![CDATA[", ""):
        return (), ()
    try:
        cases = list(ElementTree.fromstring(found[0]).iter("testcase"))
    except ElementTree.ParseError:
        return (), ()
    left_out = [case for case in cases if case.find("skipped") is not None]
    return tuple(ran(case, root) for case in cases if case not in left_out), tuple(map(test_name, left_out))


def test_name(case: ElementTree.Element) -> str:
    """Return the test's name with its class."""
    return " > ".join(filter(None, (case.get("classname"), case.get("name"))))


def ran(case: ElementTree.Element, root: Path) -> CaseResult:
    """The test, with the place and the words of its failure."""
    name = test_name(case)
    failure = next((child for child in case if child.tag in {"failure", "error"}), None)
    if failure is None:
        return CaseResult(name, passed=True)
    said = failure.text or failure.get("message") or ""
    reason = failure.get("message") or last_words(said)
    where = first(said, root) or stands(case, root)
    return CaseResult(name, passed=False, title=fails(name, reason), where=where, detail=tail(said))


def stands(case: ElementTree.Element, root: Path) -> str:
    """Return the test's own location, if known."""
    path = own(case.get("file") or "", root)
    return f"{path}:{case.get('line') or 1}" if path else ""
