"""A SKILL.md is read leniently and written strictly; what is wrong with it is said with its line."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from openkoi_base.skillfile.problem import InvalidSkillError
from openkoi_base.skillfile.skill import Skill, read_skill, write_skill
from openkoi_base.skillfile.validation import find_problems, validate

MORNING = """\
---
name: morning-summary
description: Sums up what was written since yesterday.
metadata:
  openclaw: {os: [linux]}
  openkoi:
    trigger: {hour: 9, days: [1, 2]}
---

# Morning

Read it all.
"""


def test_a_skill_is_a_markdown_file() -> None:
    skill = read_skill(MORNING, "folder")

    assert ("morning-summary", "task", "# Morning\n\nRead it all.") == (skill.name, skill.kind, skill.body)
    assert {"trigger": {"hour": 9, "days": [1, 2]}} == skill.metadata["openkoi"]


@pytest.mark.row("SKILL-01")
def test_what_is_meant_for_openclaw_and_for_openkoi_is_read_from_their_blocks() -> None:
    skill = read_skill(
        "---\nname: morning-slack-summary\ndescription: >\n  Fetches messages.\n  Sums them up.\nmetadata:\n"
        '  openclaw:\n    os: ["darwin", "linux"]\n    requires: {env: ["SLACK_BOT_TOKEN"], bins: [git]}\n'
        "  openkoi:\n    category: communication\n    trigger: {type: time, schedule: {hour: 9, days: [1, 5]}}\n"
        "    learned_from: pattern:abc123\n---\n# Morning\n",
        "folder",
    )

    needs = skill.requires
    assert (("darwin", "linux"), ("git",), ("SLACK_BOT_TOKEN",)) == (needs.systems, needs.programs, needs.variables)
    assert {"type": "time", "schedule": {"hour": 9, "days": [1, 5]}} == skill.metadata_value("trigger")
    assert ("communication", "pattern:abc123") == (
        skill.metadata_value("category"),
        skill.metadata_value("learned_from"),
    )


@pytest.mark.row("SKILL-02")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\n---\n", Skill("folder", "", "")),
        ("\ufeff---\r\nname: a\r\n---\r\nDo it.\r\n", Skill("a", "", "Do it.")),
        ("---\nname: a\ndescription: Use when: it rains\n---", Skill("a", "Use when: it rains", "")),
        ("---\nname: a\ndescription: It's odd: 'quoted'\n---", Skill("a", "It's odd: 'quoted'", "")),
        ("---\nname: 7\nkind: Evaluator\n---", Skill("7", "", "", kind="evaluator")),
        ("---\ndescription: >\n  Two\n  lines.\n---", Skill("folder", "Two lines.", "")),
        ("---\nmetadata: nothing\n---\n---\nmore\n---", Skill("folder", "", "---\nmore\n---")),
    ],
)
def test_what_people_write_by_hand_is_read(text: str, expected: Skill) -> None:
    assert expected == read_skill(text, "folder")


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("# No front matter", "line 1: it does not start with YAML between two lines of three dashes"),
        ("---\nname: a\n", "line 1: the front matter has no end"),
        ("---\n[\n---\n", "line 3: the front matter is not valid YAML"),
        ("---\n!!timestamp x\n---\n", "line 2: the front matter is not valid YAML: a value does not match its tag"),
        ("---\nname: a\n\n---\n\0", "line 5: it contains a NUL"),
        ("\ufffd" * 30 + "\n", "line 1: it is not UTF-8"),
        ("+++\nname = 'a'\n+++\n", "line 1: it does not start"),
        ("", "line 1: it does not start"),
        ("---\n- a\n---\n", "line 2: the front matter is not a table"),
        ("---\na: &a [x]\nb: [*a, *a]\n---\n", "line 3: the front matter is not supported YAML: references (*)"),
        (
            "---\na: " + "[" * 3000 + "\n---\n",
            "line 2: the front matter is not supported YAML: values are nested more than 60 deep",
        ),
        (
            "---\na:\n " + "- " * 31_000 + "x\n---\n",
            "line 3: the front matter is not supported YAML: values are nested more than 60 deep",
        ),
        ("---\n" + "a: b\n" * 20_000 + "---\n", "line 1: the front matter is longer than"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(text: str, reply: str) -> None:
    with pytest.raises(InvalidSkillError) as error:
        read_skill(text, "folder")

    assert str(error.value).startswith(reply)


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=200))
def test_whatever_stands_in_a_file_it_is_a_skill_or_refused(front: str) -> None:
    try:
        skill = read_skill(f"---\n{front}\n---\nbody", "folder")
    except InvalidSkillError:
        return

    assert skill.name


NAMES = st.from_regex(r"[a-z0-9]{1,9}(-[a-z0-9]{1,9}){0,3}", fullmatch=True)
LINES = st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), min_size=1, max_size=80)


@pytest.mark.row("SKILL-01")
@settings(deadline=None, max_examples=40)
@given(NAMES, LINES, LINES, st.sampled_from(["task", "evaluator"]))
def test_what_is_written_is_read_as_the_same_skill(name: str, description: str, body: str, kind: str) -> None:
    output = " ".join(description.split()) or "It."
    skill = Skill(name, output, body.strip(), kind=kind, metadata={"openkoi": {"category": output}})

    text = write_skill(skill)

    assert skill == read_skill(text, "other")
    assert [] == [problem for problem in find_problems(text, name) if kind == "task"]


@pytest.mark.row("SKILL-01")
def test_what_is_written_has_no_field_that_other_readers_do_not_know() -> None:
    skill = Skill("mine", "It.", "Do it.", kind="evaluator", metadata={"weight": 1, "tags": ["a"], "note": "b"})

    text = write_skill(skill)

    front = yaml.safe_load(text.split("---\n")[1])
    assert {"name", "description", "metadata"} == set(front)
    assert {"openkoi-kind": "evaluator", "note": "b", "openkoi-metadata": '{"weight": 1, "tags": ["a"]}'} == front[
        "metadata"
    ]
    assert skill == read_skill(text, "other")


@pytest.mark.parametrize(
    ("reply", "tools"),
    [
        ("allowed-tools: Read Bash(git:*)", ("Read", "Bash(git:*)")),
        ("allowed-tools: [Read, 'Bash(git status:*)', Read]", ("Read", "Bash(git status:*)")),
        ("allowed-tools: Read, Write,", ("Read", "Write")),
        ("metadata: {allowed-tools: Read}", ("Read",)),
        ("allowed-tools: {a: b}", ("a(b)",)),
        ("allowed-tools: {Read: true, Bash: false}", ("Read",)),
        ("allowed-tools:\n- Bash(npm run: x)", ("Bash(npm run: x)",)),
        ("allowed-tools: [Read, Bash(git log, x)]", ("Read", "Bash(git log, x)")),
        ('allowed-tools: \'["Read", "Bash(git:*)"]\'', ("Read", "Bash(git:*)")),
        ("allowed-tools: Bash (git *), `Read`", ("Bash(git *)", "Read")),
        ("allowed-tools: Bash(sh -c (x):*) Read", ("Bash(sh -c (x):*)", "Read")),
        ("allowed-tools: >-\n  - Read\n  - Write", ("Read", "Write")),
        ("license: MIT", ()),
    ],
)
def test_tools_are_read_however_they_are_written(reply: str, tools: tuple[str, ...]) -> None:
    assert tools == read_skill(f"---\n{reply}\n---\n", "a").tools


@pytest.mark.row("SKILL-06")
def test_fields_of_the_future_are_passed_over_and_named_when_strict() -> None:
    text = "---\nname: a\ndescription: It.\nschema_version: 1\nshape: round\n---\nDo it.\n"

    assert [] == find_problems(text, "a")
    assert ["line 5: unknown field 'shape'; put your own fields into metadata"] == [
        str(problem) for problem in find_problems(text, "a", strict=True)
    ]


@pytest.mark.row("SKILL-06")
@pytest.mark.parametrize("version", ["", "schema_version: 1\n", "schema_version: 1.0\n", "schema_version: '1'\n"])
def test_a_file_of_the_version_that_is_known_is_read(version: str) -> None:
    skill = read_skill(f"---\nname: a\n{version}description: It.\n---\nDo it.\n", "")

    assert ("a", "It.", ()) == (skill.name, skill.description, skill.front.corrections)


@pytest.mark.row("SKILL-06")
@pytest.mark.parametrize("version", ["2", "1.1", "'2'", "next"])
def test_a_file_of_another_version_is_refused_with_its_line(version: str) -> None:
    with pytest.raises(InvalidSkillError, match=r"not supported \(only 1 is\); update OpenKoi") as refused:
        read_skill(f"---\nname: a\nschema_version: {version}\ndescription: It.\n---\nDo it.\n", "")

    assert 3 == refused.value.problem.line


@pytest.mark.parametrize(
    "skill",
    [Skill("No Spaces", "It.", ""), Skill("a" * 65, "It.", ""), Skill("a", "", ""), Skill("a", "x" * 1025, "")],
)
def test_what_other_readers_would_refuse_is_not_written(skill: Skill) -> None:
    with pytest.raises(InvalidSkillError):
        write_skill(skill)


EVALUATOR = """\
---
name: ledgers
kind: evaluator
description: Judges ledgers.
metadata:
  categories: [finance]
  dimensions:
    - {name: sums, weight: 0.7, description: "Do they add up?"}
    - name: docs
      weight: 0.3
      description: Is it explained?
