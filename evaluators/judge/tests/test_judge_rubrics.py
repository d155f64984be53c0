"""Rubrics are Markdown files: what a file has to say, which one is chosen, and what a broken one costs."""

from pathlib import Path

import pytest

from openkoi_hookspecs import KoiError, Task, UnknownName
from openkoi_judge.choice import choose
from openkoi_judge.rubric import Dimension, Rubric
from openkoi_judge.shelf import fetch
from openkoi_judge.skillfile import read_rubric

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


def put(folder: Path, name: str, text: str) -> Path:
    file = folder / "user" / name / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_a_rubric_is_a_markdown_file() -> None:
    expected = Rubric(
        "ledgers",
        (Dimension("sums", 0.7, "Do they add up?"), Dimension("docs", 0.3)),
        description="Judges ledgers.",
        categories=("finance", "code"),
        guide="Add it up yourself.",
    )

    assert expected == read_rubric(MINE, "anything")


@pytest.mark.row("C51", "EVAL-14")
def test_it_is_read_leniently() -> None:
    text = "\ufeff---\r\ncategories: finance, tax\r\ndimensions:\r\n  - {name: sums, weight: '1.0'}\r\n---\r\n"

    assert Rubric("folder", (Dimension("sums", 1.0),), categories=("finance", "tax")) == read_rubric(text, "folder")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("# No front matter", "two lines of three dashes"),
        ("---\nname: [\n---\n", "is not YAML"),
        (MINE.replace("evaluator\n", "skill\n"), "kind is 'skill'"),
        (MINE.replace("dimensions:", "criteria:"), "no list of metadata.dimensions"),
        (MINE.replace("0.7", "0.4"), "sum to 0.7"),
        (MINE.replace("0.7", "heavy"), "the weight of its dimension 'sums' is 'heavy'"),
        (MINE.replace("0.7", ".nan"), "the weight of its dimension 'sums' is nan"),
        (MINE.replace("name: docs", "name: Sums"), "the same name"),
        (MINE.replace("name: docs", "title: docs"), "has no name"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_words(text: str, wrong: str) -> None:
    with pytest.raises(KoiError, match=wrong):
        read_rubric(text, "ledgers")


@pytest.mark.row("EVAL-08", "EVAL-09")
def test_two_rubrics_come_with_the_judge() -> None:
    weights = {r.name: {d.name: d.weight for d in r.dimensions} for r in fetch(None).rubrics}

    assert {
        "code-review": {"correctness": 0.4, "safety": 0.25, "style": 0.15, "completeness": 0.2},
        "general": {"relevance": 0.4, "quality": 0.35, "completeness": 0.25},
    } == weights


@pytest.mark.row("EVAL-22", "EVAL-26", "EVAL-15")
def test_a_folder_with_a_file_is_enough_and_outranks_what_is_bundled(tmp_path: Path) -> None:
    before = choose(fetch(tmp_path).rubrics, "", Task("Fix it", category="code"))
    put(tmp_path, "ledgers", MINE)

    after = choose(fetch(tmp_path).rubrics, "", Task("Fix it", category="code"))

    assert ("code-review", "ledgers") == (before.name, after.name)


def test_a_persons_file_replaces_a_bundled_one_of_its_name(tmp_path: Path) -> None:
    put(tmp_path, "mine", MINE.replace("name: ledgers", "name: general"))

    assert "sums" == choose(fetch(tmp_path).rubrics, "", Task("Whatever")).dimensions[0].name


def test_a_broken_file_is_left_out_and_named(tmp_path: Path) -> None:
    file = put(tmp_path, "ledgers", MINE.replace("0.7", "0.4"))
    binary = put(tmp_path, "noise", "")
    binary.write_bytes(b"\xff\xfe")

    shelf = fetch(tmp_path)

    assert ["code-review", "general"] == sorted(rubric.name for rubric in shelf.rubrics)
    assert [f"The rubric {file} is not used", f"The rubric {binary} is not used"] == [
        complaint.partition(":")[0] for complaint in shelf.complaints
    ]


@pytest.mark.row("EVAL-15", "EVAL-29")
@pytest.mark.parametrize(
    ("task", "expected"),
    [
        (Task("Mend the parser", category="bugfix"), "code-review"),
        (Task("Mend the parser", category="Refactor"), "code-review"),
        (Task("Say something", category="poetry"), "general"),
        (Task("Say something in general"), "general"),
        (Task("Say something in general", category="code"), "code-review"),
        (Task("Use the general evaluator", category="code"), "general"),
        (Task("Write it, rubric: general", category="code"), "general"),
        (Task("Judge it with code-review please"), "code-review"),
        (Task("Mend the pre-code-review-step"), "general"),
    ],
)
def test_the_task_names_the_rubric_or_its_category_does(task: Task, expected: str) -> None:
    assert expected == choose(fetch(None).rubrics, "", task).name


def test_the_configuration_outranks_the_task() -> None:
    assert "general" == choose(fetch(None).rubrics, "General", Task("With code-review", category="code")).name


def test_a_rubric_that_is_not_there_is_not_replaced_by_another() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'general'"):
        choose(fetch(None).rubrics, "genral", Task("Anything"))
