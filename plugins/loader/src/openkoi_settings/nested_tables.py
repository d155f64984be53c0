"""Convert the tables inside a plugin's own table to the nested value that its constructor takes. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from openkoi_hookspecs import ConfigError

from .value import Setting


class UnknownKey(NamedTuple):
    """A key in a nested table that its type does not have, and the keys that the type has."""

    path: str
    known: Sequence[str]


def find_setting(name: str, settings: Mapping[str, Setting]) -> Setting | None:
    """Return the setting of a parameter; tables below its key become one nested dictionary."""
    own = settings_of(name, settings)
    if len(own) <= 1 and name in own:
        return own[name]
    table: dict[str, Any] = {}
    for key, setting in own.items():
        insert(table, keys_of(key, setting)[1:], setting.value, own)
    return Setting(table, next(iter(own.values())).origin) if own else None


def settings_of(name: str, settings: Mapping[str, Setting]) -> dict[str, Setting]:
    return {key: setting for key, setting in settings.items() if key == name or key.startswith(f"{name}.")}


def insert(table: dict[str, Any], keys: Sequence[str], value: object, own: Mapping[str, Setting]) -> None:
    """Insert a value at its place; raise ConfigError if one file has a value there and another one a table."""
    empty = value == {}
    for key in keys if empty else keys[:-1]:
        table = table.setdefault(key, {})
        if not isinstance(table, dict):
            raise conflict_error(own)
    if empty:
        return
    if not keys or keys[-1] in table:
        raise conflict_error(own)
    table[keys[-1]] = value


def conflict_error(own: Mapping[str, Setting]) -> ConfigError:
    places = [f"{key} in {setting.origin}" for key, setting in own.items()]
    return ConfigError(f"A setting is both a value and a table: {', '.join(places)}. Remove one of them.")


def keys_of(key: str, setting: Setting) -> tuple[str, ...]:
    """Split a dotted key as its file spells it: a quoted key may contain dots."""
    ends = (setting.path[start:] for start in reversed(range(len(setting.path))))
    return next((end for end in ends if ".".join(end) == key), tuple(key.split(".")))


def find_origin(name: str, path: Iterable[object], settings: Mapping[str, Setting]) -> str:
    """Return the origin of the setting at a path below a parameter, or of the nearest one."""
    wanted = (name, *map(str, path))
    own = settings_of(name, settings)
    nearest = max(own, key=lambda key: common_length(keys_of(key, own[key]), wanted))
    return own[nearest].origin


def common_length(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many keys two paths have in common at their beginning."""
    differing = (place for place, (here, there) in enumerate(zip(one, other, strict=False)) if here != there)
    return next(differing, min(len(one), len(other)))


def find_unknown_keys(hint: Any, value: object, path: str) -> list[UnknownKey]:
    """Return the keys in nested tables that the type of a parameter does not have."""
    if isinstance(value, list):
        items = [get_args(one)[0] for one in list_alternatives(hint) if is_kind_of(one, Sequence) and get_args(one)]
        return [unknown for item in value for unknown in fewest_unknown_keys(items, item, path)]
    if not isinstance(value, dict):
        return []
    tables = [one for one in list_alternatives(hint) if is_dataclass(one) or is_kind_of(one, Mapping)]
    return min((unknown_in_table(one, value, path) for one in tables), key=len, default=[])


def fewest_unknown_keys(hints: Iterable[Any], value: object, path: str) -> list[UnknownKey]:
    return min((find_unknown_keys(hint, value, path) for hint in hints), key=len, default=[])


def unknown_in_table(kind: Any, table: Mapping[str, object], path: str) -> list[UnknownKey]:
    known = fields_of(kind)
    found: list[UnknownKey] = []
    for key, value in table.items():
        if known is None:
            found += find_unknown_keys(get_args(kind)[-1] if get_args(kind) else None, value, f"{path}.{key}")
        elif key in known:
            found += find_unknown_keys(known[key], value, f"{path}.{key}")
        else:
            found.append(UnknownKey(f"{path}.{key}", list(known)))
    return found


def fields_of(kind: Any) -> Mapping[str, Any] | None:
    """Return the types of the keys that a table may have; None if it may have any."""
    if is_dataclass(kind):
        hints = get_type_hints(kind, include_extras=True)
        return {field.name: hints[field.name] for field in fields(kind) if field.init}
    return get_type_hints(kind) if hasattr(kind, "__required_keys__") else None


def list_alternatives(hint: Any) -> Iterator[Any]:
    """Yield the types that a hint allows."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        yield from list_alternatives(arguments[0])
    elif origin in (Union, UnionType):
        for argument in arguments:
            yield from list_alternatives(argument)
    else:
        yield hint


def is_kind_of(hint: Any, kind: type) -> bool:
    origin = get_origin(hint) or hint
    return isinstance(origin, type) and issubclass(origin, kind) and origin is not str
