"""Look up the pricing and the limits of models in the bundles' ``models.json``.

A later bundle's file takes precedence.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from openkoi_hookspecs import ConfigError, Model, Price, ProviderInfo
from openkoi_settings import keys

FILE = "models.json"
CONTEXT, OUTPUT = keys.MODEL_CONTEXT.default, keys.MODEL_OUTPUT.default
Json = Mapping[str, Any]


@dataclass(frozen=True)
class Catalogue:
    """The files' contents, read on first use."""

    files: Sequence[Path] = ()

    @cached_property
    def tables(self) -> Sequence[Json]:
        """The contents of the files, in order of precedence."""
        return [read(file) for file in reversed(self.files) if file.is_file()]

    @cached_property
    def providers(self) -> Sequence[ProviderInfo]:
        """Providers, best first."""
        offers = [ProviderInfo(**offer) for table in self.tables for offer in table.get("offers", ())]
        return list({offer.provider: offer for offer in reversed(offers)}.values())[::-1]

    def long_name(self, name: str) -> str:
        """Return ``provider/model`` for a short name (an alias of a model); empty if there is no such alias."""
        return next((str(table["short"][name]) for table in self.tables if name in table.get("short", {})), "")

    @property
    def short_names(self) -> list[str]:
        """All short names (aliases)."""
        return sorted({name for table in self.tables for name in table.get("short", {})})

    def full_names(self, bare: str) -> list[str]:
        """Return ``provider/model`` for each provider that is known to have a model of this name."""
        listed = [entry for table in self.tables for entry in table.get("models", {}).items()]
        named = (
            provider
            for provider, models in listed
            if bare in models or any(bare in facts.get("is", ()) for facts in models.values())
        )
        return [f"{provider}/{bare}" for provider in dict.fromkeys(named)]

    def find_facts(self, provider: str, name: str) -> Model | None:
        """Return what is known about a model: by its exact name, else by the longest match."""
        for table in self.tables:
            models = table.get("models", {}).get(provider, {})
            found = max(models, key=lambda entry: rate_match(entry, models[entry], name), default="")
            if found and rate_match(found, models[found], name):
                return model_of(name, models[found])
        return None


def read(file: Path) -> Json:
    try:
        table = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"Cannot load the model file {file}: {error}. Reinstall its bundle.") from None
    return table if isinstance(table, dict) else {}


def rate_match(entry: str, facts: Json, name: str) -> int:
    """Return how well an entry matches a name: exactly, by its start, by a part; 0 for no match."""
    if name == entry or name in facts.get("is", ()):
        return 10_000
    starts = [len(start) for start in facts.get("starts", ()) if name.startswith(start)]
    inside = [len(part) for part in facts.get("has", ()) if part in name]
    return max(starts) * 10 if starts else max(inside, default=0)


def model_of(name: str, facts: Json) -> Model:
    context = facts.get("context") or CONTEXT
    return Model(
        name,
        context=context,
        output=min(facts.get("output") or OUTPUT, context),
        price=price_of(facts),
        edit=facts.get("edit", ""),
        can=tuple(facts.get("can", ())),
    )


def price_of(facts: Json) -> Price | None:
    if "price" not in facts:
        return None
    beyond = Price(*facts["beyond"]) if "beyond" in facts else None
    return Price(*pad_price(facts["price"]), above=facts.get("above", 0), beyond=beyond)


def pad_price(parts: Sequence[float]) -> list[float]:
    """Return all four parts of a price; parts that a vendor does not distinguish cost the same."""
    return [*map(float, parts), *[0.0] * (4 - len(parts))]
