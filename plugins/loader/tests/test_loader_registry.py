"""What is installed is found without being imported, and of rivals for a name one wins or none."""

import shutil
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from privileges import bound_by_modes

from openkoi_hookspecs import KoiError
from openkoi_loader.plugin_discovery import (
    PREFIX,
    Clash,
    Found,
    Scan,
    canonical_name,
    entry_points,
    metadata_folders,
    read_metadata,
    requirement_name,
    resolve,
    scan,
    with_preferences,
)


def installed(site: Path, folder: str, points: str | bytes | None) -> Path:
    """A distribution's metadata in a fake site-packages."""
    metadata = site / folder
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\n")
    if points is not None:
        (metadata / "entry_points.txt").write_bytes(points if isinstance(points, bytes) else points.encode())
    return metadata


def point(kind: str, name: str, target: str = "there:Thing") -> str:
    return f"[openkoi.{kind}]\n{name} = {target}\n"


def scanned(*sites: Path, prefer: frozenset[tuple[str, str, str]] = frozenset()) -> Scan:
    return scan([str(site) for site in sites], prefer)


def test_a_distribution_that_was_installed_is_found(tmp_path: Path) -> None:
    installed(tmp_path, "openkoi_slack-2026.1.1.dist-info", point("messengers", "slack", "openkoi_slack:Slack"))

    assert (Found("messengers", "slack", "openkoi_slack:Slack", "openkoi-slack"),) == scanned(tmp_path).found


@pytest.mark.parametrize("folder", ["openkoi_slack.egg-info", "openkoi_slack-1.0-py3.11.egg-info"])
def test_one_that_is_developed_is_found_by_its_egg_info(tmp_path: Path, folder: str) -> None:
    installed(tmp_path, folder, point("tools", "slack"))

    assert ["openkoi-slack"] == [one.distribution for one in scanned(tmp_path).found]


def test_an_editable_one_is_found_in_site_packages_although_its_code_is_elsewhere(tmp_path: Path) -> None:
    installed(tmp_path / "site", "openkoi_slack-0.dist-info", point("tools", "slack"))
    (tmp_path / "site" / "__editable__.openkoi_slack.pth").write_text(str(tmp_path / "project" / "src"))

    assert ["slack"] == [one.name for one in scanned(tmp_path / "site", tmp_path / "project" / "src").found]


@pytest.mark.parametrize("name", ["Acme_Koi", "acme.koi", "ACME_koi"])
def test_names_of_distributions_are_compared_by_what_they_mean(tmp_path: Path, name: str) -> None:
    installed(tmp_path / "a", f"{name}-1.dist-info", point("tools", "x", "first"))
    installed(tmp_path / "b", "acme_koi-2.dist-info", point("tools", "x", "second"))

    assert (Found("tools", "x", "first", "acme-koi"),) == scanned(tmp_path / "a", tmp_path / "b").found


def test_what_comes_first_on_the_path_hides_the_rest(tmp_path: Path) -> None:
    installed(tmp_path / "a", "acme-2.dist-info", None)
    installed(tmp_path / "b", "acme-1.dist-info", point("tools", "x"))

    assert Scan((), (), ()) == scanned(tmp_path / "a", tmp_path / "b")


def test_folders_that_are_not_there_and_files_on_the_path_hold_nothing(tmp_path: Path) -> None:
    (tmp_path / "archive.zip").write_bytes(b"PK")
    (tmp_path / "openkoi_x-1.dist-info").write_text("a file")

    assert Scan((), (), ()) == scanned(tmp_path / "none", tmp_path / "archive.zip", tmp_path)


def test_several_kinds_and_names_are_found_sorted_and_other_groups_are_not(tmp_path: Path) -> None:
    text = f"""
        [console_scripts]
        acme = acme:main
        {point("tools", "z")}{point("hooks", "b", "acme.hooks")}a = acme.more:thing [extra]
        [openkoi]
        no = no:no
        [other.openkoi.tools]
        no = no:no
    """
    installed(tmp_path, "acme-1.dist-info", text)

    assert [("hooks", "a", "acme.more:thing"), ("hooks", "b", "acme.hooks"), ("tools", "z", "there:Thing")] == [
        one[:3] for one in scanned(tmp_path).found
    ]


def test_comments_blank_lines_and_words_without_a_sign_are_passed_over() -> None:
    lines = [
        "# openkoi.tools",
        "x = lost",
        "[openkoi.tools]",
        "",
        "; y = no",
        "# z = no",
        "nothing",
        " a=b:c ",
        "[",
        "= d",
    ]

    assert [Found("tools", "a", "b:c", "acme")] == list(entry_points("acme", lines))


