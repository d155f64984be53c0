"""What a task is about and whether it only asks, told from the words of many tasks."""

import pytest

from openkoi_prompt import infer_category, only_asks

ASKS = [
    "What does this project do?",
    "How does the retry logic work?",
    "Why is the build slow?",
    "Where is the rate limiter defined?",
    "Which tests cover the parser?",
    "Who wrote the first version of cli.py?",
    "Is there a config option for the timeout?",
    "Does this repo use async anywhere?",
    "Explain the main loop to me",
    "Explain how to add a plugin",
    "Describe the architecture",
    "Summarize the README",
    "Tell me about the memory module",
    "Show me the public functions of api.py",
    "List the open questions in notes.md",
    "Find all usages of load_config",
    "Count the lines of Python code",
    "Compare duckdb and sqlite for this use",
    "How do I fix a detached HEAD?",
    "How would you implement caching here?",
    "What would change if we used asyncio?",
    "Can you explain what main.py does?",
    "Could you please list the endpoints?",
    "Please can you tell me what this regex matches?",
    "What is the answer to 2+2",
    "Is it safe to delete the build folder?",
    "When was the last release?",
    "the parser is recursive, right?",
    "Read config.py. What does it do?",
    "Why does test_login fail?",
    "Please explain the main loop",
    "What's the default timeout?",
    "What does str.replace do?",
    "How is the diff made?",
    "Which file defines Basket?",
    "Show me the tests",
    "List all open questions in the comments",
    "Read README and tell me how to begin",
    "Read how files are stored, exported and wrapped",
    "List the commands that store, export or drop things",
    "How can I safely and quickly update it?",
    "Find where the config is read and used",
    "Compare both and use a table for it",
]
CHANGES = [
    "Fix the failing tests",
    "Add rate limiting to the API",
    "Write a README for this project",
    "Refactor the parser into two modules",
    "Translate the docs into German",
    "Can you fix the login bug?",
    "Could you please add a test for the parser?",
    "Would you rename Foo to Bar?",
    "Find the bug and fix it",
    "Explain the bug, then fix it",
    "List the unused imports and remove them",
    "Why does test_login fail? Fix it.",
    "What does main.py do? Add a docstring to it.",
    "How do I run this?\nAlso update the README.",
    "Find out why the build is slow and make it faster",
    "Summarize the changes and write them to CHANGELOG.md",
    "Count the long functions and create an issue file",
    "Is the cache used? If not, remove it.",
    "Implement the function in slug.py",
    "make the tests pass",
    "Please fix the typo",
    "Compare a.py with b.py and merge them",
    "What is wrong here? Please fix it.",
    "The login page crashes when the password is empty",
    "Tests fail on Windows?! Please mend them",
    "Fix the tests?",
    "Please, can you rename it?",
    "Look at the logs and then just revert the change",
    "Find the tests that fail and mend them",
    "List the customers page: add paging",
    "Show the invoices as a table on the start page",
    "Find the slow query, speed it up",
    "Read data.csv and store the sum in out.txt",
    "Find the dead code and quickly delete it",
    "Read the limits from the settings and use them in the parser",
    "List the files without a licence, fixing each of them",
    "Look at the flaky tests and get rid of them",
]


@pytest.mark.row("ITER-17")
@pytest.mark.parametrize("text", ASKS)
def test_a_question_that_changes_nothing_only_asks(text: str) -> None:
    assert only_asks(text)


@pytest.mark.row("ITER-17")
@pytest.mark.parametrize("text", CHANGES)
def test_a_task_that_wants_a_change_does_not_only_ask(text: str) -> None:
    assert not only_asks(text)


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
    assert only_asks("WHAT IS THIS?")


@pytest.mark.parametrize("text", ["", " ", "\n", "?", ".", "...?"])
def test_odd_texts_have_an_answer(text: str) -> None:
    assert "" == infer_category(text)
    assert only_asks(text) in (True, False)


@pytest.mark.parametrize("piece", ["and ", "\n", ", ", "and finally ", "and\n", " "])
def test_a_long_text_of_nothing_is_told_like_any_other(piece: str) -> None:
    assert only_asks(f"Read {piece * 20_000}")
