"""Checks from an evaluator's SKILL.md that ask no model: something has to be there, word for word or by a pattern."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import Check, DataDir, Evaluation, EvaluationMode, ExecutionResult, Finding, Run
from openkoi_skillfile import Approved, Method, Rubric, Trust, lent

from .choice import named_in, serving, wished
from .extract import Extract, extract
from .preferences import preferences
from .shelf import fetch, wanted

MAX_TEXT = 100_000  # characters of a text that are searched


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectations:
    """Configured by ``[evaluators.expectations]``.

    ``rubrics`` are checked in every task, beside those that the task names and those of its category. ``folder`` is
    OpenKoi's data folder, ``path`` names more folders with evaluators. What a project brings is read if ``trust`` says
    so.
    """

    rubrics: tuple[str, ...] = ()
    folder: Annotated[Path | None, DataDir("")] = None
    path: tuple[Path, ...] = ()
    trust: Trust | None = None

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation | None:
        """Check what the rubrics for this task expect; None if there are none.

        Raises PluginNotFoundError for a wrong name.
        """
        brought, _ = await lent(run.koi.plugins("skills"))
        places = wanted(self.folder, run.workspace, self.path, brought)
        shelf = fetch(places, self.trust or Approved(run.koi))
        fixed = [rubric for rubric in shelf.rubrics if rubric.method.fixed]
        chosen = [wished(fixed, name) for name in self.rubrics]
        chosen += named_in((run.task.text, *preferences(run)), fixed)
        chosen += serving(fixed, run.task.category)
        if not chosen:
            return None
        facts = extract(work, run.koi.records(run.task.session), run.id)
        return check(list({rubric.name: rubric for rubric in chosen}.values()), facts)


def check(rubrics: Sequence[Rubric], facts: Extract) -> Evaluation:
    """Return a check for each thing that is expected, and a finding for each that is not there."""
    checks, findings = list[Check](), list[Finding]()
    for rubric in rubrics:
        text = facts.named[rubric.of][:MAX_TEXT]
        for one in rubric.expect:
            name, passed = f"{rubric.name}: {one}", is_there(rubric.method, one, text)
            checks.append(Check(name, passed))
            if not passed:
                title = f"{rubric.of} does not have what {rubric.name} expects: {one}"
                findings.append(Finding(title, rule=rubric.name, fix=rubric.guide))
    return Evaluation(checks=tuple(checks), findings=tuple(findings), mode=EvaluationMode.FULL)


def is_there(method: Method, wanted: str, text: str) -> bool:
    """Whether a text has what is expected."""
    return bool(re.search(wanted, text, re.MULTILINE)) if method is Method.REGEX else wanted in text
