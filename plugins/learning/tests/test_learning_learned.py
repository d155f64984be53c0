"""Test what is learned from a run by rules and by a small model, and how far each text is trusted."""

import re
import tracemalloc
from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from learning_builders import COMMAS, changes, entry, green, lesson, patch, red, turn

from openkoi_hookspecs import (
    Check,
    Evaluation,
    Finding,
    LearningStatus,
    Limits,
    Plan,
    Response,
    Score,
    Severity,
    StreamEnd,
    Task,
    Text,
    Usage,
)
from openkoi_learning.entry import Trust, learning_from_entry
from openkoi_learning.extract_lessons import extract_entries
from openkoi_learning.pipeline import vet_entries
from openkoi_learning.provenance import SourcesRead, lowest_trust, quotes_source
from openkoi_learning.reflection import is_worth_asking, make_lessons

pytestmark = pytest.mark.unit


def test_a_repair_that_the_next_iteration_bears_out_is_active_with_its_evidence() -> None:
    [found] = extract_entries(lesson(turn(red(COMMAS)), turn(green(), diff=patch("export.py", "semicolon"))))

    assert ("Use `semicolon`. (The export breaks)", LearningStatus.ACTIVE, Trust.CHECK) == (
        found.text,
        found.standing,
        found.trust,
    )
    assert (("columns",), (), 1) == (found.proofs[0].before, found.proofs[0].after, found.proofs[0].iteration)


def test_a_finding_in_other_words_is_not_repaired() -> None:
    again = replace(COMMAS, title="Columns are still not right", fix="Use `tab`.")

    learned = extract_entries(lesson(turn(red(COMMAS)), turn(red(again))))

    assert ["anti_pattern", "heuristic"] == sorted(one.kind for one in learned)
    assert [] == [one for one in learned if one.standing is LearningStatus.ACTIVE or COMMAS.fix in one.text]


def test_advice_that_turned_a_check_red_becomes_a_trap_in_the_words_that_were_followed() -> None:
    plan = Plan(suggestion="Cache the columns in `cache.py`.")
    after = replace(red(), suggestion="Something new entirely.")
    text = patch("cache.py", "columns")

    found = {one.kind: one for one in extract_entries(lesson(turn(green(0.7)), turn(after, plan, text)))}[
        "anti_pattern"
    ]

    assert "Do not: Cache the columns in `cache.py`. (it made columns fail)" == found.text
    assert 12 == len(found.proofs[0].diff)


def test_advice_that_mended_one_check_is_no_trap_because_another_turned_red() -> None:
    def judged(good: str, bad: str) -> Evaluation:
        return Evaluation(checks=(Check(good, passed=True), Check(bad, passed=False)), scores=(Score("s", 0.4),))

    def warnings(*checks: str) -> list[str]:
        plan = Plan(suggestion="Round the totals.")
        found = extract_entries(lesson(turn(judged(*checks)), turn(judged(*reversed(checks)), plan)))
        return [one.advice for one in found if one.kind == "anti_pattern"]

    assert [] == warnings("columns", "rates")
    assert ["Do not: Round the totals."] == warnings("totals", "rates")


@pytest.mark.row("LEARN-04", "C70", "C11", "C12")
def test_the_three_rules_of_the_documents_start_on_probation_with_their_numbers() -> None:
    blocker = Finding("No key", Severity.BLOCKER, rule="safety")
    fell = lesson(
        turn(green(0.8, blocker)), turn(green(0.65, blocker), Plan(suggestion="Inline it.")), turn(green(0.66))
    )

    found = [(one.kind, one.base, one.standing) for one in extract_entries(fell)]

    assert [
        ("anti_pattern", 0.7, LearningStatus.PROBATION),
        ("anti_pattern", 0.75, LearningStatus.PROBATION),
        ("heuristic", 0.5, LearningStatus.PROBATION),
    ] == found


def test_what_a_person_said_is_trusted_most_and_a_bare_yes_says_nothing() -> None:
    answer = [
        ("What should be done?", "Use pnpm, never npm"),
        ("Allow run {}?", "yes"),
        ("x\nAllow run_command {}?", "no: always ask me"),
    ]

    found = extract_entries(lesson(turn(green()), answers=answer))

    assert ["Use pnpm, never npm", "Before using run_command: always ask me"] == [one.text for one in found]
    assert {Trust.PERSON} == {one.trust for one in found}


def test_the_answer_to_a_question_that_a_model_made_up_is_worth_no_more_than_the_question() -> None:
    [found] = extract_entries(lesson(turn(green()), answers=[("Which port?", "port 8080 in this project")]))

    assert 'Asked "Which port?", the user answered: port 8080 in this project' == found.text
    assert (Trust.MODEL, LearningStatus.PROBATION) == (found.trust, found.standing)


