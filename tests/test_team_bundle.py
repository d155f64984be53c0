"""A bundle of a team brings settings, skills and rubrics; the origin of each setting is shown; bundles may disagree."""

from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

ROOT = Path(__file__).parent.parent
TEAM = ROOT / "examples" / "team_bundle"
LETTER = """
  - when: {contains: "Read the letter as the customer"}
    says: '{"scores": {"answer": 0.95, "tone": 0.95}, "findings": [], "suggestion": ""}'
    repeat: true
  - {says: Dear customer., repeat: true}
"""


def install_bundle(openkoi: Shell, name: str, package: str, folder: Path) -> Shell:
    """Install a distribution that brings a bundle: what a wheel of it unpacks."""
    site = openkoi.home.parent / "site"
    info = site / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[openkoi.bundles]\n{name} = {package}\n")
    (site / package).symlink_to(folder, target_is_directory=True)
    return openkoi.seeing(site)


@pytest.fixture(name="openkoi")
def install_team(tmp_path: Path) -> Shell:
    return install_bundle(shell(tmp_path), "acme", "acme_team", TEAM / "acme_team")


@pytest.fixture(name="rival")
def install_rival(openkoi: Shell, tmp_path: Path) -> Shell:
    """Return the same with a second bundle that disagrees about one setting, and agrees about another."""
    folder = tmp_path / "rival"
    folder.mkdir()
    (folder / "bundle.toml").write_text("[iteration]\nmax_iterations = 4\nquality_threshold = 0.7\n")
    return install_bundle(openkoi, "rival", "rival_team", folder)


@pytest.mark.row("PLUG-07")
def test_a_setting_of_the_bundle_holds_until_the_user_sets_another(openkoi: Shell) -> None:
    assert openkoi("config", "get", "iteration.max_iterations").stdout.startswith("iteration.max_iterations = 4  # ")
    assert "acme_team/bundle.toml" in openkoi("config", "get", "iteration").stdout
    assert "No settings in" in openkoi("config", "list").stdout
    openkoi.home.mkdir(exist_ok=True)
    (openkoi.home / "config.toml").write_text("[iteration]\nmax_iterations = 2\n")
    changed = openkoi("config", "get", "iteration.max_iterations").stdout

    assert changed == f"iteration.max_iterations = 2  # {openkoi.home / 'config.toml'}\n"
    assert openkoi("config", "list").stdout == changed
    assert "quality_threshold = 0.9" in openkoi("config", "list", "--all").stdout


@pytest.mark.row("PLUG-07")
def test_its_skill_and_its_rubric_are_used(openkoi: Shell) -> None:
    model = write_script(openkoi.folder, LETTER)
    result = openkoi("-m", model, "--category", "letters", "--why", "Write a letter")

    assert "acme-letters" in result.stderr
    assert "release" in openkoi("context", "Release a new version").stdout


def test_bundles_that_disagree_are_reported_until_the_user_decides(rival: Shell) -> None:
    model = write_script(rival.folder, LETTER)
    result = rival("-i", "0", "-m", model, "Say hello")
    warnings = [line for line in result.stderr.splitlines() if "is set to different values by" in line]

    assert len(warnings) == 1
    assert "iteration.quality_threshold is set to different values by the bundles rival and acme; " in warnings[0]
    assert "0.7" in rival("config", "get", "iteration.quality_threshold").stdout
    rival.home.mkdir(exist_ok=True)
    (rival.home / "config.toml").write_text("[iteration]\nquality_threshold = 0.8\n")
    assert "is set to different values" not in rival("-i", "0", "-m", model, "Say hello").stderr


@pytest.mark.parametrize(
    ("key", "status", "shown"),
    [
        ("iteration.quality_threshold", 0, "iteration.quality_threshold = 0.8  # default\n"),
        ("no.such_setting", 1, ""),
    ],
)
def test_a_setting_that_is_not_set_shows_its_default(tmp_path: Path, key: str, status: int, shown: str) -> None:
    result = shell(tmp_path)("config", "get", key)

    assert (result.returncode, result.stdout) == (status, shown)
    assert ("is not set" in result.stderr) == bool(status)


