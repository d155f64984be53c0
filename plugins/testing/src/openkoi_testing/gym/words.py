"""Words of the drawn worlds, of ``words.toml``."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TABLE: dict[str, Sequence[Any]] = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))

TOPICS: tuple[tuple[str, ...], ...] = tuple(map(tuple, TABLE["topics"]))
ASPECTS: tuple[tuple[str, ...], ...] = tuple(map(tuple, TABLE["aspects"]))
CONDITIONS: tuple[tuple[str, ...], ...] = tuple(map(tuple, TABLE["conditions"]))
KINDS: tuple[tuple[str, tuple[str, ...]], ...] = tuple((name, tuple(texts)) for name, *texts in TABLE["kinds"])
JOINS: tuple[str, ...] = tuple(TABLE["joins"])
ASIDES: tuple[str, ...] = tuple(TABLE["asides"])
TITLES: tuple[str, ...] = tuple(TABLE["titles"])
ADVICE: tuple[str, ...] = tuple(TABLE["advice"])
LINTERS: tuple[str, ...] = tuple(TABLE["linters"])
PLATITUDES: tuple[tuple[str, str], ...] = tuple((title, advice) for title, advice in TABLE["platitudes"])
WORKS: tuple[str, ...] = tuple(TABLE["works"])
FILLERS: tuple[str, ...] = tuple(TABLE["fillers"])
STEMS: tuple[str, ...] = tuple(TABLE["stems"])
PLAIN: tuple[str, ...] = tuple(TABLE["plain"])
