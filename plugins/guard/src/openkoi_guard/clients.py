"""Check command-line clients of services, whose changes cannot be undone.

A client names what it does with a verb among its first words: ``gh pr merge``, ``aws ec2 stop-instances``,
``heroku pg:reset``. The first known verb decides. A client of a service without a known verb asks; a program that no
rule names asks when its first words delete, stop, publish or send. ``rules/clients.table`` lists them all.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .addresses import LOCAL
from .command_rules import RULES, list_operands, load_programs, load_rules, only_shows_help, read_table
from .command_wrappers import UNWRAPPERS
from .interpreters import CODE, PYTHON
from .issue import Check, Danger, Invocation
from .limits import MAX_OWN_VERB_WORDS, MAX_VERB_WORDS, MAX_VERB_WORDS_UNKNOWN
from .wrapper_table import load_wrappers

VERB_PARTS = lazy_pattern(r"[:_.-]")
NO_VERB = lazy_pattern(r"[ /]|\.\w{2,4}$")
SCRIPT = lazy_pattern(r"\.(py|sh|phar|js|mjs|ts|rb|pl|php|lua|jar|bash)$")
CAMEL = lazy_pattern(r"([a-z])([A-Z])")

UNKNOWN_VERB = "may change a remote service"
UNKNOWN_PROGRAM = "uses an unknown program to delete, stop, publish or send something"
CHANGES_SERVICE = "changes a shared resource of a remote service"
MOVES_MONEY = "moves money or changes prices"
STARTS_SHARED_JOB = "starts a shared workflow or job"
CHANGES_RIGHTS = "changes permissions or secrets"


@cache
def load_kinds() -> dict[str, frozenset[str]]:
    """Return programs and verbs by kind."""
    found: dict[str, set[str]] = {}
    for line in read_table(RULES / "clients.table"):
        first, *names = line.split()
        kind, _, clients = first.partition(":")
        for one in [f"{kind}:{client}" for client in clients.split(",")] if clients else [kind]:
            found.setdefault(one, set()).update(names)
    return {kind: frozenset(names) for kind, names in found.items()}


def select_checks(name: str) -> Iterator[Check]:
    """Yield the checks that may apply to a program."""
    if name in load_kinds()["paying"]:
        yield check_payment_client
    elif name in load_kinds()["serving"]:
        yield check_service_client
    elif name in load_kinds()["rpc"]:
        yield check_rpc_method
    elif not SCRIPT.search(name) and not is_local(name):
        yield check_unknown_program


def is_local(name: str) -> bool:
    """Return whether a program works only on this machine, so that its first words may be anything."""
    known = (
        name in load_kinds()["local"]
        or name in UNWRAPPERS
        or name in load_wrappers()
        or name in CODE
        or PYTHON.match(name)
    )
    return bool(known) or any(name in load_programs(kind) for kind in ("looking", "shells", "clients", "databases"))


def check_rpc_method(command: Invocation) -> Iterator[Danger]:
    """Find calls of a remote method whose name suggests a change, such as ``shop.Orders/DeleteOrder``."""
    method = re.split(r"[/.]", command.operands[-1])[-1] if command.operands else ""
    verb = split_camel_case(method).lower().partition("-")[0]
    if verb in load_kinds()["gone"] | load_kinds()["acting"] and not any(map(LOCAL.match, command.operands[:-1])):
        yield Danger(CHANGES_SERVICE, "remote")


def check_unknown_program(command: Invocation) -> Iterator[Danger]:
    """Find a program without rules that deletes, stops, publishes or sends."""
    words = (
        [] if only_shows_help(command.words, anywhere=True) else list_operands(command.words)[:MAX_VERB_WORDS_UNKNOWN]
    )
    parts = {
        part for word in words if not NO_VERB.search(word) for part in VERB_PARTS.split(split_camel_case(word).lower())
    }
    parts |= load_kinds()["own-name"] & set(command.name.split("-")) if "-" in command.name and command.words else set()
    flags = {word.text.partition("=")[0] for word in command.words}
    if not (
        parts.isdisjoint(load_kinds()["gone"] | load_kinds()["own-name"])
        and flags.isdisjoint(load_kinds()["gone-flag"])
    ):
        yield Danger(UNKNOWN_PROGRAM, "remote")


def split_camel_case(word: str) -> str:
    """Return ``delete-VM`` for ``deleteVM``."""
    return CAMEL.sub(r"\1-\2", word)


def check_service_client(command: Invocation) -> Iterator[Danger]:
    """Find changes to a service: deleting, publishing, stopping, granting rights."""
    words = list_verbs(command)
    acting = load_kinds()["acting"] | (
        load_kinds()["reshaping"] if command.name in load_kinds()["clouds"] else frozenset()
    )
    for at, verb in enumerate(words):
        own = at < MAX_OWN_VERB_WORDS and verb in load_kinds().get(f"calm:{command.name}", ())
        if verb in acting and not own:
            yield Danger(CHANGES_SERVICE, "remote")
            return
        if grants_rights(verb, {*words[:at], *words[at + 1 : at + 3]}):
            yield Danger(CHANGES_RIGHTS, "remote")
            return
        if starts_shared(verb, {*words[:at], *words[at + 1 : at + 3], *command.operands[:1]}):
            yield Danger(STARTS_SHARED_JOB, "remote")
            return
        if own or verb in load_kinds()["calm"]:
            return
    if words and not only_shows(command, words):
        yield Danger(UNKNOWN_VERB, "remote")


def only_shows(command: Invocation, words: Sequence[str]) -> bool:
    """Return whether words without a verb are known to only show something, together or by the first word."""
    first = strip_service_name(command)[0].lower().split(":")
    return load_kinds()["bare"].issuperset(words if command.name in load_kinds()["by-service"] else first)


def grants_rights(verb: str, around: Collection[str]) -> bool:
    """Return whether a verb changes rights or secrets that the words around it name."""
    table = load_kinds()
    if verb == "create":
        return not table["powers"].isdisjoint(around)
    return verb in table["granting"] and not (table["powers"] | table["rights"]).isdisjoint(around)


def starts_shared(verb: str, around: Collection[str]) -> bool:
    """Return whether a verb starts a workflow, pipeline or job that a team shares."""
    return verb in load_kinds()["starting"] and not load_kinds()["shared"].isdisjoint({*around} - {verb})


def check_payment_client(command: Invocation) -> Iterator[Danger]:
    """Find whatever moves money."""
    for verb in list_verbs(command):
        if verb in load_kinds()["calm"] - {"create", "add"}:
            return
        if verb in load_kinds()["acting"] | load_kinds()["charging"]:
            yield Danger(MOVES_MONEY, "remote")
            return


def list_verbs(command: Invocation) -> Sequence[str]:
    """Split the first words of a client: ``pg:reset`` into two, ``stop-instances`` so that it begins with its verb."""
    if only_shows_help(command.words, anywhere=True):
        return ()
    parts = [
        part
        for word in strip_service_name(command)
        if " " not in word
        for part in split_camel_case(word).lower().split(":")
    ]
    return [stem for part in parts for stem in split_verb(part)]


def strip_service_name(command: Invocation) -> Sequence[str]:
    """Return the first words of a client without the name of the service."""
    words = list_operands(load_rules().strip_global_options(command.name, command.words))[:MAX_VERB_WORDS]
    if command.name in load_kinds()["by-service"]:
        return words[1:] if words and words[0] not in load_kinds()[f"ours:{command.name}"] else ()
    return words


def split_verb(part: str) -> tuple[str, ...]:
    """Return a word, or the parts of one that begins with a verb."""
    if part in load_kinds()["calm"] | load_kinds()["bare"]:
        return (part,)
    first, *rest = re.split("[-_]", part)
    return (first, *rest) if rest and first in load_kinds()["leading"] else (part,)
