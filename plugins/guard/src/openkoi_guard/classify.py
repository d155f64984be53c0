"""Classify a shell line by its most dangerous (destructive) simple command. Nothing is run or changed."""

import posixpath
from collections.abc import Iterator

from openkoi_hookspecs import Allow, Permission
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .analyzer import LineAnalyzer
from .git_checkouts import Comparison
from .issue import Issue
from .limits import MAX_SHOWN_ISSUES, MAX_SHOWN_LENGTH
from .permission_rules import PermissionRules
from .visited_folders import list_visited_folders

VARIABLE = lazy_pattern(r"\$\{?(\w+)\}?")
NO_RULES = PermissionRules()


@dataclass(frozen=True, slots=True)
class LineVerdict:
    """What was found in a line, and the files that it writes or sources, as they are spelled.

    ``git_configs`` are settings of existing repositories that it writes; ``only_plain_settings``: git never runs these,
    and only git writes them. ``comparisons`` show which files it takes out of a repository's history;
    ``may_hold_tokens`` are files that it reads and that must be searched for keys.
    """

    permission: Permission
    issues: tuple[Issue, ...] = ()
    writes: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    sourced_files: tuple[str, ...] = ()
    git_configs: tuple[str, ...] = ()
    only_plain_settings: bool = False
    comparisons: tuple[Comparison, ...] = ()
    may_hold_tokens: tuple[str, ...] = ()


def check_line(line: str, rules: PermissionRules = NO_RULES) -> Permission:
    """Return whether a line may run."""
    return classify_line(line, rules).permission


def classify_line(line: str, rules: PermissionRules = NO_RULES) -> LineVerdict:
    """Classify a line, with everything that was found."""
    analyzer = LineAnalyzer(rules)
    analyzer.analyze(line)
    issues = tuple(dict.fromkeys(analyzer.issues))
    return LineVerdict(
        strictest_permission(issues),
        issues,
        tuple(resolve_writes(analyzer)),
        list_visited_folders(analyzer.folders, analyzer.choices),
        tuple(dict.fromkeys(analyzer.sourced_files)),
        tuple(dict.fromkeys(analyzer.git_configs)),
        analyzer.only_plain_settings and not issues and not analyzer.writes,
        tuple(dict.fromkeys(analyzer.comparisons)),
        tuple(dict.fromkeys(analyzer.may_hold_tokens)),
    )


def resolve_writes(analyzer: LineAnalyzer) -> Iterator[str]:
    """Yield the files that a line writes to, with its own variables and links resolved."""
    for target in analyzer.writes:
        path = VARIABLE.sub(lambda match: analyzer.variables.get(match[1], match[0]), target)
        yield path
        head, slash, rest = posixpath.normpath(path).partition("/")
        if head in analyzer.made_links:
            yield analyzer.made_links[head] + slash + rest


def strictest_permission(issues: tuple[Issue, ...]) -> Permission:
    """Return the strictest permission, with the reasons for it first."""
    if not issues:
        return Allow()
    ordered = sorted(issues, key=lambda issue: -issue.verdict.strictness)
    return ordered[0].verdict(format_reason(ordered))


def format_reason(issues: list[Issue]) -> str:
    """Return the commands and reasons to show to the user."""
    lines = [f"{shorten_command(issue.command)}: {issue.why}." for issue in issues[:MAX_SHOWN_ISSUES]]
    more = [f"And {len(issues) - MAX_SHOWN_ISSUES} more."] if len(issues) > MAX_SHOWN_ISSUES else []
    return "\n".join([*lines, *more])


def shorten_command(command: str) -> str:
    """Return a command as one line without control characters, and not too long."""
    plain = "".join(character if character.isprintable() else " " for character in command)
    text = " ".join(plain.split())
    return text if len(text) <= MAX_SHOWN_LENGTH else f"{text[:MAX_SHOWN_LENGTH]}…"
