"""The picker's lines fit into the terminal, and nothing is cut within a word."""

import pytest

from openkoi_cli.setup.options import PickerOption, format_options
from openkoi_hookspecs import ProviderInfo

pytestmark = pytest.mark.unit

CHOICES = [
    PickerOption(ProviderInfo("ollama", "llama3.3", title="Ollama", hint="no account needed")),
    PickerOption(ProviderInfo("openrouter", "auto", title="OpenRouter", hint="free account at openrouter.ai")),
]


@pytest.mark.row("ONB-14")
def test_where_there_is_room_hints_stand_in_a_column() -> None:
    texts = format_options(CHOICES, 80)

    assert "Ollama (free, runs locally)            no account needed" == texts[0]
    assert "OpenRouter (many free models)          free account at openrouter.ai" == texts[1]


@pytest.mark.row("ONB-14")
def test_in_a_narrow_terminal_hints_are_cut_at_a_word() -> None:
    assert [
        "Ollama (free, runs locally)   no account needed",
        "OpenRouter (many free models) free account at ...",
    ] == format_options(CHOICES, 50)
    assert "OpenRouter (many free models) free ..." == format_options(CHOICES, 40)[1]
    assert all(len(line) <= width for width in range(4, 80) for line in format_options(CHOICES, width))
