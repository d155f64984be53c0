"""Provide the tool ``read_skill``, which returns a skill or one of its files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from openkoi_base.schema.parameters import Parameters
from openkoi_base.skillfile.approvals import Approvals
from openkoi_base.skillfile.digest import is_inside
from openkoi_base.skillfile.locations import FoundSkill
from openkoi_hookspecs import Arguments, Effect, Inject, Run, Tool, ToolError, ToolResult
from openkoi_hookspecs.lazy_dataclass import dataclass

from .hook import Skills, hidden_names, may_use
from .library import read_as_approved

MAX_CHARACTERS = 60_000  # about 15,000 tokens; estimate
ONLY_BY_NAME = "The skill {} may be used only if the user asks for it by name. Continue without it."
PARAMETERS = Parameters({"name": {"type": "string"}, "file": {"type": "string"}}, required=("name",))


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillTools:
    """Provides ``read_skill`` if there are skills."""

    skills: Annotated[Skills | None, Inject("hooks", default="skills")] = None

    async def tools(self, run: Run) -> Sequence[Tool]:
        """Return the tool for a run; none if the hook is disabled."""
        skills = self.skills
        if skills is None:
            return ()
        library = await skills.load_library(run)
        if len(hidden_names(library, run.task)) == len(library.skills):
            return ()

        async def call(arguments: Arguments) -> ToolResult:
            from .prompt import format_skill

            given = PARAMETERS.accept(arguments)
            found = library.get(given.text("name"))
            if found is None:
                known = [one.skill.name for one in library.skills.values() if may_use(one.skill, run.task)]
                raise ToolError(format_unknown(given.text("name"), known))
            skill = read_as_approved(found, Approvals(run.koi))
            if not may_use(skill, run.task):
                raise ToolError(ONLY_BY_NAME.format(skill.name))
            if given.text("file"):
                return ToolResult(read_skill_file(found, given.text("file")))
            await skills.activate(found, skill, run, why="the model read it")
            return ToolResult(truncate_text(format_skill(found, skill), f"the skill {skill.name}"))

        return [
            Tool(
                "read_skill",
                "Read a skill from the list of skills by name. Pass file to read one of its files.",
                PARAMETERS.to_schema(),
                call,
                effect=Effect.READS,
                progress_text="Reading the skill {name}",
            )
        ]


def format_unknown(name: str, known: Sequence[str]) -> str:
    """Return the error for an unknown skill name."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=3, cutoff=0.4)
    return f"Unknown skill {name!r}. Use one of: {', '.join(near or known[:20])}."


def read_skill_file(found: FoundSkill, name: str) -> str:
    """Return a file of a skill; raise ToolError for one that is elsewhere or not text."""
    from .prompt import list_resources

    folder = found.file.parent.resolve()
    file = folder / name
    if "\0" in name or not is_inside(file, folder) or not file.is_file():
        there = ", ".join(list_resources(found)[:20]) or "none"
        raise ToolError(f"The skill {found.skill.name} has no file {name!r}. Its files: {there}.")
    return truncate_text(read_start(file), f"{name}; the full text is in {file}")


def read_start(file: Path) -> str:
    """Return the start of a file; raise ToolError when it is not text."""
    with file.open("rb") as opened:
        data = opened.read(4 * MAX_CHARACTERS)
    if b"\0" in data:
        raise ToolError(f"{file.name} is not text. It is at {file}.")
    return data.decode("utf-8", "replace")


def truncate_text(text: str, what: str) -> str:
    """Return a text up to the limit, with a note if it was cut."""
    if len(text) <= MAX_CHARACTERS:
        return text
    return f"{text[:MAX_CHARACTERS]}\n[cut here: {len(text) - MAX_CHARACTERS} more characters of {what}]"
