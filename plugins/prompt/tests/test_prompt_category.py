"""What a task is about, told from the words of many tasks."""

import pytest

from openkoi_prompt import infer_category


@pytest.mark.row("CLI-39")
@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Fix the crash in parser.py when the input is empty", "bugfix"),
        ("The login page is broken", "bugfix"),
        ("Why does this raise an exception?", "bugfix"),
        ("Something is wrong with the totals", "bugfix"),
        ("Add tests for the tokenizer", "test"),
        ("Increase the test coverage of utils", "test"),
        ("Write pytest tests for the CLI", "test"),
        ("Refactor the session handling", "refactor"),
        ("Rename Foo to Bar everywhere", "refactor"),
        ("Clean up and simplify the loader", "refactor"),
        ("Migrate the schema to v2 with alembic", "migration"),
        ("Write a migration that adds an index", "migration"),
        ("Optimise this SQL query", "database"),
        ("Add an index to the users table", "database"),
        ("Add a REST endpoint for users", "api"),
        ("Document the GraphQL API", "api"),
        ("Update the README", "docs"),
        ("Write documentation for the plugin system", "docs"),
        ("Improve the docstrings", "docs"),
        ("Summarize this thread", "summary"),
        ("Give me a digest of yesterday's messages", "summary"),
        ("Write a letter to the landlord", "writing"),
        ("Translate this e-mail into French", "writing"),
        ("Proofread my blog post", "writing"),
        ("Add rate limiting", "code"),
        ("Implement a binary search function", "code"),
        ("Build a CLI that converts CSV to JSON", "code"),
        ("Create hello.py that prints hello", "code"),
        ("Add a handler class to server.ts", "code"),
        ("What is the capital of France?", ""),
        ("hello", ""),
        ("", ""),
        ("Plan my holiday", ""),
        ("the testament and the latest contest", ""),
        ("prefix-fix is a hyphenated word", ""),
    ],
)
def test_the_category_is_told_from_the_words(text: str, category: str) -> None:
    assert category == infer_category(text)


def test_letters_case_does_not_matter() -> None:
    assert infer_category("fix the bug") == infer_category("FIX THE BUG") == "bugfix"


@pytest.mark.parametrize("text", ["", " ", "\n", "?", ".", "...?"])
def test_odd_texts_have_an_answer(text: str) -> None:
    assert "" == infer_category(text)
