"""What the user allowed or refused once and for all, by the digest of what was asked about: one file."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from openkoi_hookspecs import Consent, KoiError, Question

from .filelock import locked
from .private import private_folder, read_text, replace_file
from .short_ids import find_by_prefix

LENGTH = 12


@dataclass(frozen=True, slots=True)
class Consents:
    """Kept answers. Two processes that keep or forget one at the same time lose nothing."""

    file: Path

    def get(self, digest: str) -> str | None:
        """Return the kept answer about a digest, if there is one."""
        found = self.read().get(consent_id(digest))
        return found.answer if found and found.digest == digest else None

    def all(self) -> list[Consent]:
        """Return all kept answers, the oldest first."""
        return sorted(self.read().values(), key=lambda consent: consent.at)

    def keep(self, question: Question, answer: str) -> None:
        """Keep an answer, in place of another one about the same digest; raises KoiError if it cannot be written."""
        id, at = consent_id(question.identity), datetime.now(UTC).isoformat()
        self.write({id: Consent(id, question.text, answer.strip(), at, question.identity)}, "")

    def remove(self, id: str) -> Consent:
        """Forget a kept answer, by its id or the beginning of it.

        Raises PluginNotFoundError, or KoiError where several begin so.
        """
        found = find_by_prefix(id, {one.id: one for one in self.all()}, "consent", "kept answers")
        self.write({}, found.id)
        return found

    def write(self, more: Mapping[str, Consent], without: str) -> None:
        try:
            private_folder(self.file.parent)
            with locked(self.file):
                kept = {id: one for id, one in {**self.read(), **more}.items() if id != without}
                replace_file(self.file, json.dumps([asdict(one) for one in kept.values()], indent=1))
        except OSError as error:
            raise KoiError(f"{self.file} keeps your answers and cannot be written: {error.strerror}.") from None

    def read(self) -> dict[str, Consent]:
        """Return what the file contains, by id; one that cannot be read contains nothing, and you are asked again."""
        with suppress(OSError, ValueError, TypeError, RecursionError):
            known = [Consent(**one) for one in json.loads(read_text(self.file))] if self.file.exists() else []
            return {one.id: one for one in known if is_sound(one)}
        return {}


def consent_id(digest: str) -> str:
    """Return the id of the answer about a digest."""
    return sha256(digest.encode("utf-8", "surrogatepass")).hexdigest()[:LENGTH]


def is_sound(consent: Consent) -> bool:
    """Whether what was read is an answer, about the digest that its id says."""
    texts = (consent.id, consent.text, consent.answer, consent.at, consent.digest)
    return all(isinstance(text, str) for text in texts) and consent.id == consent_id(consent.digest)
