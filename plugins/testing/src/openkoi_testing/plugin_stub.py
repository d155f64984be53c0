"""Provide the plugins of a Koi, to call a command or a source without OpenKoi around it."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from openkoi_base.files import ConsentStore
from openkoi_hookspecs import PluginEntry, PluginNotFoundError, Question
from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class GivenPlugins:
    """Implement the part of ``Koi`` that lists and loads plugins, those given by kind and name, and stores consent.

    Consent is stored in the folder ``data``.
    """

    given: Mapping[str, Mapping[str, object]]
    data: Path | None = None

    def plugins(self, kind: str) -> Sequence[PluginEntry]:
        """List the plugins of a kind."""
        return [PluginEntry(kind, name, "test", partial(self.load, kind, name)) for name in self.given.get(kind, ())]

    async def load(self, kind: str, name: str) -> object:
        """Return a plugin; raise PluginNotFoundError."""
        if name not in self.given.get(kind, {}):
            raise PluginNotFoundError(kind, name, tuple(self.given.get(kind, ())))
        return self.given[kind][name]

    def consent(self, digest: str) -> str | None:
        """Return the user's kept answer to a question with this digest."""
        return self.consents.get(digest)

    def keep_consent(self, question: Question, answer: str) -> None:
        """Keep an answer of the user's."""
        self.consents.add(question, answer)

    @property
    def consents(self) -> ConsentStore:
        assert self.data, "pass data=FOLDER to store consent"
        return ConsentStore(self.data / "consents.json")
