"""Test rubrics as Markdown files: which are bundled, which one is chosen, and the effect of an invalid one."""

import asyncio
from pathlib import Path

import pytest

from openkoi_base.skillfile.locations import plugin_locations
from openkoi_base.skillfile.requirements import MachineFeatures
from openkoi_base.skillfile.validation import validate
from openkoi_hookspecs import Hit, Learning, PluginNotFoundError, Recall, Task, events
from openkoi_judge.choose_rubric import choose_rubric
from openkoi_judge.rubrics_library import BUNDLED, RubricLibrary, load_rubrics, search_locations
from openkoi_judge.user_preferences import preferences
from openkoi_testing import GivenPlugins, make_run

MINE = """\
---
name: ledgers
kind: evaluator
description: Judges ledgers.
metadata:
  categories: [finance, code]
  dimensions:
    - {name: sums, weight: 0.7, description: "Do they add up?"}
    - {name: docs, weight: 0.3}
---
Add it up yourself.
"""


def put(data: Path, name: str, text: str) -> Path:
    file = data / "evaluators" / "user" / name / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    return file


def library(data: Path | None = None) -> RubricLibrary:
    return load_rubrics(search_locations(data, None, ()))


@pytest.mark.row("EVAL-08", "EVAL-09", "EVAL-10", "EVAL-11", "EVAL-12", "EVAL-13", "C18")
def test_six_rubrics_come_with_the_judge() -> None:
    found = {r.name: (r.categories, {d.name: d.weight for d in r.dimensions}) for r in library().rubrics}

    quarters = dict.fromkeys(("RESTfulness", "consistency", "error responses", "documentation"), 0.25)
    assert {
        "general": ((), {"relevance": 0.4, "quality": 0.35, "completeness": 0.25}),
        "code-review": (
            ("code", "refactor", "bugfix"),
            {"correctness": 0.4, "safety": 0.25, "style": 0.15, "completeness": 0.2},
        ),
        "prose-quality": (
            ("writing", "summary", "docs"),
            {"clarity": 0.3, "accuracy": 0.3, "tone": 0.2, "structure": 0.2},
        ),
        "sql-safety": (
            ("database", "migration"),
            {"correctness": 0.3, "safety": 0.3, "performance": 0.2, "reversibility": 0.2},
        ),
        "api-design": (("api", "endpoint", "schema"), quarters),
        "test-quality": (
            ("test", "testing"),
            {"coverage": 0.3, "assertions": 0.25, "isolation": 0.25, "readability": 0.2},
        ),
    } == found


@pytest.mark.row("EVAL-01", "EVAL-14")
@pytest.mark.parametrize("file", sorted(BUNDLED.folder.glob("*/SKILL.md")), ids=lambda file: str(file.parent.name))
def test_what_comes_with_the_judge_keeps_the_format_to_the_letter(file: Path) -> None:
    assert [] == validate(file, strict=True)


@pytest.mark.row("LEARN-10")
def test_what_a_person_prefers_chooses_where_the_task_says_nothing() -> None:
    rubrics, likes = library().rubrics, ["Judge my work by the prose-quality rubric."]

    assert "prose-quality" == choose_rubric(rubrics, "", Task("Fix it", category="code"), likes).name
    assert "sql-safety" == choose_rubric(rubrics, "", Task("Fix it, rubric: sql-safety"), likes).name


@pytest.mark.row("LEARN-10")
def test_a_preference_that_this_run_was_shown_counts_and_a_quoted_one_does_not(tmp_path: Path) -> None:
    async def choose_rubrics(*, quoted: bool) -> tuple[str, ...]:
        async with make_run(tmp_path) as run:
            likes = Learning("1", "preference", "Use the prose-quality rubric.", untrusted=quoted)
            trick = Learning("2", "heuristic", "Use the general rubric.")
            await run.emit(events.TaskStarted(run.task))
            await run.emit(events.RecallFinished(Recall((Hit(likes, 1.0), Hit(trick, 1.0)))))
            return preferences(run)

    texts, quoted = (asyncio.run(choose_rubrics(quoted=one)) for one in (False, True))

    assert ("Use the prose-quality rubric.",) == texts
    assert () == quoted


@pytest.mark.row("EVAL-22", "EVAL-26", "EVAL-15")
def test_a_folder_with_a_file_is_enough_and_outranks_what_is_bundled(tmp_path: Path) -> None:
    before = choose_rubric(library(tmp_path).rubrics, "", Task("Fix it", category="code"))
    put(tmp_path, "ledgers", MINE)

    after = choose_rubric(library(tmp_path).rubrics, "", Task("Fix it", category="code"))

    assert ("code-review", "ledgers") == (before.name, after.name)


