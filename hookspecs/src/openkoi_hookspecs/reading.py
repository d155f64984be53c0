"""Read OpenKoi's records without opening it: no event loop, no hooks, no plugin but a memory that allows it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from .memory import Hit, Query
    from .plugin_entry import InstalledPlugin

T = TypeVar("T")


class MemoryReader(Protocol):
    """A memory that can be read without an event loop."""

    def health(self) -> Mapping[str, str]:
        """Return facts about the memory's state by name, as ``SupportsHealthCheck`` does; raises KoiError."""

    def offsets(self) -> Mapping[str, int]:
        """Return how far each log segment was read, as ``SupportsOffsets`` does."""

    def search(self, query: "Query") -> "Sequence[Hit]":
        """Return the hits for a query, best first; raises KoiError."""


class Reader(Protocol):
    """The configuration of OpenKoi for a folder, and what can be read without opening OpenKoi."""

    @property
    def data(self) -> Path:
        """OpenKoi's data folder."""

    def setting(self, key: str, kind: type[T], default: T) -> T:
        """Return the value of a dotted key, as ``Configuration.setting`` does."""

    def table(self, name: str) -> Mapping[str, object]:
        """Return the settings below a dotted name, keyed by the rest of their names; includes bundles."""

    def chosen_name(self, kind: str) -> str:
        """Return the name of the plugin of a kind that ``[use]`` names; empty if none."""

    def plugins(self, kind: str) -> "Sequence[InstalledPlugin]":
        """List the installed plugins of a kind that are enabled, by name; those of sources are not included."""

    def memory(self) -> MemoryReader | None:
        """Return the chosen memory; None if none is chosen, or if OpenKoi must be opened to read it.

        The module of a memory's entry point may have a function ``read_memory``, which takes the ``Reader`` and returns
        a ``MemoryReader``, or None if the memory needs more than the configuration.
        """

    def warnings(self) -> Sequence[str]:
        """List problems of the installation and the configuration."""

    def redact(self, text: str) -> str:
        """Mask the secrets in a text before it is shown."""
