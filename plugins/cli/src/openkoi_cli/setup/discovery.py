"""Look for API keys in the environment, other tools' logins, saved keys and Ollama; return the best first."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from openkoi_hookspecs import ConfigError, DiscoveredProvider, Koi, ProviderInfo
from openkoi_hookspecs.lazy_dataclass import dataclass

from .key_sources import KeySource
from .keychain import COMMAND, read_keychain_login
from .ollama import NAME, VARIABLE, best_model, explain_bad_host, probe
from .other_logins import Login, find_logins

Offers = Mapping[str, ProviderInfo]
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class LocalMachine:
    """What is searched: home folder, environment variables, and the command that reads a keychain."""

    home: Path = field(default_factory=Path.home)
    variables: Mapping[str, str] = field(default_factory=lambda: dict(os.environ), repr=False)
    keychain: Sequence[str] = COMMAND if sys.platform == "darwin" else ()
    now: float = field(default_factory=time.time)


async def discover(koi: Koi, machine: LocalMachine, report: Report) -> Sequence[DiscoveredProvider]:
    """Return all usable providers; explicit ones first.

    Slow sources are asked last and only if needed: the Keychain if its provider was not found yet, Ollama if nothing is
    usable without consent. ``report`` gets the errors.
    """
    offers = {offer.provider: offer for offer in koi.providers()}
    found = [*find_in_variables(offers, machine.variables), *find_in_files(offers, machine)]
    if not any(found_provider.provider == "anthropic" for found_provider in found):
        found += await find_in_keychain(offers, machine)
    found += find_saved_keys(koi, offers, report)
    if all(found_provider.consent for found_provider in found) and NAME in offers:
        found += await find_ollama(koi, machine.variables, report)
    return rank_providers(found, list(offers))


def find_in_variables(offers: Offers, variables: Mapping[str, str]) -> Iterator[DiscoveredProvider]:
    """Yield the providers with a key in the environment."""
    for offer in offers.values():
        if offer.variable and variables.get(offer.variable, "").strip():
            yield DiscoveredProvider(offer.provider, offer.model, KeySource.ENV_VAR.hint(offer.variable))


def find_in_files(offers: Offers, machine: LocalMachine) -> Iterator[DiscoveredProvider]:
    """Yield the logins that other programs keep in files, each with the consent it needs."""
    return (to_provider(login, offers) for login in find_logins(machine.home, machine.now) if login.provider in offers)


async def find_in_keychain(offers: Offers, machine: LocalMachine) -> Sequence[DiscoveredProvider]:
    """Return the login that the Claude CLI keeps in the Keychain."""
    login = await read_keychain_login(machine.keychain, machine.now) if machine.keychain else None
    return [to_provider(login, offers)] if login and login.provider in offers else ()


def to_provider(login: Login, offers: Offers) -> DiscoveredProvider:
    model = offers[login.provider].model
    return DiscoveredProvider(login.provider, model, login.source.hint(), key=login.token, consent=login.consent)


def find_saved_keys(koi: Koi, offers: Offers, report: Report) -> Sequence[DiscoveredProvider]:
    """Return the providers with a saved key; none if the store cannot be read."""
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
    return sorted(
        found,
        key=lambda found_provider: (
            order.index(found_provider.provider) if found_provider.provider in order else len(order)
        ),
    )
