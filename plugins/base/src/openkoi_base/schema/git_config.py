"""Decide whether a repository's settings make git run anything.

This lists what runs nothing rather than what runs something: git gains settings with every version.
"""

import re
from collections.abc import Iterator

from openkoi_hookspecs.lazy_pattern import lazy_pattern

SKIPPED = lazy_pattern(r"(?:[ \t\r\n]|[#;][^\n]*)*")
SECTION = lazy_pattern(r'\[([A-Za-z0-9.-]+)(?:[ \t\r]+"((?:[^"\\\n]|\\[^\n])*)")?\]')
VALUE = r'(?:[^"\\\n#;]|\\[tbn"\\\n]|"(?:[^"\\\n]|\\[tbn"\\\n])*")*'
SETTING = lazy_pattern(rf"([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=({VALUE})(?:[#;][^\n]*)?)?(?=\n|\Z)")
QUOTING = lazy_pattern(r'\\(.)|"', re.DOTALL)
ESCAPES = {None: "", "\n": "", "n": "\n", "t": "\t", "b": "\b"}
HARMLESS = lazy_pattern(
    r"core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol"
    r"|safecrlf|quotepath|compression|sharedrepository|worktree|sparsecheckout|sparsecheckoutcone|longpaths"
    r"|untrackedcache|abbrev|commitgraph)"
    r"|user\.(name|email|signingkey)|author\.(name|email)|committer\.(name|email)|init\.defaultbranch"
    r"|branch\..*\.(remote|pushremote|merge|rebase|description|vscode-merge-base|gh-merge-base)|branch\.\w+"
    r"|remote\..*\.(url|pushurl|fetch|push|mirror|tagopt|prune|prunetags|promisor|partialclonefilter|gh-resolved)"
    r"|submodule\..*\.(url|active|branch|ignore|fetchrecursesubmodules)|submodule\.(active|recurse|fetchjobs)"
    r"|extensions\.(worktreeconfig|objectformat|partialclone|refstorage|preciousobjects)"
    r"|pull\.(rebase|ff)|push\.(default|autosetupremote|followtags)|fetch\.(prune|prunetags|parallel|writecommitgraph)"
    r"|merge\.(ff|conflictstyle|renamelimit)|rebase\.(autostash|autosquash|updaterefs)|diff\.(renames|algorithm)"
    r"|commit\.gpgsign|tag\.(gpgsign|sort)|gc\.auto|color\..*|advice\..*|feature\.\w+|index\.\w+|pack\.\w+"
)
ADDRESS = lazy_pattern(r"(remote|submodule)\.")
HELPER = lazy_pattern(r"^\s*(\w[\w+.-]*::|-)")
FOLDERS = lazy_pattern(r"core\.hookspath|include(if\..*)?\.path")


def runs_nothing(text: str) -> bool:
    """Return whether every line is a setting that is known to run nothing."""
    return all(key and is_harmless(key, value) for key, value in parse_settings(text))


def is_harmless(key: str, value: str) -> bool:
    """Return whether a setting runs nothing; an address may name a program that connects."""
    return HARMLESS.fullmatch(key) is not None and not (ADDRESS.match(key) and HELPER.match(value))


def named_paths(text: str) -> Iterator[tuple[str, str]]:
    """Yield the paths of hooks and further settings that these settings name, each with the setting."""
    return ((key, value) for key, value in parse_settings(text) if value and FOLDERS.fullmatch(key))


def named_commands(text: str) -> Iterator[tuple[str, str]]:
    """Yield the settings that may run a program, with their values."""
    return (
        (key, value)
        for key, value in parse_settings(text)
        if value and not FOLDERS.fullmatch(key) and not is_harmless(key, value)
    )


def parse_settings(text: str) -> Iterator[tuple[str, str]]:
    """Yield the settings in order: lower-case key and value.

    What git cannot read has no key, and ends it. Lines end, continue and are commented out exactly as in git's own
    reader: otherwise a text would hide a setting from us.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    prefix, at = "", match_end(SKIPPED.match(text))
    while at < len(text):
        section = SECTION.match(text, at)
        setting = SETTING.match(text, at) if prefix and not section else None
        if section:
            prefix = ".".join(filter(None, section.groups()))
        else:
            yield (f"{prefix}.{setting[1]}".lower(), unquote_value(setting[2] or "")) if setting else ("", text[at:])
        at = match_end(SKIPPED.match(text, match_end(section or setting, len(text))))


def match_end(found: re.Match[str] | None, otherwise: int = 0) -> int:
    """Return where a match ends."""
    return found.end() if found else otherwise


def unquote_value(value: str) -> str:
    """Return a value as git understands it."""
    return QUOTING.sub(lambda sign: ESCAPES.get(sign[1], sign[1]), value.strip(" \t\r"))
