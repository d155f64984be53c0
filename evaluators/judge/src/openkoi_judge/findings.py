"""Read the findings of a verdict, leniently: a finding that is spelled oddly is still a finding. Knows no scores."""

import re
from collections.abc import Mapping, Sequence

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
KNOWN = frozenset(name for names in SEVERITIES.values() for name in names) | {"important", "major", "high", "medium"}
SUMMARIES = ("title", "summary")
DETAILS = ("description", "detail", "message")
TITLES = (*SUMMARIES, *DETAILS)
LABELED = re.compile(
    r"(?:[\[(*]{1,3}(?P<marked>\w+)[\])*:]{1,4}|(?P<plain>\w+)(?:\s*:|\s+[\u2013-]))\s+(?P<title>.+)", re.DOTALL
)
NONE = re.compile(
    r"[(*_`\"'\u2713 ]*"
    r"(?:(?:there(?:'s| is| are| was| were)|i (?:found|see|saw)|(?:this|the) (?:work|code|change|diff) has) )?"
    r"(?:|none|nothing|nil|null|n/?a|not applicable|no|empty|-+|\[\s*\]|\{\s*\}|lgtm|ok(?:ay)?|(?:all|looks) good"
    r"|(?:no|0|zero) (?:(?:major|minor|significant|serious|critical|blocking|important"
    r"|further|new|open|other|obvious|remaining)(?:,| or| and)? ){0,3}"
    r"(?:findings?|issues?|problems?|defects?|concerns?|blockers?|errors?))"
    r"(?:,? (?:- )?(?:were|was|found|identified|detected|noted|seen|nothing|to report|at all|here|at this time"
    r"|during the review|(?:in|with) (?:this|the|these) (?:change|diff|code|work|patch|file|answer|result)s?))*"
    r"\s*[.!]?[)*_`\"']*",
    re.IGNORECASE,
)


def read_findings(raw: object, rubric: Rubric) -> tuple[Finding, ...]:
    """Read findings: a list, a single one, or words for none. What could hide a finding is refused."""
    return tuple(finding(entry, rubric) for entry in map(opened, listed(raw)) if any(entry.values()))


def listed(raw: object) -> Sequence[object]:
    """Take what stands in place of a list for one; raises Unreadable for what is neither a finding nor none."""
    if isinstance(raw, list):
        return raw
    if isinstance(raw, str) or (isinstance(raw, dict) and words(raw, *TITLES)):
        return [raw]
    if any(raw.values()) if isinstance(raw, dict) else raw:
        raise Unreadable("The findings are not a list of objects.")
    return []


def opened(entry: object) -> Mapping[str, object]:
    """Take an entry for an object: bare words are its title, after a severity if they begin with one."""
    if isinstance(entry, dict):
        said = [words(entry, name) for name in TITLES]
        return {} if any(said) and all(NONE.fullmatch(text) for text in said if text) else entry
    if not isinstance(entry, str) or NONE.fullmatch(entry.strip()):
        return {}
    first = LABELED.fullmatch(entry.strip())
    label = (first["marked"] or first["plain"]) if first else ""
    known = first and label.casefold() in KNOWN
    return {"severity": label, "title": first["title"]} if first and known else {"title": entry}


def finding(entry: Mapping[str, object], rubric: Rubric) -> Finding:
    """Make a finding of an entry; a place that is no file is kept in the detail."""
    detail = words(entry, *DETAILS)
    place = words(entry, "location", "where", "file")
    where = located(place)
    return Finding(
        " ".join((words(entry, *SUMMARIES) or detail or "A finding without words").split())[:TITLE],
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
