"""Watch the first calls of each implementation of a hook and, in a check, the loading of a plugin."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from openkoi_base.side_effects.options import watch_options
from openkoi_hookspecs import PluginEntry

if TYPE_CHECKING:
    from .hook_implementations import HookImplementation

Warn = Callable[[str], object]


def watch_first_calls(implementation: "HookImplementation", warn: Warn) -> None:
    """Watch an implementation's first few calls; later calls cost nothing extra."""
    from openkoi_base.side_effects.watched_call import WatchedCall
    from openkoi_base.side_effects.watched_function import watch_function

    function = implementation.function
    call = partial(WatchedCall, implementation.plugin, implementation.hook, watch_options())
    end = partial(setattr, implementation, "function", function)
    implementation.function = watch_function(function, call, warn, end)


def watch_loading(entry: PluginEntry, loading: Awaitable[Any], warn: Warn) -> Awaitable[Any]:
    """Watch a plugin's import and constructor if all calls are watched."""
    options = watch_options()
    if not options.is_thorough:
        return loading
    from openkoi_base.side_effects.watched_call import WatchedCall
    from openkoi_base.side_effects.watched_function import WatchedAwaitable

    return WatchedAwaitable(loading, WatchedCall(entry.name, "loading", options, entry.kind), warn)
