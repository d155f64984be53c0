"""Recognize an installed program that cannot start, by its launcher's message, and suggest a fix.

rustup, pyenv and the like put a small program in the place of each tool, which exists although the tool does not.
"""

import re

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

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
        r"error: command failed: '(?P<what>[\w-]+)': No such file"
        r"|error: the '(?P<binary>[\w-]+)' binary, normally provided",
        "rustup's toolchain has no {what}",
        "Run `rustup toolchain uninstall` and `rustup toolchain install` for that toolchain.",
    ),
    (
        r"^error: could not download file from '(?P<what>https?://static\.rust-lang\.org/[^']+)'",
        "rustup cannot download its toolchain from {what}",
        "Run `rustup toolchain install` where the network can be reached.",
    ),
    (
        r"Could not find or load main class (?P<what>org\.gradle\.wrapper\.\w+)|Unable to access jarfile (?P<jar>\S+)",
        "{what} is missing",
        "Reinstall it; for Gradle, run `gradle wrapper`.",
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
        r"No (?:version (?:is )?set|preset version installed) for command (?P<what>\S+)"
        r"|^No (?P<shim>\S+) executable found for \S+ [\d.]+",
        "asdf has no version of {what} to run",
        "Run `asdf install`.",
    ),
    (r"^(?:.*\b)?asdf: No version is set\b", "asdf has no version of it to run", "Run `asdf install`."),
    (
        r"^unknown command: (?P<what>\S+)\. Perhaps you have to reshim",
        "asdf has no shim for {what}",
        "Run `asdf reshim`.",
    ),
    (
        r"Failed to detect an applicable version to run (?P<what>\S+) with",
        "proto has no version of {what} to run",
        "Run `proto install {what}`.",
    ),
    (
        r"mise ERROR (?P<why>.*(?:not installed|No version is set|couldn't exec process|no versions installed).*)",
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
        "fnm has no Node version {version}",
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
        "Go cannot download its toolchain {version}",
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
        r"JAVA_HOME (?:environment variable )?is (?:not (?:set|defined)|set to an invalid)"
        r"|Unable to locate a Java Runtime",
        "it needs Java",
        "Install a JDK and set JAVA_HOME.",
    ),
    (
        r"You must install (?:or update )?\.NET to run this application",
        "it needs another version of .NET",
        "Install the version that it asks for.",
    ),
    (
        r"version [\u2018'`](?P<version>GLIBC[\w.]*)[\u2019'`] not found",
        "it needs {version}, which this system does not have",
        "Install a build for this system.",
    ),
    (
        r"^(?:\S+: )?error while loading shared libraries: (?P<what>[^\s:]+): cannot open"
        r"|^Error loading shared library (?P<musl>[^\s:]+): No such"
        r"|^dyld(?:\[\d+\])?: Library not loaded: (?P<mac>\S+)",
        "the shared library {what} is missing",
        "Install the package that provides it.",
    ),
    (
        r"^(?:(?P<what>[^\s:]+): )?(?:symbol lookup error|relocation error): |^Error relocating (?P<musl>[^\s:]+): ",
        "{what} is incompatible with the libraries of this system",
        "Reinstall it.",
    ),
    (
        r"^(?:\S+-static|rosetta error): .*/(?P<what>ld-linux[\w.-]+)",
        "the shared library {what} is missing",
        "Install the libraries for the architecture that the program is built for.",
    ),
    (
        r"\A\s*(?P<why>[^\n]*\btoolchain\b[^\n]*\bnot (?:installed|available|found)\b[^\n.]*)\.?\s*\Z",
        "{why}",
        "Install the toolchain.",
    ),
    (r"Volta error: (?P<why>.+)", "Volta cannot run it: {why}", "Run `volta install node`."),
    (
        r"^(?P<why>.*\b(?:snap-confine|snap-update-ns|snapd\.socket|snap cgroup|current revision for snap)\b.*)"
        r"|^(?:error: )?(?P<app>cannot find app \S+ in \S+)|(?P<revision>cannot find installed snap \S+)"
        r"|^(?P<mount>cannot perform operation: mount .*/snap.*)"
        r"|^(?:\S+: )?(?P<data>cannot create user data directory: .*)"
        r"|^Sorry, (?P<home>home directories outside of /home need)",
        "its snap cannot start: {why}",
        "Run `snap list` and `snap refresh`, or install the program without snap.",
    ),
    (
        r"zsh: (?P<what>[^\s:]+): bad interpreter: (?P<version>[^:\n]+): no such file",
        "the interpreter of {what}, {version}, is missing",
        "Reinstall it.",
    ),
    (
        r"(?P<what>[^\s:]+): (?P<version>[^:\n]+): bad interpreter",
        "the interpreter of {what}, {version}, is missing",
        "Reinstall it.",
    ),
    (
        r"(?P<what>[^\s:]+): cannot execute: required file not found",
        "the interpreter of {what} is missing",
        "Reinstall it.",
    ),
    (
        rf"env: (?:can't execute )?[\u2018'`\"]?(?P<what>[^\u2019'`\"\s:\\]+)(?:\\r)?[\u2019'`\"]?: {NO_FILE}",
        "it needs {what}, which is not installed",
        "Install {what}.",
    ),
    (
        r"'(?:[^'\n]*/)?(?P<what>[^'/\n]+)' cannot be run: Exec format error",
        "{what} is built for another architecture",
        "Reinstall it.",
    ),
    (
        r"^(?:\S+: )*(?P<what>[^\s:]+): (?:cannot execute binary file|Exec format error)"
        r"|^(?:zsh: )?(?:exec format error|bad CPU type in executable): (?P<zsh>\S+)"
        r"|\[Errno 8\] Exec format error: '(?P<python>[^']+)'|^(?:fork/)?exec (?P<go>[^\s:]+): exec format error"
        r"|This version of (?P<windows>\S+) is not compatible with the version of Windows",
        "{what} is built for another architecture",
        "Reinstall it.",
    ),
)
COMPILED_MESSAGES = tuple((lazy_pattern(pattern, re.MULTILINE), why, fix) for pattern, why, fix in MESSAGES)
COMPONENTS = {"cargo-clippy": "clippy", "clippy-driver": "clippy", "cargo-fmt": "rustfmt"}


def diagnose_start(exit_code: int, output: str) -> UnstartableProgram | None:
    """Return why a program of a failed command could not start; None where it ran, or its launcher is unknown."""
    if exit_code == 0:
        return None
    for pattern, why, fix in COMPILED_MESSAGES:
        if found := pattern.search(output):
            named = {name: text.strip() for name, text in found.groupdict().items() if text}
            first = next(iter(named.values()), "the program")
            named = {"what": first, "why": first, **named}
            named["component"] = COMPONENTS.get(named["what"], named["what"])
            return UnstartableProgram(why.format_map(named), fix.format_map(named))
    return None
