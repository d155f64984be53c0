"""Find what a project or package supplies, and the user's decision about it."""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from openkoi_base.skillfile.approvals import Approvals
from openkoi_base.skillfile.digest import digest_path
from openkoi_base.skillfile.locations import SkillSource, list_locations, list_parents, skill_folders
from openkoi_base.skillfile.skill import EVALUATOR, TASK
from openkoi_base.skillfile.validation import find_skill_file, read_text
from openkoi_hookspecs.lazy_dataclass import dataclass

RULES = "rules"
APPROVAL_SOURCES = {
    TASK: (SkillSource.WORKSPACE, SkillSource.MANAGED, SkillSource.OPENCLAW),
    EVALUATOR: (SkillSource.WORKSPACE,),
}
# The rules of a project in one file, as coding agents name it; the first that a folder has applies.
RULE_FILES = (
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".github/copilot-instructions.md",
    ".cursorrules",
    ".windsurfrules",
    ".junie/guidelines.md",
    ".trae/rules/project_rules.md",
    ".goosehints",
    ".openhands/microagents/repo.md",
)


@dataclass(frozen=True, slots=True)
class Supply:
    """A file or folder with instructions for the model; without a ``digest`` it cannot be approved."""

    kind: str
    place: Path
    source: SkillSource
    digest: str

    @property
    def title(self) -> str:
        """A short description."""
        if self.kind == RULES:
            return self.place.name
        whose = "" if self.source is SkillSource.WORKSPACE else f" ({self.source.value})"
        return f"{'skill' if self.kind == TASK else self.kind} {self.place.name}{whose}"

    def find_warnings(self) -> tuple[str, ...]:
        """Read the text and describe what is suspicious in it."""
        from .injection_scan import find_suspicions

        try:
            return find_suspicions(read_text(self.place if self.kind == RULES else find_skill_file(self.place)))
        except OSError:
            return ("cannot be read",)


def find_supplies(
    data: Path, workspace: Path, rules: Sequence[str] = RULE_FILES, skills: Collection[Path] | None = None
) -> list[Supply]:
    """Return everything supplied, the project's own first; of skills, only those in ``skills`` if it is given."""
    found = [
        Supply(kind, folder, place.source, try_digest(folder))
        for kind, sources in APPROVAL_SOURCES.items()
        for place in list_locations(kind, data, workspace)
        if place.source in sources
        for folder in skill_folders(place.folder)
        if kind != TASK or skills is None or folder in skills
    ]
    file = find_rules_file(workspace, rules)
    own = [Supply(RULES, file, SkillSource.WORKSPACE, try_digest(file))] if file else []
    return sorted([*found, *own], key=lambda one: (one.source is not SkillSource.WORKSPACE, one.kind, one.place))


def distinguish_titles(supplies: Sequence[Supply]) -> list[str]:
    """Return the titles, with the path where two are equal."""
    titles = [one.title for one in supplies]
    return [f"{one.title} ({one.place})" if titles.count(one.title) > 1 else one.title for one in supplies]


def find_rules_file(workspace: Path, names: Iterable[str] = RULE_FILES) -> Path | None:
    """Return the nearest rules file up to the repository's root; ignore links that lead out of it."""
    folders = list_parents(workspace)
    root = folders[-1].resolve()
    candidates = (folder / name for folder in folders for name in names)
    return next((file for file in candidates if file.is_file() and file.resolve().is_relative_to(root)), None)


def try_digest(place: Path) -> str:
    """Return the digest; empty if unreadable or too large."""
    try:
        return digest_path(place)
    except OSError:
        return ""


def undecided_supplies(supplies: Iterable[Supply], approved: Approvals) -> list[Supply]:
    """Return those without a decision about their current content."""
    return [one for one in supplies if one.digest and approved.answer(one.place, one.digest) is None]


def save_answers(supplies: Iterable[Supply], approved: Approvals, answer: str) -> None:
    """Save the user's answer about each file."""
    for one in supplies:
        if one.digest:
            approved.keep(one.place, one.digest, answer, title=one.title)
