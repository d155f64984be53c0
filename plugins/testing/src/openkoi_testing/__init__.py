"""Test plugins with a real run over a scripted model, fake servers and contract suites.

Names are imported on first use: every pytest where this is installed loads the plugin, and waits for it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from openkoi_scripted import Line, Scripted, ScriptedTurn

    from .contracts import (
        AgentRunnerContract,
        BudgetContract,
        CheckpointsContract,
        CompactorContract,
        DocumentsContract,
        EmbedderContract,
        EvaluatorContract,
        FrontendContract,
        HealthContract,
        MemoryContract,
        MessengerContract,
        ProviderContract,
        QuestionsContract,
        SandboxContract,
        SourceContract,
        ToolProviderContract,
    )
    from .plugin_stub import GivenPlugins
    from .scenario import FinishedRun, Scenario, logged_baseline, make_run, run_scenario, run_task, write_log

pytest.register_assert_rewrite("openkoi_testing.contracts")

__all__ = [
    "AgentRunnerContract",
    "BudgetContract",
    "CheckpointsContract",
    "CompactorContract",
    "DocumentsContract",
    "EmbedderContract",
    "EvaluatorContract",
    "FinishedRun",
    "FrontendContract",
    "GivenPlugins",
    "HealthContract",
    "Line",
    "MemoryContract",
    "MessengerContract",
    "ProviderContract",
    "QuestionsContract",
    "SandboxContract",
    "Scenario",
    "Scripted",
    "ScriptedTurn",
    "SourceContract",
    "ToolProviderContract",
    "logged_baseline",
    "make_run",
    "run_scenario",
    "run_task",
    "write_log",
]


def __getattr__(name: str) -> Any:  # whatever is in __all__, from where it is
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module_of(name), __name__), name)


def module_of(name: str) -> str:
    """Return the module that a public name is in."""
    if name in ("Line", "Scripted", "ScriptedTurn"):
        return "openkoi_scripted"
    if name == "GivenPlugins":
        return ".plugin_stub"
    return ".contracts" if name.endswith("Contract") else ".scenario"
