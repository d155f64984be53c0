"""Look up and save the user's approval of a file or folder with its current content.

Any change of the content needs a new approval.
"""

from hashlib import sha256
from pathlib import Path

from openkoi_hookspecs import Koi, Question, is_yes
from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Approvals:
    """The user's approvals by path and digest; can be used as ``Trust``."""

    koi: Koi

    def __call__(self, place: Path, digest: str) -> bool:
        """Return whether the user approved this content."""
        return is_yes(self.answer(place, digest))

    def answer(self, place: Path, digest: str) -> str | None:
        """Return the user's answer, or None if there is none."""
        return self.koi.consent(consent_digest(place, digest)) if digest else None

    def keep(self, place: Path, digest: str, answer: str, *, title: str = "") -> None:
        """Save the user's answer; ``title`` is how lists show it."""
        question = Question(f"{title or place.name}  {place}", keep=True, digest=consent_digest(place, digest))
        self.koi.keep_consent(question, answer)


def consent_digest(place: Path, digest: str) -> str:
    """Return a digest of a path with its content."""
    seen = f"supplied\0{place.resolve()}\0{digest}"
    return sha256(seen.encode("utf-8", "surrogatepass")).hexdigest()
