"""The bundle's file of models: what it offers, that a name finds one entry, and that its figures can be believed."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FILE = Path(__file__).parent.parent / "plugins" / "bundle" / "openkoi_bundle" / "models.json"
UNPRICED = {"openrouter", "qwen", "ollama"}
SCOPES = ["", "us.", "global."]
DATES = ["", "-20251231", "-v1:0"]
GENAI_IDS = {"xai": "x-ai", "bedrock": "aws"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of the file; its name is one of the exact ones."""

    provider: str
    name: str
    exact: tuple[str, ...] = ()
    starts: tuple[str, ...] = ()
    has: tuple[str, ...] = ()
    context: int
    output: int
    price: tuple[float, ...]
    above: int = 0
    beyond: tuple[float, ...] = ()
    edit: str = ""
    can: tuple[str, ...] = ()

    def fit(self, name: str) -> tuple[int, int]:
        """Return how well it fits a name: exactly, by the longest beginning, by the longest part; else not at all."""
        if name in (self.name, *self.exact):
            return 3, len(name)
        begun = [len(start) for start in self.starts if name.startswith(start)]
        inside = [len(part) for part in self.has if part in name]
        return (2, max(begun)) if begun else (1, max(inside)) if inside else (0, 0)

    def cost(self, *, fresh: int, cached: int, written: int, output: int) -> float:
        """The cost of one request in dollars; without a price for the cache, cached tokens cost the input price."""
        parts = self.beyond if self.beyond and fresh + cached + written > self.above else self.price
        report = (*parts, 0.0, 0.0)[:4]
        rates = (report[0], report[2] or report[0], report[3] or report[0], report[1])
        return sum(n * rate for n, rate in zip((fresh, cached, written, output), rates, strict=True)) / 1e6


@cache
def table() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))  # JSON: its types are what the tests look at
    return data


@cache
def entries() -> tuple[Entry, ...]:
    models = table()["models"].items()
    return tuple(entry_of(provider, name, facts) for provider, listed in models for name, facts in listed.items())


def entry_of(provider: str, name: str, facts: dict[str, Any]) -> Entry:
    held: dict[str, Any] = {key: tuple(fact) if isinstance(fact, list) else fact for key, fact in facts.items()}
    return Entry(provider=provider, name=name, exact=held.pop("is", ()), **held)


@cache
def offered_by(provider: str) -> tuple[Entry, ...]:
    return tuple(entry for entry in entries() if entry.provider == provider)


@cache
def fitting(provider: str, name: str) -> list[str]:
    """Return the entries that fit a name best: one, or none when it is not known."""
    fits = {entry.name: entry.fit(name) for entry in offered_by(provider)}
    best = max(fits.values(), default=(0, 0))
    return [entry for entry, fit in fits.items() if fit == best and best > (0, 0)]


def find_entry(provider: str, name: str) -> Entry:
    [best] = fitting(provider, name)
    return next(entry for entry in offered_by(provider) if entry.name == best)


def offered_models() -> list[str]:
    return [f"{offer['provider']}/{offer['model']}" for offer in table()["offers"]]


def priced_models() -> list[str]:
    return [name for name in offered_models() if name.partition("/")[0] not in UNPRICED]


@pytest.mark.row("ONB-04", "ONB-08", "ONB-12", "PROV-08", "C23")
def test_providers_are_offered_best_first_with_their_default_model() -> None:
    assert [
        "anthropic/claude-sonnet-4-5",
        "openai/gpt-5.2",
        "google/gemini-2.5-pro",
        "openrouter/auto",
        "groq/llama-3.3-70b-versatile",
        "together/meta-llama/Llama-3.3-70B-Instruct-Turbo",
        "deepseek/deepseek-chat",
        "xai/grok-4-0709",
        "qwen/qwen2.5-coder-32b",
        "ollama/llama3.3",
    ] == offered_models()


@pytest.mark.row("ONB-04")
def test_a_key_is_looked_for_in_one_variable_for_each_provider_that_takes_one() -> None:
    named = {offer["provider"]: offer["variable"] for offer in table()["offers"] if "variable" in offer}

    assert {provider: f"{provider.upper()}_API_KEY" for provider in named} == named
    assert {"qwen", "ollama"} == {offer["provider"] for offer in table()["offers"]} - named.keys()


@pytest.mark.row("ONB-14")
def test_every_offer_can_be_shown() -> None:
    assert [] == [offer for offer in table()["offers"] if not (offer["title"] and offer["hint"])]


