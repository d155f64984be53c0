"""What a person can understand is read, and what is odd about it is said with its line."""

import os
from pathlib import Path

import pytest

from openkoi_base.skillfile.locations import SkillLocation, SkillSource, collect_skills
from openkoi_base.skillfile.requirements import MachineFeatures, describe_missing, parse_requirements
from openkoi_base.skillfile.skill import TASK, read_skill
from openkoi_base.skillfile.validation import find_problems, validate

DATA = Path(__file__).parents[3] / "tests" / "data" / "skills"
PLAIN = "---\nname: a\ndescription: {}\n---\nbody"
REPLY = "is not valid YAML and is read as plain text"


@pytest.mark.row("SKILL-01")
@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Use when: it rains", "Use when: it rains"),
        ("Use when the user\n  asks: for this\n  and more", "Use when the user asks: for this and more"),
        ("first line\nsecond line of it", "first line second line of it"),
        ("|\n  first\n second", "first second"),
        ("| one line: here", "one line: here"),
        ('"Foo" and bar', '"Foo" and bar'),
        ("'It's good'", "It's good"),
        ('"Say "hi" there"', 'Say "hi" there'),
        ('"a path C:\\Users\\x"', "a path C:\\Users\\x"),
        ("@me does it", "@me does it"),
        ("`tool` does it", "`tool` does it"),
        ("*bold* thing", "*bold* thing"),
        ("[BETA] does it", "[BETA] does it"),
        ("{{ template }}", "{{ template }}"),
        ("!important does it", "!important does it"),
        ('Do it. <example>user: "x"</example>', 'Do it. <example>user: "x"</example>'),
        ("🎮 games: all", "🎮 games: all"),
    ],
)
def test_a_description_is_read_however_it_is_written(written: str, read: str) -> None:
    text = PLAIN.format(written)

    assert ("a", read, "body") == ((skill := read_skill(text, "")).name, skill.description, skill.body)
    assert [f"line 3: 'description' {REPLY}"] == [
        str(one).partition(";")[0] for one in find_problems(text, "a", strict=True)
    ]
    assert [] == find_problems(text, "a")


@pytest.mark.row("SKILL-01")
@pytest.mark.parametrize(
    ("text", "line", "reply"),
    [
        ("\n\n---\nname: a\n---\nbody", 3, "does not start with three dashes"),
        ("<!-- by me -->\n---\nname: a\n---\nbody", 2, "does not start with three dashes"),
        ("```yaml\n---\nname: a\n---\n```\nbody", 2, "does not start with three dashes"),
        (" ---\nname: a\n ---\nbody", 1, "does not start with three dashes"),
        ("----\nname: a\n----\nbody", 1, "does not start with three dashes"),
        ("---\nname: a\n...\nbody", 3, "does not end with three dashes"),
        ("---\nname: a\n--- # end\nbody", 3, "does not end with three dashes"),
        ("---\nname: a\n\nbody", 3, "has no line of three dashes after it"),
        ("---\nname:a\n---\nbody", 2, "no space after its colon"),
        ("---\nNAME: a\n---\nbody", 2, "'NAME' is read as 'name'"),
        ("---\nname: b\nname: a\n---\nbody", 3, "'name' occurs twice"),
        ("---\nname: a\nlicense: x\x07y\n---\nbody", 3, "control characters"),
        ("# A pond\n\n---\nname: a\n---\nbody", 3, "does not start with three dashes"),
        ("---\nname: a\n---\nbody", 0, ""),
        ("---\rname: a\r---\rbody", 0, ""),
        ("---\r\r\nname: a\r\r\n---\r\r\nbody", 0, ""),
    ],
)
def test_the_front_matter_is_found_however_it_is_fenced(text: str, line: int, reply: str) -> None:
    skill = read_skill(text, "")

    assert ("a", "body") == (skill.name, skill.body)
    odd = skill.front.corrections[:1]
    assert [(line, True)] * bool(line) == [(one.line, reply in one.text) for one in odd]


def test_one_odd_entry_costs_itself_alone_wherever_it_stands() -> None:
    skill = read_skill(
        "---\nname: a\nmetadata:\n\topenclaw:\n\t\tos: [plan9]\n\tnote: use: this\n\tdimensions:\n\t- name: x\n"
        "\t  description: is it: right\n\t- {name: y}\nargument-hint: [file] [more]\nallowed-tools: *\n---\n",
        "",
    )

    assert ("plan9",) == skill.requires.systems
    assert ("use: this", ("*",)) == (skill.metadata["note"], skill.tools)
    assert [{"name": "x", "description": "is it: right"}, {"name": "y"}] == skill.metadata["dimensions"]
    assert (6, 9) == (
        skill.front.line("metadata", "note"),
        skill.front.line("metadata", "dimensions", 0, "description"),
    )


def test_questions_within_brackets_need_no_quotes() -> None:
    text = (
        "---\nmetadata:\n  dimensions: [{name: taste, description: Is it good?}, {name: form, description: So?}]\n---\n"
    )

    skill = read_skill(text, "")

    assert ["Is it good?", "So?"] == [one["description"] for one in skill.metadata["dimensions"]]  # type: ignore[attr-defined]  # as written above
    assert () == skill.front.corrections


