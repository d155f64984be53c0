"""Plugins of the smaller kinds keep the promises of their kind also in a process of their own."""

from pathlib import Path
from typing import Any

import pytest
from plugin_process import InBackgroundLoop, in_process_of_its_own

from openkoi_hookspecs import Amount
from openkoi_testing import (
    BudgetContract,
    CheckpointsContract,
    CompactorContract,
    EmbedderContract,
    QuestionsContract,
)


def hosted(kind: str, target: str, **settings: object) -> Any:
    """Return a plugin that any event loop can call."""
    return InBackgroundLoop(in_process_of_its_own(kind, target, settings))


class TestEmbedder(EmbedderContract):
    @pytest.fixture(scope="class", autouse=True)
    @classmethod
    def start(cls) -> None:
        cls.subject = hosted("embedders", "openkoi_search.lexical:Lexical")


class TestCompactor(CompactorContract):
    @pytest.fixture(scope="class", autouse=True)
    @classmethod
    def start(cls) -> None:
        cls.subject = hosted("compactors", "openkoi_compaction:RollingWindow")


class TestQuestions(QuestionsContract):
    @staticmethod
    def subject(folder: Path) -> Any:
        return hosted("questions", "openkoi_local:FileQuestions", folder=str(folder))


class TestBudget(BudgetContract):
    @staticmethod
    def subject(folder: Path, limit: Amount) -> Any:
        limits = {"usd_a_day": limit.usd, "tokens_a_day": limit.tokens}
        return hosted("budgets", "openkoi_local:FileBudget", folder=str(folder), **limits)


class TestCheckpoints(CheckpointsContract):
    @staticmethod
    def subject(folder: Path) -> Any:
        return hosted("checkpoints", "openkoi_checkpoints:CheckpointStore", folder=str(folder))
