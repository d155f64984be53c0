"""Markdown as models write it becomes text and entities that Telegram takes, without a lost character."""

import random
import re
from collections import Counter

import pytest

from openkoi_assistant.splitting import split_text
from openkoi_telegram.entities import render_markdown, utf16_length
from openkoi_testing.servers.telegram_rules import check_entities, check_text

pytestmark = pytest.mark.unit
WORDS = (
    *(
        "koi",
        "pond",
        "caf\u00e9",
        "\U0001f41f",
        "\u6c60\u585f",
        "snake_case_name",
        "2 * 3 * 4",
        "a*b",
        "**",
        "__init__",
        "`",
    ),
    *(
        "x < y && z",
        "C:\\temp",
        "#1",
        "https://a.b/c_d?e=f&g=(h)",
        "[",
        "](",
        "~~",
        "```",
        ">",
        "e\u0301",
        "\u200d",
        "1.",
        "-",
    ),
)
SHAPES = (
    "**{}**", "*{}*", "_{}_", "__{}__", "~~{}~~", "`{}`", "[{}](https://koi.example/{})", "***{}***", "**a _{}_ b**",
    "![{}](https://koi.example/a.png)", "[{}](relative/path)", "\\*{}\\*", "`` a ` {} ``", "**{}", "_{}", "[{}](", "{}",
)  # fmt: skip
LINES = ("# {}", "### {} ###", "- {}", "  * {}", "1. {}", "> {}", "> > {}", "| {} | b |", "---", "", "{}", "    {}")


def sample(seed: int) -> str:
    """Return a Markdown text that is drawn by chance."""
    chance = random.Random(seed)
    lines: list[str] = []
    for _ in range(chance.randint(1, 40)):
        words = [spell(chance) for _ in range(chance.randint(1, 8))]
        if chance.random() < 0.15:
            lines += [chance.choice(["```python", "```", "~~~~ text"]), *words, chance.choice(["```", "~~~~", "still"])]
        else:
            lines.append(chance.choice(LINES).format(" ".join(words)))
    return "\n".join(lines)


def spell(chance: random.Random) -> str:
    """Return a word, marked or not."""
    return chance.choice(SHAPES).replace("{}", chance.choice(WORDS))


def letters(text: str) -> Counter[str]:
    """Count the letters and digits of a text, none of which may be lost."""
    return Counter(re.findall(r"[^\W_]", text))


@pytest.mark.parametrize("seed", range(300))
def test_each_sample_is_taken_whole_and_within_the_limit(seed: int) -> None:
    text = sample(seed) * (1 + 9 * (seed % 10 == 0))
    rendered = [render_markdown(part) for part in split_text(text, 4096, utf16_length)]

    arrived: Counter[str] = Counter()
    for words, entities in rendered:
        check_entities(check_text(words), entities)
        addresses = " ".join(str(one.get("url", "")) + str(one.get("language", "")) for one in entities)
        arrived += letters(words + addresses)
    assert not letters(text) - arrived


def test_what_is_marked_is_marked_in_telegram() -> None:
    text, entities = render_markdown(
        "# Koi\n**bold** and _it_ `x_y` [site](https://a.b)\n```py\nif a_b:\n```\n- one\n> said"
    )

    assert "Koi\nbold and it x_y site\nif a_b:\n\u2022 one\nsaid" == text
    marked = [(one["type"], text[int(str(one["offset"])) :][: int(str(one["length"]))]) for one in entities]
    assert [
        ("bold", "Koi"),
        ("bold", "bold"),
        ("italic", "it"),
        ("code", "x_y"),
        ("text_link", "site"),
        ("pre", "if a_b:"),
        ("blockquote", "said"),
    ] == marked


@pytest.mark.parametrize(
    "text", ["snake_case_name", "2 * 3 * 4", "a*b*c", "**open", "[x](y z", "```\nopen", "\\", "* "]
)
def test_what_marks_nothing_stays_as_it_is(text: str) -> None:
    assert (text, []) == render_markdown(text)
