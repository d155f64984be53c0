"""Test that only the tools that an active skill names may be used."""

import pytest

from openkoi_hookspecs import Deny, ToolCall
from openkoi_skills.tool_policy import ActiveSkill, deny_call


def call(tool: str, **arguments: str) -> ToolCall:
    return ToolCall("1", tool, arguments)


def allowed(tools: str, wanted: ToolCall) -> bool:
    return deny_call(wanted, [ActiveSkill("mine", tuple(tools.split("|")))]) is None


@pytest.mark.parametrize(
    ("tools", "wanted", "may"),
    [
        ("read_file", call("read_file"), True),
        ("read_file", call("write_file"), False),
        ("Read", call("read_file"), True),
        ("Edit", call("apply_patch"), True),
        ("Grep|Glob", call("list_files"), True),
        ("mcp__pond__*", call("mcp__pond__feed"), True),
        ("mcp__pond__*", call("mcp__lake__feed"), False),
        ("mcp__pond__*", call("pond__feed"), True),
        ("mcp__pond__feed", call("lake__feed"), False),
        ("*", call("anything"), True),
        ("Read", call("read_skill"), True),
        ("Bash", call("run_command", command="rm -r x; ls"), True),
        ("Bash(*)", call("run_command", command="rm -r x; ls"), True),
        ("Bash(git:*)", call("run_command", command="git status"), True),
        ("Bash(git:*)", call("run_command", command="git"), True),
        ("Bash(git:*)", call("run_command", command="gitk"), False),
        ("Bash(git:*)", call("run_command", command="git log; rm -r ."), False),
        ("Bash(git:*)", call("run_command", command="git log\nrm -r ."), False),
        ("Bash(git:*)", call("run_command", command="git log $(rm x)"), False),
        ("Bash(git log *)", call("run_command", command="git log -1"), True),
        ("Bash(git log *)", call("run_command", command="git push"), False),
        ("Read(docs/*)", call("read_file", path="docs/a.md"), True),
        ("Read(docs/*)", call("read_file", path="docs/../a.md"), False),
        ("Read(docs/*)", call("read_file", path="src/a.py"), False),
        ("Read(docs/*)", call("read_file"), False),
        ("Read(*)", call("search"), False),
        ("Grep(*)", call("search"), True),
        ("Read(**)", call("read_file", path="src/../a.py"), True),
        ("Bash( )", call("run_command", command="ls"), False),
        ("WebFetch", call("fetch_url", url="https://koi.example"), True),
        ("exec", call("run_command", command="ls"), True),
        ("Bash(sh (x):*)", call("run_command", command="sh (x)"), False),
        ("Bash(git:*, Read", call("run_command", command="git log"), False),
        ("((", call("read_file"), False),
    ],
)
def test_a_word_covers_calls(tools: str, wanted: ToolCall, may: bool) -> None:
    assert may == allowed(tools, wanted)


def test_of_several_skills_each_lets_its_own_tools_through() -> None:
    active = [ActiveSkill("a", ("Read",)), ActiveSkill("b", ("Write",)), ActiveSkill("free")]

    assert None is deny_call(call("read_file"), active)
    assert None is deny_call(call("write_file"), active)
    assert Deny("only these tools are allowed with the skill a, b: Read Write") == deny_call(call("fetch"), active)


def test_skills_that_name_no_tools_forbid_nothing() -> None:
    assert None is deny_call(call("fetch"), [ActiveSkill("free")])
