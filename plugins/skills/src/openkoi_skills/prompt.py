"""Format skills for the prompt of the model: an index of all, the text of those that fit, a hint at others."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from openkoi_base.skillfile.locations import FoundSkill
from openkoi_base.skillfile.skill import Skill
from openkoi_hookspecs.lazy_dataclass import dataclass

from .ranking import RankedSkill

CHARACTERS_PER_TOKEN = 4  # estimate, for English text
MAX_NAME_CHARACTERS = 100
DESCRIPTION_SIZES = (400, 160, 60, 0)  # characters; the first for which the index fits
HEAD = """# Skills

Each skill describes how to do one kind of work. If one fits the task, call read_skill with its name before you begin, \
then follow it."""
UNLISTED = "Unlisted skills that share words with this task:"
UNLISTED_CHARACTERS = 160  # of a description
MAX_FILES_LISTED = 50
NO_RANK: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class SkillIndex:
    """The text of an index, and the names that did not fit."""

    text: str
    omitted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChosenSkills:
    """The skills shown in full, and those only hinted at."""

    bodies: tuple[RankedSkill, ...] = ()
    hints: tuple[RankedSkill, ...] = ()


def format_index(skills: Sequence[Skill], tokens: int, rank: Mapping[str, float] = NO_RANK) -> SkillIndex:
    """Return names and descriptions by name, shortened before any is omitted; then those of the lowest rank are."""
    names = [truncate_text(skill.name, MAX_NAME_CHARACTERS) for skill in skills]
    lengths = [len(f"- {name}\n") for name in names]
    room = tokens * CHARACTERS_PER_TOKEN - len(HEAD) - 2
    size, purposes = 0, [""] * len(skills)
    if (left := room - sum(lengths)) > 0:
        purposes = [skill.purpose for skill in skills]
        size = choose_size([len(purpose) for purpose in purposes if purpose], left)
    kept = range(len(skills)) if left >= 0 else choose_lines([skill.name for skill in skills], lengths, room, rank)
    lines = [format_index_line(names[number], purposes[number], size) for number in sorted(kept)]
    omitted = () if left >= 0 else tuple(skill.name for number, skill in enumerate(skills) if number not in kept)
    return SkillIndex("\n".join([HEAD, "", *lines]), omitted)


def choose_size(lengths: Sequence[int], room: int) -> int:
    """Return the most characters of each description that there is room for, of those in DESCRIPTION_SIZES."""
    fitting = (size for size in DESCRIPTION_SIZES if sum(min(one, size) + len(": ") for one in lengths) <= room)
    return next(fitting, 0)


def choose_lines(names: Sequence[str], lengths: Sequence[int], room: int, rank: Mapping[str, float]) -> set[int]:
    """Return the numbers of the lines of the highest rank that there is room for."""
    kept = set()
    for number in sorted(range(len(names)), key=lambda one: -rank.get(names[one], 0.0)):
        room -= lengths[number]
        if room < 0:
            break
        kept.add(number)
    return kept


def format_index_line(name: str, purpose: str, size: int) -> str:
    """Return a skill's line in the index."""
    return f"- {name}: {truncate_text(purpose, size)}" if size and purpose else f"- {name}"


def truncate_text(text: str, size: int) -> str:
    """Return the text in at most ``size`` characters."""
    return text if len(text) <= size else f"{text[: size - 1]}…"


def choose_skills(ranked: Sequence[RankedSkill], tokens: int, most: int) -> ChosenSkills:
    """Choose requested skills whatever their size, and fitting others while they fit.

    Skills with a tool list are only chosen if requested.
    """
    chosen, room = ChosenSkills(), tokens * CHARACTERS_PER_TOKEN
    for one in ranked:
        skill, asked = one.found.skill, one.signals.explicit
        free = len([each for each in chosen.bodies if not each.signals.explicit]) < most
        if asked or (one.signals.fits and not skill.tools and free and len(skill.body) <= room):
            chosen = replace(chosen, bodies=(*chosen.bodies, one))
            room -= len(skill.body)
        else:
            chosen = replace(chosen, hints=(*chosen.hints, one))
    return chosen


def format_skill(found: FoundSkill, skill: Skill) -> str:
    """Return a skill's text for the model, with a list of its files."""
    files = list_resources(found)
    parts = [f"# Skill: {skill.name}", skill.body or skill.description]
    if skill.tools:
        parts.append(f"While this skill is active, only these tools can be used: {' '.join(skill.tools)}")
    if files:
        more = "\n".join(f"- {name}" for name in files[:MAX_FILES_LISTED])
        parts.append(
            f"Files of this skill, in {found.file.parent}; read one with read_skill and its name as file:\n{more}"
        )
    return "\n\n".join(parts)


def format_hint(ranked: Sequence[RankedSkill]) -> str:
    """Return a hint at skills that may fit."""
    names = ", ".join(one.found.skill.name for one in ranked)
    return f"Skills that may fit this task: {names}. Read those that fit with read_skill before you begin."


def format_unlisted(skills: Sequence[Skill]) -> str:
    """Return the skills that share words with the task, of those that the index omits."""
    lines = [
        format_index_line(truncate_text(skill.name, MAX_NAME_CHARACTERS), skill.purpose, UNLISTED_CHARACTERS)
        for skill in skills
    ]
    return "\n".join([UNLISTED, *lines])


def list_resources(found: FoundSkill) -> list[str]:
    """Return the other files in a skill's folder."""
    folder = found.file.parent
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path != found.file)
    return [path.relative_to(folder).as_posix() for path in files]
