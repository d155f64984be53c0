"""A check that was red and is green tells what an entry is about, whatever the words."""

from dataclasses import replace

import pytest
from learning_builders import NOW, book, entry, green, lesson, red, turn

from openkoi_hookspecs import (
    Check,
    Evaluation,
    Finding,
    LearningStatus,
    Record,
    Response,
    Score,
    StreamEnd,
    Text,
    Usage,
)
from openkoi_learning.credit_assignment import FirstAttemptFailure, entries_to_blame, first_attempt_failure
from openkoi_learning.duplicates import about_the_same
from openkoi_learning.entry import EntryEvidence, LearningEntry, archive_entry
from openkoi_learning.events import EntryUpdated
from openkoi_learning.merge import merge_entries
from openkoi_learning.reflection import make_lessons
from openkoi_learning.state import LearningState
from openkoi_learning.text_similarity import Vocabulary

pytestmark = pytest.mark.unit

LIMITER = "Trouble with the limiter: Use `token_bucket`."
COUNTING = "The counting method is wrong: Use `sliding_log`."
TOLD = Vocabulary(checks=frozenset({"test_rate", "test_cookie"}))


def mended(text: str, *checks: str, rule: str = "") -> LearningEntry:
    return entry(text, proofs=(EntryEvidence(run=text, rule=rule, before=checks),), when=(text,))


def test_what_mended_the_same_check_is_about_one_thing_in_whatever_words() -> None:
    limiter, counting = mended(LIMITER, "test_rate"), mended(COUNTING, "test_rate")

    assert about_the_same(limiter, counting, TOLD)
    assert not about_the_same(limiter, counting)
    assert not about_the_same(limiter, mended(COUNTING, "test_paper"), TOLD)
    assert not about_the_same(limiter, mended(COUNTING, "test_rate", "test_paper"), TOLD)


def test_many_things_are_found_by_one_linter_so_that_its_name_says_nothing() -> None:
    assert "" == mended(LIMITER, "ruff", rule="E501").check
    assert "test_rate" == mended(LIMITER, "test_rate", rule="test_rate").check


def test_the_check_of_an_entry_is_the_one_that_it_mended_each_time() -> None:
    proofs = (
        EntryEvidence(run="a", before=("x", "y")),
        EntryEvidence(run="b", before=("y", "z")),
        EntryEvidence(run="c"),
    )

    assert "y" == entry(LIMITER, proofs=proofs).check
    assert "" == entry(LIMITER, proofs=(*proofs, EntryEvidence(run="d", before=("z",)))).check
    assert "" == entry(LIMITER, proofs=(EntryEvidence(run="a", before=("x",), after=("x",)),)).check


def test_newer_advice_for_the_same_check_ends_the_older_that_was_followed() -> None:
    old, new = mended(LIMITER, "test_rate"), mended(COUNTING, "test_rate")

    kept, ended = merge_entries([old], new, NOW, {old.id}, vocabulary=TOLD)

    assert (new.id, old.id, new.id) == (kept.id, ended.id, ended.superseded_by)
    assert [new] == merge_entries([old], new, NOW, vocabulary=TOLD)
    assert [new] == merge_entries([old], new, NOW, {old.id})


def test_blame_goes_by_checks_where_an_entry_has_one() -> None:
    limiter = mended(LIMITER, "test_rate")
    wanted = Finding("The counting method is wrong", fix="Use `sliding_log`.")
    same = replace(wanted, fix="Use `token_bucket`.")

    titled = replace(wanted, title="Trouble with the limiter")

    assert [limiter.id] == entries_to_blame(
        [limiter], FirstAttemptFailure([wanted], red={"test_rate"}, vocabulary=TOLD)
    )
    assert [] == entries_to_blame([limiter], FirstAttemptFailure([same], red={"test_rate"}, vocabulary=TOLD))
    assert [] == entries_to_blame([limiter], FirstAttemptFailure([titled], red={"test_paper"}, vocabulary=TOLD))
    assert [] == entries_to_blame([limiter], FirstAttemptFailure([titled], green={"test_rate"}))


def test_a_check_for_everything_tells_nothing() -> None:
    names = [*(f"test_{number}" for number in range(6)), "build", "build", "build"]
    kept = book([mended(f"Fault {number}: Use `way_{number}`.", name) for number, name in enumerate(names)])

    assert set(names) - {"build"} == kept.vocabulary("pond").checks


def test_what_was_red_and_green_is_told_by_the_first_attempt() -> None:
    checks = (Check("a", passed=False), Check("b", passed=True), Check("c", passed=False, required=False))
    first = Evaluation(checks=checks, scores=(Score("s", 0.4),))

    fault = first_attempt_failure(lesson(turn(first), turn(green())).result, "Export")

    assert ({"a"}, {"b"}) == (set(fault.red), set(fault.green))


def test_a_lesson_is_about_what_was_red_in_its_run() -> None:
    reply = Response((Text("Use `sliding_log` | limiting requests | - | -"),), StreamEnd(Usage()))

    told = list(make_lessons(reply, lesson(turn(red()), turn(green()))))

    assert ["columns"] == [one.check for one in told]


def test_of_entries_that_turn_out_to_say_the_same_one_is_kept() -> None:
    one = replace(mended("Cookies: Use `strict` as the cookie policy.", "test_cookie"), advice="Use `strict`.")
    other = replace(mended("samesite does not fit: Set it to `strict`.", "test_cookie"), advice="Set it to `strict`.")
    again = replace(mended("Cookies: Use `strict` please.", "test_cookie"), advice="Use `strict` please.")

    new = replace(one, when=("Another task",))
    kept, *ended = merge_entries([one, replace(other, pinned=True), again], new, NOW, vocabulary=TOLD)

    assert [(again.id, kept.id, LearningStatus.ARCHIVED)] == [(it.id, it.superseded_by, it.standing) for it in ended]


def test_two_that_took_each_others_place_know_each_task_once() -> None:
    kept, one, two = LearningState(), mended(LIMITER, "a"), mended(COUNTING, "a")
    turns = [one, two, archive_entry(one, NOW, "", by=two.id), one, archive_entry(two, NOW, "", by=one.id), two]
    for number, noted in enumerate([*turns, *turns]):
        kept.apply(Record(f"{number:03}", NOW, "r", EntryUpdated(noted)))

    assert (
        1
        == kept.word_statistics(one, "pond").subject_counts["limit"]
        == kept.word_statistics(two, "pond").subject_counts["limit"]
    )
