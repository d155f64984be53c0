"""What a run passes on to the house that it is done in, as it is. Knows the house; knows no task."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from openkoi_hookspecs import PendingQuestion, PluginEntry, ProviderInfo, Record

from .house import House


@dataclass(slots=True)
class Lodger:
    """A part of ``Koi`` that is the same between runs and within one."""

    app: House

    def plugins(self, kind: str) -> Sequence[PluginEntry]:
        """List what there is of a kind, without loading it."""
        return self.app.plugins(kind)

    def records(self, session: str) -> Iterable[Record]:
        """Read a session's log from its beginning."""
        return self.app.records(session)

    def pending_questions(self) -> Sequence[PendingQuestion]:
        """What runs have asked and nobody has answered."""
        return self.app.pending_questions()

    def answer_question(self, id: str, answer: str) -> PendingQuestion:
        """Answer a question in a person's name."""
        return self.app.answer_question(id, answer)

    def providers(self) -> Sequence[ProviderInfo]:
        """The providers that are installed and known, best first."""
        return self.app.providers()

    def saved_keys(self) -> Sequence[str]:
        """The providers whose keys are saved."""
        return self.app.saved_keys()

    def save_key(self, provider: str, key: str) -> Path:
        """Keep a key for its user alone."""
        return self.app.save_key(provider, key)

    def set_setting(self, key: str, value: str) -> Path:
        """Set a dotted key in the user's configuration."""
        return self.app.set_setting(key, value)
