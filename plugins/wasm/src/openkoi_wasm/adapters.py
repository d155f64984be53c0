"""Make a plugin of each kind out of a module."""

from collections.abc import Callable, Mapping

from .plugin import WasmPlugin
from .tools import WasmTools

ADAPTERS: Mapping[str, Callable[[WasmPlugin], object]] = {"tools": WasmTools}


def make_plugin(kind: str, plugin: WasmPlugin) -> object:
    """Return the plugin of a kind."""
    return ADAPTERS[kind](plugin)
