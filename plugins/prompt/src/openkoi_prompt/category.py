"""Infer a task's category from its words. The first category whose words occur most wins."""

import re

from openkoi_hookspecs.lazy_pattern import lazy_pattern

WORDS: dict[str, str] = {
    "bugfix": r"fix(es|ed)?|bugs?|crash(es|ed)?|broken|fail(s|ing|ed)?|errors?|regression|exception|traceback|wrong",
    "test": r"tests?|testing|coverage|pytest|unittest|specs?|assertions?",
    "refactor": r"refactor(ing)?|rename|clean ?up|simplify|extract|restructure|deduplicate|modernise|modernize",
    "migration": r"migrat(e|es|ion|ions)|alembic|schema change|backfill",
    "database": r"sql|quer(y|ies)|tables?|index(es)?|database|postgres|sqlite|duckdb",
    "api": r"api|endpoints?|rest|graphql|openapi|webhooks?|routes?",
    "docs": r"docs?|documentation|readme|docstrings?|changelog|guide",
    "summary": r"summar(y|ise|ize|ies)|sum up|digest|tl;?dr|recap|condense",
    "writing": r"write (a|an|the|me)|letter|e-?mail|essay|blog|post|announcement|story|poem|translate|proofread|reword",
    "code": r"code|function|class|method|module|script|implement|add|build|create|handler|parser|cli|refactor"
    r"|\w+\.(py|js|ts|rs|go|c|cpp|h|java|rb|sh|toml|yaml|yml|json)",
}
PATTERNS = {name: lazy_pattern(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE) for name, words in WORDS.items()}


def infer_category(text: str) -> str:
    """Return a task's category; empty if its words imply none."""
    counts = {name: len(pattern.findall(text)) for name, pattern in PATTERNS.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else ""
