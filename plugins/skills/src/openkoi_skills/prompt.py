"""Format skills for the prompt of the model: an index of all, the text of those that fit, and a hint about others."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, repeat

from openkoi_base.skillfile.locations import FoundSkill
from openkoi_base.skillfile.skill import Skill
from openkoi_hookspecs.lazy_dataclass import dataclass

from .skill_ranking import RankedSkill

CHARACTERS_PER_TOKEN = 4  # estimate, for English text
MAX_NAME_CHARACTERS = 100
DESCRIPTION_SIZES = (400, 160, 60, 0)  # characters; the first for which the index fits
HEAD = """# Skills

Each skill describes how to do one kind of work. If one fits the task, call read_skill with its name before you begin, \
then follow it."""
MAX_DESCRIBED = 10  # best skills that are described in an index without room for all names (estimate)
DESCRIBED_SHARE = 0.5  # of such an index, at most, that descriptions may take (estimate)
MAX_FILES_LISTED = 50


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


def format_index(skills: Sequence[Skill], tokens: int) -> str:
    """Return names and descriptions, shortened to fit; an empty text if not even the names of all fit."""
    names = [truncate_text(skill.name, MAX_NAME_CHARACTERS) for skill in skills]
    left = count_room(tokens) - sum(len(f"- {name}\n") for name in names)
    if left < 0:
        return ""
    purposes = [skill.purpose for skill in skills]
    size = choose_size([len(purpose) for purpose in purposes if purpose], left)
    return "\n".join([HEAD, "", *map(format_index_line, names, purposes, repeat(size))])


def format_cut_index(ranked: Sequence[Skill], tokens: int) -> SkillIndex:
    """Return the names of the best skills that fit, best first, and descriptions of the very best."""
    room = count_room(tokens)
    sizes = [len(skill.purpose) for skill in ranked[:MAX_DESCRIBED] if skill.purpose]
    size = choose_size(sizes, int(room * DESCRIBED_SHARE))
    lines = [
        format_index_line(
            truncate_text(skill.name, MAX_NAME_CHARACTERS), skill.purpose, size if number < MAX_DESCRIBED else 0
        )
        for number, skill in enumerate(ranked)
    ]
    ends = accumulate(len(line) + 1 for line in lines)
    kept = sum(end <= room for end in ends)
    return SkillIndex("\n".join([HEAD, "", *lines[:kept]]), tuple(skill.name for skill in ranked[kept:]))


def count_room(tokens: int) -> int:
    """Return the characters of an index that are left for its lines."""
    return tokens * CHARACTERS_PER_TOKEN - len(HEAD) - 2


def choose_size(lengths: Sequence[int], room: int) -> int:
    """Return the largest of DESCRIPTION_SIZES with which all descriptions fit."""
    fitting = (size for size in DESCRIPTION_SIZES if sum(min(one, size) + len(": ") for one in lengths) <= room)
    return next(fitting, 0)


def rank_index(skills: Sequence[Skill], fit: Mapping[str, float], scores: Mapping[str, float]) -> list[Skill]:
    """Return the skills that fit a task best first, then those with the best scores in past runs."""
    return sorted(skills, key=lambda one: (-fit.get(one.name, 0.0), -scores.get(one.name, 0.0)))


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
            f"Files of this skill, in {found.file.parent}. To read one, call read_skill with its name as file:\n{more}"
        )
    return "\n\n".join(parts)


def format_hint(ranked: Sequence[RankedSkill]) -> str:
    """Return a hint at skills that may fit."""
    names = ", ".join(one.found.skill.name for one in ranked)
    return f"Skills that may fit this task: {names}. Read those that fit with read_skill before you begin."


def list_resources(found: FoundSkill) -> list[str]:
    """Return the other files in a skill's folder."""
    folder = found.file.parent
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path != found.file)
    return [path.relative_to(folder).as_posix() for path in files]
