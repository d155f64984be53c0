"""Judge a shell line: each of its simple commands alone, the strictest verdict holds. Touches nothing, runs nothing."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from openkoi_hookspecs import Allow, Permission

from .examine import Examination
from .finding import Concern
from .git_checkouts import Comparison
from .policy import Policy
from .visited_folders import visited_folders

VARIABLE = re.compile(r"\$\{?(\w+)\}?")
MOST_SHOWN = 3
LONGEST_SHOWN = 160
NOTE = "The guard prevents accidents; it is no boundary."
NOTHING_SETTLED = Policy()


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is said of a line, and the files that it would write to, or read into a shell, as they are spelled.

    ``configures`` are settings of repositories that it would write, where they are there already; ``plainly``: they are
    nothing that git runs, and only git writes them. ``compares`` tells which files it would take out of a repository's
    history; ``may_hold_tokens``: the files that it reads and that have to be looked into for keys.
    """

    verdict: Permission
    concerns: tuple[Concern, ...] = ()
    writes: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    sourced: tuple[str, ...] = ()
    configures: tuple[str, ...] = ()
    plainly: bool = False
    compares: tuple[Comparison, ...] = ()
    may_hold_tokens: tuple[str, ...] = ()


def judge(line: str, policy: Policy = NOTHING_SETTLED) -> Permission:
    """Say whether a line may run."""
    return examined(line, policy).verdict


def examined(line: str, policy: Policy = NOTHING_SETTLED) -> Judgement:
    """Judge a line, with everything that was found."""
    examination = Examination(policy)
    examination.begin(line)
    concerns = tuple(dict.fromkeys(examination.concerns))
    return Judgement(
        verdict_of(concerns),
        concerns,
        tuple(resolved(examination)),
        visited_folders(examination.folders, examination.choices),
        tuple(dict.fromkeys(examination.sourced)),
        tuple(dict.fromkeys(examination.configures)),
        examination.plainly and not concerns and not examination.writes,
        tuple(dict.fromkeys(examination.compares)),
        tuple(dict.fromkeys(examination.may_hold_tokens)),
    )


def resolved(examination: Examination) -> Iterator[str]:
    """The files that a line writes to, also behind the variables and links that it has made itself."""
    for target in examination.writes:
        path = VARIABLE.sub(lambda match: examination.values.get(match[1], match[0]), target)
        yield path
        head, slash, rest = posixpath.normpath(path).partition("/")
        if head in examination.links:
            yield examination.links[head] + slash + rest


def verdict_of(concerns: tuple[Concern, ...]) -> Permission:
    """The strictest verdict, with the reasons for it first."""
    if not concerns:
        return Allow()
    ordered = sorted(concerns, key=lambda concern: -concern.verdict.strictness)
    return ordered[0].verdict(reason_of(ordered))


def reason_of(concerns: list[Concern]) -> str:
    """Say which command, and why, for a person."""
    said = [f"{shortened(concern.command)}: {concern.why}." for concern in concerns[:MOST_SHOWN]]
    more = [f"And {len(concerns) - MOST_SHOWN} more."] if len(concerns) > MOST_SHOWN else []
    return "\n".join([*said, *more, NOTE])


def shortened(command: str) -> str:
    """A command as it may stand in a sentence: one line, without signs that move a terminal's cursor."""
    plain = "".join(sign if sign.isprintable() else " " for sign in command)
    text = " ".join(plain.split())
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
