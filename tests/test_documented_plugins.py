"""Every plugin that the pages of hookspecs show passes its own tests, and the pages say what there is."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest
from documented_plugins import (
    Example,
    events_of,
    example_of,
    examples,
    imported_by,
    pages,
    public_libraries,
    shell_with,
    write_files,
)
from test_composition import uv
from test_layers import LIBRARIES

from openkoi_hookspecs import events

TESTED = [example for example in examples() if example.tests]
PACKAGED = [example for example in examples() if any(name.startswith("src/") for name in example.files)]
OWN = {"contexts", "learn"}  # kinds that plugins define for each other
TEXTS = {page.name: page.read_text() for page in pages()}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Sequence[str]]:
    """The failures of the tests on the pages, by module; run in one process."""
    folder = tmp_path_factory.mktemp("tested")
    for example in TESTED:
        example.install(folder)
        write_files(folder, example.tests)
    report = folder / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, f"--junitxml={report}"]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    result = subprocess.run([*command, str(folder)], cwd=folder, env=environment, capture_output=True, text=True)
    assert report.exists(), result.stdout + result.stderr
    found: dict[str, list[str]] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        wrong = [case.attrib["name"] + (one.text or "") for one in case if one.tag in ("failure", "error")]
        found.setdefault(case.attrib["classname"].partition(".")[0], []).extend(wrong)
    return found


@pytest.mark.timeout(400)
@pytest.mark.parametrize("example", TESTED, ids=lambda example: example.heading)
def test_the_tests_of_an_example_pass(example: Example, outcomes: Mapping[str, Sequence[str]]) -> None:
    assert [[]] == [outcomes[name.removesuffix(".py")] for name in example.tests]


def test_every_kind_that_has_a_suite_has_an_example_that_passes_it() -> None:
    import openkoi_testing

    inherited = "".join(text for example in TESTED for text in example.tests.values())

    of_a_kind = {name for name in vars(openkoi_testing)["__all__"] if name.endswith("Contract")} - {"HealthContract"}
    assert set() == {name for name in of_a_kind if f"({name})" not in inherited}


@pytest.mark.parametrize("example", PACKAGED, ids=lambda example: example.page)
def test_a_complete_example_is_built_and_installed(example: Example, tmp_path: Path) -> None:
    project, site = tmp_path / "project", tmp_path / "site"
    write_files(project, example.files)
    subprocess.run([*uv(), "build", "--wheel", "--quiet", "--out-dir", str(tmp_path)], cwd=project, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(site)
    output = shell_with(tmp_path).seeing(site)("plugins").stdout

    name = tomllib.loads(example.files["pyproject.toml"])["project"]["name"]
    assert name in output
    assert "!" not in output


def test_the_first_plugin_of_hooks_shows_in_the_context_of_a_task(tmp_path: Path) -> None:
    output = shell_with(tmp_path, "Hooks that a plugin can implement")("context", "Write a letter").stdout

    assert "acme-style" in output


def test_settings_arrive_from_every_place_without_a_warning(tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path, "Settings of a plugin").with_environment(ACME_TOKEN="t-1")
    result = openkoi("Do it")

    assert 0 == result.returncode, result.stderr
    assert [] == [one.text for one in events_of(openkoi, events.WarningIssued)]


def test_every_group_of_the_loader_is_in_the_table_of_kinds() -> None:
    from openkoi_loader import plugin_discovery

    listed = set(re.findall(r"`openkoi\.([a-z]+)` \|", TEXTS["PLUGINS.md"]))
    installed = {one.kind for one in plugin_discovery.scan().found}

    assert [] == sorted(installed - listed - OWN)
    assert {group.removeprefix("openkoi.") for example in examples() for group in example.entry_points} == listed


def test_examples_import_only_libraries_that_are_listed_as_public() -> None:
    modules = [text for example in examples() for text in example.modules.values()]
    imported = set().union(*map(imported_by, modules))

    assert {name.replace("-", "_") for name in LIBRARIES} >= public_libraries() - {"openkoi_hookspecs"}
    assert {name for name in imported if name.startswith("openkoi")} <= public_libraries()


def anchors(text: str) -> set[str]:
    """The names of headings, as links give them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", sorted(TEXTS))
def test_links_lead_to_headings(page: str) -> None:
    links = re.findall(r"\]\((?:[\w.]+/)*([\w.]*)#([\w-]+)\)", TEXTS[page])

    assert [] == [(target, name) for target, name in links if name not in anchors(TEXTS[target or page])]


def test_every_example_is_named_by_the_first_line_of_its_block() -> None:
    blocks = [block for text in TEXTS.values() for block in re.findall(r"^```python\n(.*?)\n", text, re.MULTILINE)]

    assert [] == [first for first in blocks if not re.fullmatch(r"# [\w/]+\.py", first) and "import" not in first]
    assert example_of("A first plugin").tests
