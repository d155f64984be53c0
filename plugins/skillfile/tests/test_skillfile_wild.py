"""What a person can understand is read, and what is odd about it is said with its line."""

from pathlib import Path

import pytest

from openkoi_skillfile import TASK, Place, Source, collect, problems, read_skill, validate

PLAIN = "---\nname: a\ndescription: {}\n---\nbody"
SAID = "is no YAML and is read as it stands"


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
    assert [f"line 3: 'description' {SAID}"] == [str(one).partition(";")[0] for one in problems(text, "a", strict=True)]
    assert [] == problems(text, "a")


@pytest.mark.row("SKILL-01")
@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("\n\n---\nname: a\n---\nbody", 3, "not begun by three dashes"),
        ("<!-- by me -->\n---\nname: a\n---\nbody", 2, "not begun by three dashes"),
        ("```yaml\n---\nname: a\n---\n```\nbody", 2, "not begun by three dashes"),
        (" ---\nname: a\n ---\nbody", 1, "not begun by three dashes"),
        ("----\nname: a\n----\nbody", 1, "not begun by three dashes"),
        ("---\nname: a\n...\nbody", 3, "ended by something else"),
        ("---\nname: a\n--- # end\nbody", 3, "ended by something else"),
        ("---\nname: a\n\nbody", 3, "without a line of three dashes after it"),
        ("---\nname:a\n---\nbody", 2, "no space after its colon"),
        ("---\nNAME: a\n---\nbody", 2, "'NAME' is taken for 'name'"),
        ("---\nname: b\nname: a\n---\nbody", 3, "'name' stands there twice"),
        ("---\nname: a\nlicense: x\x07y\n---\nbody", 3, "control characters"),
        ("---\nname: a\n---\nbody", 0, ""),
        ("---\rname: a\r---\rbody", 0, ""),
    ],
)
def test_the_front_matter_is_found_however_it_is_fenced(text: str, line: int, said: str) -> None:
    skill = read_skill(text, "")

    assert ("a", "body") == (skill.name, skill.body)
    odd = skill.front.odd[:1]
    assert [(line, True)] * bool(line) == [(one.line, said in one.text) for one in odd]


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
    assert () == skill.front.odd


@pytest.mark.parametrize("name", ["openclaw", "clawdbot", "moltbot", "openkoi"])
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

    (found,) = collect([Place(tmp_path, Source.USER, kind=TASK)], TASK).found
    quote = "\ufffd" if encoding == "cp1252" else "\u2019"
    assert ("a", "body", f"It{quote}s it") == (
        found.skill.name,
        found.skill.body,
        found.skill.description,
    )
    assert ([], encoding == "cp1252") == (validate(file), bool(validate(file, strict=True)))