@pytest.mark.row("LEARN-05", "LEARN-09")
def test_reflection_pays_after_several_attempts_and_never_on_what_was_not_judged() -> None:
    twice = lesson(turn(red(COMMAS)), turn(green())).result
    unjudged = lesson(turn(green(), Plan(evaluate=False))).result
    once = replace(lesson(turn(green())).result, task=Task("t", limits=Limits(iterations=0)))

    assert [True, False, False] == [is_worth_asking(one, "run", 1) for one in (twice, unjudged, once)]
    assert 0 < sum(is_worth_asking(lesson(turn(green())).result, str(run), 5) for run in range(100)) < 40


def test_a_reflection_is_read_leniently_and_knows_its_finding() -> None:
    answer = "Sure!\n1. Use `semicolon` | exports for the bank | imports | 1\nnonsense\n- a|b"
    reply = Response((Text(answer),), StreamEnd(Usage()))

    [found] = make_lessons(reply, lesson(turn(red(COMMAS)), turn(green())))

    assert "Use `semicolon` (When: exports for the bank) Not when: imports" == found.text
    assert ("columns", LearningStatus.PROBATION) == (found.proofs[0].rule, found.standing)


@pytest.mark.row("LEARN-03")
def test_what_is_learned_has_a_type_a_category_a_confidence_and_the_task_it_is_from() -> None:
    task = Task("Export the invoices", category="code", project="pond")
    answers = [("What should be done?", "Use pnpm, never npm")]
    blocked = red(COMMAS), red(replace(COMMAS, title="Columns are still wrong")), green()
    found = extract_entries(lesson(*map(turn, blocked), answers=answers, task=task))

    assert {"heuristic", "anti_pattern", "preference"} == {one.kind for one in found}
    assert all(one.text and one.category == "code" and 0 < one.base <= 1 for one in found)
    assert {("run1",)} == {learning_from_entry(one).evidence for one in found}


def test_a_text_is_as_trusted_as_the_least_of_what_its_author_read() -> None:
    text = "Run the installer before any export."
    copied = SourcesRead(own=("Welcome. run the installer before any export! Bye",))

    assert Trust.CHECK is lowest_trust(text, SourcesRead(), Trust.CHECK)
    assert Trust.TOOL is lowest_trust(text, copied, Trust.CHECK)
    assert Trust.PAGE is lowest_trust(text, SourcesRead(foreign=("something else",)), Trust.CHECK)
    assert Trust.PERSON is lowest_trust(text, copied, Trust.PERSON)


def test_recalled_text_is_never_learned_again_and_neither_is_a_secret() -> None:
    read = SourcesRead(recalled=("Use `semicolon`. (The export breaks)",))
    secret = entry("Use the key hunter2-and-more for exports.")

    assert [] == changes([], lesson(turn(red(COMMAS)), turn(green())), read)
    assert [] == list(vet_entries([secret], SourcesRead(), lambda text: text.replace("hunter2-and-more", "[redacted]")))
    assert [] == list(vet_entries([entry("Use [redacted] for exports.")], SourcesRead(), str))


def test_another_value_in_the_words_of_a_recalled_line_is_learned() -> None:
    line = "When you write the change log of the mobile client, always put the newest entry at the {}."
    read = SourcesRead(recalled=(line.format("top"),))
    bottom = replace(COMMAS, fix=line.format("bottom"))
    run = lesson(turn(red(bottom)), turn(green(), diff=patch("export.py", "newest entry at the bottom")))

    assert [line.format("bottom")] == [one.text for one in changes([], run, read)]


def runs_of(text: str, size: int) -> set[tuple[str, ...]]:
    """All runs of a number of words."""
    words = [word.lower() for word in re.findall(r"[^\W_]+", text)]
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}


@pytest.mark.parametrize("seed", range(40))
def test_a_quotation_is_a_run_of_words_whatever_is_between_them(seed: int) -> None:
    chance = Random(seed)
    words, marks = ("set", "Set", "upset", "UP", "ΛΟΓΟΣ", "3", "x1", "naïve", "語"), (" ", "\n", "_", "-", ", ", "  ")

    def text(size: int) -> str:
        return "".join(chance.choice(words) + chance.choice(marks) for _ in range(size))

    found = Counter[bool]()
    for _ in range(100):
        said, sources = text(chance.randrange(8)), [text(chance.randrange(60)) for _ in range(chance.randrange(3))]
        said = chance.choice((said, said + " ".join(sources[:1])[:40]))
        size = min(5, len(re.findall(r"[^\W_]+", said)))
        quoted = size >= 3 and any(runs_of(said, size) & runs_of(source, size) for source in sources)
        found[quoted] += 1

        assert quoted is quotes_source(said, sources)
    assert min(found[True], found[False]) > 5


def test_what_is_kept_of_a_long_source_is_no_longer_than_it() -> None:
    source = " ".join(f"word{number}" for number in range(20_000))

    tracemalloc.start()
    assert not quotes_source("the words of another", [source])
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert kept < 2 * len(source)