@pytest.mark.row("PROV-12", "C23")
def test_facts_are_known_of_every_model_that_is_offered() -> None:
    assert [name.partition("/")[2] for name in priced_models()] == [
        find_entry(*name.split("/", 1)).name for name in priced_models()
    ]


@pytest.mark.row("CLI-15")
def test_short_names_stand_for_models_that_are_known_or_local() -> None:
    short = table()["short"]

    assert {"claude-sonnet", "claude-opus", "codestral"} <= short.keys()
    assert [] == [name for name in short.values() if not (name.startswith("ollama/") or fitting(*name.split("/", 1)))]
    assert [] == [name for name in short if "/" in name]


def test_every_entry_is_found_by_its_own_names() -> None:
    named = [(entry, name) for entry in entries() for name in (entry.name, *entry.exact, *entry.starts)]

    assert [] == [(entry.name, name) for entry, name in named if [entry.name] != fitting(entry.provider, name)]


def test_no_name_finds_two_entries() -> None:
    assert [] == [name for name in imaginable() if len(fitting(*name)) > 1]


def imaginable() -> Iterator[tuple[str, str]]:
    """Yield every name and part of a name in the file, as vendors date and prefix them."""
    for entry in entries():
        scopes = SCOPES if entry.provider == "bedrock" else [""]
        words = {entry.name, *entry.exact, *entry.starts, *entry.has}
        yield from ((entry.provider, scope + word + date) for word in words for scope in scopes for date in DATES)


