"""Check commands that delete (``rm -rf``), write and change the permissions of files."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from openkoi_hookspecs import Deny
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .command_rules import load_programs
from .issue import Check, Danger, Invocation
from .secret_files import is_secret
from .sensitive_paths import PathKind, check_write, classify_path, is_everything
from .shell_words import Word
from .static_output import predict_stdin

OUTPUT_OPTIONS: dict[str, tuple[str, ...]] = {
    "curl": ("-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar"),
    "wget": ("-O", "--output-document", "-P", "--directory-prefix", "-o"),
    "sort": ("-o", "--output"),
    "unzip": ("-d",),
    "git": ("--file", "-f"),
    "tar": ("-C", "--directory"),
    "openssl": ("-out",),
    "gcc": ("-o",),
    "base64": ("-o",),
    "find": ("-fprint", "-fprintf", "-fls"),
}
READABLE_MODE = lazy_pattern(r"0?[0-7](?!00)[0-7]{2}|[ugo]*[go][ugo]*[+=]\w*r\w*|a?[+=]\w*r\w*")
SED_RUNS = lazy_pattern(
    r"(?:^|[;\n{])\s*(?:[\d,$]+|/[^/]*/)?\s*(?:s([^\w\s])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1[gpiIMm\d]*e|e(?:\s+\S|$))"
)
ROOTS = frozenset({"/", "/etc", "/usr", "/var"})
CHANGING = frozenset({"chmod", "chown", "chgrp", "setfacl", "mv", "cp", "sed", "touch", "ln", "tee"})
IN_PLACE = lazy_pattern(r"-(?!-)[^=]*i|--in-place")
PARTS = lazy_pattern("[=:]")
NAMED_IN_CODE = lazy_pattern(r"[\s=:\"'()`;|&<>]+")
# Options with the path of a key or setting that a client uses and does not show.
KEY_OPTIONS = ("-i", "--identity", "--identity-file", "--kubeconfig", "--userconfig", "--config-file", "--netrc-file")
FINDERS = frozenset({"find", "gfind", "fd", "fdfind"})
EXECUTING = frozenset({"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"})
SED_WRITES = lazy_pattern(r"(?:^|[;{/|#\s\d$gpI])w\s+(\S+)\s*(?:$|\n)")
EDITORS = frozenset({"ed", "red", "ex", "vi", "vim", "nvim"})
EDITS_ALL = lazy_pattern(r"^\s*:?(?:1,\$|,|%)\s*d\b|^\s*:?g/\.?\*?/d\b", re.MULTILINE)
QUIET_LOOP = lazy_pattern(r"-(?!-)[\w.]*n\w*")
PRINTS = lazy_pattern(r"\b(?:print\w*|p|puts|say|write|\$stdout)\b")
OWN_PROCESS = lazy_pattern(r"(\$\(|`)\s*(CAT\s+\S+\.PID|<\s*\S+\.PID|JOBS\s+-P)\s*(\)|`)$")
FORCED = frozenset({"-9", "-KILL", "-SIGKILL", "-19", "-STOP", "-SIGSTOP"})
EDITORS_IN_PLACE = frozenset({"sed", "gsed", "perl", "ruby"})


def check_remove(command: Invocation) -> Iterator[Danger]:
    """Deny deleting the whole machine or a whole home folder."""
    whole = [path for path in command.operands if is_everything(path)]
    if whole and (command.has("-r", "-R", "--recursive", "-Recurse") or command.name != "rm"):
        yield Danger(f"deletes everything in {whole[0]}", "destructive", Deny)


def check_writes(command: Invocation) -> Iterator[Danger]:
    """Find writes to disks, system files, start-up files and histories."""
    for target in list_write_targets(command):
        yield from check_write(target)
        if posixpath.normpath(target.text or ".") == "/":
            yield Danger("writes to the root of the file system", "system")
    if (
        command.name in {"tee", "sponge", "dd"}
        and command.stdin
        and "/dev/null" in {command.stdin.file, command.stdin.producer.removeprefix("cat ")}
    ):
        yield Danger("empties the file", "destructive")


def list_write_targets(command: Invocation) -> Sequence[Word]:
    """Return the files that a command writes to, according to its arguments."""
    name = command.name
    if name in load_programs("last-operand"):
        return list_last_operand(command)
    if name in load_programs("every-operand"):
        return [word for word in command.words if not word.is_option]
    if name == "dd":
        return [Word(word.text[3:], word.is_known) for word in command.words if word.text.startswith("of=")]
    if name in EDITORS_IN_PLACE and edits_in_place(command):
        return [word for word in command.words if not word.is_option][1:]
    if name in {"sed", "gsed"}:
        return [Word(match[1]) for word in command.words for match in SED_WRITES.finditer(word.text)]
    return list_option_values(command.words, OUTPUT_OPTIONS.get(name, ()))


def list_last_operand(command: Invocation) -> list[Word]:
    named = list_option_values(command.words, ("-t", "--target-directory"))
    plain = [word for word in command.words if not word.is_option]
    moved = plain[:-1] if command.name in {"mv", "gmv", "move"} else []
    return [*named, *moved, *plain[-1:]] if len(plain) > 1 or named else []


def list_option_values(words: Sequence[Word], options: Sequence[str]) -> list[Word]:
    """Return the values of options, apart or attached."""
    found: list[Word] = []
    for at, word in enumerate(words):
        for option in options:
            if word.text == option and at + 1 < len(words):
                found.append(words[at + 1])
            elif option.startswith("--") and word.text.startswith(option + "="):
                found.append(Word(word.text[len(option) + 1 :], word.is_known))
            elif len(option) == 2 and word.text.startswith(option) and len(word.text) > 2:
                found.append(Word(word.text[2:], word.is_known))
    return found


def edits_in_place(command: Invocation) -> bool:
    return any(IN_PLACE.match(word.text) for word in command.words)


def check_secrets(command: Invocation) -> Iterator[Danger]:
    """Find commands that read keys and passwords, also those that another command finds."""
    for word in command.words:
        parts = [*PARTS.split(word.text), *(() if word.is_known else NAMED_IN_CODE.split(word.text))]
        if any(map(is_secret, parts)) and word not in list_option_values(command.words, KEY_OPTIONS):
            yield Danger(f"reads {word.text}, which contains secrets", "secrets")
            return


def split_words(line: str) -> list[Word]:
    """Return the words of a piece of a line, roughly: only paths are looked for in them."""
    return [Word(text) for text in NAMED_IN_CODE.split(line) if text]


def check_found_secrets(command: Invocation) -> Iterator[Danger]:
    """Find searches for keys whose results are passed to a program that may show them."""
    searched = (
        command.words if command.name in FINDERS else split_words(command.stdin.producer) if command.stdin else ()
    )
    texts = [word.text for word in command.words]
    if command.name in FINDERS:
        texts = next((texts[at + 1 :] for at, text in enumerate(texts) if text in EXECUTING), [])
    program = next((text for text in texts if not text.startswith("-")), "")
    if program and program not in load_programs("looking") and any(is_secret(word.text) for word in searched):
        yield Danger("reads keys or passwords that a search finds", "secrets")


def check_modes(command: Invocation) -> Iterator[Danger]:
    """Find changes to permissions of system files, of everything, or of a key."""
    mode, *paths = command.operands or [""]
    if command.name.endswith("chmod") and READABLE_MODE.fullmatch(mode) and any(map(is_secret, paths)):
        yield Danger("makes a key or password readable by others", "secrets")
        return
    handed_on = command.name.endswith(("chown", "chgrp")) and command.has("-R", "--recursive")
    for path in paths:
        outside = handed_on and path.startswith(("/", "~", "..")) and not path.startswith("/tmp/")
        if (
            outside
            or is_everything(path)
            or path in {"..", "/home", "/var", "/opt"}
            or classify_path(path) is PathKind.SYSTEM
        ):
            yield Danger(f"changes the permissions of {path}", "privilege")
            return


def check_emptied(command: Invocation) -> Iterator[Danger]:
    """Find edits that empty a file."""
    if command.name in EDITORS and EDITS_ALL.search(predict_stdin(command.stdin) or ""):
        yield Danger("empties the file", "destructive")
    if command.name in {"perl", "ruby"} and edits_in_place(command) and prints_nothing(command):
        yield Danger("empties the file", "destructive")
    if edits_in_place(command):
        scripts = [word.text for word in command.words if not word.is_option][:1]
        if any(script.replace(" ", "") in {"d", "1,$d", "Q", "1d;$d", "/./d", "/.*/d"} for script in scripts):
            yield Danger("empties the file", "destructive")


def prints_nothing(command: Invocation) -> bool:
    """Return whether a line editor prints nothing."""
    quiet = any(QUIET_LOOP.fullmatch(word.text) for word in command.words)
    return quiet and not any(PRINTS.search(word.text) for word in command.words if not word.is_option)


def check_sed_commands(command: Invocation) -> Iterator[Danger]:
    """Find sed commands that run others: ``e``, and the flag of that name."""
    if any(SED_RUNS.search(word.text) for word in command.words):
        yield Danger("runs its input as commands", "computed")


def check_kill(command: Invocation) -> Iterator[Danger]:
    """Find commands that kill processes: by force, all of them, or those that a search finds."""
    words = [word.text.upper() for word in command.words]
    if words[:1] in (["-0"], ["-L"]):
        return
    if FORCED & {*words, *(f"-{one}" for one in words[1:2] if words[0] in {"-S", "-N", "--SIGNAL"})}:
        yield Danger("kills processes by force", "services")
    elif words[-1:] == ["1"] or (words[-1:] == ["-1"] and len(words) > 1):
        yield Danger("kills every process, or process 1", "services")
    elif any(("$(" in one or "`" in one) and not OWN_PROCESS.match(one) for one in words):
        yield Danger("kills processes that a search finds", "services")


def select_checks(name: str) -> Iterator[Check]:
    """Yield the checks that may apply to a program."""
    yield from BY_NAME.get(name, ())
    if may_write(name):
        yield check_writes
    if name not in load_programs("looking"):
        yield check_secrets


def check_whole_machine(command: Invocation) -> Iterator[Danger]:
    """Find searches of the whole machine that change what they find."""
    texts = {word.text for word in command.words}
    if ROOTS & texts and CHANGING & texts and {"-exec", "-execdir"} & texts:
        yield Danger("changes files across the whole machine", "system")


def may_write(name: str) -> bool:
    """Return whether a program's arguments can set where it writes."""
    return name in NAMED_OUTPUTS or name in load_programs("last-operand") or name in load_programs("every-operand")


BY_NAME: Mapping[str, tuple[Check, ...]] = {
    **dict.fromkeys(("rm", "remove-item", "ri", "del", "rd", "rimraf"), (check_remove,)),
    **dict.fromkeys(("chmod", "chown", "chgrp", "gchmod", "gchown"), (check_modes,)),
    **dict.fromkeys(("sed", "gsed"), (check_emptied, check_sed_commands)),
    **dict.fromkeys((*EDITORS, "perl", "ruby"), (check_emptied,)),
    **dict.fromkeys(("find", "gfind"), (check_whole_machine, check_found_secrets)),
    **dict.fromkeys(("fd", "fdfind", "xargs", "gxargs", "parallel"), (check_found_secrets,)),
    "kill": (check_kill,),
}
NAMED_OUTPUTS = EDITORS_IN_PLACE | OUTPUT_OPTIONS.keys() | {"dd"}
