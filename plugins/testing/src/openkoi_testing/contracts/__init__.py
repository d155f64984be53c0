"""Inheritable suites: what every plugin of a kind promises. ``class TestMine(ProviderContract): subject = Mine()``.

Those that want a vendor's fake are imported from where they are: ``catalogue``, ``faults``, ``peer``.
"""

from .budget import BudgetContract
from .checkpoints import CheckpointsContract
from .compactor import CompactorContract
from .documents import DocumentsContract
from .evaluator import EvaluatorContract
from .memory import MemoryContract
from .messenger import MessengerContract
from .provider import ProviderContract
from .questions import QuestionsContract
from .sandbox import SandboxContract
from .source import SourceContract
from .toolbox import ToolboxContract

__all__ = [
    "BudgetContract",
    "CheckpointsContract",
    "CompactorContract",
    "DocumentsContract",
    "EvaluatorContract",
    "MemoryContract",
    "MessengerContract",
    "ProviderContract",
    "QuestionsContract",
    "SandboxContract",
    "SourceContract",
    "ToolboxContract",
]