def test_the_order_of_bundles_is_a_setting(rival: Shell) -> None:
    model = write_script(rival.folder, LETTER)
    rival.home.mkdir(exist_ok=True)
    (rival.home / "config.toml").write_text('[bundles]\norder = ["acme"]\n')

    assert "0.9" in rival("config", "get", "iteration.quality_threshold").stdout
    assert "rival" not in rival("-i", "0", "-m", model, "Say hello").stderr
    (rival.home / "config.toml").write_text('[bundles]\norder = ["rival", "acme"]\n')
    assert "0.7" in rival("config", "get", "iteration.quality_threshold").stdout
    assert "rival" not in rival("-i", "0", "-m", model, "Say hello").stderr


def test_a_hook_script_of_a_bundle_is_used_without_asking(rival: Shell, tmp_path: Path) -> None:
    (tmp_path / "rival" / "hooks").mkdir()
    (tmp_path / "rival" / "hooks" / "rules.star").write_text("def before_plan():\n    return ['Be brief.']\n")

    assert "rules" in rival("context", "Say hello").stdout.partition("estimated total")[0]
    assert "a bundle's" in rival("script", "list").stdout


@pytest.mark.parametrize("chosen", ["bundles.rival", "hooks.rival"])
def test_a_bundle_and_its_hook_of_one_name_are_told_apart(rival: Shell, tmp_path: Path, chosen: str) -> None:
    (tmp_path / "rival" / "hooks").mkdir()
    (tmp_path / "rival" / "hooks" / "rival.star").write_text("def before_plan():\n    return ['Be brief.']\n")

    unclear, shown = rival("plugin", "disable", "rival"), rival("plugin", "info", "rival").stdout
    disabled = rival("plugin", "disable", chosen)

    assert 1 == unclear.returncode
    assert "'rival' is the name of 2 plugins. Choose one: bundles.rival, hooks.rival." in unclear.stderr
    assert "bundles     rival" in shown
    assert "hooks       rival, listed by scripts: " in shown
    assert disabled.stdout == f"Set {chosen}.enabled = false in {rival.home / 'config.toml'}.\n"
    assert "rival" not in rival("context", "Say hello").stdout.partition("estimated total")[0]


def test_a_disabled_bundle_sets_nothing_until_it_is_enabled(openkoi: Shell) -> None:
    def limit() -> str:
        return openkoi("config", "get", "iteration.max_iterations").stdout

    assert "acme_team/bundle.toml" in limit()
    openkoi("plugin", "disable", "bundles.acme")
    assert "default" in limit()
    assert "bundle.toml" not in limit()
    openkoi("plugin", "enable", "bundles.acme")
    assert "acme_team/bundle.toml" in limit()


def test_what_it_brings_is_shown(openkoi: Shell) -> None:
    shown = openkoi("plugin", "info", "acme").stdout.splitlines()

    assert "bundles     acme" in shown
    assert "setting     iteration.max_iterations = 4" in shown
    assert {"skills", "evaluators"} <= {line.split()[0] for line in shown}


@pytest.mark.parametrize(
    ("first", "second", "mixed"),
    [
        ('command = "x"', 'url = "https://example.com"', True),
        ('command = "x"\nargs = ["a"]', 'env = { NODE_OPTIONS = "--require ./y.js" }', True),
        ('command = "x"\ninherit_env = true', 'command = "x"', True),
        ('command = "x"', 'command = "x"\ninherit_env = true', False),  # all of it is the second one's
        ('command = "x"', 'command = "x"', False),
    ],
)
def test_bundles_that_describe_one_server_are_both_named(tmp_path: Path, first: str, second: str, mixed: bool) -> None:
    openkoi = shell(tmp_path)
    for name, text in (("acme", first), ("rival", second)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bundle.toml").write_text(f"[mcp.servers.pond]\n{text}\n")
        openkoi = install_bundle(openkoi, name, f"{name}_team", tmp_path / name)

    warned = [
        line for line in openkoi("mcp", "list").stderr.splitlines() if "combines settings from several bundles" in line
    ]

    assert [mixed] * len(warned) == [
        all(f"{name}_team/bundle.toml" in line for name in ("acme", "rival")) for line in warned
    ]
    assert mixed == bool(warned)
