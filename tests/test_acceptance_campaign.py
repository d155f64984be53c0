"""Test that no run without work is accepted, and that good earlier work is returned, through the command line.

Models, plugins and limits fail in every combination. A seeded sample runs by default; the whole is a campaign.
"""

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path

import pytest
from acceptance_cases import Basis, Case, Fault, cases, impossible
from acceptance_facts import (
    Established,
    Ran,
    allowed_statuses,
    by,
    establish,
    is_readable,
    last_content,
    last_iteration,
    matching_row,
    words,
    write_all,
)
from acceptance_staging import NOTED, REFUSED, options, plugin, scripts, settings, workspace
from cli_process import Shell, shell

from openkoi_testing.servers import OpenAIServer

TASK = "Edit a.txt so that x is 3"
SAMPLE, SEED = 24, 1
PROVIDER_FAILURE = {1, 9, 75}


# How a case is run.


@contextmanager
def vendor(case: Case, there: Shell) -> Iterator[Shell]:
    """Serve a model that expects another key, if a missing key is the fault."""
    if case.fault is not Fault.KEY:
        yield there
        return
    with OpenAIServer(models=("gpt-fake",), key="sk-other") as server:
        key = {} if case.keyless else {"OPENAI_API_KEY": "sk-wrong"}
        yield there.with_environment(OPENAI_BASE_URL=server.url, **key)


def run(case: Case, folder: Path) -> Ran:
    """Do the task through the command line, with the default plugins."""
    there = shell(folder)
    write_all(there.folder, workspace(case))
    write_all(folder / "scripts", {f"{name}.yaml": text for name, text in scripts(case).items()})
    write_all(there.home, {"config.toml": settings(case)})
    code, kinds = plugin(case)
    there = there.with_plugin(code, **kinds) if kinds else there
    with vendor(case, there.with_environment(OPENKOI_SCRIPTED=str(folder / "scripts"))) as ready:
        result = ready(TASK, *options(case), seconds=100)
    logs = sorted(there.home.rglob("sessions/*.jsonl"))
    records = tuple(json.loads(line) for log in logs for line in log.read_text().splitlines())
    return Ran(case, result.returncode, result.stdout, result.stderr, there.folder, records)


# What is compared.


def find_deviations(ran: Ran, spare: Path) -> list[str]:
    """Return everything about a run that differs from the table."""
    if not ran.of("decision"):
        return list(failed_early(ran))
    facts = establish(ran, spare)
    return [*check_verdict(ran, facts), *check_files(ran, facts), *check_log(ran, facts)]


def failed_early(ran: Ran) -> Iterator[str]:
    """Yield a run without a decision is a provider's failure, or met a limit before its first iteration.

    Nothing is left.
    """
    allowed = {Fault.KEY: PROVIDER_FAILURE, Fault.DEADLINE: {5}, Fault.LIMIT: {4}}.get(ran.case.fault, set())
    if ran.status not in allowed:
        yield f"exit {ran.status} without a decision, where {sorted(allowed)} are allowed"
    if not ran.case.in_text and ran.json["accepted"] is not False:
        yield f"accepted is {ran.json['accepted']} without a decision"
    if ran.left != workspace(ran.case)["a.txt"]:
        yield "files were changed without a decision"


def check_verdict(ran: Ran, facts: Established) -> Iterator[str]:
    """The exit status, and the matching fields of the JSON."""
    number, accepted = matching_row(facts, ran.case.policy)
    allowed = allowed_statuses(facts, ran.case)
    if ran.status not in allowed:
        yield f"row {number}: exit {ran.status}, where {sorted(allowed)} are allowed"
    if ran.status == 0 and not (facts.answered or facts.changed):
        yield "did nothing, and exits 0"
    if ran.case.in_text:
        return
    expected = None if accepted and ran.case.policy is Basis.NONE else accepted
    if ran.json["accepted"] is not expected:
        yield f"row {number}: accepted is {ran.json['accepted']}, not {expected}"
    if (ran.json["decision"] == "accept") is not accepted:
        yield f"row {number}: decision is {ran.json['decision']}"
    if accepted and ran.case.policy is Basis.JUDGE and ran.json["score"] != pytest.approx(facts.judged):
        yield f"score is {ran.json['score']}, not {facts.judged}"
    if ran.case.policy is not Basis.JUDGE and ran.json["score"] is not None:
        yield f"score is {ran.json['score']} although no judge was asked"
    if not str(ran.json["stop_reason"]).startswith(reason(facts, ran.case.policy)):
        yield f"row {number}: the reason is {ran.json['stop_reason']!r}"
    if facts.end == "refused" and number in (2, 5) and not accepted and REFUSED not in str(ran.json["stop_reason"]):
        yield f"the provider's words are not in {ran.json['stop_reason']!r}"


