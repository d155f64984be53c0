"""Read JUnit's XML, which most runners can print. Knows its elements; a document that declares any is not read."""

import re
from pathlib import Path
from xml.etree import ElementTree

from .locations import first, own
from .outcome import Ran
from .wording import fails, last_words, tail

DOCUMENT = re.compile(r"<testsuites?[\s>].*</testsuites?>", re.DOTALL)


def read_junit(text: str, root: Path) -> tuple[tuple[Ran, ...], tuple[str, ...]]:
    """The tests of the document in the text, and those that were skipped."""
    found = DOCUMENT.search(text)
    if not found or "<!" in found[0].replace("<![CDATA[", ""):
        return (), ()
    try:
        cases = list(ElementTree.fromstring(found[0]).iter("testcase"))
    except ElementTree.ParseError:
        return (), ()
    left_out = [case for case in cases if case.find("skipped") is not None]
    return tuple(ran(case, root) for case in cases if case not in left_out), tuple(map(named, left_out))


def named(case: ElementTree.Element) -> str:
    """The names of the test and of what it is in."""
    return " > ".join(filter(None, (case.get("classname"), case.get("name"))))


def ran(case: ElementTree.Element, root: Path) -> Ran:
    """The test, with the place and the words of its failure."""
    name = named(case)
    failure = next((child for child in case if child.tag in {"failure", "error"}), None)
    if failure is None:
        return Ran(name, passed=True)
    said = failure.text or failure.get("message") or ""
    reason = failure.get("message") or last_words(said)
    where = first(said, root) or stands(case, root)
    return Ran(name, passed=False, title=fails(name, reason), where=where, detail=tail(said))


def stands(case: ElementTree.Element, root: Path) -> str:
    """Where the test itself stands, if that is told."""
    path = own(case.get("file") or "", root)
    return f"{path}:{case.get('line') or 1}" if path else ""
