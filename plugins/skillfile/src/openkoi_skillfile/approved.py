"""What a person said about files of a project or a stranger. Knows one file of the data folder; asks nobody.

An answer holds for one place with one content: any change is a new question.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from openkoi_files import Answers

YES, NO = "yes", "no"


@dataclass(frozen=True, slots=True)
class Approved:
    """Answers by place and digest. Can be used as a ``Trust``."""

    answers: Answers

    @classmethod
    def below(cls, data: Path) -> "Approved":
        """Those that are kept in OpenKoi's data folder."""
        return cls(Answers(data / "answers.json"))

    def __call__(self, place: Path, digest: str) -> bool:
        """Whether a person said yes."""
        return self.said(place, digest) == YES

    def said(self, place: Path, digest: str) -> str | None:
        """What a person said, if anything."""
        return self.answers.get(key_of(place, digest)) if digest else None

    def keep(self, place: Path, digest: str, answer: str) -> None:
        """Remember what a person said."""
        self.answers.keep(key_of(place, digest), answer)


def key_of(place: Path, digest: str) -> str:
    """One value for a place with its content."""
    said = f"supplied\0{place.resolve()}\0{digest}"
    return sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
