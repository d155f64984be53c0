"""``openkoi doctor --hooks`` calls every hook, and names each plugin whose hooks are broken or ignored."""

import inspect
from collections import defaultdict
from pathlib import Path
from subprocess import CompletedProcess

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
    **{
        f"raises-call-{number}": (
            "count = []\n@hookimpl\ndef {name}({first}):\n    count.append(1)\n"
            f"    if len(count) == {number}:\n        raise ValueError('late')\n"
        )
        for number in (2, 3, 5)
    },
    "forgets-await": "async def notify(): ...\n@hookimpl\ndef {name}({first}):\n    notify()\n",
    "forgets-await-inside": "async def notify(): ...\n@hookimpl\nasync def {name}({first}):\n    notify()\n",
}


MUTANTS_SECONDS = 600  # all 128 took 18 to 32 s on two processors, and more than 60 s with 17 to 30 others running
PLUGINS = [(f"{name}-{mutation}".replace("_", "-"), name, mutation) for name in NAMES for mutation in MUTATIONS]


@pytest.mark.timeout(MUTANTS_SECONDS)
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.campaign)], ids=["a fifth", "all"])
def test_each_broken_or_ignored_hook_is_named_and_no_working_one(tmp_path: Path, step: int) -> None:
    site = tmp_path / "site"
    site.mkdir()
    for plugin, name, mutation in PLUGINS[::step]:
        first = next(iter(inspect.signature(getattr(hooks, name)).parameters))
        body = MUTATIONS[mutation].format(name=name, first=first, misspelled=name[:4] + name[5:])
        install(site, plugin, HOOK + body)

    result = shell(tmp_path).seeing(site).cold("doctor", "--hooks", seconds=MUTANTS_SECONDS)

    issues = [line for line in result.stdout.splitlines() if line.startswith("! ")]
    words = {word for line in issues for word in line.replace("'", " ").replace(":", " ").split()}
    assert result.returncode == 1
    assert {plugin for plugin, _, mutation in PLUGINS[::step] if mutation != "good"} == {
        plugin for plugin, _, _ in PLUGINS if plugin in words
    }


def test_an_error_in_the_configuration_is_reported_in_one_line(tmp_path: Path) -> None:
    user = shell(tmp_path)
    user.home.mkdir()
    (user.home / "config.toml").write_text("[hooks\n")

    result = user.cold("doctor", "--hooks")

    assert 2 == result.returncode
    assert 1 == len(result.stderr.splitlines())
    assert str(user.home / "config.toml") in result.stderr


def test_the_installed_hooks_work_and_the_check_leaves_no_trace(tmp_path: Path) -> None:
    user = shell(tmp_path)

    result = user.cold("doctor", "--hooks")

    assert (result.returncode, result.stderr) == (0, "")
    rows = [line.split() for line in result.stdout.splitlines()]
    assert rows[0] == ["Plugin", "Hook", "At", "Calls", "Time", "Returned"]
    assert {("guard", "before_tool"), ("environment", "before_plan")} <= {(row[0], row[1]) for row in rows}
    assert not list((tmp_path / "home").rglob("*.jsonl"))
    assert not [*user.folder.iterdir()]


UNREGISTERED = {  # by name: what it requires, its entry points, and the sentence about it
    "none": ("openkoi-hookspecs>=0.1", "", "requires openkoi-hookspecs but has no entry points"),
    "singular": ("openkoi_hookspecs", "[openkoi.hook]\n{0} = acme\n", "registers a plugin in the group 'openkoi.hook'"),
    "joined": ("openkoi-hookspecs", "[openkoi_hooks]\n{0} = acme\n", "registers a plugin in the group 'openkoi_hooks'"),
    "unhooked": ("openkoi-hookspecs", "[openkoi.hooks]\n{0} = acme\n", "of unhooked implements no hook."),
    "other": ("openkoi-hookspecs", "[openkoi.weather]\n{0} = acme\n", ""),
    "stranger": ("click", "", ""),
}


def install_with(site: Path, name: str, code: str, entry_points: str, requires: str = "click") -> None:
    """Install a distribution with one module."""
    info = site / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (site / f"{name}_plugin.py").write_text(code)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nRequires-Dist: {requires}\n")
    (info / "entry_points.txt").write_text(entry_points.replace("acme", f"{name}_plugin").format(name))


def issues_of(result: CompletedProcess[str]) -> dict[str, list[str]]:
    """Return the sentences of a check by the plugins that they begin with."""
    found = defaultdict[str, list[str]](list)
    for line in result.stdout.splitlines():
        if line.startswith("! "):
            name, _, text = line.removeprefix("! ").partition(" ")
            found[name].append(text)
    return found


