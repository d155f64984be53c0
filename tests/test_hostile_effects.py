"""A plugin that disturbs the process it shares is named: by the check of hooks whatever it does, and in a run."""

import json
import sys
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script
from hostile_distributions import install
from hostile_effects import EFFECTS, ENDINGS, FRESH, HEAD, SECOND, SYNC, UNSEEN, module_of

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the state of the process is Linux's")


def install_all(openkoi: Shell, bodies: dict[str, str]) -> Shell:
    """Install a distribution for each, with one module of hooks."""
    site = openkoi.home.parent / "site"
    site.mkdir()
    for name, text in bodies.items():
        install(site, name, text)
    return openkoi.seeing(site)


def lines_about(name: str, text: str) -> list[str]:
    return [line for line in text.splitlines() if f"Plugin '{name}' " in line]


@pytest.mark.timeout(400)
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.campaign)], ids=["a third", "all"])
def test_a_check_names_every_plugin_that_disturbs_the_process_and_no_other(step: int, tmp_path: Path) -> None:
    effects = dict([*EFFECTS.items(), *FRESH.items(), *SECOND.items()][::step])
    bodies = {name: module_of(body, waits=i % 2 == 1) for i, (name, (body, _)) in enumerate(effects.items())}
    openkoi = install_all(shell(tmp_path), {**bodies, "zz-good": HEAD + SYNC.format("return [Section('a', 'b')]")})

    result = openkoi.cold("doctor", "--hooks", seconds=300)

    found = {name: " ".join(lines_about(name, result.stdout)) for name in effects}
    assert {name: text for name, (_, text) in effects.items() if text not in found[name]} == {}
    assert [] == [
        one for one in result.stdout.splitlines() if one[:1] == "!" and not any(f"'{n}'" in one for n in found)
    ]
    assert "zz-good" in result.stdout
    assert 1 == result.returncode


def test_what_no_check_sees_is_listed(tmp_path: Path) -> None:
    bodies = {f"unseen-{i}": module_of(body) for i, body in enumerate(UNSEEN.values())}
    openkoi = install_all(shell(tmp_path), bodies)

    result = openkoi.cold("doctor", "--hooks", seconds=120)

    assert [] == [line for line in result.stdout.splitlines() if line.startswith("!")], result.stdout
    assert all(name in result.stdout for name in bodies)
    page = (Path(__file__).parent.parent / "hookspecs" / "HOOKS.md").read_text()
    listed = page.partition("does not detect:\n\n")[2].partition("\n\n")[0]
    assert [f"  - {text}" for text in UNSEEN] == listed.splitlines()


@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    "names",
    [["ends", "blocks", "removes-hooks"], pytest.param([*ENDINGS], marks=pytest.mark.campaign)],
    ids=["three", "all"],
)
def test_a_check_names_plugins_that_end_or_block_the_process_and_checks_the_others(
    names: list[str], tmp_path: Path
) -> None:
    bodies = {name: module_of(ENDINGS[name][0]) for name in names}
    openkoi = install_all(shell(tmp_path), {**bodies, "prints": module_of(EFFECTS["prints"][0])})
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text("[hooks]\ndeadline_seconds = 6\n")

    result = openkoi.cold("doctor", "--hooks", seconds=300)

    for name in names:
        assert ENDINGS[name][1] in " ".join(lines_about(name, result.stdout)), result.stdout
    assert EFFECTS["prints"][1] in " ".join(lines_about("prints", result.stdout))
    assert "guard " in result.stdout
    assert 1 == result.returncode


def test_a_run_names_them_restores_what_they_changed_and_keeps_its_output_clean(tmp_path: Path) -> None:
    names = ["prints", "moves", "ignores-interrupts", "changes-frozen", "leaves-thread", "removes-path"]
    openkoi = install_all(shell(tmp_path), {name: module_of(EFFECTS[name][0]) for name in names})
    model = write_script(openkoi.folder, '  - calls: [{tool: bash, arguments: {command: pwd}}]\n  - says: "Paris."\n')

    result = openkoi("-m", model, "--no-judge", "--format", "json", "Name a town")

    data = json.loads(result.stdout)
    assert ("Paris.", 0) == (data["output"], result.returncode)
    for name in names:
        assert EFFECTS[name][1] in " ".join(lines_about(name, "\n".join(map(str, data["warnings"]))))
