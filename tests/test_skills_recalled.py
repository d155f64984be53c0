"""A skill that led to an accepted result is remembered with its task, and shown for the next one like it."""

from pathlib import Path

import pytest
from cli_process import Shell

from openkoi_testing.servers import OpenAIServer

ONCE = ("-i", "0", "-m", "openai/gpt-fake")
SKILL = "---\nname: tide-table\ndescription: Shows the moon's pull.\n---\nOpen the sluice before noon.\n"


@pytest.mark.row("MEM-11", "SKILL-04")
@pytest.mark.parametrize("known", [False, True])
def test_a_skill_that_helped_comes_back_with_the_memory_of_its_task(tmp_path: Path, known: bool) -> None:
    skill = tmp_path / "home" / "data" / "skills" / "user" / "tide-table" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(SKILL)
    (tmp_path / "pond").mkdir()
    shown = "[hooks.learning]\nwithheld = 0.0\n"  # else one run in ten is shown no past tasks
    (tmp_path / "home" / "config.toml").write_text(shown)
    with OpenAIServer("Done.") as server:
        keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": server.url}
        openkoi = Shell(tmp_path / "pond", tmp_path / "home", keys)
        if known:
            openkoi(*ONCE, "Show the pull of the moon, then empty the southern basin for the herons")
            assert "Open the sluice before noon." in str(server.asked[-1])
        openkoi(*ONCE, "Empty the western basin for the herons")
        text = str(server.asked[-1])

    assert known == ("Used the skill tide-table." in text)
    assert known == ("Open the sluice before noon." in text)
