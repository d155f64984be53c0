"""Test the signals for a skill, and which parts of skills are shown."""

from pathlib import Path

import pytest

from openkoi_base.skillfile.locations import FoundSkill, SkillSource
from openkoi_base.skillfile.skill import Skill
from openkoi_hookspecs import Hit, Learning, Passage, Recall
from openkoi_search.index import make_index
from openkoi_skills.library import approval_score
from openkoi_skills.prompt import choose_skills, format_cut_index, format_index, rank_index
from openkoi_skills.similarity import rate_fit
from openkoi_skills.skill_ranking import (
    RankedSkill,
    Signals,
    SkillEffect,
    find_mentioned,
    mentions_skill,
    rank_candidates,
    recalled_texts,
)

pytestmark = pytest.mark.unit


def found(name: str, body: str = "Do it.", source: SkillSource = SkillSource.USER, **metadata: object) -> FoundSkill:
    return FoundSkill(Skill(name, f"About {name}", body, metadata=metadata), source, Path(name) / "SKILL.md")


def rank(name: str, body: str = "Do it.", **signals: object) -> RankedSkill:
    return RankedSkill(found(name, body), signals=Signals(**signals))  # type: ignore[arg-type]  # a test's own names


@pytest.mark.row("LEARN-01", "LEARN-02")
@pytest.mark.parametrize(
    ("signals", "score"),
    [
        (Signals(), 0.0),
        (Signals(explicit=True), 1.0),
        (Signals(effect=SkillEffect(0.9, 10)), 0.36),
        (Signals(effect=SkillEffect(0.9, 5)), 0.18),
        (Signals(effect=SkillEffect(0.9, 500)), 0.36),
        (Signals(similarity=0.3), 0.0),
        (Signals(similarity=0.5), 0.15),
        (Signals(recalled=True), 0.2),
        (Signals(approved=0.8), 0.24),
        (Signals(recalled=True, similarity=1.0, approved=1.0, effect=SkillEffect(1.0, 10)), 1.0),
    ],
)
def test_signals_make_a_score(signals: Signals, score: float) -> None:
    assert score == pytest.approx(signals.score)


@pytest.mark.row("LEARN-02")
def test_the_five_best_are_kept_and_what_was_asked_for_always_is() -> None:
    weak = [rank(f"weak-{n}", approved=0.3) for n in range(3)]
    good = [rank(f"good-{n}", recalled=True) for n in range(4)]

    skills = rank_candidates([*weak, *good, rank("mine", explicit=True), rank("fair", approved=0.5)])

    assert ["mine", "good-0", "good-1", "good-2", "good-3"] == [one.found.skill.name for one in skills]
    assert [] == rank_candidates(weak)


@pytest.mark.row("LEARN-01", "EVAL-29")
@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("release-notes", "Write the release notes", True),
        ("release-notes", "release_notes, please", True),
        ("release-notes", "pre-release-notes", False),
        ("review", "Review my code", False),
        ("review", "use review on it", True),
        ("review", "with the review skill", True),
        ("review", "skill: review", True),
        ("review", "$review it", True),
        ("review", "use reviewers", False),
        ("c++", "write c++ now", True),
        ("", "anything", False),
    ],
)
def test_a_task_names_a_skill(name: str, text: str, named: bool) -> None:
    assert named == mentions_skill(name, text)


@pytest.mark.row("LEARN-01", "LEARN-10")
def test_memory_may_speak_of_a_skill() -> None:
    keyed = Learning("a", "heuristic", "It helped.", keys=("release-notes",))

    recall = Recall([Hit(keyed, 1.0), Hit(Passage("b", "Review it"), 1.0)])

    assert {"release-notes"} == find_mentioned(
        [("release", "release-notes"), ("review", "review")], *recalled_texts(recall)
    )


@pytest.mark.row("LEARN-01")
def test_what_was_learned_and_approved_or_made_one_s_own_counts() -> None:
    learned = {"learned_from": "pattern:abc", "confidence": 0.89}

    assert 0.89 == approval_score(found("mine", openkoi=learned))
    assert 1.0 == approval_score(found("mine", openkoi={"learned_from": "pattern:abc"}))
    assert 0.89 == approval_score(found("ours", source=SkillSource.PROPOSED, openkoi=learned))
    assert 0.0 == approval_score(found("mine", source=SkillSource.MANAGED, openkoi=learned))
    assert 0.0 == approval_score(found("mine"))


LIBRARY = {
    name: f"{name.replace('-', ' ')}: {purpose}"
    for name, purpose in {
        "deploy-pond": "Deploys the pond with its fish, behind the sluice.",
        "write-tests": "Writes unit tests for Python functions.",
        "invoice-export": "Exports invoices as CSV for the bank.",
        "release-notes": "Writes the notes of a release from its commits.",
        "translate-text": "Translates texts into German and French.",
    }.items()
}


