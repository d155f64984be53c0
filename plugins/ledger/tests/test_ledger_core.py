"""What the ledger's pure parts promise: extract, merge, credit, decay, choose, trust."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openkoi_hookspecs import (
    Check,
    Decision,
    Done,
    Evaluation,
    Event,
    Finding,
    Hit,
    Iteration,
    Limits,
    Passage,
    Plan,
    Recall,
    Record,
    Reply,
    Result,
    Ruling,
    Score,
    Severity,
    Spend,
    Standing,
    Task,
    Text,
    Usage,
    Work,
)
from openkoi_hookspecs.events import LearningSaved
from openkoi_ledger.book import Book
from openkoi_ledger.choose import Asked, Choice, Rules, choose
from openkoi_ledger.credit import Use, counts, drawn, harmful, idle, lift, share_withheld, utility
from openkoi_ledger.decay import confidence, expiry
from openkoi_ledger.deeds import approved, dismissed, pinned, restored
from openkoi_ledger.entry import Entry, Proof, Trust, learning_of, name_of, put_away
from openkoi_ledger.extract import Lesson, extracted
from openkoi_ledger.hook import similar
from openkoi_ledger.judge import settled
from openkoi_ledger.merge import merged
from openkoi_ledger.reflect import lessons, pays
from openkoi_ledger.teach import taught, vetted
from openkoi_ledger.told import Credited, Noted, Shown
from openkoi_ledger.trust import Read, lineage

NOW = "2026-03-01T00:00:00Z"
COMMAS = Finding("The export breaks", Severity.BLOCKER, rule="columns", where="export.py:3", fix="Use `semicolon`.")


def turn(evaluation: Evaluation | None, plan: Plan | None = None, diff: str = "") -> Iteration:
    return Iteration(plan=plan or Plan(), work=Work("words", diff=diff), evaluation=evaluation, spent=Spend())


def lesson(*turns: Iteration, answers: Sequence[tuple[str, str]] = (), task: Task | None = None) -> Lesson:
    good = turns[-1].evaluation is None or not turns[-1].evaluation.failing
    ruling = Ruling(Decision.ACCEPT if good else Decision.ACCEPT_BEST, "")
    task = task or Task("Export the invoices", project="pond")
    result = Result(task, ruling, best=turns[-1], iterations=turns, spent=Spend())
    return Lesson(run="run1", result=result, project="pond", at=NOW, answers=answers)


def red(*findings: Finding, score: float = 0.4) -> Evaluation:
    return Evaluation(checks=(Check("columns", passed=False),), scores=(Score("s", score),), findings=findings)


def green(score: float = 0.9, *findings: Finding) -> Evaluation:
    return Evaluation(checks=(Check("columns", passed=True),), scores=(Score("s", score),), findings=findings)


def entry(text: str = "Use `semicolon` for the export.", **more: object) -> Entry:
    facts: dict[str, object] = {"project": "pond", "standing": Standing.ACTIVE, "trust": Trust.CHECK, "since": NOW}
    return Entry(name_of("heuristic", text, "pond"), "heuristic", text, **{**facts, **more})  # type: ignore[arg-type]  # by field name


def book(entries: Sequence[Entry], *events: tuple[str, Event]) -> Book:
    kept = Book()
    told = [*(("start", Noted(one)) for one in entries), *events]
    for number, (run, event) in enumerate(told):
        kept.take(Record(f"{number:05}", NOW, run, event))
    return kept


def test_a_repair_that_the_next_iteration_bears_out_is_active_with_its_evidence() -> None:
    [found] = extracted(lesson(turn(red(COMMAS)), turn(green(), diff="+x")))

    assert ("The export breaks: Use `semicolon`.", Standing.ACTIVE, Trust.CHECK) == (
        found.text,
        found.standing,
        found.trust,
    )
    assert (("columns",), (), 1) == (found.proofs[0].before, found.proofs[0].after, found.proofs[0].iteration)


def test_a_finding_in_other_words_is_not_repaired() -> None:
    again = replace(COMMAS, title="Columns are still not right", fix="Use `tab`.")

    assert ["anti_pattern"] == [one.kind for one in extracted(lesson(turn(red(COMMAS)), turn(red(again))))]


def test_advice_that_turned_a_check_red_becomes_a_trap_in_the_words_that_were_followed() -> None:
    plan = Plan(suggestion="Cache the columns in `cache.py`.")
    after = replace(red(), suggestion="Something new entirely.")

    found = {one.kind: one for one in extracted(lesson(turn(green(0.7)), turn(after, plan, "+cache")))}["anti_pattern"]

    assert "Do not: Cache the columns in `cache.py`. (it turned columns red)" == found.text
    assert 12 == len(found.proofs[0].diff)


@pytest.mark.row("LEARN-04", "C70", "C11", "C12")
def test_the_three_rules_of_the_documents_start_on_probation_with_their_numbers() -> None:
    blocker = Finding("No key", Severity.BLOCKER, rule="safety")
    fell = lesson(
        turn(green(0.8, blocker)), turn(green(0.65, blocker), Plan(suggestion="Inline it.")), turn(green(0.66))
    )

    found = [(one.kind, one.base, one.standing) for one in extracted(fell)]

    assert [
        ("anti_pattern", 0.7, Standing.PROBATION),
        ("anti_pattern", 0.75, Standing.PROBATION),
        ("heuristic", 0.5, Standing.PROBATION),
    ] == found


def test_what_a_person_said_is_trusted_most_and_a_bare_yes_says_nothing() -> None:
    said = [
        ("What should be done?", "Use pnpm, never npm"),
        ("Allow run {}?", "yes"),
        ("x\nAllow run_command {}?", "no: ask me"),
    ]

    found = extracted(lesson(turn(green()), answers=said))

    assert ["Use pnpm, never npm", "When about to use run_command: ask me"] == [one.text for one in found]
    assert {Trust.PERSON} == {one.trust for one in found}


def test_the_answer_to_a_question_that_a_model_made_up_is_worth_no_more_than_the_question() -> None:
    [found] = extracted(lesson(turn(green()), answers=[("Which port?", "port 8080 please")]))

    assert 'Asked "Which port?", the person said: port 8080 please' == found.text
    assert (Trust.MODEL, Standing.PROBATION) == (found.trust, found.standing)


@pytest.mark.row("LEARN-05", "LEARN-09")
def test_reflection_pays_after_several_attempts_and_never_on_what_was_not_judged() -> None:
    twice = lesson(turn(red(COMMAS)), turn(green())).result
    unjudged = lesson(turn(green(), Plan(judged=False))).result
    once = replace(lesson(turn(green())).result, task=Task("t", limits=Limits(iterations=0)))

    assert [True, False, False] == [pays(one, "run", 1) for one in (twice, unjudged, once)]
    assert 0 < sum(pays(lesson(turn(green())).result, str(run), 5) for run in range(100)) < 40


def test_a_reflection_is_read_leniently_and_knows_its_finding() -> None:
    said = "Sure!\n1. Use `semicolon` | exports for the bank | imports | 1\nnonsense\n- a|b"
    reply = Reply((Text(said),), Done(Usage()))

    [found] = lessons(reply, lesson(turn(red(COMMAS)), turn(green())))

    assert "Use `semicolon` (When: exports for the bank) Not when: imports" == found.text
    assert ("columns", Standing.PROBATION) == (found.proofs[0].rule, found.standing)


@pytest.mark.row("LEARN-07", "C54")
@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("For exports, use the `semicolon`.", 1),
        ("Use `tab` for the export.", 2),
        ("Never use `semicolon` for the export.", 2),
        ("Use 3 `semicolon` for the export.", 2),
    ],
)
def test_a_paraphrase_merges_and_another_number_name_or_negation_does_not(text: str, count: int) -> None:
    proof = Proof(run="run1", rule="columns", where="export.py")
    old, new = entry(proofs=(proof,)), entry(text, proofs=(replace(proof, run="run2"),), standing=Standing.PROBATION)

    known = {one.id: one for one in [old, *merged([old], new, NOW)]}

    assert count == len(known)


def test_a_newer_verified_contradiction_ends_the_validity_of_the_old() -> None:
    proof = Proof(run="run1", rule="columns", where="export.py")
    old, new = entry(proofs=(proof,)), entry("Use `tab` for the export.", proofs=(proof,))

    kept, ended = merged([old], new, "2026-04-01T00:00:00Z")

    assert (new.id, Standing.ARCHIVED, "2026-04-01T00:00:00Z") == (ended.superseded_by, ended.standing, ended.until)
    assert kept == new


def test_a_guess_ends_nothing_and_a_persons_word_is_ended_by_no_machine() -> None:
    proof = Proof(run="run1", rule="columns", where="export.py")
    old, new = entry(proofs=(proof,)), entry("Use `tab` for the export.", proofs=(proof,))

    assert 1 == len(merged([old], replace(new, standing=Standing.PROBATION), NOW))
    assert 1 == len(merged([replace(old, trust=Trust.PERSON)], new, NOW))


def test_what_a_person_dismissed_stays_away_however_often_it_is_learned() -> None:
    [again] = merged([dismissed(entry(), NOW)], entry(), NOW)

    assert Standing.ARCHIVED is again.standing


def test_deeds_of_a_person() -> None:
    gone = put_away(entry(), NOW, "quarantined")

    assert Standing.PROBATION is restored(gone, NOW).standing
    assert restored(gone, NOW).live
    assert (True, Standing.ACTIVE) == (pinned(gone, NOW).pinned, pinned(gone, NOW).standing)
    assert not approved(entry(trust=Trust.PAGE), NOW).quoted


def used(*outcomes: str) -> list[Use]:
    """``+`` shown and passed, ``-`` shown and blamed, ``o`` shown and failed elsewhere, ``w`` and ``W`` withheld."""
    return [
        Use(str(n), "m", kind in "+-o", kind in "+W", kind in "-w") for n, kind in enumerate("".join(outcomes))
    ]  # fmt: skip


def test_the_lift_compares_with_and_without() -> None:
    helps, harms = lift(used("+" * 20, "w" * 8), 0.5), lift(used("-" * 8, "W" * 8), 0.5)

    assert helps.low > 0 > harms.high
    assert lift(used("+" * 3, "w"), 0.5).low < 0


def test_three_blames_in_a_row_are_harm_and_failures_elsewhere_are_none() -> None:
    assert harmful(used("+++---"), 0.8)
    assert not harmful(used("++++oo"), 0.6)
    assert not harmful(used("--"), 0.6)


def test_harm_that_nothing_points_to_is_seen_by_the_lift() -> None:
    assert harmful(used("oooooo", "W" * 12), 0.8)


def test_what_makes_no_difference_is_found_out() -> None:
    assert idle(used("+" * 40, "W" * 12), 0.95)
    assert not idle(used("+" * 40, "w" * 6), 0.9)


def test_worth_falls_with_harm_more_than_it_rises_with_help() -> None:
    assert utility((), 0.5) == 0.5
    assert utility(used("+-"), 0.5) < 0.5 < utility(used("+"), 0.5)
    assert (3, 1, 1, 1) == tuple(
        getattr(counts(used("+-ow")), name) for name in ("shown", "helpful", "harmful", "withheld")
    )


def test_drawing_lots_is_the_same_for_the_same_run_and_fair_over_many() -> None:
    assert drawn("r", "e") == drawn("r", "e")
    assert 0.07 < sum(drawn(str(run), "e") < 0.1 for run in range(2000)) / 2000 < 0.13
    assert share_withheld(used("+" * 30), 0.1, doubted=False) < 0.02 < share_withheld((), 0.1, doubted=False)


@pytest.mark.row("C22", "MEM-12")
@given(st.lists(st.integers(0, 90), max_size=8))
def test_any_number_of_runs_fades_an_entry_as_much_as_one(days: list[int]) -> None:
    asked = [
        confidence(0.8, "2026-01-01T00:00:00Z", f"2026-{1 + day // 30:02}-{1 + day % 28:02}T00:00:00Z") for day in days
    ]

    assert all(0 < one <= 0.8 for one in asked)
    assert pytest.approx(0.44, abs=0.01) == confidence(0.8, "2026-01-01T00:00:00Z", "2026-03-26T00:00:00Z")
    assert "2026-10" == expiry(0.8, "2026-01-01T00:00:00Z")[:7]


def asked(text: str = "export the invoices", **more: str) -> Asked:
    return Asked(**{"run": "r", "text": text, "project": "pond", "now": NOW, **more})


NEVER = Rules(withheld=0.0)


def test_a_projects_memory_never_leaves_it() -> None:
    kept = book([entry("Export invoices by `tab`.", project="lake"), entry("Export invoices by `x`.", scope="user")])

    assert ["Export invoices by `x`."] == [one.text for one in choose(kept, asked(), NEVER).shown]


def test_what_is_not_about_the_task_is_not_shown_however_much_room_there_is() -> None:
    kept = book([entry("Export invoices by `tab`."), entry("Water the roses.")])

    assert ["Export invoices by `tab`."] == [one.text for one in choose(kept, asked(), NEVER).shown]


@pytest.mark.row("LEARN-03")
def test_what_is_learned_has_a_type_a_category_a_confidence_and_the_task_it_is_from() -> None:
    task = Task("Export the invoices", category="code", project="pond")
    answers = [("What should be done?", "Use pnpm, never npm")]
    blocked = red(COMMAS), red(replace(COMMAS, title="Columns are still wrong")), green()
    found = extracted(lesson(*map(turn, blocked), answers=answers, task=task))

    assert {"heuristic", "anti_pattern", "preference"} == {one.kind for one in found}
    assert all(one.text and one.category == "code" and 0 < one.base <= 1 for one in found)
    assert {("run1",)} == {learning_of(one).evidence for one in found}


@pytest.mark.row("MEM-13", "C54")
def test_help_restarts_the_clock_and_being_shown_does_not() -> None:
    one = entry(since="2026-01-01T00:00:00Z")
    failed = [("r1", Shown("export", "pond", "m", (one.id,))), ("r1", Credited(False))]
    passed = [("r2", Shown("export", "pond", "m", (one.id,))), ("r2", Credited(True))]

    assert ("2026-01-01T00:00:00Z", 0) == (
        book([one], *failed).helped(one),
        counts(book([one], *failed).uses(one.id)).helpful,
    )
    assert (NOW, 1) == (book([one], *failed, *passed).helped(one), counts(book([one], *passed).uses(one.id)).helpful)


@pytest.mark.row("MEM-11", "C68")
def test_similar_tasks_are_told_only_where_half_of_the_room_is_left_and_three_at_most() -> None:
    past = Recall(tuple(Hit(Passage(f"p{n}", f"Task {n} went well."), 0.5) for n in range(5)))
    few, many = Choice((entry(),), ()), Choice(tuple(entry("x" * 190) for _ in range(7)), ())

    assert (3, 0) == (len(similar(past, few, Rules())), len(similar(past, many, Rules())))


@pytest.mark.row("C68")
def test_eight_entries_and_six_hundred_tokens_at_most_and_one_on_probation() -> None:
    many = [entry(f"Export invoices number_{n} {'well ' * 20}") for n in range(20)]
    guesses = [entry(f"Export invoices rule_{n}", standing=Standing.PROBATION, trust=Trust.MODEL) for n in range(3)]

    assert 8 == len(choose(book(many), asked(), NEVER).shown)
    assert sum(one.tokens for one in choose(book(many), asked(), Rules(tokens=100, withheld=0.0)).shown) <= 100
    assert 1 == len(choose(book(guesses), asked(), NEVER).shown)


@pytest.mark.row("C20", "LEARN-08")
def test_preferences_are_recalled_and_traps_stand_first() -> None:
    told = book(
        [
            entry("Export invoices by `tab`."),
            replace(entry("Export invoices politely."), kind="preference", trust=Trust.PERSON),
            replace(entry("Do not: export invoices twice."), kind="anti_pattern"),
        ]
    )

    assert ["anti_pattern", "heuristic", "preference"] == sorted(one.kind for one in choose(told, asked(), NEVER).shown)
    assert "anti_pattern" == choose(told, asked(), NEVER).shown[0].kind


def test_the_same_run_is_shown_the_same() -> None:
    kept = book([entry(f"Export invoices by step_{n}.") for n in range(12)])

    assert choose(kept, asked(), Rules()) == choose(kept, asked(), Rules())
    assert any(choose(kept, asked(run=str(n)), Rules(withheld=0.3)).withheld for n in range(20))


def test_of_two_that_contradict_each_other_only_the_better_is_shown() -> None:
    proof = Proof(run="run1", rule="columns")
    kept = book(
        [
            entry("Export invoices by `tab`.", proofs=(proof,)),
            entry("Export invoices by `x`.", proofs=(proof,), base=0.9),
        ]
    )

    assert ["Export invoices by `x`."] == [one.text for one in choose(kept, asked(), NEVER).shown]


def test_what_faded_is_not_shown_and_what_helped_since_is() -> None:
    old = entry("Export invoices by `tab`.", since="2024-01-01T00:00:00Z")

    assert () == choose(book([old]), asked(), NEVER).shown
    assert 1 == len(choose(book([replace(old, pinned=True)]), asked(), NEVER).shown)


def test_probation_ends_with_the_first_help_and_what_only_informs_stays_there() -> None:
    guess = entry("Export invoices by `tab`.", standing=Standing.PROBATION, trust=Trust.MODEL)
    told = [("r1", Shown("export", "pond", "m", (guess.id,))), ("r1", Credited(True))]

    assert [Standing.ACTIVE] == [one.standing for one in settled(book([guess], *told), [guess.id], "pond", NOW)]
    assert [] == list(settled(book([replace(guess, trust=Trust.PAGE)], *told), [guess.id], "pond", NOW))


def test_what_only_happened_often_must_make_a_difference_before_it_is_more_than_a_guess() -> None:
    bare = entry("Check x before answering.", standing=Standing.PROBATION, trust=Trust.MODEL, origin="pattern")
    helped = [
        one
        for n in range(9)
        for one in ((f"r{n}", Shown("export", "pond", "m", (bare.id,))), (f"r{n}", Credited(True)))
    ]
    missed = [
        one
        for n in range(9)
        for one in ((f"w{n}", Shown("x", "pond", "m", (), (bare.id,))), (f"w{n}", Credited(False)))
    ]

    assert [] == list(settled(book([bare], *helped), [bare.id], "pond", NOW))
    assert [Standing.ACTIVE] == [
        one.standing for one in settled(book([bare], *missed, *helped), [bare.id], "pond", NOW)
    ]


def test_what_only_happened_often_gives_way_to_what_says_what_to_do() -> None:
    bare = entry("Check the export of invoices.", standing=Standing.PROBATION, trust=Trust.MODEL, origin="pattern")
    advice = entry("Export invoices by `tab`.", standing=Standing.PROBATION, trust=Trust.MODEL)

    assert [advice.text] == [one.text for one in choose(book([bare, advice]), asked(), NEVER).shown]
    assert [bare.text] == [one.text for one in choose(book([bare]), asked(), NEVER).shown]


def test_a_text_is_as_trusted_as_the_least_of_what_its_author_read() -> None:
    text = "Run the installer before any export."
    copied = Read(own=("Welcome. run the installer before any export! Bye",))

    assert Trust.CHECK is lineage(text, Read(), Trust.CHECK)
    assert Trust.TOOL is lineage(text, copied, Trust.CHECK)
    assert Trust.PAGE is lineage(text, Read(foreign=("something else",)), Trust.CHECK)
    assert Trust.PERSON is lineage(text, copied, Trust.PERSON)


def test_recalled_text_is_never_learned_again_and_neither_is_a_secret() -> None:
    read = Read(recalled=("The export breaks: Use `semicolon`.",))
    secret = entry("Use the key hunter2-and-more for exports.")

    assert [] == taught([], lesson(turn(red(COMMAS)), turn(green())), read, str)
    assert [] == list(vetted([secret], Read(), lambda text: text.replace("hunter2-and-more", "[redacted]")))
    assert [] == list(vetted([entry("Use [redacted] for exports.")], Read(), str))


def test_another_plugin_may_archive_what_the_ledger_noted() -> None:
    one = entry()
    changed = replace(learning_of(one), standing=Standing.ARCHIVED)

    assert not book([one], ("r", LearningSaved(changed))).entries[one.id].live


@pytest.mark.row("C19")
def test_a_pattern_of_old_is_a_heuristic() -> None:
    old = replace(learning_of(entry()), kind="pattern")

    assert "heuristic" == book([], ("r", LearningSaved(old))).entries[old.id].kind
