"""Compare one command with all rules and checks."""

from collections.abc import Iterator
from functools import lru_cache

from . import clients, databases, files, git_settings, network, system_changes, uploads
from .command_rules import list_operands, load_rules, only_shows_help, select_rules
from .issue import Check, Danger, Invocation
from .limits import MAX_CACHED_NAMES


def find_dangers(command: Invocation, mounted: frozenset[str]) -> Iterator[Danger]:
    """Yield the dangers of a command. ``mounted`` are the devices in use."""
    yield from match_rules(command)
    yield from system_changes.check_mounted(command, mounted)
    for check in select_checks(command.name):
        yield from check(command)


def match_rules(command: Invocation) -> Iterator[Danger]:
    """Yield the dangers that the rule files describe."""
    rules = load_rules()
    subcommands = command.name in rules.globals
    if only_shows_help(command.words, anywhere=subcommands):
        return
    rest = rules.strip_global_options(command.name, command.words)
    if subcommands and rest and not rest[0].is_known:
        yield Danger("runs a subcommand that is only known at run time, so it cannot be checked", "computed")
    operands = [one.lower() for one in list_operands(rest)]
    for rule in select_rules(command.name):
        if rule.matches(command.words, rest, operands):
            yield Danger(rule.why, rule.category)


@lru_cache(maxsize=MAX_CACHED_NAMES)
def select_checks(name: str) -> tuple[Check, ...]:
    """Return all checks that may apply to a program."""
    git = (git_settings.check_git_settings,) if name == "git" else ()
    return (
        *files.select_checks(name),
        *network.select_checks(name),
        *uploads.select_checks(name),
        *databases.select_checks(name),
        *clients.select_checks(name),
        *git,
    )
