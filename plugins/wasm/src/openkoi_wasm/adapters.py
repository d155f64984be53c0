"""Adapt a module to each kind of plugin."""

from .evaluator import WasmEvaluator
from .hooks import WasmHooks
from .plugin import WasmPlugin
from .provider import WasmProvider
from .tools import WasmTools

ADAPTERS = {"tools": WasmTools, "hooks": WasmHooks, "evaluators": WasmEvaluator, "providers": WasmProvider}


def make_plugin(kind: str, plugin: WasmPlugin) -> object:
    """Return the plugin of a kind."""
    return ADAPTERS[kind](plugin)