@pytest.mark.parametrize(
    "written",
    ["a.b:c.d", "a.b : c.d", "a.b:c.d [extra]", "a.b: c.d[one, two]", "a.b :c.d  # why", "a.b:c.d [x] # see [y]: z"],
)
def test_a_target_may_be_written_with_spaces_extras_and_comments(written: str) -> None:
    assert [Found("tools", "x", "a.b:c.d", "acme")] == list(entry_points("acme", ["[openkoi.tools]", f"x = {written}"]))


@pytest.mark.parametrize("written", ["a.b", "a.b [extra]", "a.b : c", "a.b:c", "a.b:c[x] ", "a.b:c [x, y]"])
def test_a_target_is_what_the_official_reader_makes_of_it(written: str) -> None:
    official = EntryPoint("x", written, PREFIX + "tools")
    [found] = entry_points("acme", ["[openkoi.tools]", f"x = {written}"])

    assert (official.module, official.attr or "") == tuple(found.target.partition(":")[::2])


@pytest.mark.parametrize("garbage", [b"\xff\xfe\x00", b"[openkoi.tools]\nx = \xff"], ids=["all", "in the middle"])
def test_one_broken_distribution_costs_one_named_warning(tmp_path: Path, garbage: bytes) -> None:
    installed(tmp_path, "broken-1.dist-info", garbage)
    installed(tmp_path, "acme-1.dist-info", point("tools", "x"))
    result = scanned(tmp_path)

    assert ["acme"] == [one.distribution for one in result.found]
    assert 1 == len(result.broken)
    assert result.broken[0].startswith("broken: its entry points cannot be read (")


def test_one_that_may_not_be_read_costs_one_named_warning(tmp_path: Path) -> None:
    metadata = installed(tmp_path, "locked-1.dist-info", point("tools", "x"))
    (metadata / "entry_points.txt").chmod(0)

    with bound_by_modes():
        assert "locked" == scanned(tmp_path).broken[0].partition(":")[0]


# Rivals.


def rivals(site: Path, name: str, *distributions: str) -> None:
    for distribution in distributions:
        installed(site, f"{distribution}-1.dist-info", point("memory", name, f"{distribution}:Memory"))


def test_of_rivals_openkois_own_wins(tmp_path: Path) -> None:
    rivals(tmp_path, "duckdb", "acme", "openkoi_duckdb", "zeta")
    result = scanned(tmp_path)

    assert ["openkoi_duckdb:Memory"] == [one.target for one in result.found]
    assert (
        "acme and openkoi-duckdb and zeta all provide memory 'duckdb'; the one from openkoi-duckdb is used. "
        'To choose, set "memory.duckdb" under [plugins.prefer] to "acme", '
        'or to "openkoi-duckdb" to keep the current choice.'
    ) == str(result.clashes[0])


def test_openkoi_itself_is_its_own(tmp_path: Path) -> None:
    for distribution in ("acme", "openkoi", "openkoi_default"):
        installed(tmp_path, f"{distribution}-1.dist-info", point("bundles", "default", f"{distribution}_bundle"))

    assert [("openkoi", "openkoi_bundle")] == [(one.distribution, one.target) for one in scanned(tmp_path).found]


@pytest.mark.parametrize(
    "requirement",
    [
        "openkoi-search",
        "openkoi_search[numbers]>=2026.11.21",
        "OpenKoi.Search (>=1) ; extra == 'x'",
        "openkoi-search~=1",
    ],
)
def test_a_requirement_begins_with_a_distribution(requirement: str) -> None:
    assert "openkoi-search" == requirement_name(requirement)


