"""What plugin authors test with: a real run over a scripted model, fake servers, contract suites."""

import pytest

pytest.register_assert_rewrite("openkoi_testing.contracts")

from openkoi_rehearsal import Line, Scripted, Turn  # noqa: E402  # contracts are rewritten before they are imported

from .contracts import (  # noqa: E402  # see above
    CheckpointsContract,
    EvaluatorContract,
    MemoryContract,
    ProviderContract,
    SandboxContract,
    ToolboxContract,
)
from .rehearsing import Rehearsed, Stage, lend, perform, rehearse  # noqa: E402  # see above

__all__ = [
    "CheckpointsContract",
    "EvaluatorContract",
    "Line",
    "MemoryContract",
    "ProviderContract",
    "Rehearsed",
    "SandboxContract",
    "Scripted",
    "Stage",
    "ToolboxContract",
    "Turn",
    "lend",
    "perform",
    "rehearse",
]
