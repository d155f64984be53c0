"""Files as people and programs write them, put together at random: read as they were meant, or refused with a reason.

A sound file is made of parts each of which a person understands; it has to be read. A hostile one may be refused.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from openkoi_base.skillfile.locations import SkillLocation, SkillSource, collect_skills
from openkoi_base.skillfile.skill import TASK
from openkoi_base.skillfile.validation import validate

NAMES = (("pond", "pond"), ('"pond"', "pond"), ("'pond'", "pond"), ("Pond Care", "pond-care"), ("pond 🐟", "pond"))
DESCRIPTIONS = (
    *(("Looks after a pond", "Looks after a pond"), ("Use when: it rains", "Use when: it rains")),
    *(("Use it for:\n  a: ponds\n  b: koi", "Use it for: a: ponds b: koi"), ("|\n  Two\n  lines", "Two lines")),
    *((">-\n  Use when: koi\n  swim", "Use when: koi swim"), ("'It's a pond'", "It's a pond")),
    *(('"Say "koi" here"', 'Say "koi" here'), ("[BETA] koi", "[BETA] koi"), ("*Koi* swim", "*Koi* swim")),
    *(("`koi` swims", "`koi` swims"), ("@koi: swims", "@koi: swims"), ("%koi% swims", "%koi% swims")),
    *(("{{koi}} swims", "{{koi}} swims"), ("!koi swims", "!koi swims"), ("one\ntwo three", "one two three")),
    *(("Ends: <koi>a: b</koi>", "Ends: <koi>a: b</koi>"), ("鲤鱼: 池塘", "鲤鱼: 池塘"), ("🐟 a: b", "🐟 a: b")),
    *(("It's 5 o'clock: feed", "It's 5 o'clock: feed"), ('"C:\\Koi\\x" is it', '"C:\\Koi\\x" is it')),
    ("x" * 1500, "x" * 1500),
)
TOOLS = (
    *("", "", "allowed-tools: Read, Bash(git:*)", "allowed-tools: [Read, 'Bash(git:*)']", "allowed-tools: *"),
    *("allowed-tools:\n  - Read\n  - Bash(git:*)", "allowed-tools:\n- Read\n- Bash(npm run: x)", "allowed_tools: Read"),
    *("allowed-tools: {a: b}", "allowed-tools: 7", "allowed-tools: Read(**), *", "tools: Read, Write"),
)
METADATA = (
    *("", "metadata: {}", "metadata: nothing", "metadata:", "metadata:\n\tauthor: me\n\tnote: a: b"),
    *('metadata: \'{"openclaw": {"os": ["plan9"]}}\'', 'metadata: {"openclaw": {"emoji": "🐟", "requires": {}}}'),
    *('metadata:\n  {\n    "openclaw":\n      { "requires": { "bins": ["x"] }, },\n  }', "metadata: [a, b]"),
    *("metadata:\n  dimensions:\n  - {name: a, weight: .5}\n  - name: b\n    description: is it: so", "metadata: 7"),
    *("metadata:\n  openkoi: [x]\n  openclaw: y\n  requires: z", "metadata:\n  categories: {a: b}\n  expect: {c: d}"),
)
OTHERS = (
    *("", "license: MIT", "version: 1.0.0", "date: 2026-99-99", "argument-hint: [file] [more]", "model: sonnet"),
    *("tags: [a, b", "triggers:\n- a\n- b: c: d", "# a comment", "user-invocable: true", "home: https://koi.example"),
    *('hooks:\n  Before:\n    - matcher: "*"\n      run: a: b', "schema_version: 1", "kind: task", "Weird Key: v: w"),
)
FENCES: tuple[Callable[[str, str], str], ...] = (
    lambda front, body: f"---\n{front}\n---\n{body}",
    lambda front, body: f"---\n{front}\n---\n{body}",
    lambda front, body: f"--- \n{front}\n---  \n\n{body}",
    lambda front, body: f"\n\n---\n{front}\n---\n{body}",
    lambda front, body: f"<!-- koi -->\n---\n{front}\n---\n{body}",
    lambda front, body: f"```yaml\n---\n{front}\n---\n```\n{body}",
    lambda front, body: f"-----\n{front}\n-----\n{body}",
    lambda front, body: f"---\n{front}\n...\n{body}",
)
BODIES = (
    "",
    "# Koi\n\nFeed them.",
    "---\na: b\n---\n",
    "Koi\n---\n\n----\n...",
    "```yaml\n---\nname: x\n---\n```",
    "koi " * 9,
)
HOSTILE = (
    *("a: &a [x]\nb: *a", "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]", "? [a, b]\n: c", "<<: *x", "a: !!binary x"),
    *("a: !!python/object/apply:os.system [id]", "x: " + "[" * 900, "x: " + "{a: " * 400, "- " * 300, "a:\n" * 500),
    *(
        "\x00",
        "\x07\x1b[2J",
        "\u2028name: x",
        "\ud800",
        "\ufffe",
        "\ufffd" * 60,
        "%YAML 9.9",
        "--- !!set",
        "\x85",
        "\r",
    ),
    *("kind: 7", "kind: [a]", "kind: referee", "name: {a: b}", "name: [[a]]", "name:", "description: {a: {b: c}}"),
    *("1: 2", "~: ~", "true: yes", "2026-01-01: x", "{}: x", "k: 1e999999", "k: " + "9" * 5000, "k: .nan", "k: 0o9"),
    *("y" * 70_000 + ": x", "k: " + "z" * 70_000, "\n" * 3000, "a" * 20_000, "'" * 999, '"' * 998, "k: '" + "''" * 999),
)


@dataclass(frozen=True, slots=True)
class Made:
    """A file's bytes, and how it is to be read; nothing is promised of a hostile one."""

    data: bytes
    name: str
    description: str
    hostile: bool


