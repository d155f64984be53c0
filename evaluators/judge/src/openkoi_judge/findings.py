"""Read the findings of a verdict, leniently: a finding that is spelled oddly is still a finding. Knows no scores."""

import re
from collections.abc import Mapping

from openkoi_hookspecs import Finding, Severity
from openkoi_skillfile import Rubric

from .fence import storable
from .scores import Unreadable

TITLE = 200
PLACE = re.compile(r"(?P<path>[\w.+@-]+(?:[/\\][\w.+@-]+)*\.\w+|[\w.+@-]+(?:[/\\][\w.+@-]+)+)(?::(?P<line>\d+)\S*)?")
SEVERITIES = {
    Severity.BLOCKER: ("blocker", "blocking", "critical", "fatal", "severe", "showstopper", "p0"),
    Severity.SUGGESTION: (
        "suggestion",
        "minor",
        "low",
        "nit",
        "nitpick",
        "trivial",
        "info",
        "note",
        "style",
        "optional",
    ),
}


def read_findings(raw: object, rubric: Rubric) -> tuple[Finding, ...]:
    """Read a list of findings. None at all is no finding; anything but a list could hide one and is refused."""
    if raw is None or raw == "":
        return ()
    if not isinstance(raw, list):
        raise Unreadable("The findings are not a list of objects.")
    return tuple(finding(entry, rubric) for entry in map(opened, raw) if any(entry.values()))


def opened(entry: object) -> Mapping[str, object]:
    """Take an entry for an object; bare words are its title."""
    return entry if isinstance(entry, dict) else {"title": entry if isinstance(entry, str) else ""}


def finding(entry: Mapping[str, object], rubric: Rubric) -> Finding:
    """Make a finding of an entry; a place that is no file is kept in the detail."""
    detail = words(entry, "description", "detail", "message")
    place = words(entry, "location", "where", "file")
    where = located(place)
    return Finding(
        " ".join((words(entry, "title", "summary") or detail or "A finding without words").split())[:TITLE],
        severity(words(entry, "severity", "level")),
        rule=ruled(words(entry, "dimension"), rubric),
        where=where,
        detail=detail if where or not place else f"{detail} ({place})".strip(),
        fix=words(entry, "fix", "suggested_fix"),
    )


def words(entry: Mapping[str, object], *names: str) -> str:
    """The first text that stands under one of the names."""
    texts = (entry[name] for name in names if isinstance(entry.get(name), str))
    return next((storable(text).strip() for text in texts if isinstance(text, str) and text.strip()), "")


def severity(word: str) -> Severity:
    """Translate a severity; one that is not known is important."""
    first = re.split(r"[^a-z0-9]+", word.casefold().strip(), maxsplit=1)[0]
    return next((known for known, names in SEVERITIES.items() if first in names), Severity.IMPORTANT)


def ruled(dimension: str, rubric: Rubric) -> str:
    """Name the rule: the rubric and the dimension, or the rubric alone when the dimension is none of its own."""
    known = rubric.known(dimension)
    return rubric.rule(known.name) if known else rubric.name


def located(place: str) -> str:
    """Take a place for ``path:line`` if it looks like one."""
    found = PLACE.fullmatch(place.removeprefix("./"))
    if not found:
        return ""
    return f"{found['path']}:{found['line']}" if found["line"] else found["path"]
