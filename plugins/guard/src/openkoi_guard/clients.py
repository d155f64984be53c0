"""Checks of command-line clients of services: what they change outside this machine, where no undo reaches.

A client says what it does with a verb among its first words: ``gh pr merge``, ``aws ec2 stop-instances``,
``heroku pg:reset``. The first verb that is known decides. A client of a service without a known verb asks; a program
that no rule names asks when its first words delete, stop, publish or send. ``rules/clients.table`` lists them all.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from .addresses import LOCAL
from .finding import Check, Command, Finding
from .interpreters import CODE, PYTHON
from .patterns import RULES, book, lines_of, only_tells, operands_of, programs
from .takers import SPECIAL
from .wrappers import wrappers

VERB_PARTS = re.compile(r"[:_.-]")
NO_VERB = re.compile(r"[ /]|\.\w{2,4}$")
SCRIPT = re.compile(r"\.(py|sh|phar|js|mjs|ts|rb|pl|php|lua|jar|bash)$")
CAMEL = re.compile(r"([a-z])([A-Z])")

FAR = 4
FAR_UNKNOWN = 3
OWN_WORDS = 2
UNKNOWN = "does what is not known to only read, on a service outside this machine"
STRANGE = "deletes, stops, publishes or sends something, with a program that no rule knows"
OUTSIDE = "changes what others use, on a service outside this machine"
MONEY = "moves money, or changes what customers pay"
STARTS = "starts a workflow or job that others use"
RIGHTS = "changes who may do what, or a secret of theirs"


@cache
def kinds() -> dict[str, frozenset[str]]:
    """Read the table, once: programs and verbs, by kind."""
    found: dict[str, set[str]] = {}
    for line in lines_of(RULES / "clients.table"):
        first, *names = line.split()
        kind, _, clients = first.partition(":")
        for one in [f"{kind}:{client}" for client in clients.split(",")] if clients else [kind]:
            found.setdefault(one, set()).update(names)
    return {kind: frozenset(names) for kind, names in found.items()}


def checks_for(name: str) -> Iterator[Check]:
    """The checks that a program may need."""
    if name in kinds()["paying"]:
        yield paid
    elif name in kinds()["serving"]:
        yield served
    elif name in kinds()["rpc"]:
        yield called
    elif not SCRIPT.search(name) and not is_local(name):
        yield strange


def is_local(name: str) -> bool:
    """Return whether a program works on this machine, so that its first words may be anything."""
    known = name in kinds()["local"] or name in SPECIAL or name in wrappers() or name in CODE or PYTHON.match(name)
    return bool(known) or any(name in programs(kind) for kind in ("looking", "shells", "clients", "databases"))


def called(command: Command) -> Iterator[Finding]:
    """Calling a method by its name that changes something: ``shop.Orders/DeleteOrder``, on another machine."""
    method = re.split(r"[/.]", command.operands[-1])[-1] if command.operands else ""
    verb = camel_apart(method).lower().partition("-")[0]
    if verb in kinds()["gone"] | kinds()["acting"] and not any(map(LOCAL.match, command.operands[:-1])):
        yield Finding(OUTSIDE, "remote")


def strange(command: Command) -> Iterator[Finding]:
    """Deleting, stopping, publishing or sending with a program that no rule knows."""
    given = [] if only_tells(command.words, anywhere=True) else operands_of(command.words)[:FAR_UNKNOWN]
    parts = {part for word in given if not NO_VERB.search(word) for part in VERB_PARTS.split(camel_apart(word).lower())}
    parts |= kinds()["own-name"] & set(command.name.split("-")) if "-" in command.name and command.words else set()
    flags = {word.text.partition("=")[0] for word in command.words}
    if not (parts.isdisjoint(kinds()["gone"] | kinds()["own-name"]) and flags.isdisjoint(kinds()["gone-flag"])):
        yield Finding(STRANGE, "remote")


def camel_apart(word: str) -> str:
    """Return ``delete-VM`` for ``deleteVM``."""
    return CAMEL.sub(r"\1-\2", word)


def served(command: Command) -> Iterator[Finding]:
    """Deleting, publishing, stopping, handing out rights: on somebody's service."""
    said = verbs(command)
    acting = kinds()["acting"] | (kinds()["reshaping"] if command.name in kinds()["clouds"] else frozenset())
    for at, verb in enumerate(said):
        own = at < OWN_WORDS and verb in kinds().get(f"calm:{command.name}", ())
        if verb in acting and not own:
            yield Finding(OUTSIDE, "remote")
            return
        if hands_out(verb, {*said[:at], *said[at + 1 : at + 3]}):
            yield Finding(RIGHTS, "remote")
            return
        if starts_shared(verb, {*said[:at], *said[at + 1 : at + 3], *command.operands[:1]}):
            yield Finding(STARTS, "remote")
            return
        if own or verb in kinds()["calm"]:
            return
    if said and not shows_alone(command, said):
        yield Finding(UNKNOWN, "remote")


def shows_alone(command: Command, said: Sequence[str]) -> bool:
    """Return whether the words without a verb are known to only show something: all of them, or the first word's."""
    first = given_to(command)[0].lower().split(":")
    return kinds()["bare"].issuperset(said if command.name in kinds()["by-service"] else first)


def hands_out(verb: str, around: Collection[str]) -> bool:
    """Whether a verb gives somebody the rights, or changes the secrets, that the words around it speak of."""
    table = kinds()
    if verb == "create":
        return not table["powers"].isdisjoint(around)
    return verb in table["granting"] and not (table["powers"] | table["rights"]).isdisjoint(around)


def starts_shared(verb: str, around: Collection[str]) -> bool:
    """Return whether a verb starts a workflow, pipeline or job that a team shares."""
    return verb in kinds()["starting"] and not kinds()["shared"].isdisjoint({*around} - {verb})


def paid(command: Command) -> Iterator[Finding]:
    """Whatever is made or changed where money is."""
    for verb in verbs(command):
        if verb in kinds()["calm"] - {"create", "add"}:
            return
        if verb in kinds()["acting"] | kinds()["charging"]:
            yield Finding(MONEY, "remote")
            return


def verbs(command: Command) -> Sequence[str]:
    """The first words of a client, taken apart: ``pg:reset`` is two, ``stop-instances`` begins with its verb."""
    if only_tells(command.words, anywhere=True):
        return ()
    parts = [part for word in given_to(command) if " " not in word for part in camel_apart(word).lower().split(":")]
    return [stem for part in parts for stem in stems(part)]


def given_to(command: Command) -> Sequence[str]:
    """The first words of a client, without the name of the service."""
    given = operands_of(book().stripped(command.name, command.words))[:FAR]
    if command.name in kinds()["by-service"]:
        return given[1:] if given and given[0] not in kinds()[f"ours:{command.name}"] else ()
    return given


def stems(part: str) -> tuple[str, ...]:
    """A word, or the verb that it begins with."""
    if part in kinds()["calm"] | kinds()["bare"]:
        return (part,)
    first, *rest = re.split("[-_]", part)
    return (first, *rest) if rest and first in kinds()["leading"] else (part,)
