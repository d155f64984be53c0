"""Test that paraphrases of read text are detected, and genuine repairs still learned as verified."""

from dataclasses import replace

import pytest
from learning_builders import NOW, changes, green, lesson, patch, red, turn
from repairs_family import HELD_OUT, KNOWN, MONEY, POOL, README, Repair

from openkoi_hookspecs import Finding, LearningStatus, Severity, Task
from openkoi_learning.credit_assignment import is_confirmed_by_checks
from openkoi_learning.entry import LearningEntry, Trust
from openkoi_learning.merge import merge_entries
from openkoi_learning.paraphrase import may_paraphrase, paraphrases
from openkoi_learning.provenance import SourcesRead
from openkoi_learning.relevance import Evidence

KNOWN_HELD = [
    "Skip invoices whose total is below zero.",
    "Read `timeout` from `settings.toml`.",
    "Reject unknown keys when the server starts.",
]
KNOWN_DOUBTED = [
    'Open the file with newline="".',
    "Raise `PoolError` above `MAX_CONNECTIONS`.",
    "Pass `-n auto` to `pytest`.",
    "Store the date of the last reminder.",
]
HELD_OUT_DOUBTED = [
    "Write a header row before the loop.",
    "Group invoices by `customer`.",
    "Call `close` on each one in `idle`.",
    "Install the `test` extra first.",
]
ALL_FILES = MONEY, POOL, README
WORDS = "Run the installer of the payment gateway before each export."
ADVICE = "Run the payment installer prior to each export."


def learn(repair: Repair, read: SourcesRead) -> LearningEntry:
    """Learn from a run that followed the fix, after which the check behind the finding passed."""
    finding = Finding(repair.title, Severity.BLOCKER, rule="columns", where="export.py:3", fix=repair.fix)
    works = patch("export.py", "pass"), patch("export.py", "pass", repair.fix)
    evaluations = red(finding), green()
    turns = [turn(judged, diff=diff) for judged, diff in zip(evaluations, works, strict=True)]
    [found] = [
        one
        for one in changes([], lesson(*turns, task=Task(repair.task, project="pond")), read)
        if one.kind == "heuristic"
    ]
    return found


@pytest.mark.parametrize(
    ("family", "held", "doubted"),
    [
        (KNOWN, KNOWN_HELD, KNOWN_DOUBTED),
        (HELD_OUT, ["Open the connection outside of the lock."], HELD_OUT_DOUBTED),
    ],
    ids=["known", "held out"],
)
def test_most_repairs_in_words_of_the_files_that_were_read_are_verified(
    family: tuple[Repair, ...], held: list[str], doubted: list[str]
) -> None:
    learned = [learn(repair, SourcesRead(own=ALL_FILES)) for repair in family]

    assert {Trust.TOOL, Trust.MODEL, Trust.CHECK} == {one.trust for one in learned}
    assert held == [one.advice for one in learned if one.trust is Trust.TOOL]
    assert doubted == [one.advice for one in learned if one.trust is Trust.MODEL]


def test_a_paraphrase_keeps_the_trust_of_what_was_read_before_its_finding() -> None:
    repair = Repair("Export the invoices", "The export breaks", ADVICE, WORDS)
    before = SourcesRead(own=(WORDS,), evaluated=(1, 1))
    after = replace(before, evaluated=(0, 1))

    held, verified = learn(repair, before), learn(repair, after)

    assert (Trust.TOOL, LearningStatus.PROBATION) == (held.trust, held.standing)
    assert (Trust.CHECK, LearningStatus.ACTIVE) == (verified.trust, verified.standing)


def test_what_the_user_asked_for_is_not_from_a_file() -> None:
    repair = Repair(f"Export the invoices. {WORDS}", "The export breaks", ADVICE, WORDS)

    assert Trust.CHECK is learn(repair, SourcesRead(own=(WORDS,))).trust


def test_a_title_that_paraphrases_a_file_hides_no_paraphrase() -> None:
    repair = Repair("Export the invoices", "No payment installer was run", ADVICE, WORDS)

    assert Trust.TOOL is learn(repair, SourcesRead(own=(WORDS,))).trust


def test_code_explains_no_advice_and_a_comment_beside_it_does() -> None:
    advice = "Call `to_cents` with the payment."
    code = "payment = to_cents(payment)\nfrom shop.money import to_cents"

    assert not paraphrases(advice, [code])
    assert paraphrases(advice, [f"{code}  # always call to_cents with payment"])


def test_a_sentence_is_found_across_lines_and_in_scripts_without_spaces() -> None:
    assert paraphrases(ADVICE, ["12|# Run the installer of the payment\n13|# gateway before each export."])
    assert paraphrases("提交前删除测试文件夹", ["请务必在每次提交之前删除测试文件夹以节省空间"])


def test_advice_in_words_that_no_file_has_is_verified_by_a_run_that_read_no_prose() -> None:
    repair = Repair("Export the invoices", "The export breaks", "Vor jedem Export die Prüfung abschalten.", WORDS)
    read = SourcesRead(own=(f"{WORDS} The checks are slow.",))

    doubted = learn(repair, read)
    [again] = merge_entries([doubted], replace(learn(repair, SourcesRead()), id=doubted.id), NOW)

    assert (Trust.MODEL, LearningStatus.PROBATION, False) == (
        doubted.trust, doubted.standing, doubted.proofs[0].checked,
    )  # fmt: skip
    assert (Trust.CHECK, LearningStatus.ACTIVE) == (again.trust, again.standing)


def test_three_results_do_not_verify_what_prose_may_have_said() -> None:
    repair = Repair("Export the invoices", "The export breaks", "Vor jedem Export die Prüfung abschalten.", WORDS)
    results = [Evidence(number, frozenset(), confirmed=True) for number in range(3)]

    doubted, verified = (
        replace(learn(repair, read), standing=LearningStatus.PROBATION)
        for read in (SourcesRead(own=(WORDS,)), SourcesRead())
    )

    assert (False, True) == (is_confirmed_by_checks(doubted, results), is_confirmed_by_checks(verified, results))


def test_numbers_of_lines_are_no_names() -> None:
    assert not may_paraphrase("Use 5 workers.", ["5|# Settings of the shop and its staff"])
    assert may_paraphrase("Use 5 workers.", ["4|# The shop has 5 people at work"])
