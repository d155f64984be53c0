"""Wheels, plain pip, a clean virtual environment: what is installed is there, with no configuration."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp

import pytest
from cli_process import CLEARED, write_script

ROOT = Path(__file__).parent.parent
NO_JUDGE = "[evaluators.judge]\nenabled = false\n"
NO_TESTS = "[evaluators.testrunner]\nenabled = false\n"  # to certify the packages has run theirs
TURNS = (
    '  - when: {contains: ["No exclamation marks"]}\n    says: "In style, and far too many words."\n'
    '  - when: {last: "Remove"}\n    says: "Short."\n'
    '  - says: "Plain."\n'
)
JUDGED_TURNS = (
    '  - when: {contains: ["Reply with a number"]}\n    says: "90"\n    repeat: true\n'
    '  - when: {contains: ["Use short sentences"], after: 0}\n    says: "Hello!"\n'
    '  - says: "Hello."\n'
)
CALLING_TURNS = (
    "  - when: {last: Count, contains: [Write Scots English]}\n"
    "    calls: [{tool: word_count__count, arguments: {text: one fish two}}]\n"
    '  - when: {last: "3 words of koi"}\n    says: Three.\n'
)
NEW = {"my-style": "evaluator", "my-hook": "hook", "my-judge": "judge"}


@dataclass(frozen=True, slots=True)
class Installed:
    """A virtual environment with wheels to choose from."""

    folder: Path
    wheels: Path

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / ("Scripts" if os.name == "nt" else "bin") / "python"

    def pip(self, *names: str) -> None:
        """Install our distributions from the wheels alone; third-party ones must be available already."""
        quietly = ["--quiet", "--disable-pip-version-check", "--no-index"]
        run([str(self.python), "-m", "pip", "install", *quietly, "--find-links", str(self.wheels), *names])

    def add(self, *names: str) -> None:
        """Install more of ours with uv, which is faster."""
        quietly = ["--quiet", "--no-index", "--python", str(self.python)]
        run([*uv(), "pip", "install", *quietly, "--find-links", str(self.wheels), *names])

    def openkoi(self, *arguments: str, cwd: Path, status: int = 0) -> subprocess.CompletedProcess[str]:
        """Call the console script, which ends with this status."""
        return run([str(self.python.with_name("openkoi")), *arguments], cwd=cwd, status=status)


def home_of(folder: Path) -> Path:
    """Return a home beside the folder, so that writing there does not change the workspace."""
    return folder.with_name(f"{folder.name}-home")


@cache
def temporary_root() -> Path:
    """Return a folder for the tests of plugins: in ours, a session of pytest deletes the folders of older ones."""
    return Path(mkdtemp(prefix="openkoi-plugin-tests-"))


def run(command: list[str], cwd: Path = ROOT, status: int = 0) -> subprocess.CompletedProcess[str]:
    ours = {"PYTHONPATH", "VIRTUAL_ENV"}
    kept = {name: value for name, value in os.environ.items() if name not in ours and not CLEARED.match(name)}
    own = {"OPENKOI_HOME": str(home_of(cwd)), "PYTHONWARNINGS": "", "PYTEST_DEBUG_TEMPROOT": str(temporary_root())}
    environment = {**kept, **own}
    result = subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert status == result.returncode, result.stderr
    return result


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of every distribution of the workspace."""
    folder = tmp_path_factory.mktemp("wheels")
    run([*uv(), "build", "--all-packages", "--wheel", "--quiet", "--out-dir", str(folder)])
    return folder


def uv() -> list[str]:
    """Return the command, wherever it was installed."""
    found = os.environ.get("UV") or shutil.which("uv")
    return [found] if found else [sys.executable, "-m", "uv"]


