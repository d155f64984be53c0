"""What plugin authors test with: a real run over a scripted model, fake servers, contract suites.

Names are imported when they are asked for: every pytest where this is installed loads the plugin, and waits for it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from openkoi_rehearsal import Line, Scripted, ScriptedTurn

    from .contracts import (
        BudgetContract,
        CheckpointsContract,
        DocumentsContract,
        EvaluatorContract,
        MemoryContract,
        MessengerContract,
        ProviderContract,
        QuestionsContract,
        SandboxContract,
        SourceContract,
        ToolboxContract,
    )
    from .given_plugins import GivenPlugins
    from .rehearsing import Rehearsed, Stage, lend, perform, recorded, rehearse, write_log

pytest.register_assert_rewrite("openkoi_testing.contracts")

__all__ = [
    "BudgetContract",
    "CheckpointsContract",
    "DocumentsContract",
    "EvaluatorContract",
    "GivenPlugins",
    "Line",
    "MemoryContract",
    "MessengerContract",
    "ProviderContract",
    "QuestionsContract",
    "Rehearsed",
    "SandboxContract",
    "Scripted",
    "ScriptedTurn",
    "SourceContract",
    "Stage",
    "ToolboxContract",
    "lend",
    "perform",
    "recorded",
    "rehearse",
    "write_log",
]


def __getattr__(name: str) -> Any:  # whatever is in __all__, from where it is
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(place(name), __name__), name)


def place(name: str) -> str:
    """The module that a public name is in."""
    if name in ("Line", "Scripted", "Turn"):
        return "openkoi_rehearsal"
    if name == "GivenPlugins":
        return ".given_plugins"
    return ".contracts" if name.endswith("Contract") else ".rehearsing"
