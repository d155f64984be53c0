"""Find what a project or package supplies, and the user's decision about it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from openkoi_skillfile import (
    EVALUATOR,
    TASK,
    YES,
    Approved,
    SkillSource,
    digest,
    places,
    read_text,
    skill_folders,
    skill_in,
    upwards,
)

from .suspect import suspicions

RULES = "rules"
ASKED = {TASK: (SkillSource.WORKSPACE, SkillSource.MANAGED, SkillSource.OPENCLAW), EVALUATOR: (SkillSource.WORKSPACE,)}
RULE_FILES = ("AGENTS.md", "CLAUDE.md")


@dataclass(frozen=True, slots=True)
class Supply:
    """One thing that tells the model what to do. Without a ``digest`` it cannot be approved."""

    kind: str
    place: Path
    source: SkillSource
    digest: str

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        if self.kind == RULES:
            return self.place.name
        whose = "" if self.source is SkillSource.WORKSPACE else f" ({self.source.value})"
        return f"{'skill' if self.kind == TASK else self.kind} {self.place.name}{whose}"

    @property
    def warnings(self) -> tuple[str, ...]:
        """What in it a person should look at first."""
        try:
            return suspicions(read_text(self.place if self.kind == RULES else skill_in(self.place)))
        except OSError:
            return ("cannot be read",)


def find_supplies(data: Path, workspace: Path, rules: Sequence[str] = RULE_FILES) -> list[Supply]:
    """Return everything supplied, the project's own first."""
    found = [
        Supply(kind, folder, place.source, stamp(folder))
        for kind, sources in ASKED.items()
        for place in places(kind, data, workspace)
        if place.source in sources
        for folder in skill_folders(place.folder)
    ]
    file = rules_file(workspace, rules)
    own = [Supply(RULES, file, SkillSource.WORKSPACE, stamp(file))] if file else []
    return sorted([*found, *own], key=lambda one: (one.source is not SkillSource.WORKSPACE, one.kind, one.place))


def told_apart(supplies: Sequence[Supply]) -> list[str]:
    """What each is, and where it lies if another one is called the same."""
    titles = [one.title for one in supplies]
    return [f"{one.title} ({one.place})" if titles.count(one.title) > 1 else one.title for one in supplies]


def rules_file(workspace: Path, names: Iterable[str] = RULE_FILES) -> Path | None:
    """The nearest file of rules, up to the root of the repository; a link that leads out of there is none."""
    folders = upwards(workspace)
    root = folders[-1].resolve()
    candidates = (folder / name for folder in folders for name in names)
    return next((file for file in candidates if file.is_file() and file.resolve().is_relative_to(root)), None)


def stamp(place: Path) -> str:
    """Its digest; empty when it cannot be read, or is too large to be looked at."""
    try:
        return digest(place)
    except OSError:
        return ""


def undecided_supplies(supplies: Iterable[Supply], approved: Approved) -> list[Supply]:
    """Return those without a decision about their current content."""
    return [one for one in supplies if one.digest and approved.answer(one.place, one.digest) is None]


def approve(supplies: Iterable[Supply], approved: Approved, answer: str = YES) -> None:
    """Remember what a person said about each of them."""
    for one in supplies:
        if one.digest:
            approved.keep(one.place, one.digest, answer, title=one.title)
