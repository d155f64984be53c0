"""Test the second generator: what it draws, and whether its truth understands its own texts."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from learning_gym.second_generator import SecondWorld, build_world, draw_features, draw_second_worlds, options
from learning_gym.second_truth import Plan, Reader
from learning_gym.second_words import (
    LINTER_TEMPLATES,
    PARAPHRASES,
    PLATITUDES,
    Domain,
    Subject,
    domains,
    paraphrase,
)

from openkoi_hookspecs import Evaluation, Severity
from openkoi_testing.gym.runs import feedback_lines, is_accepted, run_task
from openkoi_testing.gym.world import Claim, GymTask, Prompt


@pytest.fixture(scope="module")
def worlds() -> list[SecondWorld]:
    return [world for world in draw_second_worlds() if isinstance(world, SecondWorld)]


def world_like(seed: str, **changes: object) -> SecondWorld:
    return build_world(seed, replace(draw_features(Random(seed)), **changes))  # type: ignore[arg-type]  # named by tests


def first_look(world: SecondWorld, shown: tuple[str, ...] = ()) -> tuple[GymTask, str, Evaluation]:
    task = world.next_task()
    work = world.attempt(Prompt(task=task, shown=shown))
    return task, work, world.evaluate(task, work, first=True)


def told_rights(world: SecondWorld, task: GymTask) -> tuple[str, ...]:
    truth = world.truth
    return tuple(truth.advise(one, truth.right(task.project, one)) for one in truth.needs(task))


def reader_of(domain: Domain) -> Reader:
    names = tuple(one.name for one in domain.subjects)
    return Reader(Plan(domain=domain, projects=domain.projects, wide=names, topics={}, exceptions={}))


def every_subject() -> Iterator[tuple[Reader, Subject]]:
    for domain in domains():
        reader = reader_of(domain)
        yield from ((reader, subject) for subject in domain.subjects)


def test_every_feature_occurs(worlds: list[SecondWorld]) -> None:
    drawn = [world.features for world in worlds]

    assert 60 == len(worlds) == len({world.name for world in worlds})
    assert {1, 2, 3, 4, 5, 6} == {one.facts for one in drawn}
    assert {True, False} == {one.shared for one in drawn} == {one.stubborn for one in drawn}
    assert {"per fact", "per task", "none"} == {one.checks for one in drawn}
    assert {"rule", "dimension", "free text"} == {one.findings for one in drawn}
    assert {"templates", "synonyms", "both"} == {one.wording for one in drawn}
    assert {"title", "detail", "fix"} == {one.layout for one in drawn}
    assert {1, 2} == {one.projects for one in drawn}
    assert {0, 1, 2} == {one.wide for one in drawn}
    assert {0, 1, 2, 3} == {one.exceptions for one in drawn}
    assert {1, 2, 3, 4} == {one.kinds for one in drawn}
    assert {0, 1, 2, 3, 4} == {one.domain for one in drawn}


def test_shares_are_spread_over_their_ranges(worlds: list[SecondWorld]) -> None:
    drawn = [world.features for world in worlds]
    drifts = [one.drift for one in drawn if one.drift]

    assert 0.0 == min(one.wrong_advice for one in drawn)
    assert 0.25 < max(one.wrong_advice for one in drawn) <= 0.3
    assert 0.1 <= min(drifts) < 0.2 < 0.4 < max(drifts) <= 0.5
    assert 0.0 <= min(one.knows for one in drawn) < 0.15 < 0.65 < max(one.knows for one in drawn) <= 0.8
    assert 0.6 <= min(one.obeys for one in drawn) < 0.7 < 0.9 < max(one.obeys for one in drawn) <= 1.0
    assert {0.0} < {one.platitudes for one in drawn}
    assert {True, False} == {world.drifts_at >= 0 for world in worlds}


def test_a_seed_determines_its_world() -> None:
    one, same = (draw_second_worlds(4, seed=7)[3] for _ in range(2))

    for _ in range(10):
        assert run_task(one, one.next_task(), ()).iterations == run_task(same, same.next_task(), ()).iterations


def test_fewer_worlds_are_the_first_of_many() -> None:
    assert [one.name for one in draw_second_worlds(9)[:3]] == [one.name for one in draw_second_worlds(3)]


def test_a_model_that_obeys_passes_with_every_right_value(worlds: list[SecondWorld]) -> None:
    for drawn in worlds:
        world = build_world(drawn.seed, replace(drawn.features, obeys=1.0))
        task = world.next_task()
        lines = told_rights(world, task)
        work = world.attempt(Prompt(task=task, shown=lines))

        assert is_accepted(world.evaluate(task, work, first=True))
        assert world.truth.passes(task, work)
        assert not any(world.truth.misleads(task, line) for line in lines)


def test_evaluator_accepts_exactly_what_is_right(worlds: list[SecondWorld]) -> None:
    for drawn in worlds:
        world = build_world(drawn.seed, drawn.features)
        for _ in range(5):
            task, work, judged = first_look(world)

            assert world.truth.passes(task, work) is is_accepted(judged)


def test_facts_of_a_task_are_as_many_as_drawn(worlds: list[SecondWorld]) -> None:
    for drawn in worlds:
        world = build_world(drawn.seed, drawn.features)

        assert {drawn.features.facts} == {len(set(world.truth.needs(world.next_task()))) for _ in range(8)}


def test_kinds_rotate() -> None:
    world = world_like("kinds", kinds=3)
    kinds = [world.next_task().kind for _ in range(6)]

    assert 3 == len(set(kinds[:3]))
    assert kinds[:3] == kinds[3:]


@pytest.mark.parametrize("share", [0.1, 0.3])
@pytest.mark.parametrize("findings", ["rule", "dimension", "free text"])
def test_share_of_wrong_advice_is_as_drawn(share: float, findings: str) -> None:
    world = world_like("advice", facts=6, knows=0.0, findings=findings, wrong_advice=share, drifts_at=-1, exceptions=2)
    wrong = output = 0
    for _ in range(80):
        task, _, judged = first_look(world)
        for finding in judged.findings:
            needed = world.truth.subject_of(finding, task)
            claims = world.truth.claims(feedback_lines([finding])[0], task)
            advised = [one for one in claims if one.subject == needed and not one.denied]
            output += len(advised)
            wrong += sum(one.value != world.truth.right(task.project, needed) for one in advised)

    assert output > 250
    assert share == pytest.approx(wrong / output, abs=0.04)


def test_findings_name_the_used_value_as_wrong_and_one_other(worlds: list[SecondWorld]) -> None:
    for drawn in worlds:
        world = build_world(drawn.seed, replace(drawn.features, knows=0.0))
        for _ in range(4):
            task, _, judged = first_look(world)
            real = [one for one in judged.findings if world.truth.subject_of(one, task)]
            claims = [world.truth.claims(feedback_lines([one])[0], task) for one in real]

            assert all({True, False} == {one.denied for one in reply} and 2 == len(reply) for reply in claims)
            assert {world.truth.subject_of(one, task) for one in real} <= set(world.truth.needs(task))


@pytest.mark.parametrize("wording", ["templates", "synonyms", "both"])
def test_all_ten_paraphrases_are_read_back(wording: str) -> None:
    for reader, subject in every_subject():
        used, value = subject.values[:2]
        meant = {Claim(subject.name, value), Claim(subject.name, used, denied=True)}
        reply = [paraphrase(subject, used, value, number=n, wording=wording) for n in range(PARAPHRASES)]

        assert 10 == len(set(reply))
        assert [] == [text for text in reply if meant != reader.claims(text)]
        assert {subject.name} == {reader.about(text) for text in reply}


@pytest.mark.parametrize(
    "around", ["Found twice: {}", "Avoid this mistake: {}", "- *{}* (no. 1234)", "A reviewer said: '{}'"]
)
def test_quoted_findings_say_the_same(around: str) -> None:
    for reader, subject in every_subject():
        reply = [paraphrase(subject, *subject.values[:2], number=n, wording="both") for n in range(PARAPHRASES)]

        assert [] == [text for text in reply if reader.claims(text) != reader.claims(around.format(text))]


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("Currency: EUR", False),
        ("Do not use `EUR` as the currency.", True),
        ("never EUR for the billing currency", True),
        ("Prefer USD over EUR.", True),
        ("Wrong currency: `EUR`.", True),
        ("currency: GBP -> EUR", False),
        ("Instead of GBP, use EUR.", False),
    ],
)
def test_other_words_for_advice_are_understood(text: str, denied: bool) -> None:
    invoices = next(one for one in domains() if one.name == "invoices")

    assert Claim("currency", "EUR", denied) in reader_of(invoices).claims(text)


@pytest.mark.parametrize("template", LINTER_TEMPLATES)
def test_linter_messages_are_read_back(template: str) -> None:
    for reader, subject in every_subject():
        text = template.format(name=subject.name, used=subject.values[-1], value=subject.values[0])
        meant = {Claim(subject.name, subject.values[0]), Claim(subject.name, subject.values[-1], denied=True)}

        assert meant == reader.claims(text)


@pytest.mark.parametrize(
    "around",
    [
        "- {}",
        "Learned from earlier tasks: {}",
        "{} (seen 3 times)",
        "In this project, remember: {}",
        '> "{}"',
        "**Note:** {}\n",
    ],
)
def test_quoted_advice_says_the_same(around: str, worlds: list[SecondWorld]) -> None:
    for world in worlds[:20]:
        for subject, values in options(world.plan).items():
            line = around.format(world.truth.advise(subject, values[0]))

            assert {Claim(subject, values[0])} == world.truth.claims(line)


def test_platitudes_and_tasks_say_nothing(worlds: list[SecondWorld]) -> None:
    for drawn in worlds:
        world = build_world(drawn.seed, drawn.features)
        texts = [*PLATITUDES, *(world.next_task().text for _ in range(5))]

        assert [] == [text for text in texts if world.truth.claims(text)]


def test_no_name_or_value_can_be_mistaken_for_another() -> None:
    for domain in domains():
        names = [one.name for one in domain.subjects]
        every_name = [name for one in domain.subjects for name in one.names]
        values = {value.casefold() for one in domain.subjects for value in one.values}

        assert [] == [(a, b) for a in names for b in names if a != b and a in b]
        assert len(every_name) == len(set(every_name))
        assert not values & set(every_name)
        assert [] == [(name, value) for name in names for value in values if name in value]
        assert all(len(one.values) >= 4 for one in domain.subjects)


def test_drift_changes_what_is_right_at_its_task_only() -> None:
    world = world_like("drift", drift=0.4, drifts_at=6, projects=2, exceptions=2)
    keys = [(project, subject) for project in world.plan.projects for subject in options(world.plan)]
    rows = []
    for _ in range(12):
        world.next_task()
        rows.append([world.truth.right(*key) for key in keys])

    assert rows[:6] == [rows[0]] * 6
    assert rows[6:] == [rows[6]] * 6
    changed = sum(old != new for old, new in zip(rows[0], rows[6], strict=True))
    assert 0.4 == pytest.approx(changed / len(keys), abs=0.5 / len(keys))


def test_two_projects_have_opposite_truths(worlds: list[SecondWorld]) -> None:
    for drawn in [one for one in worlds if one.features.projects == 2]:
        world = build_world(drawn.seed, replace(drawn.features, drifts_at=0))
        for _ in range(2):
            rights = [
                [world.truth.right(one, subject) for subject in options(world.plan)] for one in world.plan.projects
            ]
            world.next_task()

            assert not any(one == other for one, other in zip(*rights, strict=True))


def test_an_exception_holds_only_where_it_applies() -> None:
    world = world_like("exception", domain=2, facts=2, wide=0, exceptions=3, projects=1, drifts_at=-1)
    (name, condition), project = next(iter(world.plan.exceptions.items())), world.plan.projects[0]
    topic = next(topic for topic, needed in world.plan.topics.items() if name in needed)
    usual = GymTask(project, f"Draft the bill for {topic}.")
    other = GymTask(project, f"Draft the bill for {topic}, {condition.task[1]}.")
    rule, exception = name, f"{name} / {condition.marks[0]}"
    truth = world.truth

    assert rule in truth.needs(usual)
    assert exception in truth.needs(other)
    for subject, task, elsewhere in ((rule, usual, other), (exception, other, usual)):
        line = truth.advise(subject, truth.right(project, subject))
        assert {Claim(subject, truth.right(project, subject))} == truth.claims(line, task) == truth.claims(line)
        assert set() == truth.claims(line, elsewhere)
    plain = f"Use {truth.right(project, rule)} as the {name}."
    assert truth.misleads(other, plain)
    assert not truth.misleads(usual, plain)


def test_platitudes_are_as_frequent_as_drawn() -> None:
    world = world_like("platitudes", platitudes=0.3)
    reply = [one for _ in range(200) for one in first_look(world)[2].findings if one.title in PLATITUDES]

    assert 0.3 == pytest.approx(len(reply) / 200, abs=0.08)
    assert {Severity.IMPORTANT, Severity.SUGGESTION} == {one.severity for one in reply}


def test_what_is_shown_does_not_disturb_other_tasks() -> None:
    plain, world = world_like("streams", obeys=0.8), world_like("streams", obeys=0.8)
    plain.attempt(Prompt(task=plain.next_task()))
    first_look(world, shown=("Use your head.",))

    assert first_look(plain)[:2] == first_look(world)[:2]
