"""Number findings F1, F2 and so on through a task; one that stays open keeps its number."""

from collections.abc import Iterable, Mapping

from openkoi_hookspecs import Evaluation

FindingKey = tuple[str, str, str]


def number_findings(evaluations: Iterable[Evaluation | None]) -> list[Mapping[FindingKey, int]]:
    """Return the numbers of each evaluation's findings; without an evaluation all stay open."""
    last, open_ones = 0, dict[FindingKey, int]()
    found: list[Mapping[FindingKey, int]] = []
    for evaluation in evaluations:
        if evaluation is not None and not evaluation.unavailable_reason:
            before, open_ones = open_ones, {}
            for finding in evaluation.findings:
                if finding.key not in open_ones:
                    known = before.get(finding.key)
                    last = last if known else last + 1
                    open_ones[finding.key] = known or last
        found.append(open_ones)
    return found
