"""Find what a closing answer claims about the work, and compare each claim with the run's checks, commands and diff.

A claim is a sentence that states something that a record could prove: tests pass, a file was changed, a command was
run, a bug is fixed. Without such a record it is unverified. No model is asked; claims in other languages are not found.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum

from openkoi_base.counts import format_count
from openkoi_base.files.diffs import count_lines, format_names, split_by_file
from openkoi_hookspecs import Check, Evaluation
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .formatting import truncate_line
from .report import RunReport

MAX_CLAIM_CHARACTERS = 300
FENCED = lazy_pattern(r"^(`{3,}|~{3,}).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
MARKS = lazy_pattern(r"^\s*(?:#+|[-*+>]|\d+[.)])\s+|[*_]{2}")
SENTENCE_END = lazy_pattern(r"(?<=[.!?])\s+(?=[A-Z`\"'(])")
HEDGED = lazy_pattern(
    r"^(?:run|use|try|check|see|add|update|change|remove|create|fix|make|ensure)\b"
    r"|\b(?:whether|should|would|could|might|may|will|if|once|unless|please|can|cannot|let me|want|next|todo|consider"
    r"|recommend|not yet|(?:did|do|does|have|has|was|were|is|are|could|would)(?: not|n't))\b|\bI'll\b|\?$|:$",
    re.IGNORECASE,
)
TESTS = lazy_pattern(
    r"\btest(?:s| suite|s? cases?)?\b.*\b(?:pass|passes|passed|passing|green|succeed\w*)\b|\bno (?:test )?failures?\b"
    r"|\bsuite (?:is green|passes)\b|\b\d+ (?:tests )?passed\b",
    re.IGNORECASE,
)
STYLE = lazy_pattern(
    r"\b(?:lint\w*|ruff|flake8|pylint|eslint|mypy|pyright|tsc|clippy|type[- ]?check\w*)\b.*"
    r"\b(?:pass\w*|clean|green|succeed\w*|no (?:errors|warnings|issues|problems))\b"
    r"|\bno (?:lint|type|style)\w* (?:errors|warnings|issues|problems)\b",
    re.IGNORECASE,
)
RAN = lazy_pattern(r"\b(?:ran|executed|re-?ran)\b[^`]*`([^`]+)`", re.IGNORECASE)
BUILDS = lazy_pattern(
    r"\b(?:build|builds|compiles?|compilation)\b.*\b(?:pass\w*|succeed\w*|clean\w*|success\w*)\b", re.I
)
PUBLISHED = lazy_pattern(r"\b(?:committed|pushed|merged|tagged|deployed|published|released|emailed)\b", re.IGNORECASE)
CHANGED = lazy_pattern(
    r"\b(?:created|added|updated|edited|modified|changed|removed|deleted|renamed|moved|refactored|rewr(?:ote|itten)"
    r"|implemented|wr(?:ote|itten)|fixed|replaced|extended|introduced|simplified|extracted)\b",
    re.IGNORECASE,
)
FIXED = lazy_pattern(
    r"\b(?:fixe[ds]|resolve[ds]|repaired|solved|correct(?:ed|s) the)\b"
    r"|\bno longer (?:fail|crash|rais|throw|hang|leak)\w*",
    re.IGNORECASE,
)
ASSURED = lazy_pattern(
    r"\b(?:verified|confirmed|validated|tested|double-checked|works|working|production[- ]ready"
    r"|backwards?[- ]compatible|thread[- ]safe|secure|everything passes)\b",
    re.IGNORECASE,
)
MEASURED = lazy_pattern(
    r"\b(?:faster|slower|smaller|less memory|speed-?up|\d+(?:\.\d+)?\s?(?:%|x|times))(?=\W|$)", re.I
)
PATH = lazy_pattern(
    r"(?<![\w/.-])((?:[\w.-]+/)*[\w.-]+\.(?:py|pyi|js|jsx|ts|tsx|go|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|swift|sh|md|rst|txt"
    r"|toml|ya?ml|json|html|css|scss|sql|xml|ini|cfg|lock|ipynb|vue|svelte))(?![\w/-])"
)
TEST_COMMAND = lazy_pattern(
    r"\b(?:pytest|unittest|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest)\b"
    r"|\b(?:npm|yarn|pnpm|go|cargo|make|mvn|gradle|dotnet)\b.*\btest\b"
)
STYLE_COMMAND = lazy_pattern(r"\b(?:ruff|flake8|pylint|eslint|mypy|pyright|tsc|clippy|vet|lint)\b")
BUILD_COMMAND = lazy_pattern(r"\b(?:build|make|compile|tsc|gcc|clang|javac)\b")
PUBLISH_COMMAND = lazy_pattern(r"\b(?:commit|push|merge|tag|deploy|publish|release|mail)\b")
TEST_EVALUATOR, STYLE_EVALUATOR = "testrunner", "lint"
NO_PROOF = "nothing in the record shows this"


class Verdict(StrEnum):
    """Whether the record supports a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNVERIFIED = "unverified"


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the answer, the verdict of the record, and the basis of that verdict."""

    text: str
    verdict: Verdict
    basis: str = NO_PROOF


Finding = tuple[Verdict, str]
UNKNOWN: Finding = (Verdict.UNVERIFIED, NO_PROOF)


def check_claims(report: RunReport) -> Sequence[Claim]:
    """Return the claims of a run's answer, in their order, each with its basis."""
    return [
        Claim(sentence, *find_basis(sentence, report))
        for sentence in dict.fromkeys(split_sentences(report.text))
        if find_rule(sentence)
    ]


