"""Good work for each kind of task, from which what a judge is tried with is made. Knows its files; knows no judge."""

import tomllib
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

from openkoi_skillfile import Rubric, canonical

FOLDER = Path(__file__).with_name("golden")
FLOOR = "general"


@dataclass(frozen=True, slots=True)
class SampleDraft:
    """Files as they were, as they are now, and what is said about them."""

    answer: str
    files: Mapping[str, str]
    _: KW_ONLY
    before: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sound:
    """A task, and work for it in which nothing is wrong."""

    name: str
    task: str
    context: str
    draft: SampleDraft


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """Sound works for the tasks of these categories, and the defects that can be planted in them.

    Those in ``reserve`` are shown to judges of whom the others leave a doubt.
    """

    name: str
    categories: tuple[str, ...]
    works: tuple[Sound, ...]
    defects: tuple[str, ...]
    reserve: tuple[Sound, ...] = ()


def golden_for(rubric: Rubric) -> GoldenSet:
    """The set of the rubric's own name, else one of its categories, else the general one."""
    sets = {file.stem: file for file in sorted(FOLDER.glob("*.toml"))}
    if rubric.name in sets:
        return read_set(sets[rubric.name])
    wanted = set(map(canonical, rubric.categories))
    others = (read_set(file) for file in sets.values())
    fitting = (one for one in others if wanted & set(map(canonical, one.categories)))
    return next(fitting, None) or read_set(sets[FLOOR])


def read_set(file: Path) -> GoldenSet:
    """Read one file."""
    facts = tomllib.loads(file.read_text(encoding="utf-8"))
    works, reserve = (tuple(map(sound, facts.get(key, ()))) for key in ("works", "reserve"))
    return GoldenSet(file.stem, tuple(facts["categories"]), works, tuple(facts["defects"]), reserve)


def sound(facts: Mapping[str, object]) -> Sound:
    """One work."""
    files = facts["files"]
    texts = {name: str(text).lstrip("\n") for name, text in files.items()} if isinstance(files, dict) else {}
    return Sound(
        str(facts["name"]), str(facts["task"]), str(facts.get("context", "")), SampleDraft(str(facts["answer"]), texts)
    )
