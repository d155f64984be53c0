"""Whether the ledger helps, in a small world: learning curves, drift, planted harm, junk."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from learning_learners import Course, Documents, Learner, Nobody, Oracle, Ours, at, live
from learning_world import World

from openkoi_hookspecs import LearningStatus
from openkoi_learning.entry import EntryEvidence, LearningEntry, Trust
from openkoi_learning.state import LearningState


def duplicates(book: LearningState) -> float:
    """The share of live entries that say what another one says: the same value, for the same project."""
    said = [
        (entry.project, value, entry.kind == "anti_pattern")
        for entry in book.entries.values()
        if entry.is_live
        for thing in World(0).tricks["koi"]
        for value in thing.values
        if value in entry.text
    ]
    return 1 - len(set(said)) / len(said) if said else 0.0


def compared(seed: int, tasks: int, drift: int = -1, knows: float = 0.1) -> dict[str, Course]:
    """The same world for each learner."""
    learners: dict[str, Learner] = {"none": Nobody(), "documents": Documents(), "ours": Ours(), "oracle": Oracle()}
    return {name: live(World(seed, knows), one, tasks, drift) for name, one in learners.items()}


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def test_with_the_ledger_first_attempts_come_to_pass() -> None:
    courses = compared(1, 200)

    assert courses["ours"].share(150) >= 0.75
    assert courses["ours"].share(150) > courses["documents"].share(150) + 0.3
    assert courses["ours"].share(150) > courses["none"].share(150) + 0.5


def test_the_ledger_can_be_read_back_from_what_it_wrote() -> None:
    ours = Ours()
    live(World(3), ours, 60)

    book = LearningState()
    for record in ours.records:
        book.apply(record)

    assert book.entries == ours.book.entries
    assert {id: book.outcomes(id) for id in book.entries} == {id: ours.book.outcomes(id) for id in ours.book.entries}


def planted(seed: int, tasks: int) -> tuple[list[int], int]:
    """How often each of five harmful entries is shown to a ledger that knows nothing else; how many are put away."""
    world, ours, ids = World(seed), Ours(), list(map(str, range(5)))
    for id, trick in zip(ids, world.tricks["koi"], strict=False):
        text = f"For {trick.thing}, always use `{trick.values[2]}`."
        proof = EntryEvidence(run="x", rule=f"test {trick.thing}", where="src/app.py")
        entry = LearningEntry(
            id, "heuristic", text, project="koi", base=0.9, standing=LearningStatus.ACTIVE, since=at(0)
        )
        ours.save(0, replace(entry, trust=Trust.CHECK, proofs=(proof,) if seed % 2 else ()))
    live(world, ours, tasks)
    return [sum(use.shown for use in ours.book.outcomes(id)) for id in ids], sum(
        not ours.book.entries[id].is_live for id in ids
    )


def test_planted_harmful_entries_are_put_away_within_forty_uses() -> None:
    told = [planted(seed, 120) for seed in range(2)]

    assert all(count <= 40 for counts, _ in told for count in counts)
    assert all(away == 5 for _, away in told)


@pytest.mark.campaign
@pytest.mark.timeout(1800)
def test_learning_curves_over_five_hundred_tasks(capsys: pytest.CaptureFixture[str]) -> None:
    seeds = range(100, 110)
    steady = [compared(seed, 500) for seed in seeds]
    last = {name: mean([one[name].share(400) for one in steady]) for name in steady[0]}
    strong = [compared(seed, 500, knows=0.6) for seed in seeds]
    last_strong = {name: mean([one[name].share(400) for one in strong]) for name in strong[0]}
    drifted = [compared(seed, 500, drift=250) for seed in seeds]
    after = {name: mean([one[name].share(250, 350) for one in drifted]) for name in drifted[0]}
    harm = mean([sum(one["ours"].harmful) / 500 for one in (*steady, *drifted)])
    ours = [Ours() for _ in seeds]
    for seed, one in zip(seeds, ours, strict=True):
        live(World(seed), one, 500)
    tokens = mean([one.tokens / 500 for one in ours])
    junk = mean([duplicates(one.book) for one in ours])
    with capsys.disabled():
        print(
            f"\nlast 100 of 500: {last}\nmodel that knows 60 %: {last_strong}\n100 after a drift of a quarter: {after}"
        )
        print(f"harmful a task: {harm:.3f}, recalled tokens a task: {tokens:.0f}, duplicates: {junk:.3f}")

    assert last["ours"] >= 0.85
    assert last["ours"] >= 0.9 * last["oracle"]
    assert last_strong["ours"] > last_strong["none"]
    assert after["ours"] >= 0.75
    assert harm <= 0.25
    assert tokens <= 120
    assert junk < 0.02


@pytest.mark.campaign
@pytest.mark.timeout(1800)
def test_planted_harmful_entries_are_put_away_in_nine_seeds_of_ten(capsys: pytest.CaptureFixture[str]) -> None:
    told = [planted(seed, 300) for seed in range(200, 240)]
    uses = sorted(count for counts, _ in told for count in counts)
    away = sum(away for _, away in told) / len(uses)
    with capsys.disabled():
        print(f"\nshown until put away: median {uses[len(uses) // 2]}, worst {uses[-1]}; put away {away:.0%}")

    assert sum(max(counts) <= 40 for counts, _ in told) >= 0.9 * len(told)
    assert away >= 0.9
