"""Test the report options of JavaScript runners, and how their reports are parsed."""

import json
from pathlib import Path

import pytest

from openkoi_testrunner.junit import read_junit
from openkoi_testrunner.package import Package
from openkoi_testrunner.parse_js import read_js
from openkoi_testrunner.scripts import add_reports, runners_of

PRINTED = Path(__file__).parent / "printed"
POND = "/home/koi/pond"
READ = {
    "vitest": {f"{POND}/v.test.mjs > pond > adds": False, f"{POND}/v.test.mjs > pond > is fine": True},
    "jest": {
        f"{POND}/a.test.js > pond > adds": False,
        f"{POND}/a.test.js > pond > is # deep": True,
        f"{POND}/broken.test.js": False,
    },
    "mocha": {
        f"{POND}/mtest/m.js > pond is fine": True,
        f"{POND}/mtest/m.js > pond adds": False,
        f'{POND}/mtest/m.js > pond hooks "before each" hook for "z"': False,
    },
}
REPLY = {
    "vitest": ["AssertionError: expected -1 to be 3 // Object.is equality"],
    "jest": [
        "Error: expect(received).toBe(expected) // Object.is equality Expected: 3 Received: -1",
        "Cannot find module 'no-such-thing' from 'broken.test.js'",
    ],
    "mocha": ["AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: -1 !== 3", "Error: dry"],
}
FILE = '"$OPENKOI_REPORT-0"'
OUTPUT = {
    "vitest": f"vitest --reporter=json --outputFile={FILE} --coverage.enabled=false",
    "vitest run --coverage src": f"vitest run --reporter=json --outputFile={FILE} --coverage.enabled=false src",
    "NODE_ENV=test npx jest -i": f"NODE_ENV=test npx jest --json --outputFile={FILE} --coverage=false -i",
    "tsc && c8 -r html mocha": f"tsc && mocha --reporter=json --reporter-option=output={FILE}",
    "node node_modules/mocha/bin/_mocha": (
        f"node node_modules/mocha/bin/_mocha --reporter=json --reporter-option=output={FILE}"
    ),
    "ava": "ava --tap",
}
LEFT = ["node --test", "tape test/*.js", "eslint test/jest", "echo vitest", "make test", "react-scripts test"]


@pytest.mark.parametrize("name", READ)
def test_a_recorded_report_is_read_test_by_test(tmp_path: Path, name: str) -> None:
    output = read_js((PRINTED / f"{name}.json").read_text(), tmp_path)

    assert output is not None
    assert READ[name] == {test.name: test.passed for test in output[0]}
    assert REPLY[name] == [test.title.partition(" fails: ")[2] for test in output[0] if not test.passed]
    assert 1 == len(output[1])


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"testResults": 3}', '{"testResults": [3]}', '{"stats": {}}'])
def test_what_is_no_report_is_not_read(tmp_path: Path, text: str) -> None:
    assert read_js(text, tmp_path) is None


def test_a_failure_stands_at_its_first_line_in_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "v.test.mjs").touch()
    text = (PRINTED / "vitest.json").read_text().replace(POND, str(tmp_path))

    output = read_js(text, tmp_path)

    assert output is not None
    assert [("v.test.mjs > pond > adds", "v.test.mjs:4")] == [(t.name, t.where) for t in output[0] if not t.passed]


@pytest.mark.parametrize("script", OUTPUT)
def test_a_runner_is_told_to_report_wherever_it_stands(script: str) -> None:
    assert OUTPUT[script] == add_reports(script)


@pytest.mark.parametrize("script", LEFT)
def test_other_scripts_stay_as_they_are(script: str) -> None:
    assert (script, []) == (add_reports(script), runners_of(script))


def test_every_runner_of_a_script_has_a_report_of_its_own() -> None:
    output = add_reports("vitest run && ( jest )")

    assert '"$OPENKOI_REPORT-0"' in output.partition("&&")[0]
    assert '"$OPENKOI_REPORT-1"' in output.partition("&&")[2]


def test_tests_are_run_alone_by_their_names() -> None:
    assert "-t '^pond\\ adds$|^b$'" in add_reports("jest", ["a.js > pond > adds", "c.js > b"])


def test_a_script_is_spelled_out_with_those_it_calls(tmp_path: Path) -> None:
    scripts = {"pretest": "npm run build", "build": "tsc", "test": "npm run unit && echo", "unit": "npm test; jest"}
    (tmp_path / "package.json").write_text(json.dumps({"scripts": scripts}))

    whole = Package.read(tmp_path).full_test_script

    assert whole.startswith("( tsc ) && ( ( ")
    assert "jest" in whole


def test_a_package_without_a_script_has_that_of_its_runner(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"devDependencies": {"vitest": "3"}}')

    assert "vitest run" == Package.read(tmp_path).test_script


def test_junit_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.rb").touch()
    cases = (
        '<testcase classname="A" name="x"/><testcase classname="A" name="y"><failure message="no">a.rb:7</failure>'
        '</testcase><testcase name="z" file="a.rb" line="3"><error><![CDATA[Error: <dry>]]></error></testcase>'
        '<testcase name="later"><skipped/></testcase>'
    )

    tests, skipped = read_junit(f"noise\n<testsuites><testsuite>{cases}</testsuite></testsuites>\n", tmp_path)

    output = [(test.name, test.passed, test.title, test.where) for test in tests]
    expected = [("A > x", True, "", ""), ("A > y", False, "A > y fails: no", "a.rb:7")]
    assert [*expected, ("z", False, "z fails: Error: <dry>", "a.rb:3")] == output
    assert ("later",) == skipped


@pytest.mark.parametrize("text", ["<testsuite>", "<testsuites><a></testsuites>", "<testsuite><!ENTITY a></testsuite>"])
def test_a_broken_document_is_not_read(tmp_path: Path, text: str) -> None:
    assert ((), ()) == read_junit(text, tmp_path)
