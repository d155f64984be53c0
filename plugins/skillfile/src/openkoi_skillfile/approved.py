"""What the user allowed of the files of a project or a stranger: consent to one place with one content.

Any change of the content is a new question.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from openkoi_hookspecs import Koi, Question, is_yes

YES, NO = "yes", "no"


@dataclass(frozen=True, slots=True)
class Approved:
    """Consent by place and digest, as OpenKoi keeps it. Can be used as a ``Trust``."""

    koi: Koi

    def __call__(self, place: Path, digest: str) -> bool:
        """Whether the user allowed it."""
        return is_yes(self.answer(place, digest))

    def answer(self, place: Path, digest: str) -> str | None:
        """Return what the user answered, if anything."""
        return self.koi.consent(consent_digest(place, digest)) if digest else None

    def keep(self, place: Path, digest: str, answer: str, *, title: str = "") -> None:
        """Keep what the user answered; ``title`` says what it is."""
        asked = Question(f"{title or place.name}  {place}", keep=True, digest=consent_digest(place, digest))
        self.koi.keep_consent(asked, answer)


def consent_digest(place: Path, digest: str) -> str:
    """Return one value for a place with its content."""
    seen = f"supplied\0{place.resolve()}\0{digest}"
    return sha256(seen.encode("utf-8", "surrogatepass")).hexdigest()
