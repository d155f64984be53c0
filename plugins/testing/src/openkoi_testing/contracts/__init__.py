"""Provide suites to inherit that test a kind of plugin: ``class TestMine(ProviderContract): subject = Mine()``.

Those that need a vendor's fake are imported from their modules: ``catalogue``, ``faults``, ``foreign_server``.
"""

from .agent_runner import AgentRunnerContract
from .budget import BudgetContract
from .checkpoints import CheckpointsContract
from .compactor import CompactorContract
from .documents import DocumentsContract
from .embedder import EmbedderContract
from .evaluator import EvaluatorContract
from .frontend import FrontendContract
from .health import HealthContract
from .memory import MemoryContract
from .messenger import MessengerContract
from .provider import ProviderContract
from .questions import QuestionsContract
from .sandbox import SandboxContract
from .source import SourceContract
from .tool_provider import ToolProviderContract

__all__ = [
    "AgentRunnerContract",
    "BudgetContract",
    "CheckpointsContract",
    "CompactorContract",
    "DocumentsContract",
    "EmbedderContract",
    "EvaluatorContract",
    "FrontendContract",
    "HealthContract",
    "MemoryContract",
    "MessengerContract",
    "ProviderContract",
    "QuestionsContract",
    "SandboxContract",
    "SourceContract",
    "ToolProviderContract",
]
