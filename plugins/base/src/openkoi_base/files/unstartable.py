"""Recognize an installed program that cannot start, by its launcher's message, and suggest a fix.

rustup, pyenv and the like put a small program in the place of each tool, which exists although the tool does not.
"""

import re
from dataclasses import dataclass

MANAGERS = r"pyenv|rbenv|nodenv|goenv|jenv|plenv|phpenv"
NO_FILE = "No such file or directory"


@dataclass(frozen=True, slots=True)
class UnstartableProgram:
    """Describe why a program cannot start, and what to do."""

    why: str
    fix: str


MESSAGES = (
    (
        r"rustup could not choose a version of (?P<what>\S+)|no default toolchain (?:is )?(?:set|configured)",
        "rustup has no toolchain to run it with",
        "Run `rustup default stable`.",
    ),
    (
        r"'(?P<what>[\w-]+)(?:\.exe)?' is not installed for the (?:custom )?toolchain '(?P<version>[^']+)'",
        "rustup's toolchain {version} has no {what}",
        "Run `rustup component add {component}`.",
    ),
    (
        r"(?:toolchain|override toolchain) '(?P<version>[^']+)' (?:\(.*?\) )?is not installed",
        "rustup's toolchain {version} is not installed",
        "Run `rustup toolchain install {version}`.",
    ),
    (
        rf"(?P<what>{MANAGERS}): version [`'](?P<version>[^']+)' is not installed",
        "{what} has no version {version}",
        "Run `{what} install {version}`.",
    ),
    (
        rf"(?P<manager>{MANAGERS}): (?P<what>[\w.-]+): command not found",
        "{manager} has no {what} in the selected version",
        "Choose a version that has it with `{manager} global VERSION`, or install it there.",
    ),
    (
        r"No (?:version is set|preset version installed) for command (?P<what>\S+)",
        "asdf has no version of {what} to run",
        "Run `asdf install`.",
    ),
    (
        r"mise ERROR (?P<why>.*(?:not installed|No version is set).*)",
        "mise cannot run it: {why}",
        "Run `mise install`.",
    ),
    (
        r"mise ERROR (?:\S*/)?(?P<what>[^\s/]+) is not a valid shim",
        "mise has no {what}",
        "Run `mise install`.",
    ),
    (
        r"error: Requested version (?P<version>\S+) is not currently installed",
        "fnm has no version {version} of Node",
        "Run `fnm install {version}`.",
    ),
    (
        r"Error: Cannot find matching keyid",
        "this release of corepack cannot verify the package manager",
        "Run `npm install -g corepack@latest`.",
    ),
    (
        r"This project is configured to use (?P<what>\S+) because",
        "the project needs {what}",
        "Run `corepack enable`.",
    ),
    (
        r"go: download (?P<version>go[\w.]+) for \S+: toolchain not available",
        "Go cannot get its toolchain {version}",
        "Install {version}.",
    ),
    (
        r"go: go\.(?:mod|work) requires go >= (?P<version>\S+) \(running",
        "the project needs Go {version} or newer",
        "Install Go {version}.",
    ),
    (
        r"xcrun: error: invalid active developer path",
        "Xcode's command line tools are not installed",
        "Run `xcode-select --install`.",
    ),
    (
        r"JAVA_HOME (?:environment variable )?is not (?:set|defined)|Unable to locate a Java Runtime",
        "it needs Java",
        "Install a JDK and set JAVA_HOME.",
    ),
    (
        r"You must install or update \.NET to run this application",
        "it needs another version of .NET",
        "Install the version that it names.",
    ),
    (
        r"version [\u2018'`](?P<version>GLIBC[\w.]*)[\u2019'`] not found",
        "it needs {version}, which this system does not have",
        "Install a build for this system.",
    ),
    (
        r"error while loading shared libraries: (?P<what>[^\s:]+): cannot open",
        "the shared library {what} is not there",
        "Install the package that has it.",
    ),
    (
        r"\A\s*(?P<why>[^\n]*\btoolchain\b[^\n]*\bnot (?:installed|available|found)\b[^\n.]*)\.?\s*\Z",
        "{why}",
        "Install the toolchain.",
    ),
    (r"Volta error: (?P<why>.+)", "Volta cannot run it: {why}", "Run `volta install node`."),
    (
        r"(?P<what>[^\s:]+): (?P<version>[^:\n]+): bad interpreter",
        "the interpreter of {what}, {version}, is missing",
        "Install it again.",
    ),
    (
        r"(?P<what>[^\s:]+): cannot execute: required file not found",
        "the interpreter of {what} is missing",
        "Install it again.",
    ),
    (
        rf"env: [\u2018'`\"]?(?P<what>[^\u2019'`\"\s:]+)[\u2019'`\"]?: {NO_FILE}",
        "it needs {what}, which is not installed",
        "Install {what}.",
    ),
    (
        r"'(?:[^'\n]*/)?(?P<what>[^'/\n]+)' cannot be run: Exec format error",
        "{what} is made for another machine",
        "Install it again.",
    ),
    (
        r"(?P<what>[^\s:]+): (?:cannot execute binary file|Exec format error)",
        "{what} is built for another machine",
        "Install it again.",
    ),
)
COMPILED_MESSAGES = tuple((re.compile(pattern), why, fix) for pattern, why, fix in MESSAGES)
COMPONENTS = {"cargo-clippy": "clippy", "clippy-driver": "clippy", "cargo-fmt": "rustfmt"}


def diagnose_start(exit_code: int, output: str) -> UnstartableProgram | None:
    """Return why a program of a failed command could not start; None where it ran, or its launcher is unknown."""
    if exit_code == 0:
        return None
    for pattern, why, fix in COMPILED_MESSAGES:
        if found := pattern.search(output):
            named = {name: text.strip() for name, text in found.groupdict().items() if text}
            named["component"] = COMPONENTS.get(named.get("what", ""), named.get("what", ""))
            return UnstartableProgram(why.format_map(named), fix.format_map(named))
    return None
