"""Other agents and clients, each in a virtualenv of its own that is made when it is first needed."""

from .contest import Entry
from .homes import Homeless, home_of

REQUIREMENTS = {
    "pydantic-ai": ("pydantic-ai-slim[openai]",),
    "smolagents": ("smolagents[openai]",),
    "langgraph": ("langgraph", "langchain-openai"),
    "llm": ("llm",),
    "openai": ("openai",),
}


def peers(*names: str) -> list[Entry]:
    """Return those that can be installed, as contestants; the others are named."""
    return [Entry(name, f"with_{name.replace('-', '_')}", python) for name in names if (python := python_of(name))]


def python_of(name: str) -> str:
    """Return the Python of a peer; an empty text if it cannot be installed, which is said."""
    try:
        return home_of(name, REQUIREMENTS[name])
    except Homeless as why:
        print(f"{name} is left out: {why}")
        return ""
