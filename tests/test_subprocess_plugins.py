"""A plugin that is told to run in a process of its own does so in a run of the command line, whatever it does there."""

from pathlib import Path

import pytest
from cli_process import shell, write_script
from hostile_distributions import install

STYLE = """\
import os
from openkoi_hookspecs import Allow, Section, hookimpl

print("printed at import")

@hookimpl
def before_plan(task):
    return [Section("style", f"Written by {os.getpid()} for {os.getppid()}.")]

@hookimpl
def after_execute(work):
    os._exit(7)
"""


@pytest.mark.row("C63")
@pytest.mark.parametrize("subprocess", [True, False])
def test_a_plugin_that_ends_its_process_ends_the_run_only_where_it_is_in_it(subprocess: bool, tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    site = tmp_path / "site"
    site.mkdir()
    install(site, "acme-style", STYLE)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(f"[hooks.acme-style]\nsubprocess = {str(subprocess).lower()}\n")
    model = write_script(openkoi.folder, '  - says: "Paris."\n')

    result = openkoi.with_environment(PYTHONPATH=str(site))("-m", model, "-i", "0", "Name a town")

    if not subprocess:
        assert (7, False) == (result.returncode, "Paris." in result.stdout)
        return
    assert 0 == result.returncode, result.stderr
    assert "Paris." in result.stdout
    assert "printed at import" not in result.stdout + result.stderr
    assert "Plugin 'acme-style' failed at after_execute: KoiError: its process ended with status 7" in result.stderr
