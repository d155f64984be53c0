"""Read the golden sets: sound work for each kind of task, from which samples are made."""

import tomllib
from collections.abc import Mapping
from dataclasses import KW_ONLY, field
from pathlib import Path

from openkoi_base.skillfile.evaluator import Rubric, canonical_name
from openkoi_hookspecs.lazy_dataclass import dataclass

FOLDER = Path(__file__).with_name("golden")
DEFAULT_SET = "general"


@dataclass(frozen=True, slots=True)
class SampleDraft:
    """The files before and after the work, and the answer about them."""

    answer: str
    files: Mapping[str, str]
    _: KW_ONLY
    before: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GoldenItem:
    """A task, and work for it without a defect."""

    name: str
    task: str
    context: str
    draft: SampleDraft


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """Sound works for tasks of some categories, and the defects that can be planted in them.

    Those in ``reserve`` are shown when the others leave the verdict uncertain.
    """

    name: str
    categories: tuple[str, ...]
    works: tuple[GoldenItem, ...]
    defects: tuple[str, ...]
    reserve: tuple[GoldenItem, ...] = ()


def find_golden_set(rubric: Rubric) -> GoldenSet:
    """Return the set with the rubric's name, else one of its categories, else the general one."""
    sets = {file.stem: file for file in sorted(FOLDER.glob("*.toml"))}
    if rubric.name in sets:
        return read_set(sets[rubric.name])
    wanted = set(map(canonical_name, rubric.categories))
    others = (read_set(file) for file in sets.values())
    fitting = (one for one in others if wanted & set(map(canonical_name, one.categories)))
    return next(fitting, None) or read_set(sets[DEFAULT_SET])


def read_set(file: Path) -> GoldenSet:
    """Read a golden set from a file."""
    facts = tomllib.loads(file.read_text(encoding="utf-8"))
    works, reserve = (tuple(map(parse_item, facts.get(key, ()))) for key in ("works", "reserve"))
    return GoldenSet(file.stem, tuple(facts["categories"]), works, tuple(facts["defects"]), reserve)


def parse_item(facts: Mapping[str, object]) -> GoldenItem:
    """Parse one work."""
    files = facts["files"]
    texts = {name: str(text).lstrip("\n") for name, text in files.items()} if isinstance(files, dict) else {}
    return GoldenItem(
        str(facts["name"]), str(facts["task"]), str(facts.get("context", "")), SampleDraft(str(facts["answer"]), texts)
    )
