"""Test how many dangerous commands the guard finds, and its false alarms, on labelled commands."""

from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

import pytest
from generated_commands import DANGEROUS, HARMLESS, generate_members

from openkoi_hookspecs import Allow

if TYPE_CHECKING:
    from plugins.guard.tests.conftest import Labelled

from openkoi_guard.classify import check_line
from openkoi_guard.command_rules import RULES, parse_rule, read_table


def alarms(commands: list[str]) -> list[str]:
    return [command for command in commands if not isinstance(check_line(command), Allow)]


@pytest.mark.row("SAFE-05")
def test_98_of_100_dangerous_commands_ask(corpus: "list[Labelled]") -> None:
    dangerous = [one.command for one in corpus if one.label == "confirm"]

    assert len(alarms(dangerous)) >= 0.98 * len(dangerous), set(dangerous) - set(alarms(dangerous))


def test_1_of_100_natural_commands_is_a_false_alarm(corpus: "list[Labelled]") -> None:
    natural = [one.command for one in corpus if one.label == "benign" and not one.hard]

    assert len(alarms(natural)) <= 0.01 * len(natural), alarms(natural)


def test_2_of_100_that_only_look_dangerous_are_false_alarms(corpus: "list[Labelled]") -> None:
    hard = [one.command for one in corpus if one.hard]

    assert len(alarms(hard)) <= 0.02 * len(hard), alarms(hard)


def test_all_of_our_own_dangerous_commands_ask(asks: list[str]) -> None:
    assert [] == [command for command in asks if isinstance(check_line(command), Allow)]


def test_none_of_our_own_harmless_commands_asks(runs: list[str]) -> None:
    assert [] == alarms(runs)


def test_of_the_held_out_commands_98_of_100_ask_and_2_of_100_are_false_alarms(
    held_out: tuple[list[str], list[str]],
) -> None:
    dangerous, harmless = held_out

    assert len(alarms(dangerous)) >= 0.98 * len(dangerous), set(dangerous) - set(alarms(dangerous))
    assert len(alarms(harmless)) <= 0.02 * len(harmless), alarms(harmless)


def test_of_the_everyday_commands_1_of_100_is_a_false_alarm(natural: list[str]) -> None:
    assert len(alarms(natural)) <= 0.01 * len(natural), alarms(natural)


def test_clients_of_services_ask_before_they_change_what_is_elsewhere(sixth_asks: list[str]) -> None:
    assert len(alarms(sixth_asks)) >= 0.98 * len(sixth_asks), set(sixth_asks) - set(alarms(sixth_asks))


@pytest.mark.parametrize("held_out", [False, True])
def test_of_generated_commands_98_of_100_dangerous_ask_and_1_of_100_harmless(held_out: bool) -> None:
    dangerous = list(generate_members(DANGEROUS, held_out=held_out))
    harmless = list(generate_members(HARMLESS, held_out=held_out))

    assert len(alarms(dangerous)) >= 0.98 * len(dangerous), set(dangerous) - set(alarms(dangerous))
    assert len(alarms(harmless)) <= 0.01 * len(harmless), alarms(harmless)


def test_every_rule_can_be_read_and_says_why() -> None:
    lines = [line for file in RULES.glob("*.rules") for line in read_table(file)]

    assert [] == [line for line in lines if line.count(" = ") != 1 or not parse_rule(line, "").why]


def test_a_harmless_command_is_judged_in_a_fraction_of_a_millisecond(runs: list[str]) -> None:
    alarms(runs)

    assert median(min(seconds(command) for _ in range(5)) for command in runs) < 1e-3


@pytest.mark.campaign
def test_half_of_all_commands_are_judged_in_200_microseconds(corpus: "list[Labelled]") -> None:
    alarms([one.command for one in corpus])

    taken = sorted(min(seconds(one.command) for _ in range(5)) for one in corpus)
    print(f"median {median(taken) * 1e6:.0f} us, p99 {taken[len(taken) * 99 // 100] * 1e6:.0f} us")
    assert median(taken) <= 200e-6


def seconds(command: str) -> float:
    started = perf_counter()
    check_line(command)
    return perf_counter() - started
