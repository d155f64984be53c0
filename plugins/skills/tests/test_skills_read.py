"""Test that models read skills, and that a skill's allowed tools apply from then on."""

from pathlib import Path

import pytest
from skills_pond import TASK, Pond

from openkoi_hookspecs import (
    ToolCall,
)
from openkoi_skills.events import SkillActivated


@pytest.fixture
def pond(tmp_path: Path) -> Pond:
    return Pond(tmp_path)


@pytest.mark.row("SKILL-04")
def test_the_model_reads_a_skill_and_a_file_of_it(pond: Pond) -> None:
    folder = pond.put("home/data/skills/user").parent
    (folder / "references").mkdir()
    (folder / "references" / "gates.md").write_text("There are three gates.")
    (pond.home / "secret").write_text("a secret")
    calls = [
        ToolCall("1", "read_skill", {"name": "Deploy-Pond"}),
        ToolCall("2", "read_skill", {"name": "deploy-pond", "file": "references/gates.md"}),
        ToolCall("3", "read_skill", {"name": "deploy-pond", "file": "../../../../secret"}),
        ToolCall("4", "read_skill", {"name": "deploy-pont"}),
    ]

    pond.solve("Say hello", *calls)

    first, second, third, fourth = pond.results()
    assert "Open the sluice." in first.text
    assert "- references/gates.md" in first.text
    assert "There are three gates." == second.text
    assert third.failed
    assert "Its files: references/gates.md." in third.text
    assert "Unknown skill 'deploy-pont'. Use one of: deploy-pond." == fourth.text
    assert ["deploy-pond"] == [one.event.skill for one in pond.records if isinstance(one.event, SkillActivated)]


@pytest.mark.row("C73")
def test_a_skill_that_changes_during_a_run_is_read_no_more(pond: Pond) -> None:
    pond.answer = "yes"
    pond.put("work/.agents/skills")
    change = {"command": "echo Drain it. >> .agents/skills/deploy-pond/SKILL.md"}

    pond.solve(TASK, ToolCall("1", "run_command", change), ToolCall("2", "read_skill", {"name": "deploy-pond"}))

    assert "changed since the user approved it" in pond.results()[1].text


def test_a_tool_that_an_active_skill_does_not_name_is_denied(pond: Pond) -> None:
    pond.put("home/data/skills/user", more="allowed-tools: Read Bash(git:*)\n")
    write = ToolCall("1", "write_file", {"path": "a", "content": "x"})

    pond.solve(TASK, write, ToolCall("2", "list_files", {}))

    assert ["Rejected by skills: only these tools are allowed with the skill deploy-pond: Read Bash(git:*)"] * 2 == [
        result.text for result in pond.results()
    ]
    assert not (pond.workspace / "a").exists()


def test_tools_are_free_until_the_skill_that_names_some_is_read(pond: Pond) -> None:
    pond.put("home/data/skills/user", more="allowed-tools: Read\n")
    write = ToolCall("", "write_file", {"path": "a", "content": "x"})

    pond.solve("Say hello", write, ToolCall("", "read_skill", {"name": "deploy-pond"}), write)

    assert [False, False, True] == [result.failed for result in pond.results()]


def test_without_another_skill_there_is_no_list_for_it(pond: Pond) -> None:
    pond.put("home/data/skills/user", more="disable-model-invocation: true\n")

    pond.solve("Say hello")

    assert "read_skill" not in pond.prompt_text()
    assert "read_skill" not in [tool.name for tool in pond.request.tools]

    pond.solve(TASK)
    assert "Open the sluice." in pond.prompt_text()
    assert "Each is a way" not in pond.prompt_text()
