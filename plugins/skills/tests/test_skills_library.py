"""Test where skills and rules are searched for, and what a resumed run knows about them."""

import asyncio
import os
from pathlib import Path
from types import ModuleType
from typing import cast

import pytest

from openkoi_base.skillfile.locations import SkillSource
from openkoi_base.skillfile.skill import EVALUATOR, TASK
from openkoi_hookspecs import Deny, Koi, Task, ToolCall
from openkoi_skills import Skills
from openkoi_skills.events import SkillActivated
from openkoi_skills.library import SkillFinder, SuppliedSkills, find_supplied
from openkoi_skills.supplies import RULE_FILES, find_rules_file
from openkoi_testing import GivenPlugins, make_run


@pytest.mark.row("C2", "SKILL-03")
def test_packages_bundles_and_folders_of_the_configuration_bring_skills(tmp_path: Path) -> None:
    for place in ("package", "bundle/skills", "more"):
        folder = tmp_path / place / f"in-{place[:4]}"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text("---\n---\nDo it.\n")
    bundle = ModuleType("bundle")
    bundle.__path__ = [str(tmp_path / "bundle")]
    koi = GivenPlugins({"skills": {"acme": tmp_path / "package"}, "bundles": {"team": bundle}})
    skills = asyncio.run(find_supplied(cast(Koi, koi)))

    library = SkillFinder(tmp_path / "data", (tmp_path / "more",)).load_library(tmp_path, skills)

    assert {"in-more": SkillSource.EXTRA, "in-pack": SkillSource.PLUGIN, "in-bund": SkillSource.BUNDLED} == {
        name: one.source for name, one in library.skills.items()
    }


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_rules_that_lead_out_of_the_project_are_none(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("A key.")
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "AGENTS.md").symlink_to(tmp_path / "secret")

    assert None is find_rules_file(tmp_path / "work")


@pytest.mark.parametrize("name", RULE_FILES)
def test_a_project_s_rules_are_found_under_the_name_of_any_agent_and_agents_md_first(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("Indent with tabs.")
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()

    assert file == find_rules_file(tmp_path / "sub")
    (tmp_path / "AGENTS.md").write_text("Indent with spaces.")
    assert tmp_path / "AGENTS.md" == find_rules_file(tmp_path / "sub")


def test_a_run_that_goes_on_in_another_process_follows_the_same_skills(tmp_path: Path) -> None:
    async def verdicts() -> list[Deny | None]:
        async with make_run(tmp_path, task=Task("Use it")) as run:
            await run.emit(SkillActivated("deploy-pond", ("Read",)))
            skills = Skills(data=tmp_path / "data")
            return [skills.before_tool(ToolCall("1", tool, {}), run) for tool in ("write_file", "read_file")]

    denied, free = asyncio.run(verdicts())

    assert isinstance(denied, Deny)
    assert free is None


def test_a_folder_of_the_configuration_is_for_tasks_alone(tmp_path: Path) -> None:
    (tmp_path / "more" / "feed").mkdir(parents=True)
    (tmp_path / "more" / "feed" / "SKILL.md").write_text("---\nname: feed\n---\nDo it.\n")
    library = SkillFinder(tmp_path / "data", (tmp_path / "more",))

    assert [["feed"], []] == [
        list(library.load_library(tmp_path, SuppliedSkills(), kind).skills) for kind in (TASK, EVALUATOR)
    ]
