"""Find models on this machine, the best first, without asking, saving, or printing keys."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from openkoi_hookspecs import ConfigError, DiscoveredProvider, Koi, ProviderInfo

from .keychain import COMMAND, keychain_login
from .logins import Login, logins
from .ollama import NAME, VARIABLE, best_model, explain_bad_host, probe
from .sources import KeySource

Offers = Mapping[str, ProviderInfo]
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class LocalMachine:
    """What is looked at: the home folder, the variables, and the command that reads a keychain, if there is one."""

    home: Path = field(default_factory=Path.home)
    variables: Mapping[str, str] = field(default_factory=lambda: dict(os.environ), repr=False)
    keychain: Sequence[str] = COMMAND if sys.platform == "darwin" else ()
    now: float = field(default_factory=time.time)


async def discover(koi: Koi, machine: LocalMachine, report: Report) -> Sequence[DiscoveredProvider]:
    """All ways that lead to a provider that is installed; of two to one provider, the more explicit first.

    What may take its time is asked last and only if need be: the Keychain when there is no other way to what it holds
    a login for, Ollama when there is nothing that could be used as it is. ``report`` hears of what
    could not be looked at.
    """
    offers = {offer.provider: offer for offer in koi.providers()}
    found = [*in_variables(offers, machine.variables), *in_files(offers, machine)]
    if not any(way.provider == "anthropic" for way in found):
        found += await in_keychain(offers, machine)
    found += saved_keys(koi, offers, report)
    if all(way.consent for way in found) and NAME in offers:
        found += await find_ollama(koi, machine.variables, report)
    return rank_providers(found, list(offers))


def in_variables(offers: Offers, variables: Mapping[str, str]) -> Iterator[DiscoveredProvider]:
    """Return the keys in the environment, which the provider reads there."""
    for offer in offers.values():
        if offer.variable and variables.get(offer.variable, "").strip():
            yield DiscoveredProvider(offer.provider, offer.model, KeySource.ENV_VAR.hint(offer.variable))


def in_files(offers: Offers, machine: LocalMachine) -> Iterator[DiscoveredProvider]:
    """Logins that other programs keep in files, each with the consent it needs."""
    return (to_provider(login, offers) for login in logins(machine.home, machine.now) if login.provider in offers)


async def in_keychain(offers: Offers, machine: LocalMachine) -> Sequence[DiscoveredProvider]:
    """The login that the Claude CLI keeps in the Keychain, where there is one."""
    login = await keychain_login(machine.keychain, machine.now) if machine.keychain else None
    return [to_provider(login, offers)] if login and login.provider in offers else ()


def to_provider(login: Login, offers: Offers) -> DiscoveredProvider:
    model = offers[login.provider].model
    return DiscoveredProvider(login.provider, model, login.source.hint(), key=login.token, consent=login.consent)


def saved_keys(koi: Koi, offers: Offers, report: Report) -> Sequence[DiscoveredProvider]:
    """Keys that were saved here; none in a store that cannot be read."""
    try:
        names = koi.saved_keys()
    except ConfigError as error:
        report(str(error))
        return ()
    return [
        DiscoveredProvider(name, offers[name].model, KeySource.CONFIG_FILE.hint()) for name in names if name in offers
    ]


async def find_ollama(koi: Koi, variables: Mapping[str, str], report: Report) -> Sequence[DiscoveredProvider]:
    """Return what Ollama serves; ignore a server without models."""
    if wrong := explain_bad_host(variables.get(VARIABLE, "")):
        report(wrong)
        return ()
    names = await probe(koi)
    return [DiscoveredProvider(NAME, best_model(names), KeySource.OLLAMA_PROBE.hint())] if names else ()


def rank_providers(found: Sequence[DiscoveredProvider], order: Sequence[str]) -> Sequence[DiscoveredProvider]:
    """Return the best provider first, keeping the order within each."""
    return sorted(found, key=lambda way: order.index(way.provider) if way.provider in order else len(order))
