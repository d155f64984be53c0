"""Test that models' Markdown becomes text and entities that Telegram accepts, without losing a character."""

from collections import Counter

import pytest

from openkoi_assistant.splitting import split_text
from openkoi_hookspecs.integrations import Post
from openkoi_telegram.entities import render_markdown, utf16_length
from openkoi_telegram.telegram import content_of
from openkoi_testing.markdown_samples import count_letters, draw_markdown
from openkoi_testing.servers.telegram_rules import check_entities, check_text

pytestmark = pytest.mark.unit


def test_three_hundred_samples_are_taken_whole_and_within_the_limit() -> None:
    for seed in range(300):
        text = draw_markdown(seed) * (1 + 9 * (seed % 10 == 0))
        arrived: Counter[str] = Counter()
        for words, entities in map(render_markdown, split_text(text, 4096, utf16_length)):
            check_entities(check_text(words), entities)
            addresses = " ".join(str(one.get("url", "")) + str(one.get("language", "")) for one in entities)
            arrived += count_letters(words + addresses)
        assert not count_letters(text) - arrived, seed


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


@pytest.mark.parametrize("text", ["```\n```", "~~~py\n\n~~~", "> ", "> \n> ", "#  "])
def test_marks_without_words_are_sent_as_they_are(text: str) -> None:
    content = content_of(Post(text, app="telegram", channel="7", format="markdown"))

    assert (text, []) == (check_text(content["text"]), content["entities"])
