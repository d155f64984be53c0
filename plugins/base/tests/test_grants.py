"""What a manifest grants is what may be accessed, however an address or a path is written."""

from pathlib import Path
from typing import Any

import pytest

from openkoi_base.grants import Capabilities, UrlPattern, read_capabilities
from openkoi_hookspecs import ConfigError

API = "https://api.example.com/v1/*"


def granted(**table: Any) -> Capabilities:
    return read_capabilities(table, Path("plugin.toml"))


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.com/v1/",
        "https://api.example.com/v1/fish/koi?x=../y",
        "https://API.Example.com./v1/fish",
        "https://api.example.com:443/v1/fish",
        "HTTPS://api.example.com/v1/a%20b",
    ],
)
def test_an_address_of_the_pattern_may_be_fetched(url: str) -> None:
    assert granted(network=[API]).may_fetch(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://api.example.com/v1/fish",
        "https://api.example.com:8443/v1/fish",
        "https://api.example.com/v2/fish",
        "https://api.example.com/v1/../v2/fish",
        "https://api.example.com/v1/%2e%2E/v2/fish",
        "https://api.example.com/v1/%2e%2e%2fv2/fish",
        "https://api.example.com/v1/..%5cv2",
        "https://api.example.com/v1/..;/v2/fish",
        "https://api.example.com/v1/%2e%2e;x=1/v2/fish",
        f"https://api.example.com/v1/{'a' * 8_192}",
        "https://api.example.com/v1/\\..\\v2",
        "https://api.example.com.evil.org/v1/fish",
        "https://evil.org/https://api.example.com/v1/",
        "https://api.example.com@evil.org/v1/fish",
        "https://evil.org\\@api.example.com/v1/fish",
        "https://evil.org#@api.example.com/v1/fish",
        "https://api.example.com/v1/fi\nsh",
        " https://api.example.com/v1/fish",
        "https://api.ex\u0430mple.com/v1/fish",
        "https:///v1/fish",
        "//api.example.com/v1/fish",
        "file:///etc/passwd",
        "https://api.example.com:99999/v1/fish",
        "https://[::1/v1/",
        "",
    ],
)
def test_any_other_address_may_not(url: str) -> None:
    assert not granted(network=[API]).may_fetch(url)


@pytest.mark.parametrize(
    ("pattern", "url", "allowed"),
    [
        ("https://*.example.com/*", "https://a.b.example.com/x", True),
        ("https://*.example.com/*", "https://example.com/x", False),
        ("https://*.example.com/*", "https://notexample.com/x", False),
        ("http://127.0.0.1:8080/*", "http://127.0.0.1:8080/x", True),
        ("http://127.0.0.1:8080/*", "http://127.0.0.1/x", False),
        ("http://[::1]/*", "http://[::1]:80/x", True),
        ("https://example.com", "https://example.com", True),
        ("https://example.com", "https://example.com/x", False),
        ("https://*/*", "https://anything.org/x", True),
    ],
)
def test_hosts_and_ports_of_patterns(pattern: str, url: str, allowed: bool) -> None:
    assert allowed == UrlPattern.parse(pattern).matches(url)


@pytest.mark.parametrize(
    "pattern", ["", "*", "example.com", "ftp://a/*", "https://a b/*", "https://a/*?x=1", "https://u@a/"]
)
def test_what_is_not_a_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigError, match="not an address pattern"):
        UrlPattern.parse(pattern)


@pytest.fixture(name="root")
def make_root(tmp_path: Path) -> Path:
    """Return a workspace beside a secret, with links that lead out of it and within it."""
    root = tmp_path / "root"
    (root / "docs" / "deep").mkdir(parents=True)
    for file in ("docs/a.md", "docs/deep/b.md", "docs/c.txt"):
        (root / file).write_text("")
    (tmp_path / "secret.md").write_text("")
    (root / "docs" / "out.md").symlink_to(tmp_path / "secret.md")
    (root / "docs" / "outside").symlink_to(tmp_path)
    (root / "inside.md").symlink_to(root / "docs" / "a.md")
    return root