def test_plugins_that_never_register_are_named_and_no_other(tmp_path: Path) -> None:
    for name, (requires, entry_points, _) in UNREGISTERED.items():
        install_with(tmp_path / "site", name, "def help():\n    return None\n", entry_points, requires)

    result = shell(tmp_path).seeing(tmp_path / "site").cold("doctor", "--hooks")

    found = issues_of(result)
    assert 1 == result.returncode
    assert {name for name, (_, _, issue) in UNREGISTERED.items() if issue} == found.keys()
    assert {name: [True] for name in found} == {
        name: [text.startswith(UNREGISTERED[name][2]) for text in texts] for name, texts in found.items()
    }


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


PARTIAL = (
    "given, before_plan = before_plan, functools.partial(before_plan, a=1)\nbefore_plan.openkoi_impl = {}\ndel given\n"
)
MISTAKEN = {  # by name: its code, what its entry point names, and the sentence about it
    "unset": (WITH_SETTING, ":Plugin", "unset needs key. Set `key` under [hooks.unset] in the config file."),
    "selfless": (WITHOUT_SELF, ":Plugin", "before_plan is a method without self, so task receives the plugin itself."),
    "misspelled": (
        TWICE.replace("task", "rum=None"),
        "",
        "before_plan never receives its parameter rum. Did you mean run?",
    ),
    "twice": (TWICE * 2, "", "before_plan is defined 2 times, and only the last definition is called."),
    "inside": (TWICE_IN_A_CLASS, ":Plugin", "before_plan is defined 2 times, and only the last definition is called."),
    "cached": (f"@functools.cache\n{TWICE}", "", "is not a function but a _lru_cache_wrapper."),
    "cachedbelow": (
        TWICE.replace("\ndef", "\n@functools.cache\ndef"),
        "",
        "is not a function but a _lru_cache_wrapper.",
    ),
    "partial": (f"{TWICE.replace('task', 'task, a')}{PARTIAL}", "", "is not a function but a partial."),
    "callable": ("class A:\n    def __call__(self, task): ...\nbefore_plan = hookimpl(A())\n", "", "function but a A."),
}
WORKING = {  # by name: the decorators of a hook that is called
    "static": "@hookimpl\n    @staticmethod\n    def before_plan(",
    "staticabove": "@staticmethod\n    @hookimpl\n    def before_plan(",
    "ofclass": "@classmethod\n    @hookimpl\n    def before_plan(cls, ",
    "dispatched": "@functools.singledispatchmethod\n    @hookimpl\n    def before_plan(self, ",
}
FAILING = {
    "plam": (TWICE.replace("plan", "plam"), "there is no hook before_plam. Did you mean before_plan?"),
    "tsk": (TWICE.replace("task", "tsk"), "before_plan has no parameter tsk. Did you mean task?"),
    "weather": (
        TWICE.replace("task", "task, weather"),
        "before_plan has no parameter weather. Its parameters are task, recall, run.",
    ),
    "number": (TWICE.replace("None", "5"), "TypeError: returned int, not a sequence of Section"),
}


def test_hooks_that_cannot_be_meant_so_are_named(tmp_path: Path) -> None:
    for name, (code, target, _) in MISTAKEN.items():
        install_with(
            tmp_path / "site", name, f"import functools\n{HOOK}{code}", f"[openkoi.hooks]\n{{0}} = acme{target}\n"
        )
    for name, start in WORKING.items():
        code = f"import functools\n{HOOK}class Plugin:\n    {start}task):\n        return None\n"
        install_with(tmp_path / "site", name, code, "[openkoi.hooks]\n{0} = acme:Plugin\n")

    result = shell(tmp_path).seeing(tmp_path / "site").cold("doctor", "--hooks")

    found = issues_of(result)
    assert (1, {*MISTAKEN}) == (result.returncode, {*found}), result.stdout
    assert {name: [True] for name in MISTAKEN} == {
        name: [MISTAKEN[name][2] in text for text in texts] for name, texts in found.items()
    }


def test_hooks_that_fail_are_told_what_was_meant(tmp_path: Path) -> None:
    for name, (code, _) in FAILING.items():
        install_with(tmp_path / "site", name, HOOK + code, "[openkoi.hooks]\n{0} = acme\n")

    result = shell(tmp_path).seeing(tmp_path / "site").cold("doctor", "--hooks")

    lines = [line for line in result.stdout.splitlines() if line.startswith("! ")]
    shown = {
        name: [f"'{name}' failed at" in line for line in lines if text in line] for name, (_, text) in FAILING.items()
    }
    assert (1, {name: [True] for name in FAILING}) == (result.returncode, shown), result.stdout


def test_two_plugins_of_one_name_that_are_both_unused_are_named(tmp_path: Path) -> None:
    for name in ("acme", "rival"):
        info = tmp_path / "site" / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[openkoi.hooks]\nstyle = acme_style\n")
    (tmp_path / "site" / "acme_style.py").write_text(HOOK + MUTATIONS["good"].format(name="before_plan", first="task"))

    result = shell(tmp_path).seeing(tmp_path / "site").cold("doctor", "--hooks")

    assert 1 == result.returncode
    assert "! acme and rival both provide hooks 'style'; neither is used." in result.stdout
