"""``openkoi doctor --hooks`` calls every hook, and names each plugin whose hooks are broken or ignored."""

import inspect
from pathlib import Path

import pytest
from cli_process import shell
from hostile_distributions import HOOK, install

from openkoi_hookspecs import hooks

NAMES = [name for name, value in vars(hooks).items() if inspect.isfunction(value) and hasattr(value, "openkoi_spec")]
MUTATIONS = {
    "good": "@hookimpl\ndef {name}({first}):\n    return None\n",
    "unmarked": "def {name}({first}):\n    return None\n",
    "misspelled": "@hookimpl\ndef {misspelled}({first}):\n    return None\n",
    "misspelled-unmarked": "def {misspelled}({first}):\n    return None\n",
    "wrong-parameter": "@hookimpl\ndef {name}({first}, weather):\n    return None\n",
    "raises": "@hookimpl\ndef {name}({first}):\n    raise ValueError('wrong')\n",
    "wrong-answer": "@hookimpl\ndef {name}({first}):\n    return 42\n",
    "raises-the-second-time": (
        "count = []\n@hookimpl\ndef {name}({first}):\n    count.append(1)\n    if len(count) == 2:\n"
        "        raise ValueError('second')\n"
    ),
}


@pytest.fixture(name="site")
def make_site(tmp_path: Path) -> Path:
    """Return a folder of plugins: each mutation of each hook is one."""
    folder = tmp_path / "site"
    folder.mkdir()
    for name in NAMES:
        first = next(iter(inspect.signature(getattr(hooks, name)).parameters))
        misspelled = name[:4] + name[5:]
        for mutation, body in MUTATIONS.items():
            text = HOOK + body.format(name=name, first=first, misspelled=misspelled)
            install(folder, f"{name}-{mutation}".replace("_", "-"), text)
    return folder


def test_each_broken_or_ignored_hook_is_named_and_no_working_one(tmp_path: Path, site: Path) -> None:
    result = shell(tmp_path).seeing(site)("doctor", "--hooks")

    issues = [line for line in result.stdout.splitlines() if line.startswith("! ")]
    plugins = [f"{name}-{mutation}".replace("_", "-") for name in NAMES for mutation in MUTATIONS]
    named = {
        plugin for plugin in plugins for line in issues if plugin in line.replace("'", " ").replace(":", " ").split()
    }
    assert result.returncode == 1
    assert named == {plugin for plugin in plugins if not plugin.endswith("-good")}


def test_an_error_in_the_configuration_is_reported_in_one_line(tmp_path: Path) -> None:
    user = shell(tmp_path)
    user.home.mkdir()
    (user.home / "config.toml").write_text("[hooks\n")

    result = user("doctor", "--hooks")

    assert 2 == result.returncode
    assert 1 == len(result.stderr.splitlines())
    assert str(user.home / "config.toml") in result.stderr


def test_the_installed_hooks_work_and_the_check_leaves_no_trace(tmp_path: Path) -> None:
    user = shell(tmp_path)

    result = user("doctor", "--hooks")

    assert (result.returncode, result.stderr) == (0, "")
    rows = [line.split() for line in result.stdout.splitlines()]
    assert rows[0] == ["Plugin", "Hook", "At", "Calls", "Time", "Returned"]
    assert {("guard", "before_tool"), ("environment", "before_plan")} <= {(row[0], row[1]) for row in rows}
    assert not list((tmp_path / "home").rglob("*.jsonl"))
    assert not [*user.folder.iterdir()]


@pytest.mark.parametrize(
    ("requires", "entry_points", "issue"),
    [
        ("openkoi-hookspecs>=0.1", "", "acme requires openkoi-hookspecs but has no entry points"),
        ("openkoi_hookspecs", "[openkoi.hook]\nacme = acme\n", "acme registers a plugin in the group 'openkoi.hook'"),
        ("openkoi-hookspecs", "[openkoi_hooks]\nacme = acme\n", "acme registers a plugin in the group 'openkoi_hooks'"),
        ("openkoi-hookspecs", "[openkoi.hooks]\nacme = acme\n", "acme of acme implements no hook."),
        ("openkoi-hookspecs", "[openkoi.weather]\nacme = acme\n", ""),
        ("click", "", ""),
    ],
)
def test_a_plugin_that_never_registers_is_named(tmp_path: Path, requires: str, entry_points: str, issue: str) -> None:
    info = tmp_path / "site" / "acme-1.0.dist-info"
    info.mkdir(parents=True)
    (info.parent / "acme.py").write_text("def help():\n    return None\n")
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: acme\nVersion: 1.0\nRequires-Dist: {requires}\n")
    (info / "entry_points.txt").write_text(entry_points)

    result = shell(tmp_path).seeing(info.parent)("doctor", "--hooks")

    issues = [line.removeprefix("! ") for line in result.stdout.splitlines() if line.startswith("! ")]
    assert result.returncode == bool(issue)
    assert [text[: len(issue)] for text in issues] == ([issue] if issue else [])


WITH_SETTING = """
class Plugin:
    def __init__(self, *, key: str) -> None:
        self.key = key

    @hookimpl
    def before_plan(self, task):
        return None
"""
WITHOUT_SELF = "class Plugin:\n    @hookimpl\n    def before_plan(task):\n        return None\n"
TWICE = "@hookimpl\ndef before_plan(task):\n    return None\n\n"
TWICE_IN_A_CLASS = WITH_SETTING.replace(", *, key: str", "").replace("self.key = key", "...") + (
    "\n    @hookimpl\n    async def before_plan(self, run):\n        return None\n"
)


@pytest.mark.parametrize(
    ("text", "target", "issue"),
    [
        (WITH_SETTING, ":Plugin", "is not used: acme needs key. Set [hooks.acme] key."),
        (WITHOUT_SELF, ":Plugin", "before_plan is a method without self, so its parameter task is the plugin."),
        (TWICE.replace("task", "rum=None"), "", "before_plan never gets its parameter rum. Did you mean run?"),
        (TWICE * 2, "", "before_plan is defined 2 times, and only the last definition is called."),
        (TWICE_IN_A_CLASS, ":Plugin", "before_plan is defined 2 times, and only the last definition is called."),
    ],
)
def test_a_hook_that_cannot_be_meant_so_is_named(tmp_path: Path, text: str, target: str, issue: str) -> None:
    info = tmp_path / "site" / "acme-1.0.dist-info"
    info.mkdir(parents=True)
    (info.parent / "acme.py").write_text(HOOK + text)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[openkoi.hooks]\nacme = acme{target}\n")

    result = shell(tmp_path).seeing(info.parent)("doctor", "--hooks")

    (line,) = [line for line in result.stdout.splitlines() if line.startswith("! ")]
    assert (1, True) == (result.returncode, issue in line), result.stdout


def test_two_plugins_of_one_name_that_are_both_unused_are_named(tmp_path: Path) -> None:
    for name in ("acme", "rival"):
        info = tmp_path / "site" / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[openkoi.hooks]\nstyle = acme_style\n")
    (tmp_path / "site" / "acme_style.py").write_text(HOOK + MUTATIONS["good"].format(name="before_plan", first="task"))

    result = shell(tmp_path).seeing(tmp_path / "site")("doctor", "--hooks")

    assert 1 == result.returncode
    assert "! acme and rival both provide hooks 'style'; neither is used." in result.stdout
