"""Test plugins with a real run over a scripted model, fake servers and contract suites.

Names are imported on first use: every pytest where this is installed loads the plugin, and waits for it.
"""

import pytest

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from openkoi_scripted import Line, Scripted, ScriptedTurn

    from .contracts.agent_runner import AgentRunnerContract
    from .contracts.budget import BudgetContract
    from .contracts.checkpoints import CheckpointsContract
    from .contracts.compactor import CompactorContract
    from .contracts.documents import DocumentsContract
    from .contracts.embedder import EmbedderContract
    from .contracts.evaluator import EvaluatorContract
    from .contracts.frontend import FrontendContract
    from .contracts.health import HealthContract
    from .contracts.memory import MemoryContract
    from .contracts.messenger import MessengerContract
    from .contracts.provider import ProviderContract
    from .contracts.questions import QuestionsContract
    from .contracts.sandbox import SandboxContract
    from .contracts.source import SourceContract
    from .contracts.tool_provider import ToolProviderContract
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