@pytest.mark.parametrize(
    ("task", "best"),
    [
        ("Deploy the pond again", "deploy-pond"),
        ("Add unit tests for these Python functions", "write-tests"),
        ("The bank needs our invoices as CSV", "invoice-export"),
        ("Sing a song about the moon", ""),
        ("the of and", ""),
        ("What is the capital of Peru?", ""),
    ],
)
def test_the_skill_that_has_the_words_of_a_task_fits_and_none_does_by_a_common_word(task: str, best: str) -> None:
    fit = rate_fit(task, make_index(LIBRARY))

    assert (best, bool(best)) == (next(iter(fit.shares), "") if fit.is_clear else "", fit.is_clear)
    assert not best or 1.0 == fit.shares[best]


COMMON = {f"s{number}": f"List the files, show the second line, and number {number}." for number in range(50)}


@pytest.mark.parametrize(
    ("task", "shown"),
    [
        ("Export our invoices for the bank", True),
        ("List the files and show me the second line", False),
        ("While the cake burned, the bank called about our invoices, and a dog barked at the postman", False),
    ],
)
def test_neither_many_common_words_nor_a_small_part_of_a_task_make_a_skill_fit(task: str, shown: bool) -> None:
    library = {**COMMON, "invoice-export": "Exports invoices as CSV for the bank."}

    assert shown == rate_fit(task, make_index(library)).is_clear


def test_skills_on_the_same_topic_decide_together_whether_a_task_is_on_it() -> None:
    one = {**COMMON, "infographics": "Draws infographics."}
    three = {**one, "posters": "Draws infographics on posters.", "slides": "Draws slides with infographics."}

    assert [False, True] == [
        rate_fit("Draw a nice big infographic", make_index(library)).is_clear for library in (one, three)
    ]


@pytest.mark.row("SKILL-04")
def test_the_index_is_shortened_before_a_skill_is_left_out() -> None:
    skills = [Skill(f"s{n:03}", "word " * 100, "") for n in range(30)]

    assert "word word" in format_index(skills, 4_000)
    assert 30 == format_index(skills, 200).count("- s0")
    assert "" == format_index(skills, 60)
    tight = format_cut_index(skills, 60)
    assert tight.omitted
    assert 30 == tight.text.count("- s0") + len(tight.omitted)
    assert len(tight.text) <= 240


@pytest.mark.row("SKILL-04")
def test_a_cut_index_lists_what_fits_the_task_then_what_did_well_and_describes_the_best() -> None:
    skills = [Skill(f"s{n:03}", f"For {n}", "") for n in range(500)]

    cut = format_cut_index(rank_index(skills, {"s400": 0.5, "s300": 1.0}, {"s400": 9.0, "s099": 2.0}), 300)

    lines = [line.removeprefix("- ") for line in cut.text.splitlines() if line.startswith("- ")]
    assert ["s300: For 300", "s400: For 400", "s099: For 99", "s000: For 0"] == lines[:4]
    assert [10, 500] == [sum(":" in line for line in lines), len(lines) + len(cut.omitted)]


@pytest.mark.row("SKILL-04")
def test_bodies_are_shown_of_what_is_about_the_task_while_there_is_room() -> None:
    skill = rank("asked", "x" * 900, explicit=True)
    near, far = rank("near", similarity=0.9), rank("far", effect=SkillEffect(1.0, 10))
    long = rank("long", "x" * 5_000, similarity=0.9)

    chosen = choose_skills([skill, near, long, far], tokens=300, most=2)

    assert ((skill, near), (long, far)) == (chosen.bodies, chosen.hints)
    assert () == choose_skills([near], tokens=300, most=0).bodies


def test_a_skill_that_keeps_to_some_tools_is_not_forced_upon_a_task() -> None:
    skill = Skill("strict", "It.", "Do it.", metadata={"allowed-tools": "Read"})
    strict = RankedSkill(
        FoundSkill(skill, SkillSource.USER, Path("strict") / "SKILL.md"), signals=Signals(similarity=0.9)
    )

    assert (strict,) == choose_skills([strict], tokens=300, most=2).hints


def test_a_skill_is_asked_for_by_the_name_that_its_author_gave_it() -> None:
    assert [True, True, False] == [
        mentions_skill("sw-team-build", f"Use {reply}")
        for reply in ("sw/team_build", "SW:team build", "sw. Team. Build")
    ]


def test_what_is_hidden_from_a_task_does_not_fit_it() -> None:
    fit = rate_fit("Deploy the pond again", make_index(LIBRARY), {"deploy-pond"})

    assert "deploy-pond" not in fit.shares
