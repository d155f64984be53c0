"""Whether a task only asks: many sentences, and one for each rule that tells work from a question."""

from itertools import product
from pathlib import Path

import pytest

from openkoi_prompt import is_question

# Columns: where a text comes from, question or work, the text; below, how many questions of a source are judged
# needlessly at most. The goal of issue 14, number 2, is 0.10, and no work unjudged. The rules were developed on all but
# "unseen", where 0.36 of the questions are judged needlessly; 5 of its 780 works, taken for questions at first, are not
# any more.
CORPUS = "questions.tsv"
NEEDLESS = {
    **{"develop": 0.02, "attack": 0.04, "families": 0.0, "blind": 0.07, "stories": 0.07, "varied": 0.07},
    "unseen": 0.37,
}
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


# Families: every background with every question, every question with every order, and so on.
BACKGROUND = [
    "I am new here and I have only read the README so far.",
    "The nightly build takes two hours since Monday.",
    "My colleague told me we should use a cache.",
    "We use Redis for sessions, and each worker opens its own connection.",
    "TypeError: x is not a function\n  at main (cart.js:12:3)\n",
    "Last week we added a queue so jobs now run at night.",
]
QUESTIONS = [
    "What does the scheduler do?",
    "Is that normal?",
    "Which module opens the socket?",
    "Can you tell me where the timeout is set?",
    "Does anything still depend on it?",
    "How would you split the parser?",
]
FORBIDDING = [
    "Please don't change anything.",
    "No edits, please.",
    "Leave the code as it is.",
    "I will do it myself.",
]
ORDERS = [
    "Rename it to core.",
    "It should say 2026.",
    "Please harden it.",
    "Can you vectorise it?",
    "I want it in blue.",
    "Either way, untangle it.",
    "yes, go ahead",
    "And now bump the version.",
    "Obfuscate names in the bundle.",
    "We need a test for it.",
    "Bitte umbenennen.",
    "Could the header mention it?",
]
READING = [
    "Explain the login",
    "Review auth.py",
    "List the failing tests",
    "Summarise the discussion",
    "Look at the logs",
]
PURPOSES = [
    "and harden it",
    "as notes.md",
    "in a new file",
    "so that it gets faster",
    "instead of guessing",
    ", then patch it",
    "while fixing the cause",
    "and act on the result",
    "in the README",
    "or drop it",
]


def read_corpus(source: str) -> dict[str, str]:
    """Return the label of each text of a source."""
    lines = (Path(__file__).parent / CORPUS).read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    return {text.replace("\\n", "\n"): label for origin, label, text in rows if origin == source}


@pytest.mark.row("ITER-17")
@pytest.mark.parametrize(("source", "most"), [*NEEDLESS.items()])
def test_no_work_is_taken_for_a_question_and_few_questions_for_work(source: str, most: float) -> None:
    labels = read_corpus(source)
    unjudged = [text for text, label in labels.items() if label == "work" and is_question(text)]
    needless = [text for text, label in labels.items() if label == "question" and not is_question(text)]
    work, questions = (list(labels.values()).count(label) for label in ("work", "question"))
    print(f"{source}: {len(unjudged)} of {work} taken for questions, {len(needless)} of {questions} judged needlessly")

    assert [] == unjudged
    assert len(needless) <= most * questions, needless


@pytest.mark.row("ITER-17")
@pytest.mark.parametrize(("before", "after"), [*product(BACKGROUND, QUESTIONS)])
def test_a_question_after_its_background_only_asks(before: str, after: str) -> None:
    assert is_question(f"{before} {after}")


@pytest.mark.row("ITER-17")
@pytest.mark.parametrize(("question", "forbidding"), [*product(QUESTIONS, FORBIDDING)])
def test_a_question_that_forbids_changes_only_asks(question: str, forbidding: str) -> None:
    assert is_question(f"{question} {forbidding}")
    assert is_question(f"{forbidding} {question}")


@pytest.mark.row("ITER-17")
@pytest.mark.parametrize(("before", "question", "order"), [*product(["", *BACKGROUND], QUESTIONS, ORDERS)])
def test_an_order_beside_a_question_is_work(before: str, question: str, order: str) -> None:
    assert not is_question(f"{before} {question} {order}")
    assert not is_question(f"{order} {before} {question}")


@pytest.mark.row("ITER-17")
@pytest.mark.parametrize(("forbidding", "order"), [*product(FORBIDDING, ORDERS)])
def test_an_order_beside_what_must_not_be_touched_is_work(forbidding: str, order: str) -> None:
    assert not is_question(f"{forbidding} {order}")


@pytest.mark.row("ITER-17")
@pytest.mark.parametrize(("reading", "purpose"), [*product(READING, PURPOSES)])
def test_reading_for_a_purpose_is_work(reading: str, purpose: str) -> None:
    assert is_question(f"{reading}.")
    assert not is_question(f"{reading} {purpose}.")


@pytest.mark.row("ITER-17")
@pytest.mark.parametrize("text", ASKS)
def test_a_question_that_changes_nothing_only_asks(text: str) -> None:
    assert is_question(text)


@pytest.mark.row("ITER-17")
@pytest.mark.parametrize("text", CHANGES)
def test_a_task_that_wants_a_change_does_not_only_ask(text: str) -> None:
    assert not is_question(text)


def test_letters_case_does_not_matter() -> None:
    assert is_question("WHAT IS THIS?")


@pytest.mark.parametrize(
    "text", ["", " ", "\n", "?", ".", "...?", "()", "```", "`", '"', ",", "\\", "¿?", "- ", "and", "please", "you"]
)
def test_what_says_nothing_is_work(text: str) -> None:
    assert not is_question(text)


@pytest.mark.parametrize(
    "piece", ["and ", "\n", ", ", "and finally ", "and\n", " ", "(", "`", "between a ", '"', "please ", "a.b"]
)
def test_a_very_long_text_is_work(piece: str) -> None:
    assert not is_question(f"What is this? {piece * 20_000}")
