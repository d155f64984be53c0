"""A skill that led to an accepted result is remembered with its task, and shown for the next one like it."""

from pathlib import Path

import pytest
from cli_process import Shell

from openkoi_testing.servers import OpenAIServer

ONCE = ("-i", "0", "-m", "openai/gpt-fake")


@pytest.mark.row("MEM-11", "SKILL-04")
def test_a_skill_that_helped_comes_back_with_the_memory_of_its_task(tmp_path: Path) -> None:
    skill = tmp_path / "home" / "data" / "skills" / "user" / "tide-table" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: tide-table\ndescription: Shows the moon's pull.\n---\nOpen the sluice before noon.\n")
    (tmp_path / "pond").mkdir()
    with OpenAIServer("Done.") as server:
        keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": server.url}
        openkoi = Shell(tmp_path / "pond", tmp_path / "home", keys)
        openkoi(*ONCE, "Empty the northern basin for the herons")
        before = server.asked[-1]
        openkoi(*ONCE, "Show the pull of the moon, then empty the southern basin for the herons")
        used = server.asked[-1]
        openkoi(*ONCE, "Empty the western basin for the herons")
        after = server.asked[-1]

    assert "Open the sluice before noon." not in str(before)
    assert "Open the sluice before noon." in str(used)
    assert "Used the skill tide-table." in str(after)
    assert "Open the sluice before noon." in str(after)
