"""Install other agents and clients, each in its own virtualenv, created on first use."""

from .contest import Entry
from .homes import Homeless, home_of

REQUIREMENTS = {  # of those that need more than the distribution of their name
    "pydantic-ai": ("pydantic-ai-slim[openai]",),
    "slack-bolt": ("slack-bolt", "aiohttp"),
    "smolagents": ("smolagents[openai]",),
    "bm25s": ("bm25s", "PyStemmer"),
    "duckdb": ("duckdb", "duckdb-extension-fts"),
    "langgraph": ("langgraph", "langchain-openai"),
}


def peers(*names: str) -> list[Entry]:
    """Return those that can be installed, as contestants; the others are named."""
    return [Entry(name, f"with_{name.replace('-', '_')}", python) for name in names if (python := python_of(name))]


def peers_in(module: str, *names: str) -> list[Entry]:
    """Return those that can be installed, each as one way of a module that they share."""
    return [Entry(name, module, python, name) for name in names if (python := python_of(name.partition(":")[0]))]


def python_of(name: str) -> str:
    """Return the Python of a peer; empty, with a message, if it cannot be installed."""
    try:
        return home_of(name, REQUIREMENTS.get(name, (name,)))
    except Homeless as why:
        print(f"{name} is left out: {why}")
        return ""
