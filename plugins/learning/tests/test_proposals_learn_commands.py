"""Test the commands that proposals add to ``openkoi learn``, with real drafts."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from openkoi_base.skillfile.approvals import Approvals
from openkoi_base.skillfile.locations import (
    SkillLocation,
    SkillSource,
    collect_skills,
    list_locations,
    resolve_shadowing,
)
from openkoi_base.skillfile.skill import EVALUATOR, TASK
from openkoi_hookspecs import KoiError, PluginNotFoundError
from openkoi_learning.proposals import ProposalsHook
from openkoi_learning.proposals import learn_commands as module
from openkoi_learning.proposals.draft_store import DraftStore
from openkoi_learning.proposals.learn_commands import actions, ask_decision
from openkoi_testing import GivenPlugins

TEXT = """---
name: {name}
description: It {name}s
metadata: {{openkoi: {{confidence: 0.89, samples: 18}}}}
---
Do it.
"""
RUBRIC = """---
name: taste-quality
kind: evaluator
description: Judges taste
metadata: {dimensions: [{name: taste, weight: 1.0}], openkoi: {confidence: .75, samples: 4}}
---
Taste it.
"""


@dataclass(frozen=True, slots=True)
class Shop:
    """Drafts, and the command over them."""

    data: Path

    @property
    def drafts(self) -> DraftStore:
        return DraftStore(self.data, self.koi)  # type: ignore[arg-type]  # as much of a Koi as it needs

    @property
    def koi(self) -> GivenPlugins:
        """The Koi that the command gets."""
        return GivenPlugins({"hooks": {"proposals": ProposalsHook(data=self.data)}}, self.data)

    def learn(self, *words: str) -> Result:
        """Run ``openkoi learn`` with these arguments; errors propagate."""
        result = CliRunner().invoke(actions, list(words), obj=self.koi)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    shop = Shop(tmp_path / "data")
    shop.drafts.write_draft(TASK, "feed", TEXT.format(name="feed"))
    shop.drafts.write_draft(EVALUATOR, "taste-quality", RUBRIC)
    return shop


@pytest.mark.row("EVAL-23")
def test_drafts_are_listed_with_numbers(shop: Shop) -> None:
    assert (
        'Proposed:\n  1. feed (skill, conf: 0.89, from 18 tasks)\n     "It feeds"\n'
        '  2. taste-quality (evaluator, conf: 0.75, from 4 tasks)\n     "Judges taste"\n'
    ) == shop.learn().stdout
    assert "" == Shop(shop.data / "elsewhere").learn().stdout
    assert actions is module.actions


@pytest.mark.row("EVAL-23")
def test_approved_drafts_stay_where_they_are_and_wait_no_longer(shop: Shop) -> None:
    reply = shop.learn("approve", "2").stdout + shop.learn("approve", "feed").stdout

    assert "Approved: taste-quality" in reply
    assert (shop.data / "evaluators" / "proposed" / "taste-quality" / "SKILL.md").read_text() == RUBRIC
    assert [] == shop.drafts.pending_drafts()
    assert [("feed", SkillSource.PROPOSED)] == in_use(shop)


def in_use(shop: Shop, *more: SkillLocation) -> list[tuple[str, SkillSource]]:
    """The active skills and their sources."""
    wanted = [*list_locations(TASK, shop.data, None), *more]
    trust = Approvals(shop.koi)  # type: ignore[arg-type]  # as much of a Koi as it needs
    found = resolve_shadowing(collect_skills(wanted, TASK, trust).found).found
    return [(one.skill.name, one.source) for one in found]


@pytest.mark.row("C3", "EVAL-23")
def test_what_was_approved_waits_again_when_it_changed(shop: Shop) -> None:
    shop.learn("approve", "feed")
    (shop.data / "skills" / "proposed" / "feed" / "run.sh").write_text("true")

    assert ([], 2) == (in_use(shop), len(shop.drafts.pending_drafts()))


@pytest.mark.row("EVAL-23")
def test_what_was_approved_is_put_aside_by_its_name(shop: Shop) -> None:
    shop.learn("approve", "feed")

    assert "Dismissed: feed" in shop.learn("dismiss", "feed").stdout
    shutil.move(shop.data / "skills/proposed/.dismissed/feed", shop.data / "skills/proposed/feed")
    assert ([], 2) == (in_use(shop), len(shop.drafts.pending_drafts()))


@pytest.mark.row("C3")
def test_a_generated_skill_goes_after_a_persons_wherever_that_is(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    work = shop.data.parent / "work"
    mine = work / ".agents" / "skills" / "feed" / "SKILL.md"
    mine.parent.mkdir(parents=True)
    mine.write_text(TEXT.format(name="feed"))
    monkeypatch.chdir(work)

    reply = shop.learn("approve", "feed").stdout

    assert (
        f"{mine.parent} has the same name and takes precedence: the draft is not used where both are available."
        in reply
    )
    assert [("feed", SkillSource.EXTRA)] == in_use(
        shop, SkillLocation(mine.parent.parent, SkillSource.EXTRA, kind=TASK)
    )


def test_a_disk_that_takes_no_approval_is_said(shop: Shop) -> None:
    (shop.data / "consents.json" / "full").mkdir(parents=True)

    with pytest.raises(KoiError, match=r"consents.json, which stores your answers"):
        shop.learn("approve", "feed")


@pytest.mark.row("EVAL-23")
def test_dismissed_drafts_are_known_and_no_longer_there(shop: Shop) -> None:
    assert "Dismissed: feed" in shop.learn("dismiss", "1").stdout

    assert ["taste-quality"] == [one.name for one in shop.drafts.pending_drafts()]
    assert [True, False] == [shop.drafts.exists(TASK, name) for name in ("feed", "other")]
    with pytest.raises(PluginNotFoundError):
        shop.learn("approve", "feed")
    assert "Dismissed: taste-quality" in shop.learn("dismiss", "1").stdout


def test_a_draft_is_viewed_without_what_steers_a_terminal(shop: Shop) -> None:
    shop.drafts.write_draft(TASK, "feed", TEXT.format(name="feed") + "\x1b[2J\u202e")
    (shop.data / "skills/proposed/feed/run.sh").write_text("true")

    assert "Do it.\n?[2J?\nOther files: run.sh\n" == shop.learn("view", "1").stdout.partition("---\nDo")[2].join(
        ["Do", ""]
    )


@pytest.mark.row("C3")
def test_a_draft_takes_nobodys_name_and_no_broken_one_is_approved(shop: Shop) -> None:
    mine = shop.data / "skills" / "user" / "feed" / "SKILL.md"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    shop.drafts.write_draft(EVALUATOR, "taste-quality", RUBRIC.replace("1.0", "0.5"))
    shop.drafts.write_draft(EVALUATOR, "noise", "\x00")

    with pytest.raises(KoiError, match="already exists"):
        shop.learn("approve", "feed")
    with pytest.raises(KoiError, match=r"SKILL\.md:5: the weights"):
        shop.learn("approve", "taste-quality")
    with pytest.raises(KoiError, match=r"SKILL.md: line 1|it does not begin"):
        shop.learn("approve", "noise")
    assert "mine" == mine.read_text()
    assert 3 == len(shop.drafts.pending_drafts())
    assert "cannot be used yet" in shop.learn().stdout


def test_keys_decide_and_any_other_key_leaves_it_for_later(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = shop.drafts.pending_drafts()
    keys = iter("vad")

    ask_decision(shop.drafts, first, lambda: next(keys))
    ask_decision(shop.drafts, second, lambda: "x")
    texts = [one.name for one in shop.drafts.pending_drafts()]
    ask_decision(shop.drafts, second, lambda: next(keys))

    reply = capsys.readouterr().out
    assert (["taste-quality"], []) == (texts, shop.drafts.pending_drafts())
    assert all(word in reply for word in ("Do it.", "Approved: feed", "Dismissed: taste-quality"))


def test_a_number_or_name_that_is_not_there_is_said(shop: Shop) -> None:
    for which in ("0", "3", "tast", "٣", "-1"):
        with pytest.raises(PluginNotFoundError):
            shop.drafts.find_proposal(which)
