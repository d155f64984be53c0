"""Test ``openkoi learn`` with a real log."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from openkoi_hookspecs import Event, KoiError, LearningStatus
from openkoi_learning import LearningHook
from openkoi_learning.command import ask_decision, learn
from openkoi_learning.decay import DECAY_PER_WEEK
from openkoi_learning.entry import EntryEvidence, LearningEntry, Trust
from openkoi_learning.events import EntriesShown, EntryUpdated, OutcomeCredited
from openkoi_runlog import RunLog, new_session_id
from openkoi_testing import GivenPlugins

NOW = "2026-11-22T00:00:00Z"
PROOF = EntryEvidence(
    run="run1", iteration=1, rule="columns", where="export.py", finding="It breaks", diff="abc", before=("t",)
)
RULE = LearningEntry(
    "aa11", "heuristic", "Use `tab`.", proofs=(PROOF,), standing=LearningStatus.ACTIVE, trust=Trust.CHECK, since=NOW
)
GUESS = LearningEntry("bb22", "heuristic", "Perhaps sort first.", origin="reflection", since=NOW)


@dataclass(slots=True)
class Shop:
    """A log, and the command over it."""

    sessions: Path
    decay: float = DECAY_PER_WEEK

    def write(self, run: str, *events: Event) -> None:
        """Write to the log like a run."""
        log = RunLog(self.sessions, new_session_id(), str)
        log.append(run, events)
        log.close()

    def openkoi(self, *words: str) -> Result:
        """Run ``openkoi learn`` with these arguments."""
        return CliRunner().invoke(learn, list(words), obj=GivenPlugins({"hooks": {"learning": self.ledger}}))

    @property
    def ledger(self) -> LearningHook:
        return LearningHook(sessions=self.sessions, decay=self.decay)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    shop = Shop(tmp_path)
    shop.write("run1", EntryUpdated(RULE), EntryUpdated(GUESS))
    shop.write("run2", EntriesShown("export", "", "m", ("aa11",)), OutcomeCredited(False, ("aa11",)))
    return shop


def test_an_entry_cannot_control_the_terminal_that_shows_it(shop: Shop) -> None:
    hostile = "Use \x1b[2J\x1b]0;t\x07 and \u202eevil\u202c \x9b31m \ud800 words"
    proof = replace(PROOF, finding=hostile, where=hostile)
    shop.write("run3", EntryUpdated(replace(RULE, id="cc33", text=hostile, when=(hostile,), proofs=(proof,))))

    for words in (["list"], ["why", "cc33"], [], ["forget", "cc33"]):
        shown = shop.openkoi(*words).output
        assert "evil" in shown
        assert shown.replace("\n", "").isprintable()


@pytest.mark.parametrize("since", ["yesterday", "2026-13-45", "2026-11-01T00:00:00"])
def test_an_entry_from_an_import_with_an_odd_time_is_listed_and_shown(shop: Shop, since: str) -> None:
    shop.write("run3", EntryUpdated(replace(RULE, id="cc33", since=since)))

    assert "cc33" in shop.openkoi("list").output
    assert "cc33" in shop.openkoi("list", "--format", "json").output
    assert "worth:" in shop.openkoi("why", "cc33").output


def test_the_list_leaves_out_what_was_put_away_unless_all_is_wanted(shop: Shop) -> None:
    shop.openkoi("forget", "aa11")

    assert "aa11" not in shop.openkoi("list").output
    assert "aa11" in shop.openkoi("list", "--all").output


def test_a_list_whose_entries_are_all_archived_says_where_they_are(shop: Shop) -> None:
    shop.openkoi("forget", "aa11")
    shop.openkoi("forget", "bb22")

    assert "All entries are archived. To list them, run `openkoi learn list --all`.\n" == shop.openkoi("list").output


def test_the_list_shows_the_uplift_of_each_active_entry_and_the_runs_behind_it(shop: Shop) -> None:
    shop.write("run3", EntryUpdated(replace(RULE, id="cc33", text="Use `semicolon`.")))
    held = EntriesShown("export", "", "m", (), ("aa11",))

    def effects() -> list[str]:
        lines = sorted(shop.openkoi("list").output.splitlines())
        return [line.partition("harmed ")[2] for line in lines]

    assert [
        "1, held out 0; uplift not measured yet)",
        "0)",
        "0, held out 0; uplift not measured yet)",
    ] == effects()
    assert (
        "uplift:    not measured yet: it was shown in 1 run, and held out of none" in shop.openkoi("why", "aa").output
    )

    shop.write("run4", held, OutcomeCredited(True))

    assert "1, held out 1; uplift -0.25, between -0.85 and +0.35)" == effects()[0]
    assert "passed first attempts: too few runs" in shop.openkoi("why", "aa").output


@pytest.mark.row("C25")
def test_a_program_reads_the_list_as_json(shop: Shop) -> None:
    found = {one["id"]: one for one in json.loads(shop.openkoi("list", "--format", "json").output)}

    assert (1, 0, 1, "check") == tuple(found["aa11"][key] for key in ("shown", "helpful", "harmful", "trust"))


def test_why_tells_run_iteration_finding_diff_outcome_and_lift(shop: Shop) -> None:
    reply = shop.openkoi("why", "aa").output

    for part in (
        "run run1, iteration 2",
        "It breaks export.py",
        "diff abc",
        "failing before: t",
        "failed because of this",
        "uplift: ",
    ):
        assert part in reply


def test_why_states_the_outcome_that_would_refute_an_entry(shop: Shop) -> None:
    trap = replace(RULE, id="cc33", kind="anti_pattern", text="Do not: Use `tab`.", advice="Do not: Use `tab`.")
    vague, pinned = replace(GUESS, id="dd44", text="Think first."), replace(RULE, id="ee55", pinned=True)
    pattern = replace(RULE, id="ff66", origin="pattern")
    more = [trap, vague, pinned, pattern]
    shop.write("run3", *map(EntryUpdated, more), EntriesShown("export", "", "m", ("aa11",)))
    shop.write("run3", OutcomeCredited(True, confirmed=("aa11",)))

    assert {
        "aa11": "archived after 3 accepted results in a row without `tab`, ",
        "cc33": "archived after an accepted result with `tab`, ",
        "dd44": "archived after 3 first attempts in a row with a finding about it, ",
        "ee55": "never, because it is pinned",
        "ff66": "",
    } == {id: refutation_of(shop, id) for id in ("aa11", *(one.id for one in more))}


def refutation_of(shop: Shop, id: str) -> str:
    """What ``learn why`` says of an outcome that this entry alone is refuted by."""
    lines = (line.partition("refuted:   ")[2] for line in shop.openkoi("why", id).output.splitlines())
    return "".join(lines).removesuffix("or when held-out runs rule out that it helps")


def test_a_deed_is_in_the_log_for_whoever_reads_it_next(shop: Shop) -> None:
    shop.openkoi("forget", "aa11")
    shop.openkoi("restore", "aa11")
    shop.openkoi("pin", "bb22")

    kept = shop.ledger.log_view.read_now().entries
    assert (LearningStatus.PROBATION, "restored by the user") == (kept["aa11"].standing, kept["aa11"].reason)
    assert kept["bb22"].pinned


def test_why_names_the_source_of_an_entry_or_why_its_trust_was_reset(shop: Shop) -> None:
    def source() -> str:
        line = next(line for line in shop.openkoi("why", "aa11").output.splitlines() if line.startswith("  from:"))
        return line.split(":")[1].split(";")[0].strip()

    sources = [source()]
    for word in ("approve", "forget", "restore", "approve"):
        assert 0 == shop.openkoi(word, "aa11").exit_code
        sources.append(source())

    verified, yours = "repair, a model's words, verified by a check", "repair, your words, or approved by you"
    reset = "repair, not trusted, because you approved and then dismissed it"
    assert [verified, yours, reset, reset, yours] == sources


def test_without_a_decision_to_make_the_review_lists_what_was_learned(shop: Shop) -> None:
    for id in sorted(one.id for one in shop.ledger.log_view.read_now().entries.values()):
        shop.openkoi("approve", id)

    result = shop.openkoi()

    assert result.output.startswith("No decisions are pending.\n")
    assert "bb22" in result.output


@pytest.mark.row("CLI-03")
def test_without_a_terminal_the_review_is_a_list(shop: Shop) -> None:
    result = shop.openkoi()

    assert "bb22" in result.output
    assert "No terminal is attached" in result.output
    assert 0 == result.exit_code


@pytest.mark.row("CLI-03")
@pytest.mark.parametrize(
    ("keys", "standing"),
    [("va", LearningStatus.ACTIVE), ("d", LearningStatus.ARCHIVED), ("x", LearningStatus.PROBATION)],
)
def test_keys_approve_dismiss_view_or_leave_it_for_later(shop: Shop, keys: str, standing: LearningStatus) -> None:
    ledger = shop.ledger
    guess = ledger.log_view.read_now().entries["bb22"]

    with CliRunner().isolation(input=keys):
        ask_decision(ledger, guess)

    assert standing is ledger.log_view.read_now().entries["bb22"].standing


def test_the_review_proposes_to_show_in_all_projects_what_helped_in_two(shop: Shop) -> None:
    common = replace(RULE, text="Write dates as `iso`.", trust=Trust.PERSON)
    twins = [replace(common, id=f"{place}1", project=place) for place in ("pond", "lake")]
    for one in twins:
        shop.write("run4", EntryUpdated(one))
        for run in range(3):
            shop.write(
                f"{one.project}{run}", EntriesShown("export", one.project, "m", (one.id,)), OutcomeCredited(True)
            )
    ledger = shop.ledger
    before, proposed = len(ledger.log_view.read_now().entries), "openkoi learn approve pond1"

    assert proposed in shop.openkoi().output
    with CliRunner().isolation(input="a"):
        ask_decision(ledger, twins[0])
    known = ledger.log_view.read_now().entries
    assert ["user"] == [one.scope for one in known.values() if one.is_live and one.text == common.text]
    assert before + 1 == len(known)
    assert proposed not in shop.openkoi().output


@pytest.mark.row("C57")
def test_a_word_that_is_no_action_is_told_how_to_be_a_task(shop: Shop) -> None:
    result = shop.openkoi("Rust")

    assert 2 == result.exit_code
    assert "openkoi -- learn Rust" in result.output


@pytest.mark.parametrize(
    ("words", "reply"),
    [
        (("why", "zz"), "No entry named 'zz'. To list all entries, run `openkoi learn list --all`."),
        (("why", ""), "Several entries start"),
        (("--install", "s"), "skills"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(shop: Shop, words: Sequence[str], reply: str) -> None:
    error = shop.openkoi(*words).exception

    assert isinstance(error, KoiError)
    assert reply in str(error)


def test_to_restore_what_is_pinned_takes_the_pin_away_and_nothing_else_is_there_to_take_back(shop: Shop) -> None:
    shop.openkoi("pin", "bb22")

    assert shop.openkoi("restore", "bb22").output.startswith("No longer pinned")
    assert "nothing to restore" in str(shop.openkoi("restore", "aa11").exception)


def test_why_tells_how_fast_an_entry_fades_by_the_rate_that_is_set(shop: Shop) -> None:
    usual = shop.openkoi("why", "aa").output
    shop.decay = 0.5
    fast = shop.openkoi("why", "aa").output
    shop.decay = 0.0

    assert "shown until" in usual
    assert "shown until" in fast
    assert usual != fast
    assert "shown until" not in shop.openkoi("why", "aa").output


def test_a_ledger_that_is_switched_off_says_so(tmp_path: Path) -> None:
    assert "disabled" in str(CliRunner().invoke(learn, ["list"], obj=GivenPlugins({})).exception)
