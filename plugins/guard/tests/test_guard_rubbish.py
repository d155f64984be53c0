"""Test that no text makes the guard fail: random bytes, random shell grammar, commands with inserted garbage."""

import random

import pytest

from openkoi_guard.classify import check_line

SIGNS = [
    *"'\"`\\|&;<>()[]{}$#*~!=\n\t\r\0é\u200b\ud800",
    "<<EOF",
    "$(",
    "${",
    "$((",
    "$'",
    "-c",
    "eval",
    "sh",
    "xargs",
    "python3 -c",
    "awk",
    "sed -e",
]
WORDS = ("rm", "-rf", "x", "'a b'", '"$v"', "*.c", "$v", "~", "a=b", "--", "{a,b}", "$'\\x41'", "é", "\\\n", "-c", "sh")
SHAPES = (
    "{} {}",
    "{} | {}",
    "{} && {}",
    "{}; {}",
    "{} > {}",
    "{} < {} &",
    "({}; {})",
    "{{ {}; {}; }}",
    "if {}; then {}; fi",
    "for v in {}; do {}; done",
    "while {}; do {}; done",
    "f() {{ {}; }}; {}",
    "$({}) {}",
    "{} `{}`",
    'sh -c "{}" {}',
    "{} <<EOF\n{}\nEOF\n",
    "cat <({}) {}",
    "case {} in a) {};; esac",
    "[[ {} == {} ]]",
    "x=$(({} + {}))",
    "{} <<< {}",
)


def rubbish(dice: random.Random, commands: list[str]) -> str:
    return dice.choice([noise, grammar, signs, mutated])(dice, commands)


def noise(dice: random.Random, commands: list[str]) -> str:
    return dice.randbytes(dice.randint(0, 120)).decode(dice.choice(["latin-1", "utf-8", "utf-16"]), "replace")


def signs(dice: random.Random, commands: list[str]) -> str:
    return "".join(dice.choice(SIGNS) + dice.choice(["", " "]) for _ in range(dice.randint(1, 40)))


def grammar(dice: random.Random, commands: list[str], depth: int = 3) -> str:
    if depth == 0 or dice.random() < 0.2:
        return dice.choice(commands) if dice.random() < 0.3 else " ".join(dice.choices(WORDS, k=dice.randint(1, 4)))
    return dice.choice(SHAPES).format(grammar(dice, commands, depth - 1), grammar(dice, commands, depth - 1))


def mutated(dice: random.Random, commands: list[str]) -> str:
    text = list(dice.choice(commands))
    for _ in range(dice.randint(1, 8)):
        text.insert(dice.randint(0, len(text)), dice.choice(SIGNS))
    return "".join(text)[: dice.randint(1, 300)]


def test_no_rubbish_raises(asks: list[str], runs: list[str]) -> None:
    dice = random.Random(11)

    for _ in range(2_000):
        check_line(rubbish(dice, [*asks, *runs]))


@pytest.mark.campaign
@pytest.mark.timeout(1200)
def test_no_rubbish_raises_in_100_000(asks: list[str], runs: list[str]) -> None:
    dice = random.Random(12)

    for _ in range(100_000):
        check_line(rubbish(dice, [*asks, *runs]))
