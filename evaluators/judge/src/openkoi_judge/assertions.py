"""Run the checks in an evaluator's SKILL.md that need no model: required texts and patterns."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from openkoi_base.skillfile.approvals import Approvals
from openkoi_base.skillfile.evaluator import Method, Rubric
from openkoi_base.skillfile.locations import Trust
from openkoi_hookspecs import Check, DataDir, Evaluation, EvaluationMode, ExecutionResult, Finding, Run
from openkoi_hookspecs.lazy_dataclass import dataclass

from .choose_rubric import find_named, find_rubric, for_category
from .rubrics_library import installed_locations, load_rubrics, search_locations
from .user_preferences import preferences

if TYPE_CHECKING:
    from .execution_facts import ExecutionFacts

MAX_TEXT_CHARACTERS = 100_000  # of a text that are searched


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectations:
    """An evaluator configured by ``[evaluators.expectations]``.

    ``rubrics`` are checked in every task, in addition to those that the task names and those of its category.
    ``folder`` is OpenKoi's data folder, ``path`` lists more folders with evaluators. A project's evaluators are used
    only if ``trust`` allows it.
    """

    rubrics: tuple[str, ...] = ()
    folder: Annotated[Path | None, DataDir("")] = None
    path: tuple[Path, ...] = ()
    trust: Trust | None = None

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation | None:
        """Check what the rubrics for this task expect; return None if there are none."""
        locations, _ = await installed_locations(run.koi)
        places = search_locations(self.folder, run.workspace, self.path, locations)
        library = load_rubrics(places, self.trust or Approvals(run.koi))
        fixed = [rubric for rubric in library.rubrics if rubric.method.asks_no_model]
        chosen = [find_rubric(fixed, name) for name in self.rubrics]
        chosen += find_named((run.task.text, *preferences(run)), fixed)
        chosen += for_category(fixed, run.task.category)
        if not chosen:
            return None
        from .execution_facts import read_facts

        facts = read_facts(work, run.koi.records(run.task.session), run.id)
        return check_expectations(list({rubric.name: rubric for rubric in chosen}.values()), facts)


def check_expectations(rubrics: Sequence[Rubric], facts: "ExecutionFacts") -> Evaluation:
    """Return a check for each expectation, and a finding for each that is not met."""
    checks, findings = list[Check](), list[Finding]()
    for rubric in rubrics:
        text = facts.by_name[rubric.of][:MAX_TEXT_CHARACTERS]
        for one in rubric.expect:
            name, passed = f"{rubric.name}: {one}", is_met(rubric.method, one, text)
            checks.append(Check(name, passed))
            if not passed:
                title = f"{rubric.name} expects {rubric.of} to contain: {one}"
                findings.append(Finding(title, rule=rubric.name, fix=rubric.guide))
    return Evaluation(checks=tuple(checks), findings=tuple(findings), mode=EvaluationMode.FULL)


def is_met(method: Method, wanted: str, text: str) -> bool:
    """Return whether a text meets an expectation."""
    return bool(re.search(wanted, text, re.MULTILINE)) if method is Method.REGEX else wanted in text
