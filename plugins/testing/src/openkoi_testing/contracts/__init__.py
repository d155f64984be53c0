"""Inheritable suites: what every plugin of a kind promises. ``class TestMine(ProviderContract): subject = Mine()``."""

from .checkpoints import CheckpointsContract
from .evaluator import EvaluatorContract
from .memory import MemoryContract
from .provider import ProviderContract
from .sandbox import SandboxContract
from .toolbox import ToolboxContract

__all__ = [
    "CheckpointsContract",
    "EvaluatorContract",
    "MemoryContract",
    "ProviderContract",
    "SandboxContract",
    "ToolboxContract",
]
