"""The plugins of a Koi, for calling a command or a source without OpenKoi around it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from openkoi_hookspecs import PluginEntry, PluginNotFoundError


@dataclass(frozen=True, slots=True)
class GivenPlugins:
    """As much of a ``Koi`` as lists and loads plugins: those that are given, by kind and name."""

    given: Mapping[str, Mapping[str, object]]

    def plugins(self, kind: str) -> Sequence[PluginEntry]:
        """List the plugins of a kind."""
        return [PluginEntry(kind, name, "test", partial(self.load, kind, name)) for name in self.given.get(kind, ())]

    async def load(self, kind: str, name: str) -> object:
        """Return a plugin; raises PluginNotFoundError."""
        if name not in self.given.get(kind, {}):
            raise PluginNotFoundError(kind, name, tuple(self.given.get(kind, ())))
        return self.given[kind][name]
