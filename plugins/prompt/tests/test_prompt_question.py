"""Whether a task only asks: many sentences, and one for each rule that tells work from a question."""

from pathlib import Path

import pytest

from openkoi_prompt import asks_question

# Columns: question or work, plain or trap, the text. `question_held_out.tsv` is for measuring and not for developing.
CORPORA = ["question_develop.tsv", "question_attack.tsv", "question_families.tsv"]
NEEDLESS = 0.10  # issue 14, number 2: at most 10 % of questions judged needlessly, and no work unjudged
HELD_OUT = "question_held_out.tsv"  # four sets of 60 and 60, written by people who did not know the rules
HELD_OUT_NEEDLESS = 0.33  # what is reached there; the goal of 0.10 is missed
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
    "How can I safely and quickly update it?",
    "Find where the config is read and used",
]
CHANGES = [
    "What's missing in setup.py should be there",
    "Which is why the cache has to go",
    "is ther any chance you coud bump it",
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
    "List the open questions in notes.md",  # their place, or where the list is to go
]


def read_corpus(name: str) -> dict[str, str]:
    """Return the label of each text."""
    lines = (Path(__file__).parent / name).read_text().splitlines()
    return {text.replace("\\n", "\n"): label for label, _, text in (line.split("\t") for line in lines if line)}


@pytest.mark.row("ITER-17")
@pytest.mark.parametrize(("name", "most"), [*((name, NEEDLESS) for name in CORPORA), (HELD_OUT, HELD_OUT_NEEDLESS)])
def test_no_work_is_taken_for_a_question_and_few_questions_for_work(name: str, most: float) -> None:
    labels = read_corpus(name)
    unjudged = [text for text, label in labels.items() if label == "work" and asks_question(text)]
    needless = [text for text, label in labels.items() if label == "question" and not asks_question(text)]
    work, questions = (list(labels.values()).count(label) for label in ("work", "question"))
    print(f"{name}: {len(unjudged)} of {work} taken for questions, {len(needless)} of {questions} judged needlessly")

    assert [] == unjudged
    assert len(needless) <= most * questions, needless


@pytest.mark.row("ITER-17")
@pytest.mark.parametrize("text", ASKS)
def test_a_question_that_changes_nothing_only_asks(text: str) -> None:
    assert asks_question(text)


@pytest.mark.row("ITER-17")
@pytest.mark.parametrize("text", CHANGES)
def test_a_task_that_wants_a_change_does_not_only_ask(text: str) -> None:
    assert not asks_question(text)


def test_letters_case_does_not_matter() -> None:
    assert asks_question("WHAT IS THIS?")


@pytest.mark.parametrize(
    "text", ["", " ", "\n", "?", ".", "...?", "()", "```", "`", '"', ",", "\\", "¿?", "- ", "and", "please", "you"]
)
def test_what_says_nothing_is_work(text: str) -> None:
    assert not asks_question(text)


@pytest.mark.parametrize(
    "piece", ["and ", "\n", ", ", "and finally ", "and\n", " ", "(", "`", "between a ", '"', "please ", "a.b"]
)
def test_a_very_long_text_is_work(piece: str) -> None:
    assert not asks_question(f"What is this? {piece * 20_000}")
