"""Find ways to a model on this machine, the best first. Asks nobody, saves nothing, prints no key."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from openkoi_hookspecs import ConfigError, DiscoveredProvider, Koi, ProviderInfo

from .keychain import COMMAND, keychain_login
from .logins import Login, logins
from .ollama import NAME, VARIABLE, best_model, misplaced, probe
from .sources import Source

Offers = Mapping[str, ProviderInfo]
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Machine:
    """What is looked at: the home folder, the variables, and the command that reads a keychain, if there is one."""

    home: Path = field(default_factory=Path.home)
    variables: Mapping[str, str] = field(default_factory=lambda: dict(os.environ), repr=False)
    keychain: Sequence[str] = COMMAND if sys.platform == "darwin" else ()
    now: float = field(default_factory=time.time)


async def discover(koi: Koi, machine: Machine, report: Report) -> Sequence[DiscoveredProvider]:
    """All ways that lead to a provider that is installed; of two to one provider, the more explicit first.

    What may take its time is asked last and only if need be: the Keychain when there is no other way to what it holds
    a login for, Ollama when there is nothing that could be used as it is. ``report`` hears of what
    could not be looked at.
    """
    offers = {offer.provider: offer for offer in koi.providers()}
    found = [*in_variables(offers, machine.variables), *in_files(offers, machine)]
    if not any(way.provider == "anthropic" for way in found):
        found += await in_keychain(offers, machine)
    found += saved(koi, offers, report)
    if all(way.consent for way in found) and NAME in offers:
        found += await served(koi, machine.variables, report)
    return ranked(found, list(offers))


def in_variables(offers: Offers, variables: Mapping[str, str]) -> Iterator[DiscoveredProvider]:
    """Keys in the environment; whoever builds the provider reads them there."""
    for offer in offers.values():
        if offer.variable and variables.get(offer.variable, "").strip():
            yield DiscoveredProvider(offer.provider, offer.model, Source.ENV_VAR.hint(offer.variable))


def in_files(offers: Offers, machine: Machine) -> Iterator[DiscoveredProvider]:
    """Logins that other programs keep in files, each with the consent it needs."""
    return (lent(login, offers) for login in logins(machine.home, machine.now) if login.provider in offers)


async def in_keychain(offers: Offers, machine: Machine) -> Sequence[DiscoveredProvider]:
    """The login that the Claude CLI keeps in the Keychain, where there is one."""
    login = await keychain_login(machine.keychain, machine.now) if machine.keychain else None
    return [lent(login, offers)] if login and login.provider in offers else ()


def lent(login: Login, offers: Offers) -> DiscoveredProvider:
    model = offers[login.provider].model
    return DiscoveredProvider(login.provider, model, login.source.hint(), key=login.token, consent=login.consent)


def saved(koi: Koi, offers: Offers, report: Report) -> Sequence[DiscoveredProvider]:
    """Keys that were saved here; none in a store that cannot be read."""
    try:
        names = koi.saved_keys()
    except ConfigError as error:
        report(str(error))
        return ()
    return [DiscoveredProvider(name, offers[name].model, Source.CONFIG_FILE.hint()) for name in names if name in offers]


async def served(koi: Koi, variables: Mapping[str, str], report: Report) -> Sequence[DiscoveredProvider]:
    """What Ollama serves; one without models counts as not there."""
    if wrong := misplaced(variables.get(VARIABLE, "")):
        report(wrong)
        return ()
    names = await probe(koi)
    return [DiscoveredProvider(NAME, best_model(names), Source.OLLAMA_PROBE.hint())] if names else ()


def ranked(found: Sequence[DiscoveredProvider], order: Sequence[str]) -> Sequence[DiscoveredProvider]:
    """The best provider first; what is found first stays first within it."""
    return sorted(found, key=lambda way: order.index(way.provider) if way.provider in order else len(order))
