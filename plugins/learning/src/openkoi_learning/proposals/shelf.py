"""Store drafts in the data folder until the user decides."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from openkoi_base.files import private_folder, replace_file
from openkoi_hookspecs import Koi, KoiError, PluginNotFoundError
from openkoi_skillfile import (
    EVALUATOR,
    FILE,
    NO,
    TASK,
    YES,
    Approved,
    SkillLocation,
    SkillSource,
    digest,
    places,
    read_skill,
    read_text,
    skill_folders,
    skill_in,
    validate,
)

SEVERAL = {TASK: "skills", EVALUATOR: "evaluators"}
ASIDE = ".dismissed"
TAKEN = "{target} is there already, so {name} would not be used: move that one away, or dismiss the draft."
TOO_MUCH = "{folder} holds too many or too large files, or a link that leads out of it: it is not approved."


@dataclass(frozen=True, slots=True)
class Proposal:
    """A draft. ``fault`` says why it cannot be approved as it is."""

    name: str
    kind: str
    folder: Path
    description: str = ""
    confidence: float | None = None
    samples: int | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class DraftStore:
    """The drafts in OpenKoi's data folder. Without a ``koi`` none is approved."""

    data: Path
    koi: Koi | None = None

    def proposal_folder(self, kind: str) -> Path:
        """Where drafts of a kind lie."""
        return self.data / SEVERAL[kind] / "proposed"

    def there(self) -> list[Proposal]:
        """All that was generated and not dismissed, skills before evaluators, each kind by name."""
        return [proposal(one, kind) for kind in SEVERAL for one in skill_folders(self.proposal_folder(kind))]

    def waiting(self) -> list[Proposal]:
        """Those that nobody approved of as they are: their place in the list is their number."""
        return [one for one in self.there() if not self.is_approved(one)]

    def is_approved(self, one: Proposal) -> bool:
        """Return whether the user approved one as it is now."""
        try:
            return self.koi is not None and Approved(self.koi)(one.folder, digest(one.folder))
        except OSError:
            return False

    def find_proposal(self, which: str) -> Proposal:
        """Return a draft by number or name; raise PluginNotFoundError."""
        every = self.waiting()
        if which.isdecimal() and 0 < int(which) <= len(every):
            return every[int(which) - 1]
        found = [one for one in self.there() if which in (one.name, one.folder.name)]
        if len(found) != 1:
            raise PluginNotFoundError("proposals", which, tuple(one.name for one in every))
        return found[0]

    def exists(self, kind: str, name: str) -> bool:
        """Return whether something of this name exists already or was dismissed."""
        folders = [place.folder for place in places(kind, self.data, None)]
        return any((folder / name / FILE).is_file() for folder in (*folders, self.proposal_folder(kind) / ASIDE))

    def put(self, kind: str, name: str, text: str) -> Path:
        """Put a draft there, or another one in its place."""
        private_folder(self.proposal_folder(kind) / name)
        return replace_file(self.proposal_folder(kind) / name / FILE, text)

    def approve(self, one: Proposal) -> Path:
        """Have it used from now on, as it is now. Raises KoiError where it is unfit, or a person's own has its name."""
        if one.fault:
            raise KoiError(f"{one.fault}\nFix the file, then approve it.")
        stamp = digest(one.folder)
        if not stamp:
            raise KoiError(TOO_MUCH.format(folder=one.folder))
        if taken := rivals(one, places(one.kind, self.data, None)):
            raise KoiError(TAKEN.format(target=taken[0], name=one.name))
        self.mark(one, stamp, YES)
        return one.folder

    def dismiss(self, one: Proposal) -> Path:
        """Put a draft aside for good, or one that was approved; return where it lies now."""
        if self.is_approved(one):
            self.mark(one, digest(one.folder), NO)
        aside = private_folder(one.folder.parent / ASIDE) / one.folder.name
        shutil.rmtree(aside, ignore_errors=True)
        shutil.move(one.folder, aside)
        return aside

    def mark(self, one: Proposal, stamp: str, answer: str) -> None:
        """Keep what the user decided about a draft."""
        assert self.koi, "only commands decide about drafts, and they have OpenKoi"
        title = f"{'skill' if one.kind == TASK else one.kind} {one.name} (generated)"
        Approved(self.koi).keep(one.folder, stamp, answer, title=title)


def proposal(folder: Path, kind: str) -> Proposal:
    """One draft, as far as it can be read."""
    try:
        wrong = validate(folder)
        skill = read_skill(read_text(skill_in(folder)), folder.name, kind)
    except (KoiError, OSError, UnicodeDecodeError) as error:
        return Proposal(folder.name, kind, folder, fault=f"{skill_in(folder)}: {error}")
    if skill.kind != kind:
        return Proposal(
            folder.name, kind, folder, fault=f"{skill_in(folder)}: its kind is {skill.kind!r}, not {kind!r}"
        )
    return Proposal(
        skill.name,
        kind,
        folder,
        description=skill.description,
        confidence=number(skill.own("confidence")),
        samples=whole(number(skill.own("samples"))),
        fault="\n".join(map(str, wrong)),
    )


def rivals(one: Proposal, where: Sequence[SkillLocation]) -> list[Path]:
    """What people wrote in these places that has the name of a draft, and so goes before it."""
    return [
        folder
        for place in where
        if place.source is not SkillSource.PROPOSED
        for folder in skill_folders(place.folder)
        if one.name.casefold() in (folder.name.casefold(), proposal(folder, one.kind).name.casefold())
    ]


def number(value: object) -> float | None:
    """A number, if it is one."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def whole(value: float | None) -> int | None:
    """A count, if it is one."""
    return int(value) if value is not None and value == value and abs(value) < 1e9 else None


def overview(proposals: Sequence[Proposal]) -> list[str]:
    """What a person reads of each."""
    return [line for number, one in enumerate(proposals, 1) for line in entry(number, one)]


def entry(number: int, one: Proposal) -> list[str]:
    """One draft with its number."""
    sure = f", conf: {one.confidence:.2f}" if one.confidence is not None else ""
    often = f", from {one.samples} tasks" if one.samples else ""
    kind = "skill" if one.kind == TASK else one.kind
    said = f"cannot be used yet: {one.fault}" if one.fault else f'"{one.description}"'
    return [f"  {number}. {one.name} ({kind}{sure}{often})", f"     {said}"]
