"""The tool ``read_skill``: the text of a skill, or a file that lies beside it, when the model wants it."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

from openkoi_base.schema import Parameters
from openkoi_hookspecs import Arguments, Effect, Inject, Run, Tool, ToolError, ToolResult
from openkoi_skillfile import Approved, FoundSkill
from openkoi_skillfile.digest import stays

from .hook import Skills, may
from .shelf import read_as_approved
from .words import resources, whole

MOST = 60_000
ASKED = "The skill {} may be used only if the user asks for it by name. Continue without it."
PARAMETERS = Parameters({"name": {"type": "string"}, "file": {"type": "string"}}, required=("name",))


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillTools:
    """Offers ``read_skill`` where there are skills."""

    skills: Annotated[Skills | None, Inject("hooks", default="skills")] = None

    async def tools(self, run: Run) -> Sequence[Tool]:
        """The tool for one run; none where the hook is switched off."""
        skills = self.skills
        if skills is None:
            return ()
        shelf = await skills.shelf(run)
        if not any(may(one.skill, run.task) for one in shelf.skills.values()):
            return ()

        async def call(arguments: Arguments) -> ToolResult:
            given = PARAMETERS.accept(arguments)
            found = shelf.get(given.text("name"))
            if found is None:
                known = [one.skill.name for one in shelf.skills.values() if may(one.skill, run.task)]
                raise ToolError(unknown(given.text("name"), known))
            skill = read_as_approved(found, Approved(run.koi))
            if not may(skill, run.task):
                raise ToolError(ASKED.format(skill.name))
            if given.text("file"):
                return ToolResult(beside(found, given.text("file")))
            await skills.activate(found, skill, run, why="the model read it")
            return ToolResult(cut(whole(found, skill), f"the skill {skill.name}"))

        return [
            Tool(
                "read_skill",
                "Read a skill by its name in the list of skills; with file, a file of that skill.",
                PARAMETERS.to_schema(),
                call,
                effect=Effect.READS,
                progress_text="Reading the skill {name}",
            )
        ]


def unknown(name: str, known: Sequence[str]) -> str:
    """What to say of a name that no skill has."""
    near = get_close_matches(name, known, n=3, cutoff=0.4)
    return f"Unknown skill {name!r}. Use one of: {', '.join(near or known[:20])}."


def beside(found: FoundSkill, name: str) -> str:
    """Return a file of a skill; raise ToolError for one that is elsewhere or not text."""
    folder = found.file.parent.resolve()
    file = folder / name
    if "\0" in name or not stays(file, folder) or not file.is_file():
        there = ", ".join(resources(found)[:20]) or "none"
        raise ToolError(f"The skill {found.skill.name} has no file {name!r}. Its files: {there}.")
    return cut(text_of(file), f"{name}; the whole is in {file}")


def text_of(file: Path) -> str:
    """Return the start of a file; raise ToolError when it is not text."""
    with file.open("rb") as opened:
        data = opened.read(4 * MOST)
    if b"\0" in data:
        raise ToolError(f"{file.name} is not text. It is at {file}.")
    return data.decode("utf-8", "replace")


def cut(text: str, what: str) -> str:
    """A text as far as it may be shown at once; that it was cut is said."""
    if len(text) <= MOST:
        return text
    return f"{text[:MOST]}\n[cut here: {len(text) - MOST} characters more of {what}]"
