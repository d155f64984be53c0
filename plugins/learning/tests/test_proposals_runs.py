"""Test the way from judged tasks to a draft, its approval, and a judge that uses it, in real runs."""

import asyncio
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from openkoi.app import App
from openkoi_base.skillfile.approvals import Approvals
from openkoi_base.skillfile.evaluator import parse_rubric
from openkoi_base.skillfile.locations import SkillSource, collect_skills, list_locations
from openkoi_base.skillfile.skill import EVALUATOR, read_skill
from openkoi_base.skillfile.validation import validate
from openkoi_hookspecs import Event, Finding, Limits, Record, Result, Severity, Task, events
from openkoi_hookspecs.events import WarningIssued
from openkoi_judge import Judge
from openkoi_learning.proposals import ProposalsHook
from openkoi_learning.proposals.draft_store import DraftStore
from openkoi_learning.proposals.events import ProposalDrafted
from openkoi_scripted import Scripted
from openkoi_testing import Scenario

FAULTS = ("The totals do not add up", "Percentages are rounded wrongly", "The amount in row 4 is off by ten")


def verdict(title: str, dimensions: Sequence[str] = ("relevance", "quality", "completeness")) -> str:
    """A judge's answer with one finding."""
    finding = {"severity": "important", "dimension": dimensions[1], "title": title, "description": "", "fix": ""}
    return json.dumps({"scores": {**dict.fromkeys(dimensions, 0.5), "other_task": 0.0}, "findings": [finding]})


@dataclass
class Office:
    """A home and a workspace in which reports are written and judged."""

    folder: Path
    proposals: ProposalsHook = field(init=False)
    records: Sequence[Record] = ()
    model: Scripted = field(default_factory=lambda: Scripted(["done"]))

    def __post_init__(self) -> None:
        self.proposals = ProposalsHook(data=self.data, wording=False)
        (self.folder / "work").mkdir()

    @property
    def data(self) -> Path:
        return self.folder / "home" / "data"

    @property
    def koi(self) -> App:
        """An OpenKoi of this home."""
        return Scenario().build_app(self.folder / "work", self.folder / "home")

    @property
    def drafts(self) -> DraftStore:
        """The drafts, as commands see them."""
        return replace(self.proposals.drafts, koi=self.koi)

    @property
    def draft(self) -> Path:
        return self.data / "evaluators" / "proposed" / "finance-quality" / "SKILL.md"

    def report(self, title: str, *more: str, category: str = "finance", says: str = "") -> Result:
        """Let a report be written, and judged wrong."""
        self.model = Scripted(["The report.", "yes", says or verdict(title), *more])
        stage = Scenario(
            model=self.model,
            plugins={"proposals": self.proposals},
            evaluators={"judge": Judge(folder=self.data, votes=1)},
        )
        return asyncio.run(self.solved(Task("Report on it", category=category, limits=Limits(iterations=1)), stage))

    async def solved(self, task: Task, stage: Scenario) -> Result:
        async with stage.build_app(self.folder / "work", self.folder / "home") as koi:
            result = await koi.solve(task)
            await koi.drain()
            self.records = tuple(koi.records(koi.session))
            return result

    def events_of(self, kind: type[Event]) -> list[Event]:
        """The messages about a kind in the last run."""
        return [one.event for one in self.records if isinstance(one.event, kind)]


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


@pytest.mark.row("EVAL-23")
def test_the_third_task_with_the_same_kind_of_fault_has_an_evaluator_drafted(office: Office) -> None:
    results = [office.report(title) for title in FAULTS[:2]]
    before = office.draft.exists()
    results.append(office.report(FAULTS[2]))

    skill = read_skill(office.draft.read_text(encoding="utf-8"), "finance-quality")
    rubric = parse_rubric(skill)
    assert (False, [], "findings:finance") == (
        before,
        validate(office.draft, strict=True),
        skill.metadata_value("learned_from"),
    )
    assert {"fulfilment": 0.4, "figures": 0.6} == {one.name: one.weight for one in rubric.dimensions}
    assert ("finance",) == rubric.categories
    assert [
        ProposalDrafted(
            "finance-quality", "evaluator", "3 of 3 tasks in the category finance had the same kinds of findings"
        )
    ] == (office.events_of(ProposalDrafted))
    assert ["The report."] * 3 == [result.text for result in results]


