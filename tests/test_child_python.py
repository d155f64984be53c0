"""Test that Python processes that OpenKoi starts import nothing from the current folder, which may be untrusted."""

import ast
import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from openkoi_chat.cli_commands import run_openkoi

ROOT = Path(__file__).parent.parent
KINDS = ("kernel", "plugins", "providers", "integrations", "evaluators")
RUNS_CODE_OF_THE_FOLDER = {  # on purpose: a package that is certified
    "plugins/cli/src/openkoi_cli/plugin_kit/certify.py": "openkoi_testing.certify",
}


def unsafe_modules(path: Path) -> Iterator[str]:
    """Yield the module of each command line that starts this Python with the current folder on its path."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.List | ast.Tuple):
            words = ["", *(ast.unparse(one).strip("'") for one in node.elts), ""]
            for before, word, module in zip(words, words[1:], words[2:], strict=False):
                if word == "-m" and before != "-P" and (before == "sys.executable" or module.startswith("openkoi")):
                    yield module


def test_no_child_has_the_current_folder_on_its_path() -> None:
    paths = [path for kind in KINDS for path in ROOT.glob(f"{kind}/**/src/**/*.py")]
    found = {str(path.relative_to(ROOT)): one for path in paths for one in unsafe_modules(path)}

    assert len(paths) > 100
    assert RUNS_CODE_OF_THE_FOLDER == found


@pytest.mark.parametrize("module", ["click", "openkoi_hookspecs"])
def test_a_file_of_the_folder_does_not_run_when_a_chat_starts_a_command(tmp_path: Path, module: str) -> None:
    (tmp_path / f"{module}.py").write_text("open('stolen', 'w')\n")

    asyncio.run(run_openkoi("plugins", folder=tmp_path))

    assert not (tmp_path / "stolen").exists()
