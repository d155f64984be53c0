"""Test skills in scripted runs: what requests contain, what needs the user's approval, and what is refused."""

import gzip
from pathlib import Path

import pytest
from skills_pond import TASK, Fixed, Pond

from openkoi_hookspecs import (
    ToolCall,
)
from openkoi_hookspecs.events import UsageRecorded
from openkoi_skills.effectiveness import read_tally
from openkoi_skills.skill_ranking import SkillEffect


@pytest.fixture
def pond(tmp_path: Path) -> Pond:
    return Pond(tmp_path)


@pytest.mark.row("SKILL-04", "LEARN-01")
def test_the_index_stands_in_the_steady_part_and_a_body_in_the_task(pond: Pond) -> None:
    pond.put("home/data/skills/user")
    pond.put("home/data/skills/user", "feed-koi", text="---\ndescription: Feeds the koi\n{more}---\nThrow bread.\n")

    pond.solve()

    assert "- deploy-pond: Deploys the pond\n- feed-koi: Feeds the koi" in pond.request.system[0]
    assert "Open the sluice." not in pond.request.system[0]
    assert "Open the sluice." in str(pond.request.messages[0])
    assert "Throw bread." not in pond.prompt_text()


@pytest.mark.row("SKILL-04", "SKILL-07")
def test_an_index_without_room_for_all_is_in_the_task_and_begins_with_what_fits(pond: Pond) -> None:
    for number in range(1_500):
        pond.put("home/data/skills/user", f"a-{number:04}", text="---\ndescription: Counts something\n---\nCount.\n")
    pond.put("home/data/skills/user", "zebra-feeding", text="---\ndescription: Feeds the zebra\n---\nThrow hay.\n")

    pond.solve("What does the zebra eat?")

    _, index = str(pond.request.messages[0].parts).split("then follow it.")
    assert "- zebra-feeding: Feeds the zebra" == index.split("\\n")[2]
    assert "a-0000" not in pond.request.system[0]


@pytest.mark.row("SKILL-07")
@pytest.mark.parametrize(
    ("pond_vector", "everyday", "shown"),
    [([0.8, 0.6], [0.0, 1.0], True), ([0.0, 1.0], [0.0, 1.0], False), ([0.8, 0.6], [0.8, 0.6], False)],
)
def test_a_skill_fits_whose_meaning_is_nearer_to_the_task_than_everyday_subjects(
    pond: Pond, pond_vector: list[float], everyday: list[float], shown: bool
) -> None:
    pond.put("home/data/skills/user")
    pond.embedder = Fixed([[1.0, 0.0], pond_vector, everyday])

    pond.solve("Let the water run")

    assert shown == ("Open the sluice." in pond.prompt_text())


def test_without_an_embedder_that_works_the_words_decide_and_that_is_said(pond: Pond) -> None:
    pond.put("home/data/skills/user")
    pond.embedder = Fixed([])

    pond.solve("Somebody deploys a pond")

    assert "Open the sluice." in pond.prompt_text()
    assert "Skills are chosen by shared words only" in pond.warnings()


def test_without_skills_nothing_is_said_and_no_tool_offered(pond: Pond) -> None:
    pond.solve("Say hello")

    assert "kill" not in pond.prompt_text()
    assert "read_skill" not in [tool.name for tool in pond.request.tools]
    assert ("", []) == (pond.warnings(), pond.asked)


@pytest.mark.row("LEARN-06", "C56")
def test_how_a_skill_did_is_written_down_and_read_back(pond: Pond) -> None:
    pond.put("home/data/skills/user")
    for score in (0.9, 0.85, None):
        pond.score = score
        pond.solve(f"{TASK} to fix the bug")

    used = [one.event for one in pond.records if isinstance(one.event, UsageRecorded) and one.event.skills]
    tally = read_tally(pond.home / "data")

    assert [("SkillUse", ("deploy-pond",), None)] == [(one.kind, one.skills, one.score) for one in used]
    assert {"deploy-pond": SkillEffect((0.9 + 0.85) / 2, 2)} == tally.effects(used[0].category)
    assert tally.sums == read_tally(pond.home / "data").sums
    (pond.home / "data" / "cache" / "skills.json").write_text("{")
    assert tally.sums == read_tally(pond.home / "data").sums
    put_away(pond.home / "data")
    assert tally.sums == read_tally(pond.home / "data").sums
    (pond.home / "data" / "cache" / "skills.json").unlink()
    assert tally.sums == read_tally(pond.home / "data").sums


@pytest.mark.row("SKILL-05")
def test_a_skill_that_needs_what_is_not_here_is_not_shown(pond: Pond) -> None:
    pond.put("home/data/skills/user", more="metadata: {openclaw: {requires: {bins: [no-such-program]}}}\n")

    pond.solve()

    assert "sluice" not in pond.prompt_text()
    assert "" == pond.warnings()


@pytest.mark.row("ITER-18")
def test_a_deterministic_skill_is_done_once_and_not_judged(pond: Pond) -> None:
    pond.put("home/data/skills/user", more="metadata: {openkoi: {deterministic: true}}\n")
    pond.score = 0.1

    result = pond.solve()

    assert (1, None) == (len(result.iterations), result.best.evaluation)


def test_a_skill_that_wants_to_be_asked_for_is_used_only_then(pond: Pond) -> None:
    pond.put("home/data/skills/user", more="disable-model-invocation: true\n")
    pond.put("home/data/skills/user", "other", text="---\ndescription: Sings\n---\nSing.\n")

    pond.solve("Deploys the pond, please", ToolCall("1", "read_skill", {"name": "deploy-pond"}))
    assert "deploy-pond" not in pond.prompt_text()
    assert "only if the user asks for it by name" in pond.results()[0].text

    pond.solve(TASK)
    assert "Open the sluice." in pond.prompt_text()
    assert "- deploy-pond" not in pond.request.system[0]


def test_a_broken_file_costs_a_warning(pond: Pond) -> None:
    file = pond.put("home/data/skills/user", text="no front matter")
    pond.put("home/data/skills/user", "other")

    pond.solve()

    assert f"{file} is not used: line 1" in pond.warnings()
    assert "- deploy-pond: Deploys the pond" in pond.request.system[0]


def put_away(data: Path) -> None:
    """Archive the whole log."""
    (data / "archive").mkdir()
    for path in (data / "sessions").glob("*.jsonl"):
        (data / "archive" / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