@pytest.mark.row("EVAL-21", "EVAL-23", "C73")
def test_a_draft_judges_nothing_until_it_is_approved_and_then_it_does(office: Office) -> None:
    for title in FAULTS:
        office.report(title)
    office.report(FAULTS[0])
    unapproved, warned = str(office.model.asked[2].system), office.events_of(WarningIssued)

    drafts = office.drafts
    target = drafts.approve(drafts.find_proposal("1"))
    office.report("", says=verdict(FAULTS[0], ("fulfilment", "figures")))

    assert office.data / "evaluators" / "proposed" / "finance-quality" == target
    assert ("Rubric: general" in unapproved, []) == (True, warned)
    assert "Rubric: finance-quality" in str(office.model.asked[2].system)
    assert "finance-quality/figures" in str(office.events_of(events.EvaluationFinished))
    assert ([], [SkillSource.PROPOSED]) == (drafts.pending_drafts(), sources(office))


def sources(office: Office) -> list[SkillSource]:
    """The sources of the approved evaluators."""
    found = collect_skills(list_locations(EVALUATOR, office.data, None), trust=Approvals(office.koi)).found
    return [one.source for one in found]


@pytest.mark.row("EVAL-23")
def test_what_was_dismissed_is_not_proposed_again(office: Office) -> None:
    for title in FAULTS:
        office.report(title)
    drafts = office.proposals.drafts
    aside = drafts.dismiss(drafts.find_proposal("finance-quality"))
    office.proposals.stamp.unlink()

    office.report(FAULTS[0])

    assert (True, False, []) == ((aside / "SKILL.md").is_file(), office.draft.exists(), drafts.pending_drafts())


@pytest.mark.row("EVAL-23")
def test_it_looks_once_in_an_interval(office: Office) -> None:
    for title in FAULTS:
        office.report(title)
    stamp = office.proposals.stamp
    office.draft.unlink()

    office.report(FAULTS[0])
    rested = office.draft.exists()
    os.utime(stamp, (0, stamp.stat().st_mtime - 25 * 3600))
    office.report(FAULTS[0])

    assert (False, True) == (rested, office.draft.exists())


@pytest.mark.row("EVAL-23")
def test_where_it_cannot_write_the_task_is_done_and_it_is_said(office: Office) -> None:
    office.data.mkdir(parents=True)
    (office.data / "evaluators").write_text("in the way")

    results = [office.report(title) for title in FAULTS]

    assert ["The report."] * 3 == [result.text for result in results]
    assert ["Could not read past tasks to propose evaluators"] == [
        one.text.partition(":")[0] for one in office.events_of(WarningIssued) if isinstance(one, WarningIssued)
    ]


def test_a_category_that_another_rubric_judges_needs_none(office: Office) -> None:
    names = ("clarity", "accuracy", "tone", "structure")
    for title in FAULTS:
        office.report("", category="docs", says=verdict(title, names))

    assert [] == office.proposals.drafts.pending_drafts()


def test_a_model_may_word_it_better_and_decides_nothing_else(office: Office) -> None:
    office.report(FAULTS[0])
    office.report(FAULTS[1])
    office.proposals = ProposalsHook(data=office.data, wording_seconds=30)
    office.report(FAULTS[2], "1 | sums that hold | Do all sums hold when they are added up again?")

    rubric = parse_rubric(read_skill(office.draft.read_text(encoding="utf-8"), ""))

    assert [("fulfilment", 0.4), ("sums that hold", 0.6)] == [(one.name, one.weight) for one in rubric.dimensions]
    assert "Do all sums hold when they are added up again?" in rubric.guide
    assert "planner" in [request.model for request in office.model.asked] or 4 == len(office.model.asked)


def test_a_finding_is_one_that_the_general_rubric_made() -> None:
    from openkoi_learning.proposals.recurring_findings import by_rubric

    found = [Finding("x", Severity.IMPORTANT, rule=rule) for rule in ("general/quality", "general", "pytest", "")]

    assert [True, True, False, False] == [by_rubric(one) for one in found]