@pytest.mark.parametrize(
    ("grant", "path", "allowed"),
    [
        ("read:./docs/*.md", "docs/a.md", True),
        ("read:./docs/*.md", "inside.md", True),
        ("read:./docs/*.md", "docs/new.md", True),
        ("read:./docs/*.md", "docs/deep/b.md", False),
        ("read:./docs/**/*.md", "docs/deep/b.md", True),
        ("read:./docs/**/*.md", "docs/a.md", True),
        ("read:./docs/**", "docs/deep/b.md", True),
        ("read:./docs/**", "docs", False),
        ("read:./docs/a.md", "docs/a.md", True),
        ("read:./docs/a.md", "docs/A.md", False),
        ("read:./docs/*.md", "docs/c.txt", False),
        ("read:./docs/**", "docs/out.md", False),
        ("read:./docs/**", "docs/outside/secret.md", False),
        ("read:./docs/outside/*.md", "docs/outside/secret.md", False),
        ("read:./docs/**", "docs/../../secret.md", False),
        ("read:./docs/**", "docs/deep/../../../secret.md", False),
        ("read:./docs/**", "/etc/passwd", False),
        ("read:./d?cs/a.md", "docs/a.md", True),
        ("write:./docs/**", "docs/a.md", False),
    ],
)
def test_a_file_may_be_read_where_links_and_dots_lead_to_a_granted_one(
    root: Path, grant: str, path: str, allowed: bool
) -> None:
    assert allowed == granted(filesystem=[grant]).may_read(Path(path), root)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("grant", "path"),
    [
        ("read:./**/**/**/**/**/x", "a/" * 2_000 + "y"),
        ("read:./*a*a*a*a*a*a*a*a*b", "a" * 255),
        (f"read:./{'*a' * 2_000}*b", "a" * 4_000),
        (f"read:./**/{'*a*/' * 1_000}b", "a/" * 2_000 + "y"),
    ],
)
def test_no_pattern_of_files_takes_long(root: Path, grant: str, path: str) -> None:
    assert not granted(filesystem=[grant]).may_read(Path(path), root)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("pattern", ["*a*a*a*a*a*a*a*b", "*a" * 4_000 + "b", "*" + "a" * 4_000 + "b*c"])
def test_no_pattern_of_addresses_takes_long(pattern: str) -> None:
    assert not granted(network=[f"https://example.com/{pattern}"]).may_fetch(f"https://example.com/{'a' * 8_000}")


def test_stars_stand_for_the_same_names_in_any_order(root: Path) -> None:
    found = {
        grant: [
            path
            for path in ("a/b", "x/a/b", "a/x/b/b", "ab/a", "a/xab")
            if granted(filesystem=[grant]).may_read(Path(path), root)
        ]
        for grant in (
            "read:./**/b",
            "read:./a/**/b",
            "read:./**/a/**",
            "read:./*/*a*b",
            "read:./**/?/**/b",
            "read:./*a*/*",
        )
    }

    assert {
        "read:./**/b": ["a/b", "x/a/b", "a/x/b/b"],
        "read:./a/**/b": ["a/b", "a/x/b/b"],
        "read:./**/a/**": ["a/b", "x/a/b", "a/x/b/b", "a/xab"],
        "read:./*/*a*b": ["a/xab"],
        "read:./**/?/**/b": ["a/b", "x/a/b", "a/x/b/b"],
        "read:./*a*/*": ["a/b", "ab/a", "a/xab"],
    } == found


def test_writing_and_reading_are_granted_separately(root: Path) -> None:
    only_write, both = granted(filesystem=["write:./new/*"]), granted(filesystem=["readwrite:./new/*"])

    assert (False, True) == (only_write.may_read(Path("new/x"), root), only_write.may_write(Path("new/x"), root))
    assert (True, True) == (both.may_read(Path("new/x"), root), both.may_write(Path("new/x"), root))


def test_only_named_variables_are_visible() -> None:
    assert {"A": "1"} == granted(environment=["A", "MISSING"]).variables({"A": "1", "B": "2"})


def test_nothing_is_granted_by_default(root: Path) -> None:
    nothing = granted()

    assert not nothing.may_fetch("https://example.com/")
    assert not nothing.may_read(Path("docs/a.md"), root)
    assert not nothing.may_write(Path("docs/a.md"), root)
    assert ({}, False, (), ()) == (nothing.variables({"A": "1"}), nothing.memory, nothing.messages, nothing.texts)


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ({"files": []}, "unknown key 'files'"),
        ({"network": "https://example.com/*"}, "network must be a list of strings"),
        ({"network": [1]}, "network must be a list of strings"),
        ({"network": ["example.com"]}, "not an address pattern"),
        ({"filesystem": ["~/notes"]}, "not a file grant"),
        ({"filesystem": ["read:notes/*"]}, "not a file grant"),
        ({"filesystem": ["read:./../x"]}, "not a file grant"),
        ({"filesystem": ["run:/bin/sh"]}, "not a file grant"),
        ({"environment": ["A=B"]}, "'A=B' is not a valid variable name"),
        (
            {"messages": ["slack\nIt may do nothing else."]},
            "messages: 'slack\\nIt may do nothing else.' contains a line break",
        ),
        ({"messages": ["sl\x1b[2Kack"]}, "contains a line break or an invisible character"),
        ({"messages": ["sl\u202eack"]}, "contains a line break or an invisible character"),
        ({"filesystem": ["read:./a\u3164\ufe01"]}, "contains a line break or an invisible character"),
        ({"filesystem": ["read:./a\u2028b"]}, "contains a line break or an invisible character"),
        ({"filesystem": [f"read:./{'a' * 4_096}"]}, "not a file grant"),
        ({"environment": ["A"] * 101}, "environment has more than 100 entries"),
        ({"memory": "yes"}, "memory must be true or false"),
    ],
)
def test_a_wrong_manifest_is_refused_with_its_file_and_key(table: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=r"^plugin\.toml: \[capabilities\] ") as refused:
        granted(**table)
    assert problem in str(refused.value)
