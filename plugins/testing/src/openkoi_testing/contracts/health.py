"""Test what every plugin that reports its state promises."""

import asyncio
from typing import ClassVar

import pytest

from openkoi_hookspecs import SupportsHealthCheck

from .optional_protocols import require_protocol


class HealthContract:
    """Inherit it, for a plugin that works: ``class TestHealth(HealthContract): subject = Mine()``.

    If the plugin needs preparation, override the fixture ``plugin``.
    """

    subject: ClassVar[object]

    @pytest.fixture
    def plugin(self) -> object:
        """Return the plugin under test."""
        return self.subject

    def test_its_state_is_a_few_words_and_facts(self, plugin: object) -> None:
        """``doctor`` and ``status`` show them in one line: ``level confined, network off``."""
        facts = asyncio.run(require_protocol(plugin, SupportsHealthCheck).health())

        assert all(isinstance(word, str) and isinstance(fact, str) for word, fact in facts.items())
        assert all(word.strip() and "\n" not in word + fact for word, fact in facts.items())
