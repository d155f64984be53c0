"""Describe plugins for listings: which are installed, which can be loaded, and how their hooks were called."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from .lazy_dataclass import dataclass

HostFile = Callable[[str, str], AbstractAsyncContextManager[object]]


class InstalledPlugin(Protocol):
    """A plugin as its distribution declares it; nothing is imported."""

    @property
    def kind(self) -> str:
        """The kind, such as ``commands``."""

    @property
    def name(self) -> str:
        """The name by which it is chosen."""

    @property
    def distribution(self) -> str:
        """The distribution that provides it."""

    def read_summary(self) -> str:
        """Read the distribution's one-line description from its metadata; empty if it has none."""


@dataclass(frozen=True, slots=True)
class PluginState:
    """An installed plugin. ``winner`` is the distribution whose plugin of this kind and name is ``used``, if any is.

    ``version`` is the version of the distribution; empty if it declares none. ``enabled`` and ``subprocess`` (whether
    it runs in a separate process) are as configured.
    """

    kind: str
    name: str
    distribution: str
    used: bool = True
    winner: str = ""
    version: str = ""
    enabled: bool = True
    subprocess: bool = False


@dataclass(frozen=True, slots=True)
class Installation:
    """All installed plugins, and their problems: conflicting names, unreadable distributions.

    ``fingerprint`` changes when a distribution is installed or removed, or a file of a plugin is changed.
    """

    plugins: tuple[PluginState, ...] = ()
    warnings: tuple[str, ...] = ()
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class PluginEntry:
    """A plugin that can be chosen.

    ``origin`` says where it comes from. ``load`` imports, configures and enters it, once: later calls return the same
    object. In an entry that a source lists, it creates the plugin; the kernel calls it once. A different ``version``
    means that a different plugin would be created.

    A source whose plugin is one Python file may give ``load_in_subprocess`` too, for ``subprocess = true``. It gets a
    function that takes the path and the text of the file, and returns the object to enter as the plugin, which is in a
    separate process.
    """

    kind: str
    name: str
    origin: str
    load: Callable[[], Awaitable[object]]
    version: str = ""
    load_in_subprocess: Callable[[HostFile], Awaitable[object]] | None = None


@dataclass(frozen=True, slots=True)
class HookActivity:
    """How a plugin's implementation of a hook was called: how often, for how many seconds in total, and when last.

    ``answers`` counts the calls that returned something, ``failures`` those that raised, were late or returned
    something invalid. ``last`` is in seconds since 1970, 0 before the first call.
    """

    hook: str
    plugin: str
    calls: int = 0
    answers: int = 0
    failures: int = 0
    seconds: float = 0.0
    last: float = 0.0
