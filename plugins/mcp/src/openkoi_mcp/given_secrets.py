"""Find the secrets that are passed to a server, so that they are masked wherever they are shown or logged. Pure."""

from collections.abc import Iterator, Mapping

from openkoi_base.redact import secrets_of

from .server_config import ServerTable, expand


def given_secrets(table: ServerTable, variables: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the secrets in variables, headers and addresses that a server is given, each with its name."""
    given = {**table.env, **table.headers, "url": table.url}
    passed = {name: variables[name] for name in table.env_names if name in variables}
    filled = {**passed, **{name: expand(text, variables) for name, text in given.items()}}
    yield from ((one.origin, one.value) for one in secrets_of(filled.items()) if one.is_maskable)