def split_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of an answer that state something; code blocks and tables are left out."""
    for line in FENCED.sub("", text).split("\n"):
        plain = MARKS.sub("", line).strip()
        for sentence in SENTENCE_END.split(plain) if plain and not plain.startswith("|") else ():
            if len(sentence) <= MAX_CLAIM_CHARACTERS and not HEDGED.search(sentence):
                yield sentence.strip()


def find_basis(sentence: str, report: RunReport) -> Finding:
    """Return the verdict of the record on a claim, and its basis."""
    rule = find_rule(sentence)
    return rule(sentence, report) if rule else UNKNOWN


def find_rule(sentence: str) -> Callable[[str, RunReport], Finding] | None:
    """Return the rule that checks a sentence; None if it claims nothing that a record could prove."""
    if CHANGED.search(sentence) and PATH.search(sentence) and not TESTS.search(sentence):
        return check_files
    return next((rule for pattern, rule in RULES if pattern.search(sentence)), None)


def check_tests(sentence: str, report: RunReport) -> Finding:
    """Compare with the checks of tests, else with the last command that ran tests."""
    return check_evaluator(TEST_EVALUATOR, report) or check_command(TEST_COMMAND, report)


def check_style(sentence: str, report: RunReport) -> Finding:
    """Compare with the checks of linters, else with the last command that ran one."""
    return check_evaluator(STYLE_EVALUATOR, report) or check_command(STYLE_COMMAND, report)


def check_builds(sentence: str, report: RunReport) -> Finding:
    """Compare with the last command that built something."""
    return check_command(BUILD_COMMAND, report)


def check_published(sentence: str, report: RunReport) -> Finding:
    """Compare with the commands and effects that left the folder."""
    work = report.best.work
    effects = [effect for effect in (work.effects if work else ()) if PUBLISH_COMMAND.search(effect)]
    if effects:
        return Verdict.SUPPORTED, truncate_line(f"log: {effects[-1]}")
    return check_command(PUBLISH_COMMAND, report)


def check_run(sentence: str, report: RunReport) -> Finding:
    """Compare with the commands in the log."""
    named = RAN.search(sentence)
    wanted = " ".join(named[1].split()) if named else ""
    for one in reversed(report.commands):
        if wanted and wanted in " ".join(one.command.split()):
            return Verdict.SUPPORTED, f"log: exit status {one.exit_code}"
    return Verdict.CONTRADICTED, "log: no such command was run"


def check_files(sentence: str, report: RunReport) -> Finding:
    """Compare the files that a sentence names with the diff."""
    work = report.best.work
    if work is None or work.unseen:
        return UNKNOWN
    parts = split_by_file(work.diff)
    named = [match[1] for match in PATH.finditer(sentence)]
    found = {name: file for name in named for file in parts if f"/{file}".endswith(f"/{name.removeprefix('./')}")}
    if missing := [name for name in named if name not in found]:
        verdict = Verdict.UNVERIFIED if len(missing) < len(named) else Verdict.CONTRADICTED
        return verdict, f"diff: no change to {format_names(missing, 3)}"
    return Verdict.SUPPORTED, f"diff: {format_names([format_change(file, parts[file]) for file in found.values()], 3)}"


def check_fixed(sentence: str, report: RunReport) -> Finding:
    """Compare with checks that failed before and pass now, else with all checks."""
    best = report.best
    if best.facts.turned and not best.facts.red:
        return Verdict.SUPPORTED, f"failed before, passes now: {format_names(best.facts.turned, 2)}"
    return check_evaluation(best.evaluation) or UNKNOWN


def check_measured(sentence: str, report: RunReport) -> Finding:
    """Return that nothing measures this."""
    return UNKNOWN


def check_evaluator(name: str, report: RunReport) -> Finding | None:
    """Return the verdict of an evaluator's checks of the returned work, or None if it has none."""
    evaluation = report.best.evaluation
    return check_checks([one for one in evaluation.checks if one.evaluator == name] if evaluation else [], name)


def check_evaluation(evaluation: Evaluation | None) -> Finding | None:
    """Return the verdict of all checks, or None if there are none."""
    return check_checks(evaluation.checks, "checks") if evaluation and evaluation.checks else None


def check_checks(checks: Sequence[Check], name: str) -> Finding | None:
    """Return how many checks pass, or None if there are none."""
    red = [one for one in checks if not one.passed]
    if not checks:
        return None
    if red:
        return Verdict.CONTRADICTED, f"{name}: {len(red)} of {format_count(len(checks), 'check')} fail"
    return Verdict.SUPPORTED, f"{name}: {len(checks)} of {format_count(len(checks), 'check')} pass"


def check_command(pattern: re.Pattern[str], report: RunReport) -> Finding:
    """Compare with the last command of a kind; a command before a later change of files proves nothing."""
    for one in reversed(report.commands):
        if pattern.search(one.command):
            text = f"log: `{truncate_line(one.command, 60)}` exited with {one.exit_code}"
            if one.exit_code:
                return Verdict.CONTRADICTED, text
            return (Verdict.UNVERIFIED, f"{text}, before later changes") if one.stale else (Verdict.SUPPORTED, text)
    return UNKNOWN


def format_change(file: str, part: str) -> str:
    """Format a file's name with the numbers of lines added and removed."""
    added, removed = count_lines(part)
    return f"{file} +{added} -{removed}"


RULES: Sequence[tuple[re.Pattern[str], Callable[[str, RunReport], Finding]]] = (
    (RAN, check_run),
    (TESTS, check_tests),
    (STYLE, check_style),
    (BUILDS, check_builds),
    (PUBLISHED, check_published),
    (MEASURED, check_measured),
    (FIXED, check_fixed),
    (ASSURED, check_fixed),
)
