"""Hold one command against all rules and checks. Knows where they stand; knows none of them."""

from collections.abc import Iterator
from functools import lru_cache

from . import clients, databases, files, git_settings, network, system, uploads
from .finding import Check, Command, Finding
from .patterns import book, only_tells, operands_of, rules_for

MOST_NAMES = 1_000


def found(command: Command, mounted: frozenset[str]) -> Iterator[Finding]:
    """Find why a person should see a command. ``mounted`` are the devices in use."""
    yield from against_rules(command)
    yield from system.mounted(command, mounted)
    for check in checks_for(command.name):
        yield from check(command)


def against_rules(command: Command) -> Iterator[Finding]:
    shelf = book()
    subcommands = command.name in shelf.globals
    if only_tells(command.words, anywhere=subcommands):
        return
    given = shelf.stripped(command.name, command.words)
    if subcommands and given and not given[0].known:
        yield Finding("does what is computed", "computed")
    operands = [one.lower() for one in operands_of(given)]
    for rule in rules_for(command.name):
        if rule.fits(command.words, given, operands):
            yield Finding(rule.why, rule.category)


@lru_cache(maxsize=MOST_NAMES)
def checks_for(name: str) -> tuple[Check, ...]:
    """All checks that a program may need."""
    git = (git_settings.judge,) if name == "git" else ()
    return (
        *files.checks_for(name),
        *network.checks_for(name),
        *uploads.checks_for(name),
        *databases.checks_for(name),
        *clients.checks_for(name),
        *git,
    )
