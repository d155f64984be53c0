"""A refresh token that replaced the first one is kept in a file, which may be damaged."""

import json
from pathlib import Path

import pytest

from openkoi_hookspecs import ConfigError
from openkoi_http.oauth import RefreshToken


@pytest.mark.parametrize(
    "content", [b"", b'{"first": "a"', b"[]", b"null", b'"a"', b'{"first": "a"}', b"\xff", b"[" * 100_000]
)
def test_a_damaged_file_is_named_with_what_to_run(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "refresh-token.json"
    file.write_bytes(content)

    with pytest.raises(ConfigError) as caught:
        RefreshToken(file, "a").load()
    wanted = f"{file} cannot be read: it is damaged. Delete it, then sign in again with `openkoi connect`."
    assert wanted == str(caught.value)


def test_a_folder_in_its_place_is_named_with_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"Is a directory\. Delete it, then sign in again"):
        RefreshToken(tmp_path, "a").load()


@pytest.mark.parametrize(("now", "token"), [("b", "b"), (5, "a"), (None, "a")])
def test_a_token_of_another_type_is_not_used(now: object, token: str, tmp_path: Path) -> None:
    file = tmp_path / "refresh-token.json"
    file.write_text(json.dumps({"first": "a", "now": now}))

    assert token == RefreshToken(file, "a").load()
