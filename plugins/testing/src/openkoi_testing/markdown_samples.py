"""Generate random Markdown as models write it, valid or not, to test how apps show it."""

import random
import re
from collections import Counter
from html import unescape
from urllib.parse import unquote

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
NUMBER = re.compile(r"(?m)^([-+*> ]*)\d+[.)](?=\s|$)")


def draw_markdown(seed: int) -> str:
    """Return a random Markdown text."""
    chance = random.Random(seed)
    lines: list[str] = []
    for _ in range(chance.randint(1, 40)):
        words = [draw_word(chance) for _ in range(chance.randint(1, 8))]
        if chance.random() < 0.15:
            lines += [chance.choice(["```python", "```", "~~~~ text"]), *words, chance.choice(["```", "~~~~", "still"])]
        else:
            lines.append(chance.choice(LINES).format(" ".join(words)))
    return "\n".join(lines)


def draw_word(chance: random.Random) -> str:
    """Return a word, marked or not."""
    return chance.choice(SHAPES).replace("{}", chance.choice(WORDS))


def count_letters(text: str) -> Counter[str]:
    """Count the letters and digits of a text, none of which may be lost."""
    return Counter(re.findall(r"[^\W_]", text))


def count_letters_in_html(page: str) -> Counter[str]:
    """Count the letters and digits of a page, with those of its addresses."""
    return count_letters(unquote(unescape(page)))


def without_numbers(text: str) -> str:
    """Return a text without the numbers of its lists, which HTML counts itself."""
    return NUMBER.sub(r"\1", text)