@pytest.mark.parametrize("name", ["openclaw", "clawdbot", "clawdis", "moltbot", "openkoi"])
@pytest.mark.parametrize(
    "shape", ['\'{{"{}": {{"requires": {{"bins": ["zz"]}}}}}}\'', '{{{}: \'{{"requires": {{"bins": ["zz"]}}}}\'}}']
)
def test_metadata_is_read_as_json_in_a_text(name: str, shape: str) -> None:
    assert ("zz",) == read_skill(f"---\nmetadata: {shape.format(name)}\n---\n", "").requires.programs


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_files_of_any_editor_are_read(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "a" / "SKILL.md"
    file.parent.mkdir()
    file.write_bytes("---\r\nname: a\r\ndescription: It\u2019s it\r\n---\r\nbody\r\n".encode(encoding))

    (found,) = collect_skills([SkillLocation(tmp_path, SkillSource.USER, kind=TASK)], TASK).found
    quote = "\ufffd" if encoding == "cp1252" else "\u2019"
    assert ("a", "body", f"It{quote}s it") == (
        found.skill.name,
        found.skill.body,
        found.skill.description,
    )
    assert ([], encoding == "cp1252") == (validate(file), bool(validate(file, strict=True)))


@pytest.mark.row("SKILL-01")
@pytest.mark.parametrize(
    ("body", "purpose"),
    [
        ("# Pond\n\n---\n\nFeeds koi\nat noon.\n\nMore.", "Feeds koi at noon."),
        ("# Pond\n## When\n\n- Koi are hungry\n- It is noon", "Koi are hungry It is noon"),
        ("# 鲤鱼\n\n```sh\nls\n```\n\n喂鱼。", "喂鱼。"),
    ],
)
def test_a_file_without_front_matter_is_a_text_with_a_title(body: str, purpose: str) -> None:
    skill = read_skill(f"\n{body}\n", "pond")

    assert ("pond", "", purpose, body) == (skill.name, skill.description, skill.purpose, skill.body)
    assert [(2, True)] == [(one.line, "no front matter" in one.text) for one in skill.corrections]
    assert [] == find_problems(body, "pond")
    assert find_problems(body, "pond", strict=True)


def test_what_a_skill_is_for_is_what_it_says_of_it_and_when() -> None:
    front = "---\ndescription: Feeds koi.\nwhen_to_use: When they are hungry.\n---\nDo it."

    assert "Feeds koi. When they are hungry." == read_skill(front, "").purpose
    assert ("Do it.", "") == (read_skill("---\n---\nDo it.", "").purpose, read_skill("---\n---\n", "").purpose)


@pytest.mark.parametrize(
    ("name", "start", "end"),
    [
        ("senior-ml-engineer", "ML engineering skill", "initial training. MLOps pipeline, model deployment"),
        ("karpathy-coder", "Use when writing", "overcoding. code-quality, discipline, karpathy"),
        ("database-migrations-sql-migrations", "SQL database", "SQL Server database, sql, migrations, postgresql"),
    ],
)
def test_a_public_skill_says_in_its_own_keys_when_it_is_to_be_used(name: str, start: str, end: str) -> None:
    purpose = read_skill((DATA / f"{name}.md").read_text(), name).purpose

    assert purpose.startswith(start)
    assert end in purpose


@pytest.mark.row("SKILL-05")
def test_of_several_programs_one_is_enough() -> None:
    metadata = {"openclaw": {"requires": {"anyBins": ["hg", "git"]}}}

    assert "" == describe_missing(parse_requirements(metadata), MachineFeatures("linux", {"git": "/bin/git"}.get, {}))
    reply = describe_missing(parse_requirements(metadata), MachineFeatures("linux", {"svn": "/bin/svn"}.get, {}))
    assert "it requires one of the programs hg, git, but none is installed" == reply


@pytest.mark.parametrize("written", ["Bash(git:*, Read", "Read Bash(sh (x)", "Read, Bash)", "(("])
def test_a_bracket_that_does_not_close_lets_nothing_through_and_is_said(written: str) -> None:
    skill = read_skill(f"---\nname: a\nallowed-tools: {written}\n---\n", "a")

    assert "Bash" not in skill.tools
    assert [(3, True)] == [(one.line, "unbalanced brackets" in one.text) for one in skill.corrections]


@pytest.mark.parametrize(
    "data", [b"\xff\xfe-", b"\xff\xfe\x00\xd8", b"\xff\xfe\x00\x00-\x00\x00\x00", b"-\x00-\x00-\x00"]
)
def test_what_no_editor_writes_is_refused_with_its_line(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "a" / "SKILL.md"
    file.parent.mkdir()
    file.write_bytes(data)

    library = collect_skills([SkillLocation(tmp_path, SkillSource.USER, kind=TASK)], TASK)

    assert all(one.startswith(f"{file} is not used: line 1: it ") for one in library.complaints)
    assert (1, [1]) == (len(library.complaints), [one.line for one in validate(file)])


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_a_link_that_leads_in_a_circle_ends_nothing(tmp_path: Path) -> None:
    for name in ("circle", "fine"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "SKILL.md").write_text(PLAIN.format("It."))
    (tmp_path / "circle" / "x").symlink_to("x")
    (tmp_path / "around").symlink_to("around")

    library = collect_skills([SkillLocation(tmp_path, SkillSource.WORKSPACE, kind=TASK)], TASK, lambda *_: True)

    assert ["fine"] == [one.file.parent.name for one in library.found]
    assert (tmp_path / "circle" / "SKILL.md",) == library.waiting