@pytest.fixture(scope="module")
def install_openkoi(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """``openkoi`` alone, installed as a newcomer does."""
    folder = tmp_path_factory.mktemp("environment")
    run([sys.executable, "-m", "venv", str(folder)])
    environment = Installed(folder, wheels)
    strangers = folder / "strangers.txt"
    ours = ["--package", "openkoi", "--no-emit-workspace", "--no-dev"]
    run([*uv(), "export", "--quiet", "--no-hashes", *ours, "--output-file", str(strangers)])
    run([*uv(), "pip", "install", "--quiet", "--python", str(environment.python), "--requirement", str(strangers)])
    environment.pip("openkoi")
    return environment


@pytest.mark.timeout(600)
@pytest.mark.row("PLUG-06", "PLUG-07", "MIG-06")
def test_plugins_compose_by_being_installed(install_openkoi: Installed, tmp_path: Path) -> None:
    model, settings = write_script(tmp_path, TURNS), home_of(tmp_path) / "config.toml"
    settings.parent.mkdir()
    settings.write_text(NO_JUDGE)
    task = ["-m", model, "-i", "2", "--format", "json", "Write a letter"]
    alone = json.loads(install_openkoi.openkoi(*task, cwd=tmp_path, status=3).stdout)
    output = install_openkoi.openkoi("plugins", cwd=tmp_path).stdout

    assert ("Plain.", "not judged, and no check ran") == (alone["output"], alone["stop_reason"])
    assert "word-count" not in alone["evaluators"]
    assert "house-style" not in output
    assert "!" not in output

    install_openkoi.add("openkoi-house-style", "openkoi-word-count")
    settings.write_text(NO_JUDGE + "[evaluators.word-count]\nlimit = 2\n")
    changed = json.loads(install_openkoi.openkoi(*task, cwd=tmp_path, status=3).stdout)
    output = install_openkoi.openkoi("plugins", cwd=tmp_path).stdout

    assert "Short." == changed["output"]
    assert 2 == len(changed["iterations"])
    assert "word-count" in changed["evaluators"]
    assert "hooks        house-style" in output
    assert "evaluators   word-count" in output


def list_in_catalogue(wheel: Path, name: str, folder: Path) -> None:
    """Write a catalogue with one wheel; the configuration has it by its path."""
    lines = ['name = "ponds"', "[[plugins]]", f'name = "{name}"', 'kind = "hook"', f'file = "{wheel}"']
    digest = sha256(wheel.read_bytes()).hexdigest()
    (folder / "catalogue.toml").write_text("\n".join([*lines, f'sha256 = "{digest}"', ""]))


@pytest.mark.timeout(600)
@pytest.mark.row("PLUG-07")
def test_a_newcomer_writes_certifies_builds_and_installs_plugins(install_openkoi: Installed, tmp_path: Path) -> None:
    home_of(tmp_path).mkdir()
    catalogues = f'[plugins]\ncatalogues = ["{tmp_path / "catalogue.toml"}"]\n'
    (home_of(tmp_path) / "config.toml").write_text(f"{NO_JUDGE}{NO_TESTS}{catalogues}")
    run([*uv(), "pip", "install", "--quiet", "--python", str(install_openkoi.python), "pytest>=8.4"])
    install_openkoi.add("openkoi-testing")
    for name, kind in NEW.items():
        install_openkoi.openkoi("plugin", "new", kind, name, cwd=tmp_path)
    module = tmp_path / "my-style" / "src" / "my_style" / "__init__.py"
    replace(module, "len(text.split()) <= self.limit", "'!' not in text")
    replace(module, '"word " * 501', '"Hello!"')
    for name in NEW:
        assert not run([*uv(), "build", "--wheel", "--quiet", name], cwd=tmp_path).stderr
    wheels = {name: next((tmp_path / name / "dist").glob("*.whl")) for name in NEW}
    list_in_catalogue(wheels["my-style"], "my-style", tmp_path)
    installed = install_openkoi.openkoi("plugin", "install", "my-style", cwd=tmp_path)
    assert "my-style (hook) from the catalogue ponds, listed: hash verified." in installed.stdout
    install_openkoi.openkoi("plugin", "install", *map(str, wheels.values()), cwd=tmp_path)
    for name in NEW:
        certified = install_openkoi.openkoi("plugin", "certify", name, cwd=tmp_path).stdout
        assert certified.endswith("✓ Certified.\n")
    model = write_script(tmp_path, JUDGED_TURNS)
    result = install_openkoi.openkoi("-m", model, "-i", "2", "--format", "json", "Write a letter", cwd=tmp_path)

    assert "Hello." == json.loads(result.stdout)["output"]
    assert {"my-style", "my-judge"} <= {*json.loads(result.stdout)["evaluators"]}
    assert "my-hook" in install_openkoi.openkoi("context", "Write a letter", cwd=tmp_path).stdout
    install_openkoi.openkoi("plugin", "remove", *NEW, cwd=tmp_path)
    assert "my-" not in install_openkoi.openkoi("plugins", cwd=tmp_path).stdout


@pytest.mark.timeout(600)
@pytest.mark.row("PLUG-01", "PLUG-03", "PLUG-07")
def test_a_newcomer_writes_a_wasm_tool_a_script_and_a_bundle(install_openkoi: Installed, tmp_path: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    strangers = ["wasmtime>=50,<51", "starlark-pyo3"]
    run([*uv(), "pip", "install", "--quiet", "--python", str(install_openkoi.python), *strangers])
    install_openkoi.add("openkoi-wasm", "openkoi-scripts")
    for kind, name in (("wasm", "word-count"), ("script", "my-notes"), ("bundle", "my-team")):
        install_openkoi.openkoi("plugin", "new", kind, name, cwd=tmp_path)
    replace(tmp_path / "word-count" / "assembly" / "index.ts", '" words"', '" words of koi"')
    replace(home_of(tmp_path) / "data" / "plugins" / "scripts" / "my-notes.star", "British", "Scots")
    replace(tmp_path / "my-team" / "src" / "my_team" / "bundle.toml", "max_iterations = 4", "max_iterations = 2")

    for command in (["npm", "install", "--no-audit", "--no-fund"], ["npm", "run", "build"]):
        run(command, cwd=tmp_path / "word-count")
    assert "word-count: ok" in install_openkoi.openkoi("plugin", "certify", "word-count", cwd=tmp_path).stdout
    install_openkoi.openkoi("wasm", "add", "word-count", cwd=tmp_path)
    install_openkoi.openkoi("wasm", "approve", "word-count", "--yes", cwd=tmp_path)
    called = install_openkoi.openkoi("wasm", "call", "word-count", "count", '{"text": "a b"}', cwd=tmp_path)
    model = write_script(tmp_path, CALLING_TURNS)
    result = install_openkoi.openkoi("-m", model, "-i", "0", "Count the words", cwd=tmp_path)
    run([*uv(), "build", "--wheel", "--quiet", "my-team"], cwd=tmp_path)
    wheel = next((tmp_path / "my-team" / "dist").glob("*.whl"))
    install_openkoi.openkoi("plugin", "install", str(wheel), cwd=tmp_path)
    limit = install_openkoi.openkoi("config", "get", "iteration.max_iterations", cwd=tmp_path).stdout
    install_openkoi.openkoi("plugin", "remove", "my-team", cwd=tmp_path)

    assert "2 words of koi\n" == called.stdout
    assert "Three.\n" == result.stdout
    assert limit.startswith("iteration.max_iterations = 2  # ")
    assert "my_team" in limit


def replace(file: Path, old: str, new: str) -> None:
    """Replace a text in a file that contains it."""
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_every_distribution_has_a_wheel(wheels: Path) -> None:
    members = [
        ROOT,
        *(path.parent for path in ROOT.glob("*/pyproject.toml")),
        *(p.parent for p in ROOT.glob("*/*/pyproject.toml") if p.parent.name != "team_bundle"),  # settings of a team
    ]

    assert len({*members}) == len(list(wheels.glob("*.whl")))


def test_the_bundle_s_wheel_holds_data_and_no_code(wheels: Path) -> None:
    from zipfile import ZipFile

    (wheel,) = wheels.glob("openkoi-2*.whl")
    names = [name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name]

    assert "openkoi_bundle/bundle.toml" in names
    assert [] == [name for name in names if name.endswith(".py")]
