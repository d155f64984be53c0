"""Parse the findings of a verdict leniently: an oddly written finding is still a finding."""

import re
from collections.abc import Mapping, Sequence

from openkoi_base.skillfile.evaluator import Rubric
from openkoi_hookspecs import Finding, Severity
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .quoting import replace_surrogates
from .scores import UnreadableError

MAX_TITLE_CHARACTERS = 200
PLACE = lazy_pattern(r"(?P<path>[\w.+@-]+(?:[/\\][\w.+@-]+)*\.\w+|[\w.+@-]+(?:[/\\][\w.+@-]+)+)(?::(?P<line>\d+)\S*)?")
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
LABELED = lazy_pattern(
    r"(?:[\[(*]{1,3}(?P<marked>\w+)[\])*:]{1,4}|(?P<plain>\w+)(?:\s*:|\s+[\u2013-]))\s+(?P<title>.+)", re.DOTALL
)
# No letter and no number but 0: "-", "0", "[]", "{}", a tick.
WORDLESS = lazy_pattern(r"[\W_0]*")
NO_FINDING = lazy_pattern(
    r"[\W_]*(?:(?:there(?:'s| is| are| was| were)|i (?:found|see|saw)|(?:this|the) (?:work|code|change|diff) has) )?"
    r"(?:none|nothing|nil|null|false|n/?a|not applicable|no|zero|empty|lgtm|ok(?:ay)?|(?:all|looks) good"
    r"|(?:no|0|zero) (?:(?:major|minor|significant|serious|critical|blocking|important"
    r"|further|new|open|other|obvious|remaining)(?:,| or| and)? ){0,3}"
    r"(?:findings?|issues?|problems?|defects?|concerns?|blockers?|errors?))"
    r"(?:,? (?:- )?(?:were|was|found|identified|detected|noted|seen|nothing|to report|at all|here|at this time"
    r"|during the review|(?:in|with) (?:this|the|these) (?:change|diff|code|work|patch|file|answer|result)s?))*"
    r"(?:[)*_`\"'>\]}]*\s*(?:$|(?:[.,:;!\u2013\u2014]+|-+)(?=\s|$)|(?<=\s)\()(?P<comment>.*))?",
    re.IGNORECASE | re.DOTALL,
)
# What follows "none" takes it back where it makes an exception, or names a place.
EXCEPTION = lazy_pattern(
    r"\b(?:but|except(?:ing)?|however|although|though|only|besides|apart|aside|other than|still|yet|one|should|could"
    r"|must|needs?|missing|lacks?|not|fails?)\b|n't\b|\w\.\w+:\d",
    re.IGNORECASE,
)


def parse_findings(raw: object, rubric: Rubric) -> tuple[Finding, ...]:
    """Parse findings: a list, a single one, or words for none. Reject what could hide a finding."""
    return tuple(to_finding(entry, rubric) for entry in map(to_object, to_list(raw)) if not says_nothing(entry))


def to_list(raw: object) -> Sequence[object]:
    """Return a list, also of a single finding; raise UnreadableError for anything else."""
    if says_nothing(raw):
        return []
    if isinstance(raw, list):
        return raw
    if isinstance(raw, str) or (isinstance(raw, dict) and first_text(raw, *TITLES)):
        return [raw]
    raise UnreadableError("The findings are not a list of objects.")


def says_nothing(value: object) -> bool:
    """Return whether a value means that nothing was found, however that is written."""
    if isinstance(value, str):
        return bool(WORDLESS.fullmatch(value)) or denies_findings(value)
    if isinstance(value, list | dict):
        return all(map(says_nothing, value.values() if isinstance(value, dict) else value))
    return not value


def denies_findings(text: str) -> bool:
    """Return whether a text says that there is no finding, with at most a comment that makes no exception."""
    match = NO_FINDING.fullmatch(text.strip())
    return match is not None and not EXCEPTION.search(match["comment"] or "")


def to_object(entry: object) -> Mapping[str, object]:
    """Return an entry as an object; plain text becomes its title, without a severity at the start."""
    if isinstance(entry, dict):
        texts = [first_text(entry, name) for name in TITLES]
        return {} if any(texts) and all(map(says_nothing, texts)) else entry
    if not isinstance(entry, str) or says_nothing(entry):
        return {}
    first = LABELED.fullmatch(entry.strip())
    label = (first["marked"] or first["plain"]) if first else ""
    known = first and label.casefold() in KNOWN
    return {"severity": label, "title": first["title"]} if first and known else {"title": entry}


def to_finding(entry: Mapping[str, object], rubric: Rubric) -> Finding:
    """Return the finding of an entry; keep a location that is not a file in the detail."""
    detail = first_text(entry, *DETAILS)
    place = first_text(entry, "location", "where", "file")
    where = parse_location(place)
    return Finding(
        " ".join((first_text(entry, *SUMMARIES) or detail or "A finding without text").split())[:MAX_TITLE_CHARACTERS],
        parse_severity(first_text(entry, "severity", "level")),
        rule=rule_of(first_text(entry, "dimension"), rubric),
        where=where,
        detail=detail if where or not place else f"{detail} ({place})".strip(),
        fix=first_text(entry, "fix", "suggested_fix"),
    )


def first_text(entry: Mapping[str, object], *names: str) -> str:
    """Return the first text under one of the keys."""
    texts = (entry[name] for name in names if isinstance(entry.get(name), str))
    return next((replace_surrogates(text).strip() for text in texts if isinstance(text, str) and text.strip()), "")


def parse_severity(word: str) -> Severity:
    """Parse a severity; an unknown one counts as important."""
    first = re.split(r"[^a-z0-9]+", word.casefold().strip(), maxsplit=1)[0]
    return next((known for known, names in SEVERITIES.items() if first in names), Severity.IMPORTANT)


def rule_of(dimension: str, rubric: Rubric) -> str:
    """Return the rubric and dimension as a rule, or the rubric alone for an unknown dimension."""
    known = rubric.find_dimension(dimension)
    return rubric.rule(known.name) if known else rubric.name


def parse_location(place: str) -> str:
    """Return a location as ``path:line`` if it looks like one, or an empty string."""
    found = PLACE.fullmatch(place.removeprefix("./"))
    if not found:
        return ""
    return f"{found['path']}:{found['line']}" if found["line"] else found["path"]