def reason(facts: Established, policy: Basis) -> str:
    """Return the beginning of the reason by the table, in the rows that state it."""
    match matching_row(facts, policy):
        case 2, True:
            return "not evaluated"
        case 7, False if facts.judged is None:
            return "not judged: "
        case 8, True:
            return "not judged: 1 check turned green" if facts.turned else "not judged: "
    return ""


def check_files(ran: Ran, facts: Established) -> Iterator[str]:
    """Yield the files on disk: the best judged iteration of a run that was not accepted, else the last work."""
    _, accepted = matching_row(facts, ran.case.policy)
    returned = ran.case.earlier and was_judged_earlier(ran) and not accepted and is_earlier_better(facts)
    expected = "x = 2\n" if returned else last_content(ran)
    if ran.left != expected:
        yield f"a.txt is {ran.left!r}, not {expected!r}"
    others = {name: text for name, text in workspace(ran.case).items() if name != "a.txt"}
    if others != {name: (ran.folder / name).read_text() for name in others}:
        yield "other files were changed"
    if returned and not ran.case.in_text and ran.json["output"] != NOTED:
        yield f"output is {ran.json['output']!r}, not that of the iteration whose files are there"
    if (
        not accepted
        and not returned
        and facts.judged is None
        and ran.left != "x = 0\n"
        and "openkoi undo" not in ran.stderr
    ):
        yield "the files stay, and `openkoi undo` is not named"
    if not ran.case.in_text:
        listed = ran.json["changed_files"]
        if listed != (["a.txt"] if ran.left != "x = 0\n" else []):
            yield f"changed_files are {listed}"


def was_judged_earlier(ran: Ran) -> bool:
    """Return whether an iteration before the last one was judged; the judge may have been broken from the beginning."""
    last = last_iteration(ran)[0]["id"]
    votes = (one for one in ran.records if by(one, "evaluator") and one["id"] < last)
    return any(is_readable(words(one)) is not None for one in votes)


def is_earlier_better(facts: Established) -> bool:
    """Return whether the earlier 0.60 beats the last iteration, which is worse or was not judged."""
    return facts.judged is None or facts.judged < 0.6


def check_log(ran: Ran, facts: Established) -> Iterator[str]:
    """Yield the facts in the log are those that were established."""
    logged = ran.of("decision")[-1].get("facts", {})
    names = {"budget": ran.case.limit, "time": "seconds"}
    report = {
        "end": names.get(logged.get("end", "done"), logged.get("end", "done")),
        "answered": logged.get("answered", False),
        "changed": logged.get("changed", False),
        "red": logged.get("red", False),
        "green": logged.get("green", False),
        "turned": bool(logged.get("turned")),
        "judged": logged.get("judged"),
    }
    if logged.get("policy", "judge") != ran.case.policy:
        yield f"log: policy is {logged.get('policy')}"
    for fact in fields(facts):
        mine, its = getattr(facts, fact.name), report[fact.name]
        if its != (pytest.approx(mine) if fact.name == "judged" and mine is not None else mine):
            yield f"log: {fact.name} is {its!r}, not {mine!r}"


# The tests.

POSSIBLE = [case for case in cases() if not impossible(case)]


def spread(count: int, seed: int) -> list[Case]:
    """Return a sample in which every value of every dimension is about as frequent as any other."""
    pool, chosen, seen = list(POSSIBLE), list[Case](), dict[object, int]()
    random.Random(seed).shuffle(pool)
    while len(chosen) < count:
        best = min(pool, key=lambda case: sum(seen.get(value, 0) for value in values(case)))
        pool.remove(best)
        chosen.append(best)
        for value in values(best):
            seen[value] = seen.get(value, 0) + 1
    return chosen


def values(case: Case) -> list[tuple[str, object]]:
    return [(one.name, getattr(case, one.name)) for one in fields(case)]


def test_all_combinations_are_staged_but_for_those_that_cannot_be() -> None:
    assert 6 * 5 * 4 * 2 * 2 * 3 == len(set(cases()))
    assert all(len(impossible(case)) > 20 for case in set(cases()) - set(POSSIBLE))


def test_the_sample_has_every_value_of_every_dimension() -> None:
    sample = spread(SAMPLE, SEED)

    assert {value for case in cases() for value in values(case)} == {v for case in sample for v in values(case)}


@pytest.mark.sampled(12)
@pytest.mark.parametrize("case", spread(SAMPLE, SEED), ids=str)
def test_a_disturbed_run_ends_as_the_table_has_it(case: Case, tmp_path: Path) -> None:
    assert [] == find_deviations(run(case, tmp_path), tmp_path / "spare")


@pytest.mark.campaign
@pytest.mark.parametrize("case", POSSIBLE, ids=str)
def test_every_disturbed_run_ends_as_the_table_has_it(case: Case, tmp_path: Path) -> None:
    assert [] == find_deviations(run(case, tmp_path), tmp_path / "spare")
