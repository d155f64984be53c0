"""Store drafts in the data folder until the user decides."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from openkoi_base.files import private_folder, replace_file
from openkoi_base.skillfile.approvals import Approvals
from openkoi_base.skillfile.digest import digest_path
from openkoi_base.skillfile.locations import SkillLocation, SkillSource, list_locations, skill_folders
from openkoi_base.skillfile.skill import EVALUATOR, TASK, read_skill
from openkoi_base.skillfile.validation import SKILL_FILE, find_skill_file, read_text, validate
from openkoi_hookspecs import NO, YES, Koi, KoiError, PluginNotFoundError
from openkoi_hookspecs.lazy_dataclass import dataclass

FOLDERS = {TASK: "skills", EVALUATOR: "evaluators"}
DISMISSED_FOLDER = ".dismissed"
TAKEN = (
    "The draft {name} would not be used, because {target} already exists. Move that elsewhere, or dismiss the draft."
)
TOO_MUCH = "Not approved: {folder} contains too many or too large files, or a link that points outside the folder."


@dataclass(frozen=True, slots=True)
class Proposal:
    """A draft. ``fault`` is why it cannot be approved as it is."""

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
        """Return the folder of drafts of a kind."""
        return self.data / FOLDERS[kind] / "proposed"

    def all_drafts(self) -> list[Proposal]:
        """Return all drafts that were not dismissed, skills before evaluators, each kind by name."""
        return [read_proposal(one, kind) for kind in FOLDERS for one in skill_folders(self.proposal_folder(kind))]

    def pending_drafts(self) -> list[Proposal]:
        """Return the drafts whose current content is not approved; a draft's number is its position."""
        return [one for one in self.all_drafts() if not self.is_approved(one)]

    def is_approved(self, one: Proposal) -> bool:
        """Return whether the user approved the current content of a draft."""
        try:
            return self.koi is not None and Approvals(self.koi)(one.folder, digest_path(one.folder))
        except OSError:
            return False

    def find_proposal(self, which: str) -> Proposal:
        """Return a draft by number or name; raise PluginNotFoundError."""
        every = self.pending_drafts()
        if which.isdecimal() and 0 < int(which) <= len(every):
            return every[int(which) - 1]
        found = [one for one in self.all_drafts() if which in (one.name, one.folder.name)]
        if len(found) != 1:
            raise PluginNotFoundError("proposals", which, tuple(one.name for one in every))
        return found[0]

    def exists(self, kind: str, name: str) -> bool:
        """Return whether something of this name exists already or was dismissed."""
        folders = [place.folder for place in list_locations(kind, self.data, None)]
        return any(
            (folder / name / SKILL_FILE).is_file()
            for folder in (*folders, self.proposal_folder(kind) / DISMISSED_FOLDER)
        )

    def write_draft(self, kind: str, name: str, text: str) -> Path:
        """Write a draft, or replace one."""
        private_folder(self.proposal_folder(kind) / name)
        return replace_file(self.proposal_folder(kind) / name / SKILL_FILE, text)

    def approve(self, one: Proposal) -> Path:
        """Approve a draft as it is now. Raise KoiError if it is invalid or its name is already in use."""
        if one.fault:
            raise KoiError(f"{one.fault}\nFix the file, then approve the draft.")
        stamp = digest_path(one.folder)
        if not stamp:
            raise KoiError(TOO_MUCH.format(folder=one.folder))
        if taken := find_rivals(one, list_locations(one.kind, self.data, None)):
            raise KoiError(TAKEN.format(target=taken[0], name=one.name))
        self.store_decision(one, stamp, YES)
        return one.folder

    def dismiss(self, one: Proposal) -> Path:
        """Dismiss a pending or approved draft; return its new location."""
        if self.is_approved(one):
            self.store_decision(one, digest_path(one.folder), NO)
        aside = private_folder(one.folder.parent / DISMISSED_FOLDER) / one.folder.name
        shutil.rmtree(aside, ignore_errors=True)
        shutil.move(one.folder, aside)
        return aside

    def store_decision(self, one: Proposal, stamp: str, answer: str) -> None:
        """Store the user's decision about a draft."""
        assert self.koi, "only commands approve drafts, and they pass koi"
        title = f"{'skill' if one.kind == TASK else one.kind} {one.name} (generated)"
        Approvals(self.koi).keep(one.folder, stamp, answer, title=title)


def read_proposal(folder: Path, kind: str) -> Proposal:
    """Read one draft; record why it cannot be used, if so."""
    try:
        wrong = validate(folder)
        skill = read_skill(read_text(find_skill_file(folder)), folder.name, kind)
    except (KoiError, OSError, UnicodeDecodeError) as error:
        return Proposal(folder.name, kind, folder, fault=f"{find_skill_file(folder)}: {error}")
    if skill.kind != kind:
        return Proposal(
            folder.name, kind, folder, fault=f"{find_skill_file(folder)}: its kind is {skill.kind!r}, not {kind!r}"
        )
    return Proposal(
        skill.name,
        kind,
        folder,
        description=skill.description,
        confidence=parse_number(skill.metadata_value("confidence")),
        samples=parse_count(parse_number(skill.metadata_value("samples"))),
        fault="\n".join(map(str, wrong)),
    )


def find_rivals(one: Proposal, where: Sequence[SkillLocation]) -> list[Path]:
    """Return the user's own skills in these places that have the name of a draft, and so take precedence."""
    return [
        folder
        for place in where
        if place.source is not SkillSource.PROPOSED
        for folder in skill_folders(place.folder)
        if one.name.casefold() in (folder.name.casefold(), read_proposal(folder, one.kind).name.casefold())
    ]


def parse_number(value: object) -> float | None:
    """Return a number, or None."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def parse_count(value: float | None) -> int | None:
    """Return a count, or None."""
    return int(value) if value is not None and value == value and abs(value) < 1e9 else None


def format_list(proposals: Sequence[Proposal]) -> list[str]:
    """Return the lines that list drafts."""
    return [line for number, one in enumerate(proposals, 1) for line in format_draft(number, one)]


def format_draft(number: int, draft: Proposal) -> list[str]:
    """Format one draft with its number."""
    confidence = f", conf: {draft.confidence:.2f}" if draft.confidence is not None else ""
    samples = f", from {draft.samples} tasks" if draft.samples else ""
    kind = "skill" if draft.kind == TASK else draft.kind
    text = f"cannot be used yet: {draft.fault}" if draft.fault else f'"{draft.description}"'
    return [f"  {number}. {draft.name} ({kind}{confidence}{samples})", f"     {text}"]
