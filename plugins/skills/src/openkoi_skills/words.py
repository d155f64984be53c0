"""How skills are put to the model: an index of all, the text of those that fit, a hint at others. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from openkoi_skillfile import FoundSkill, Skill

from .signals import Ranked

PER_TOKEN = 4
LONGEST_NAME = 100
SIZES = (400, 160, 60, 0)
HEAD = """# Skills

Each skill describes how to do one kind of work. If one fits the task, call read_skill with its name before you begin, \
then follow it."""
LISTED = 50


@dataclass(frozen=True, slots=True)
class SkillIndex:
    """The text of an index, and the names that did not fit."""

    text: str
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chosen:
    """What of the ranked skills is shown in full, and what is only pointed at."""

    bodies: tuple[Ranked, ...] = ()
    hints: tuple[Ranked, ...] = ()


def index(skills: Iterable[Skill], tokens: int) -> SkillIndex:
    """Names and descriptions by name, so that the text is the same for every task; shortened before one is left out.

    One that wants to be asked for by its name is not in it.
    """
    every = [skill for skill in skills if not skill.by_name]
    for size in SIZES:
        lines = [line(skill, size) for skill in every]
        if length([HEAD, *lines]) <= tokens * PER_TOKEN:
            return SkillIndex("\n".join([HEAD, "", *lines]))
    room = tokens * PER_TOKEN - len(HEAD)
    kept = sum(1 for n in range(1, len(lines) + 1) if length(lines[:n]) <= room)
    left = tuple(skill.name for skill in every[kept:])
    return SkillIndex("\n".join([HEAD, "", *lines[:kept]]), left)


def line(skill: Skill, size: int) -> str:
    """One skill in the index."""
    name = short(skill.name, LONGEST_NAME)
    return f"- {name}: {short(skill.purpose, size)}" if size and skill.purpose else f"- {name}"


def short(text: str, size: int) -> str:
    """A text in so many characters."""
    return text if len(text) <= size else f"{text[: size - 1]}…"


def length(lines: Sequence[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def choose(ranked: Sequence[Ranked], tokens: int, most: int) -> Chosen:
    """What is asked for is shown whole, whatever it takes; of the others those that are about the task, while they fit.

    One that keeps to some tools is not forced upon a task that did not ask for it.
    """
    chosen, room = Chosen(), tokens * PER_TOKEN
    for one in ranked:
        skill, asked = one.found.skill, one.signals.explicit
        free = len([each for each in chosen.bodies if not each.signals.explicit]) < most
        if asked or (one.signals.fits and not skill.tools and free and len(skill.body) <= room):
            chosen = replace(chosen, bodies=(*chosen.bodies, one))
            room -= len(skill.body)
        else:
            chosen = replace(chosen, hints=(*chosen.hints, one))
    return chosen


def whole(found: FoundSkill, skill: Skill) -> str:
    """A skill as the model reads it: its text, and what else lies in its folder."""
    files = resources(found)
    parts = [f"# Skill: {skill.name}", skill.body or skill.description]
    if skill.tools:
        parts.append(f"While this skill is active, only these tools can be used: {' '.join(skill.tools)}")
    if files:
        more = "\n".join(f"- {name}" for name in files[:LISTED])
        parts.append(
            f"Files of this skill, in {found.file.parent}; read one with read_skill and its name as file:\n{more}"
        )
    return "\n\n".join(parts)


def hint(ranked: Sequence[Ranked]) -> str:
    """The names of skills that may fit."""
    names = ", ".join(one.found.skill.name for one in ranked)
    return f"Skills that may fit this task: {names}. Read those that fit with read_skill before you begin."


def resources(found: FoundSkill) -> list[str]:
    """The files in a skill's folder besides its text."""
    folder = found.file.parent
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path != found.file)
    return [path.relative_to(folder).as_posix() for path in files]
