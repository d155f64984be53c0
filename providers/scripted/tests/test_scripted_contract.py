"""Test scripts in files and in code with the contract of providers."""

from pathlib import Path

import pytest

from openkoi_hookspecs import Provider, ToolCall
from openkoi_scripted import Scripted, ScriptedProvider
from openkoi_testing.contracts.provider import ProviderContract

SCRIPT = """
turns:
  - when: {after: 0}
    says: I look at it.
    calls: [{tool: read, arguments: {path: a}}, {tool: read, arguments: {path: b}}]
  - {says: Done.}
"""


class TestScriptInAFile(ProviderContract):
    model = "part"

    @pytest.fixture(scope="class")
    @classmethod
    def provider(cls, tmp_path_factory: pytest.TempPathFactory) -> Provider:
        folder: Path = tmp_path_factory.mktemp("scripts")
        (folder / "part.yaml").write_text(SCRIPT, encoding="utf-8")
        return ScriptedProvider(folder=str(folder))


class TestScriptInCode(ProviderContract):
    subject = Scripted([ToolCall("", "read", {"path": "a"}), "Done."])
    model = "scripted"
    test_describes_the_model_by_its_name_alone = None  # type: ignore[assignment]  # it does not describe one