def made(count: int, seed: int) -> Iterator[Made]:
    """So many files; the same ones for the same seed."""
    dice = Random(seed)
    for _ in range(count):
        hostile = dice.random() < 0.4
        named, name = dice.choice(NAMES)
        output, description = dice.choice(DESCRIPTIONS)
        entries = [f"name: {named}", f"description: {output}"]
        entries += [dice.choice(some) for some in (TOOLS, METADATA, OTHERS)]
        dice.shuffle(entries)
        if hostile:
            entries.insert(dice.randrange(len(entries) + 1), dice.choice(HOSTILE))
        text = dice.choice(FENCES)("\n".join(filter(None, entries)), dice.choice(BODIES))
        yield Made(encoded(text, dice), name, description, hostile)


def encoded(text: str, dice: Random) -> bytes:
    """A text as one of the editors writes it."""
    if dice.random() < 0.2:
        text = text.replace("\n", "\r\n")
    code = dice.choice(("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16"))
    return text.encode(code, "surrogatepass")


def held(one: Made, file: Path) -> None:
    """Hold one file against all that reads it."""
    file.write_bytes(one.data)
    library = collect_skills([SkillLocation(file.parent.parent, SkillSource.USER, kind=TASK)], TASK)
    problems, found = validate(file, strict=True), library.found
    assert all(str(problem).startswith(f"{file}:{problem.line}: ") for problem in problems)
    assert all(1 <= problem.line <= one.data.count(b"\n") + 2 for problem in problems)
    assert all(len(str(problem)) - len(str(file)) < 600 for problem in problems)
    assert bool(found) != bool(library.complaints)
    assert all(str(file) in complaint for complaint in library.complaints)
    assert all(isinstance(each.skill.requires.programs + each.skill.tools, tuple) for each in found)
    if not one.hostile:
        assert (one.name, one.description) == (found[0].skill.name, found[0].skill.description), one.data


def campaign(folder: Path, count: int, seed: int) -> None:
    file = folder / "pond" / "SKILL.md"
    file.parent.mkdir()
    for one in made(count, seed):
        held(one, file)


@pytest.mark.row("SKILL-01")
def test_what_a_person_understands_is_read_and_all_else_read_or_refused(tmp_path: Path) -> None:
    campaign(tmp_path, 40, seed=11)


@pytest.mark.campaign
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(4))
def test_so_it_is_with_twenty_thousand(tmp_path: Path, seed: int) -> None:
    campaign(tmp_path, 5_000, seed)
