"""Store what the user always allows or refuses (saved answers), by the content's digest, in one file."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from openkoi_hookspecs import Consent, KoiError, Question
from openkoi_hookspecs.lazy_dataclass import dataclass

from .filelock import lock_beside
from .private_files import private_folder, read_small_text, replace_file
from .short_ids import find_by_prefix

ID_CHARACTERS = 12


@dataclass(frozen=True, slots=True)
class ConsentStore:
    """Store answers. Two processes that store or remove one at the same time lose nothing."""

    file: Path

    def get(self, digest: str) -> str | None:
        """Return the stored answer for a digest, if there is one."""
        found = self.read().get(consent_id(digest))
        return found.answer if found and found.digest == digest else None

    def answer_to(self, question: Question) -> str | None:
        """Return the stored answer to a question, if its answers are kept."""
        return self.get(question.identity) if question.keep else None

    def list_all(self) -> list[Consent]:
        """Return all stored answers, oldest first."""
        return sorted(self.read().values(), key=lambda consent: consent.at)

    def add(self, question: Question, answer: str) -> None:
        """Store an answer, replacing another one for the same digest; raise KoiError if it cannot be written."""
        id, at = consent_id(question.identity), datetime.now(UTC).isoformat()
        self.write({id: Consent(id, question.text, answer.strip(), at, question.identity)}, "")

    def remove(self, id: str) -> Consent:
        """Remove a stored answer, by its id or a prefix of it.

        Raise PluginNotFoundError, or KoiError where several match.
        """
        found = find_by_prefix(id, {one.id: one for one in self.list_all()}, "consent", "stored answers")
        self.write({}, found.id)
        return found

    def write(self, more: Mapping[str, Consent], without: str) -> None:
        try:
            private_folder(self.file.parent)
            with lock_beside(self.file):
                kept = {id: one for id, one in {**self.read(), **more}.items() if id != without}
                replace_file(self.file, json.dumps([asdict(one) for one in kept.values()], indent=1))
        except OSError as error:
            from .write_errors import describe_write_error

            why = describe_write_error(error)
            raise KoiError(f"Cannot write {self.file}, which stores your answers: {why}.") from None

    def read(self) -> dict[str, Consent]:
        """Return what the file contains, by id; an unreadable file is empty, and you are asked again."""
        with suppress(OSError, ValueError, TypeError, RecursionError):
            known = [Consent(**one) for one in json.loads(read_small_text(self.file))] if self.file.exists() else []
            return {one.id: one for one in known if is_valid(one)}
        return {}


def consent_id(digest: str) -> str:
    """Return the id of the answer for a digest."""
    return sha256(digest.encode("utf-8", "surrogatepass")).hexdigest()[:ID_CHARACTERS]


def is_valid(consent: Consent) -> bool:
    """Return whether a stored value is an answer whose digest matches its id."""
    texts = (consent.id, consent.text, consent.answer, consent.at, consent.digest)
    return all(isinstance(text, str) for text in texts) and consent.id == consent_id(consent.digest)
