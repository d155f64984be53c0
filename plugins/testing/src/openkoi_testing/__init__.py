"""Test plugins with a real run over a scripted model, fake servers and contract suites.

Names are imported on first use: every pytest where this is installed loads the plugin, and waits for it.
"""

import pytest

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from openkoi_scripted import Line as Line
    from openkoi_scripted import Scripted as Scripted
    from openkoi_scripted import ScriptedTurn as ScriptedTurn

    from .contracts.agent_runner import AgentRunnerContract as AgentRunnerContract
    from .contracts.budget import BudgetContract as BudgetContract
    from .contracts.checkpoints import CheckpointsContract as CheckpointsContract
    from .contracts.compactor import CompactorContract as CompactorContract
    from .contracts.documents import DocumentsContract as DocumentsContract
    from .contracts.embedder import EmbedderContract as EmbedderContract
    from .contracts.evaluator import EvaluatorContract as EvaluatorContract
    from .contracts.frontend import FrontendContract as FrontendContract
    from .contracts.health import HealthContract as HealthContract
    from .contracts.memory import MemoryContract as MemoryContract
    from .contracts.messenger import MessengerContract as MessengerContract
    from .contracts.provider import ProviderContract as ProviderContract
    from .contracts.questions import QuestionsContract as QuestionsContract
    from .contracts.sandbox import SandboxContract as SandboxContract
    from .contracts.source import SourceContract as SourceContract
    from .contracts.tool_provider import ToolProviderContract as ToolProviderContract
    from .plugin_stub import GivenPlugins as GivenPlugins
    from .scenario import FinishedRun as FinishedRun
    from .scenario import Scenario as Scenario
    from .scenario import logged_baseline as logged_baseline
    from .scenario import make_run as make_run
    from .scenario import run_scenario as run_scenario
    from .scenario import run_task as run_task
    from .scenario import write_log as write_log

pytest.register_assert_rewrite("openkoi_testing.contracts")