---
Add it up yourself.
"""


@pytest.mark.row("EVAL-14", "C51")
@pytest.mark.parametrize(
    ("old", "new", "lenient", "strict"),
    [
        ("name: ledgers", "name: ledgers", [], []),
        ("name: ledgers", "name: Ledgers", [], [2]),
        ("description: Judges ledgers.\n", "", [], [1]),
        ("categories: [finance]", "categories: []", [], [6]),
        (', description: "Do they add up?"', "", [], [8]),
        ("Add it up yourself.", "", [], [1]),
        ("kind: evaluator", "kind: referee", [3], [3]),
        ("weight: 0.3", "weight: heavy", [7, 10], [7, 10]),
        ("weight: 0.3", "weight: 0.2", [7], [7]),
        ("name: docs", "name: Sums", [7], [7]),
        ("- name: docs\n      weight", "- weight", [9], [9]),
        ("dimensions:", "criteria:", [5], [5]),
        ("  categories", "  method: guess\n  categories", [6], [6]),
        ("  categories", "  method: contains\n  categories", [5], [5]),
        ("  categories", "  method: regex\n  expect: '('\n  categories", [7], [7]),
        ("  categories", "  method: contains\n  expect: x\n  of: moon\n  categories", [8], [8]),
    ],
)
def test_each_problem_is_told_with_its_file_and_line(
    tmp_path: Path, old: str, new: str, lenient: list[int], strict: list[int]
) -> None:
    file = tmp_path / "ledgers" / "SKILL.md"
    file.parent.mkdir()
    file.write_text(EVALUATOR.replace(old, new), encoding="utf-8")

    assert lenient == [problem.line for problem in validate(file)]
    assert strict == [problem.line for problem in validate(file.parent, strict=True)]
    assert all(str(problem).startswith(f"{file}:{problem.line}: ") for problem in validate(file, strict=True))


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_bytes(b"\xff\xfe")

    assert [1, 1] == [len(validate(path)) for path in (tmp_path, tmp_path / "absent.md")]


@pytest.mark.parametrize(
    ("front", "asked"),
    [
        ("disable-model-invocation: true", True),
        ("disable-model-invocation: 'Yes'", True),
        ("metadata: {disable-model-invocation: 'true'}", True),
        ("metadata: {disable-model-invocation: 'on'}", True),
        ("disable-model-invocation: false", False),
        ("license: MIT", False),
    ],
)
def test_a_skill_may_want_to_be_asked_for_and_is_written_so(front: str, asked: bool) -> None:
    skill = read_skill(f"---\nname: a\ndescription: It.\n{front}\n---\nDo it.", "a")

    assert asked == skill.by_name == read_skill(write_skill(skill), "a").by_name