@pytest.mark.parametrize(
    ("provider", "asked", "entry"),
    [
        ("anthropic", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("anthropic", "claude-opus-5-5-20260901", "claude-opus-5-5"),
        ("anthropic", "claude-opus-5-20260401", "claude-opus-5"),
        ("openai", "gpt-5.2-2025-12-11", "gpt-5.2"),
        ("openai", "gpt-5.2-chat-latest", "gpt-5.2-chat-latest"),
        ("openai", "gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("google", "gemini-2.5-pro-preview-06-05", "gemini-2.5-pro"),
        ("google", "gemini-2.0-flash-lite-001", "gemini-2.0-flash-lite"),
        ("xai", "grok-4-latest", "grok-4-0709"),
        ("bedrock", "us.anthropic.claude-sonnet-4-6", "anthropic.claude-sonnet-4-6-v1:0"),
        ("bedrock", "global.anthropic.claude-sonnet-4-6", "global.anthropic.claude-sonnet-4-6-v1:0"),
        ("bedrock", "eu.amazon.nova-pro-v1:0", "amazon.nova-pro-v1:0"),
    ],
)
def test_the_longest_match_wins(provider: str, asked: str, entry: str) -> None:
    assert [entry] == fitting(provider, asked)


@pytest.mark.parametrize("asked", ["", "claude", "gpt-7", "claude-opus-6", "text-embedding-3-small", "whisper-1"])
def test_nothing_is_said_of_a_model_that_is_not_known(asked: str) -> None:
    assert [] == fitting("openai", asked) + fitting("anthropic", asked)


def test_contexts_and_answers_are_plausible() -> None:
    assert [] == [entry for entry in entries() if not 4_000 <= entry.context <= 12_000_000]
    assert [] == [entry for entry in entries() if not 1_000 <= entry.output <= min(entry.context, 272_000)]


@pytest.mark.row("PROV-12")
def test_prices_are_plausible() -> None:
    assert [] == [entry for entry in entries() if not plausible(entry.price)]
    assert [] == [entry for entry in entries() if entry.beyond and not plausible(entry.beyond)]


def plausible(price: Sequence[float]) -> bool:
    """Return the answer costs as much as the question or more, cached text less, writing to the cache a little more."""
    read, answer, cached, written = (*price, 0.0, 0.0)[:4]
    return (
        len(price) <= 4 and 0 < read <= answer <= 1000 and cached < read and (not written or read <= written < 2 * read)
    )


@pytest.mark.row("PROV-12")
def test_long_requests_are_never_cheaper() -> None:
    tiered = [entry for entry in entries() if entry.above or entry.beyond]

    assert tiered
    assert [] == [entry for entry in tiered if not 1_000 < entry.above <= entry.context]
    assert [] == [entry for entry in tiered if len(entry.price) != len(entry.beyond)]
    assert [] == [entry for entry in tiered if any(a > b for a, b in zip(entry.price, entry.beyond, strict=True))]


def test_edit_formats_and_capabilities_are_words_of_the_contract() -> None:
    texts = ("tools", "images", "thinking", "schema", "cache")

    assert {"", "replace", "whole"} == {entry.edit for entry in entries()}
    assert [] == [entry for entry in entries() if entry.can != tuple(word for word in texts if word in entry.can)]


def test_what_is_offered_can_call_tools() -> None:
    assert [] == [name for name in priced_models() if "tools" not in find_entry(*name.split("/", 1)).can]


@pytest.mark.row("PROV-12")
@pytest.mark.parametrize(
    ("dollars", "provider", "model", "tokens"),
    [
        (0.0525, "anthropic", "claude-opus-4-6", {"fresh": 5_000, "cached": 5_000, "output": 1_000}),
        (0.0525, "anthropic", "claude-opus-4-6-20260205", {"fresh": 5_000, "cached": 5_000, "output": 1_000}),
        (0.04125, "anthropic", "claude-sonnet-4-5", {"written": 7_000, "output": 1_000}),
        (0.6, "anthropic", "claude-sonnet-4-5", {"fresh": 200_000}),
        (1.5, "anthropic", "claude-sonnet-4-5", {"fresh": 250_000}),
        (0.0315, "openai", "gpt-5.2", {"fresh": 10_000, "output": 1_000}),
        (1.25, "google", "gemini-2.5-pro", {"fresh": 500_000}),
        (0.0138, "groq", "llama-3.3-70b-versatile", {"fresh": 10_000, "output": 10_000}),
    ],
)
def test_a_request_costs_what_the_vendor_says(
    dollars: float, provider: str, model: str, tokens: dict[str, int]
) -> None:
    counted = {"fresh": 0, "cached": 0, "written": 0, "output": 0} | tokens

    assert pytest.approx(dollars) == find_entry(provider, model).cost(**counted)


@pytest.mark.row("PROV-07")
def test_embedding_models_have_a_price_and_are_no_chat_models() -> None:
    embeddings = table()["embeddings"]

    assert {"price": [0.02]} == embeddings["openai"]["text-embedding-3-small"]
    assert [] == [name for models in embeddings.values() for name, one in models.items() if not 0 < one["price"][0] < 1]
    assert [] == [entry.name for entry in entries() if "embed" in entry.name]


def test_the_file_is_small_and_has_a_model_a_line_in_a_settled_order() -> None:
    text = FILE.read_text(encoding="utf-8")
    lines = {line.strip().removesuffix(",") for line in text.splitlines()}
    models = [*table()["models"].values(), *table()["embeddings"].values()]

    assert "openkoi.models/1" == table()["schema"]
    assert len(text.encode()) <= 150_000
    assert text.endswith("}\n")
    assert [] == [list(one) for one in models if list(one) != sorted(one)]
    assert {f"{json.dumps(name)}: {json.dumps(facts)}" for one in models for name, facts in one.items()} <= lines


def test_prices_are_those_of_genai_prices() -> None:
    genai = pytest.importorskip("genai_prices", reason="to compare: uv run --with genai-prices pytest tests")
    if table()["source"] != f"genai-prices {version('genai-prices')}":
        pytest.skip(f"the file is of {table()['source']}; to renew it: uv run --with genai-prices .ci/models")
    ours = {entry: entry.cost(fresh=5_000, cached=5_000, written=0, output=1_000) for entry in entries()}
    theirs = {entry: dearest(genai, entry) for entry in entries()}
    known = [entry for entry in entries() if theirs[entry]]

    assert 0.95 < len(known) / len(ours)
    assert [] == [entry for entry in known if theirs[entry] != pytest.approx(ours[entry])]


def dearest(genai: ModuleType, entry: Entry) -> float:
    """Return what it costs at the dearest hour of the file's day.

    0 for a name of our making, which is no name of theirs.
    """
    day = datetime.fromisoformat(table()["day"]).replace(tzinfo=UTC)
    usage = genai.Usage(input_tokens=10_000, cache_read_tokens=5_000, output_tokens=1_000)
    at = {"provider_id": GENAI_IDS.get(entry.provider, entry.provider)}
    try:
        hours = [
            genai.calc_price(usage, entry.name, **at, genai_request_timestamp=day + timedelta(hours=hour))
            for hour in range(24)
        ]
    except LookupError:
        return 0.0
    return max(float(one.total_price) for one in hours)