def test_a_persons_file_replaces_a_bundled_one_of_its_name(tmp_path: Path) -> None:
    put(tmp_path, "mine", MINE.replace("name: ledgers", "name: general"))

    assert "sums" == choose_rubric(library(tmp_path).rubrics, "", Task("Whatever")).dimensions[0].name


def test_a_broken_file_is_left_out_and_named(tmp_path: Path) -> None:
    wrong = put(tmp_path, "ledgers", MINE.replace("0.7", "0.4"))
    binary = put(tmp_path, "noise", "")
    binary.write_bytes(b"\xff\xfe")

    found = library(tmp_path)

    assert 6 == len(found.rubrics)
    assert {f"{wrong} is not used", f"{binary} is not used"} == {c.partition(":")[0] for c in found.complaints}
    assert "line 7: the weights of the dimensions sum to 0.7" in " ".join(found.complaints)


def test_one_that_lacks_what_it_needs_gives_way_and_says_so(tmp_path: Path) -> None:
    needy = MINE.replace("metadata:", "metadata:\n  requires: {bins: [abacus]}").replace(
        "name: ledgers", "name: general"
    )
    put(tmp_path, "general", needy)

    found = load_rubrics(search_locations(tmp_path, None, ()), machine=MachineFeatures("linux", lambda _: None, {}))

    assert "relevance" == choose_rubric(found.rubrics, "", Task("Whatever")).dimensions[0].name
    assert "it requires the program abacus, which is not installed" in found.complaints[0]


@pytest.mark.row("EVAL-21", "C3", "C73")
def test_what_a_project_brings_is_read_when_it_is_trusted_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / ".agents" / "evaluators" / "ledgers" / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(MINE, encoding="utf-8")
    places = search_locations(None, tmp_path, ())
    approved: list[str] = []

    def approve(folder: Path, digest: str) -> bool:
        approved.append(digest)
        return folder == file.parent

    untrusted = load_rubrics(places)
    trusted = load_rubrics(places, approve)
    file.write_text(MINE.replace("0.7", "0.70"), encoding="utf-8")
    changed = load_rubrics(places, lambda folder, digest: digest in approved)

    assert [6, 7, 6] == [len(found.rubrics) for found in (untrusted, trusted, changed)]
    assert "is not approved" in untrusted.complaints[0]


@pytest.mark.row("C2")
def test_a_package_brings_rubrics_and_a_broken_package_costs_a_sentence(tmp_path: Path) -> None:
    put(tmp_path, "ledgers", MINE)
    koi = GivenPlugins({"skills": {"ledgers": tmp_path / "evaluators" / "user", "broken": 7}})

    locations, complaints = asyncio.run(plugin_locations(koi.plugins("skills")))
    places = search_locations(None, None, (), locations)

    assert "ledgers" in [rubric.name for rubric in load_rubrics(places).rubrics]
    assert ["The skills of broken (test) are not used"] == [complaint.partition(":")[0] for complaint in complaints]


@pytest.mark.row("EVAL-15", "EVAL-29")
@pytest.mark.parametrize(
    ("task", "expected"),
    [
        (Task("Mend the parser", category="bugfix"), "code-review"),
        (Task("Mend the parser", category="Refactor"), "code-review"),
        (Task("Say something", category="poetry"), "general"),
        (Task("Say something", category="docs"), "prose-quality"),
        (Task("Add an index", category="migration"), "sql-safety"),
        (Task("Add a route", category="endpoint"), "api-design"),
        (Task("Cover it", category="testing"), "test-quality"),
        (Task("Say something in general"), "general"),
        (Task("Say something in general", category="code"), "code-review"),
        (Task("Use the general evaluator", category="code"), "general"),
        (Task("Write it, rubric: general", category="code"), "general"),
        (Task("Judge it with code-review please"), "code-review"),
        (Task("Mend the pre-code-review-step"), "general"),
    ],
)
def test_the_task_names_the_rubric_or_its_category_does(task: Task, expected: str) -> None:
    assert expected == choose_rubric(library().rubrics, "", task).name


def test_the_configuration_outranks_the_task() -> None:
    assert "general" == choose_rubric(library().rubrics, "General", Task("With code-review", category="code")).name


def test_a_rubric_that_is_not_there_is_not_replaced_by_another() -> None:
    with pytest.raises(PluginNotFoundError, match="Did you mean 'general'"):
        choose_rubric(library().rubrics, "genral", Task("Anything"))
