"""A damaged SKILL.md is read, or refused with file, line and reason. None ends the program."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from openkoi_base.skillfile.locations import SkillLocation, SkillSource, collect_skills
from openkoi_base.skillfile.skill import EVALUATOR as JUDGING
from openkoi_base.skillfile.skill import TASK, read_skill
from openkoi_base.skillfile.validation import find_problems, validate

PLAIN = "---\nname: pond-care\ndescription: Looks after a pond\nlicense: MIT\n---\n\n# Pond\n\nLook at the water.\n"
OPENCLAW = """---
name: morning-summary
description: >
  Fetches messages since yesterday.
  Sums them up.
allowed-tools: Read, Bash(git:*)
metadata:
  openclaw: {os: [darwin, linux], requires: {env: [TOKEN], bins: [git]}}
  openkoi:
    category: communication
    trigger: {type: time, schedule: {hour: 9, days: [1, 2, 3, 4, 5]}}
    learned_from: "pattern:abc"
  updated: 2026-01-31
---
Read it all, and say what matters.
"""
EVALUATOR = """---
name: ledgers
kind: evaluator
description: Judges ledgers.
metadata:
  categories: [finance]
  dimensions:
    - {name: sums, weight: 0.7, description: "Do they add up?"}
    - name: clarity
      weight: 0.3
      description: Is it explained?
---
Add it up yourself.
"""
FLAT = """---
name: flat
description: 'It''s quoted'
allowed-tools: [Read, "mcp__pond__*"]
compatibility: needs git
metadata: {openkoi-kind: task, openkoi-metadata: '{"tags": ["a", "b"], "deterministic": true}'}
---
Body
"""
GOOD = (PLAIN, OPENCLAW, EVALUATOR, FLAT)
NASTY = (
    *("---\n", "...\n", "\t", "\x00", "\u2028", "\u202e", "\ufeff", "\r", "\\", "'", '"', "`", ": ", " #", "- ", "? "),
    *("&a ", "*a", "<<: *a\n", "!!python/object/apply:os.system [id]", "!!binary x", "!!float x", "!!timestamp x"),
    *("%YAML 9.9\n", "{", "}}", "[", "]]", "|\n", ">-\n", "@", "~", "yes", "on: no\n", "1e999999", "0x", "0o9", "=\n"),
    *("9" * 5000, "2026-99-99", "2026-01-01T99:99:99", "1:99:99", ".nan", "-.inf", "[" * 900, "{a: " * 300, "- " * 400),
    *("name: again\n", "kind: referee\n", "metadata:\n", "dimensions: 7\n", "? [a, b]\n: c\n", "? {a: b}\n: c\n"),
    *("description: " + "x" * 70_000 + "\n", "weight: -1\n", "expect: [[1]]\n", "method: regex\n  expect: '(a+)+$('\n"),
)
Damage = Callable[[str, Random], str]


def cut(text: str, dice: Random) -> str:
    """The end is missing."""
    return text[: dice.randrange(len(text) + 1)]


def lost(text: str, dice: Random) -> str:
    """A piece is missing."""
    start = dice.randrange(len(text) + 1)
    return text[:start] + text[start + dice.randrange(1, 30) :]


def inserted(text: str, dice: Random) -> str:
    """Something stands where it should not."""
    place = dice.randrange(len(text) + 1)
    return text[:place] + dice.choice(NASTY) + text[place:]


def replaced(text: str, dice: Random) -> str:
    """A value is something else."""
    lines = text.splitlines(keepends=True) or [""]
    place = dice.randrange(len(lines))
    key, colon, _ = lines[place].partition(":")
    lines[place] = f"{key}{colon} {dice.choice(NASTY)}\n"
    return "".join(lines)


def shuffled(text: str, dice: Random) -> str:
    """Two lines changed places, or one stands twice."""
    lines = text.splitlines(keepends=True) or [""]
    one, other = dice.randrange(len(lines)), dice.randrange(len(lines))
    lines[one], lines[other] = lines[other], dice.choice((lines[one], lines[other]))
    return "".join(lines)


def indented(text: str, dice: Random) -> str:
    """A line stands further in, or further out."""
    lines = text.splitlines(keepends=True) or [""]
    place = dice.randrange(len(lines))
    lines[place] = dice.choice(("  ", "\t", " " * 90)) + lines[place] if dice.random() < 0.6 else lines[place].lstrip()
    return "".join(lines)


def unquoted(text: str, dice: Random) -> str:
    """A colon, a quote or a bracket is gone, or another."""
    marks = [place for place, char in enumerate(text) if char in ":'\"[]{}-,"] or [0]
    place = dice.choice(marks)
    return text[:place] + dice.choice(("", ";", ":", "'")) + text[place + 1 :]


DAMAGES: tuple[Damage, ...] = (cut, lost, inserted, replaced, shuffled, indented, unquoted)


def mutants(count: int, seed: int) -> Iterator[bytes]:
    """So many files; the same ones for the same seed."""
    dice = Random(seed)
    for _ in range(count):
        text = dice.choice(GOOD)
        for _ in range(dice.randrange(1, 4)):
            text = dice.choice(DAMAGES)(text, dice)
        yield spoiled(text, dice)


def spoiled(text: str, dice: Random) -> bytes:
    """The bytes of a text, now and then with another line end, another code, or bytes that are none."""
    data = text.encode("utf-8", "surrogatepass")
    match dice.randrange(12):
        case 0:
            return data.replace(b"\n", b"\r\n")
        case 1:
            return b"\xef\xbb\xbf" + data
        case 2:
            return text.encode("utf-16", "surrogatepass")
        case 3:
            place = dice.randrange(len(data) + 1)
            return data[:place] + bytes([dice.randrange(128, 256)]) + data[place:]
        case _:
            return data


def read_or_refused(data: bytes, file: Path) -> bool:
    """Hold one file against all that reads it; tell whether it was read."""
    file.write_bytes(data)
    for strict in (False, True):
        found = validate(file, strict)
        assert all(
            (file, True) == (one.path, 1 <= one.line <= data.count(b"\n") + data.count(b"\r") + 2) for one in found
        ), found
        assert all(str(one).startswith(f"{file}:{one.line}: ") for one in found)
    for kind in (TASK, JUDGING):
        library = collect_skills([SkillLocation(file.parent.parent, SkillSource.USER, kind=kind)], kind)
        assert bool(library.found) != bool(library.complaints)
        assert all(str(file) in complaint for complaint in library.complaints)
        assert all((one.skill.name, one.skill.tools, one.skill.requires) for one in library.found)
    return bool(library.found)


def all_read_or_refused(folder: Path, count: int, seed: int) -> None:
    file = folder / "pond-care" / "SKILL.md"
    file.parent.mkdir()

    assert {True, False} == {read_or_refused(data, file) for data in mutants(count, seed)}


@pytest.mark.row("SKILL-01")
def test_damaged_files_are_read_or_refused_with_file_line_and_reason(tmp_path: Path) -> None:
    all_read_or_refused(tmp_path, 30, seed=7)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(3))
def test_hundreds_of_damaged_files_are(tmp_path: Path, seed: int) -> None:
    all_read_or_refused(tmp_path, 700, seed)


@pytest.mark.parametrize("text", GOOD)
def test_before_the_damage_there_is_nothing_wrong(text: str) -> None:
    assert [] == find_problems(text, read_skill(text, "").name)