def test_a_description_declares_no_requirement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metadata = installed(tmp_path, "acme-1.dist-info", None)
    metadata.joinpath("METADATA").write_text("Requires-Dist: one\nRequires-Dist: two\n\nRequires-Dist: three\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    metadata_folders.cache_clear()
    try:
        assert ["one", "two"] == list(read_metadata("acme", "Requires-Dist: "))
    finally:
        metadata_folders.cache_clear()


def test_what_pip_left_behind_is_no_rival(tmp_path: Path) -> None:
    installed(tmp_path, "openkoi_tools-1.dist-info", point("tools", "workspace"))
    installed(tmp_path, "~penkoi_tools-1.dist-info", point("tools", "workspace"))

    assert (["openkoi-tools"], ()) == ([one.distribution for one in scanned(tmp_path).found], scanned(tmp_path).clashes)


def test_a_preference_settles_what_was_scanned_without_reading_it_again(tmp_path: Path) -> None:
    rivals(tmp_path, "best", "acme", "zeta")
    rivals(tmp_path, "duckdb", "beta", "openkoi_duckdb")
    first = scanned(tmp_path)
    shutil.rmtree(tmp_path)

    second = with_preferences(first, frozenset({("memory", "best", "zeta"), ("memory", "duckdb", "beta")}))

    assert [("best", "zeta"), ("duckdb", "beta")] == [(one.name, one.distribution) for one in second.found]
    assert ((), first) == (second.clashes, with_preferences(second, frozenset()))


def test_a_bundle_s_preference_wins_and_the_clash_is_still_reported(tmp_path: Path) -> None:
    rivals(tmp_path, "best", "acme", "zeta")
    prefer = frozenset({("memory", "best", "zeta")})
    result = with_preferences(scanned(tmp_path), frozenset(), prefer)

    assert [("best", "zeta")] == [(one.name, one.distribution) for one in result.found]
    assert [Clash("memory", "best", ("acme", "zeta"), "zeta")] == [*result.clashes]
    assert () == with_preferences(result, prefer, prefer).clashes


def test_a_name_of_two_words_has_an_own_distribution_too(tmp_path: Path) -> None:
    rivals(tmp_path, "big_store", "acme", "openkoi_big_store")

    assert ["openkoi-big-store"] == [one.distribution for one in scanned(tmp_path).found]


@pytest.mark.parametrize("named", ["acme-koi", "acme_koi", "Acme.Koi"])
def test_the_one_that_is_preferred_wins_over_all(tmp_path: Path, named: str) -> None:
    rivals(tmp_path, "duckdb", "acme_koi", "openkoi_duckdb", "zeta")
    result = scanned(tmp_path, prefer=frozenset({("memory", "duckdb", named), ("tools", "duckdb", "zeta")}))

    assert (["acme-koi"], ()) == ([one.distribution for one in result.found], result.clashes)


def test_of_strangers_none_is_used_and_the_choice_is_named(tmp_path: Path) -> None:
    rivals(tmp_path, "best", "acme", "zeta")
    result = scanned(tmp_path)

    assert ((), (Clash("memory", "best", ("acme", "zeta")),)) == (result.found, result.clashes)
    assert (
        "acme and zeta both provide memory 'best'; neither is used. "
        'To choose, set "memory.best" under [plugins.prefer] to "acme".' == str(result.clashes[0])
    )


def test_a_preference_for_what_is_not_installed_changes_nothing(tmp_path: Path) -> None:
    rivals(tmp_path, "best", "acme", "zeta")

    assert 1 == len(scanned(tmp_path, prefer=frozenset({("memory", "best", "gone")})).clashes)


def test_the_same_name_of_another_kind_is_no_rival(tmp_path: Path) -> None:
    installed(tmp_path, "acme-1.dist-info", point("tools", "x"))
    installed(tmp_path, "zeta-1.dist-info", point("hooks", "x"))

    assert 2 == len(scanned(tmp_path).found)


# What an entry point names.


def test_a_target_is_a_module_or_something_in_one() -> None:
    assert sys.modules["openkoi_hookspecs.errors"] is resolve("openkoi_hookspecs.errors")
    assert KoiError is resolve("openkoi_hookspecs.errors:KoiError")
    assert KoiError.__init__ is resolve("openkoi_hookspecs:KoiError.__init__")


@pytest.mark.parametrize("target", ["", "openkoi_nowhere", "openkoi_hookspecs:Nothing"])
def test_a_target_that_is_not_there_raises(target: str) -> None:
    with pytest.raises((ValueError, ImportError, AttributeError)):
        resolve(target)


# The living environment.


@pytest.mark.row("PLUG-06")
def test_the_scan_finds_what_the_official_listing_finds() -> None:
    from importlib_metadata import entry_points as official

    listed = {
        (one.group.removeprefix(PREFIX), one.name, one.value.partition("[")[0].strip(), canonical_name(one.dist.name))
        for one in official()
        if one.group.startswith(PREFIX) and one.dist is not None
    }
    found = scan()

    assert listed
    assert ((), ()) == (found.clashes, found.broken)
    assert listed == {tuple(one) for one in found.found}
