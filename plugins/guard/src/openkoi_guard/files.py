"""Checks of commands that delete, write and change the rights of files."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from openkoi_hookspecs import Deny

from .finding import Check, Command, Finding
from .patterns import programs
from .places import Place, is_everything, judge_write, place_of
from .secret_files import is_secret
from .spoken import spoken_feed
from .words import Word

AFTER: dict[str, tuple[str, ...]] = {
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
OPENS = re.compile(r"0?[0-7](?!00)[0-7]{2}|[ugo]*[go][ugo]*[+=]\w*r\w*|a?[+=]\w*r\w*")
SED_RUNS = re.compile(
    r"(?:^|[;\n{])\s*(?:[\d,$]+|/[^/]*/)?\s*(?:s([^\w\s])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1[gpiIMm\d]*e|e(?:\s+\S|$))"
)
ROOTS = frozenset({"/", "/etc", "/usr", "/var"})
CHANGING = frozenset({"chmod", "chown", "chgrp", "setfacl", "mv", "cp", "sed", "touch", "ln", "tee"})
IN_PLACE = re.compile(r"-(?!-)[^=]*i|--in-place")
PARTS = re.compile("[=:]")
NAMED_IN_CODE = re.compile(r"[\s=:\"'()`;|&<>]+")
# A client that is told where its own key or settings are uses them.
KEY_OPTIONS = ("-i", "--identity", "--identity-file", "--kubeconfig", "--userconfig", "--config-file", "--netrc-file")
FINDERS = frozenset({"find", "gfind", "fd", "fdfind"})
EXECUTING = frozenset({"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"})
SED_WRITES = re.compile(r"(?:^|[;{/|#\s\d$gpI])w\s+(\S+)\s*(?:$|\n)")
EDITORS = frozenset({"ed", "red", "ex", "vi", "vim", "nvim"})
EDITS_ALL = re.compile(r"^\s*:?(?:1,\$|,|%)\s*d\b|^\s*:?g/\.?\*?/d\b", re.MULTILINE)
QUIET_LOOP = re.compile(r"-(?!-)[\w.]*n\w*")
PRINTS = re.compile(r"\b(?:print\w*|p|puts|say|write|\$stdout)\b")
OWN_PROCESS = re.compile(r"(\$\(|`)\s*(CAT\s+\S+\.PID|<\s*\S+\.PID|JOBS\s+-P)\s*(\)|`)$")
FORCED = frozenset({"-9", "-KILL", "-SIGKILL", "-19", "-STOP", "-SIGSTOP"})
EDITORS_IN_PLACE = frozenset({"sed", "gsed", "perl", "ruby"})


def remove(command: Command) -> Iterator[Finding]:
    """Deleting everything there is: nobody wants that."""
    whole = [path for path in command.operands if is_everything(path)]
    if whole and (command.has("-r", "-R", "--recursive", "-Recurse") or command.name != "rm"):
        yield Finding(f"deletes everything in {whole[0]}", "destroying", Deny)


def writes(command: Command) -> Iterator[Finding]:
    """Writing where it matters."""
    for target in targets(command):
        yield from judge_write(target)
        if posixpath.normpath(target.text or ".") == "/":
            yield Finding("writes all over the machine", "system")
    if (
        command.name in {"tee", "sponge", "dd"}
        and command.feed
        and "/dev/null" in {command.feed.file, command.feed.of.removeprefix("cat ")}
    ):
        yield Finding("empties the file", "destroying")


def targets(command: Command) -> Sequence[Word]:
    """The files that a command writes to, as far as its words say."""
    name = command.name
    if name in programs("last-operand"):
        return last_operand(command)
    if name in programs("every-operand"):
        return [word for word in command.words if not word.option]
    if name == "dd":
        return [Word(word.text[3:], word.known) for word in command.words if word.text.startswith("of=")]
    if name in EDITORS_IN_PLACE and in_place(command):
        return [word for word in command.words if not word.option][1:]
    if name in {"sed", "gsed"}:
        return [Word(match[1]) for word in command.words for match in SED_WRITES.finditer(word.text)]
    return valued(command.words, AFTER.get(name, ()))


def last_operand(command: Command) -> list[Word]:
    named = valued(command.words, ("-t", "--target-directory"))
    plain = [word for word in command.words if not word.option]
    moved = plain[:-1] if command.name in {"mv", "gmv", "move"} else []
    return [*named, *moved, *plain[-1:]] if len(plain) > 1 or named else []


def valued(words: Sequence[Word], options: Sequence[str]) -> list[Word]:
    """The values of options, apart or attached."""
    found: list[Word] = []
    for at, word in enumerate(words):
        for option in options:
            if word.text == option and at + 1 < len(words):
                found.append(words[at + 1])
            elif option.startswith("--") and word.text.startswith(option + "="):
                found.append(Word(word.text[len(option) + 1 :], word.known))
            elif len(option) == 2 and word.text.startswith(option) and len(word.text) > 2:
                found.append(Word(word.text[2:], word.known))
    return found


def in_place(command: Command) -> bool:
    return any(IN_PLACE.match(word.text) for word in command.words)


def secrets(command: Command) -> Iterator[Finding]:
    """Reading keys and passwords, also those that another command finds."""
    for word in command.words:
        parts = [*PARTS.split(word.text), *(() if word.known else NAMED_IN_CODE.split(word.text))]
        if any(map(is_secret, parts)) and word not in valued(command.words, KEY_OPTIONS):
            yield Finding(f"reads {word.text}, which is secret", "secrets")
            return


def words_in(line: str) -> list[Word]:
    """Return the words of a piece of a line, roughly: only paths are looked for in them."""
    return [Word(text) for text in NAMED_IN_CODE.split(line) if text]


def found_secrets(command: Command) -> Iterator[Finding]:
    """Searching for keys and passwords, and handing what is found to a program that may show them."""
    searched = command.words if command.name in FINDERS else words_in(command.feed.of) if command.feed else ()
    given = [word.text for word in command.words]
    if command.name in FINDERS:
        given = next((given[at + 1 :] for at, text in enumerate(given) if text in EXECUTING), [])
    runs = next((text for text in given if not text.startswith("-")), "")
    if runs and runs not in programs("looking") and any(is_secret(word.text) for word in searched):
        yield Finding("reads keys or passwords that it searches for", "secrets")


def modes(command: Command) -> Iterator[Finding]:
    """Changing the rights of what belongs to the system, or of everything, or letting others read a secret."""
    mode, *paths = command.operands or [""]
    if command.name.endswith("chmod") and OPENS.fullmatch(mode) and any(map(is_secret, paths)):
        yield Finding("lets others read keys or passwords", "secrets")
        return
    handed_on = command.name.endswith(("chown", "chgrp")) and command.has("-R", "--recursive")
    for path in paths:
        outside = handed_on and path.startswith(("/", "~", "..")) and not path.startswith("/tmp/")
        if outside or is_everything(path) or path in {"..", "/home", "/var", "/opt"} or place_of(path) is Place.SYSTEM:
            yield Finding(f"changes who may use {path}", "privilege")
            return


def emptied(command: Command) -> Iterator[Finding]:
    """Editing a file until nothing is left."""
    if command.name in EDITORS and EDITS_ALL.search(spoken_feed(command.feed) or ""):
        yield Finding("empties the file", "destroying")
    if command.name in {"perl", "ruby"} and in_place(command) and prints_nothing(command):
        yield Finding("empties the file", "destroying")
    if in_place(command):
        scripts = [word.text for word in command.words if not word.option][:1]
        if any(script.replace(" ", "") in {"d", "1,$d", "Q", "1d;$d", "/./d", "/.*/d"} for script in scripts):
            yield Finding("empties the file", "destroying")


def prints_nothing(command: Command) -> bool:
    """Return whether a program that edits line by line only prints what its code prints, and that is nothing."""
    quiet = any(QUIET_LOOP.fullmatch(word.text) for word in command.words)
    return quiet and not any(PRINTS.search(word.text) for word in command.words if not word.option)


def edits_that_run(command: Command) -> Iterator[Finding]:
    """Editing commands that run others: ``e``, and the flag of that name."""
    if any(SED_RUNS.search(word.text) for word in command.words):
        yield Finding("runs what it reads as commands", "computed")


def kills(command: Command) -> Iterator[Finding]:
    """Ending processes by force, all of them, or whichever are found."""
    given = [word.text.upper() for word in command.words]
    if given[:1] in (["-0"], ["-L"]):
        return
    if FORCED & {*given, *(f"-{one}" for one in given[1:2] if given[0] in {"-S", "-N", "--SIGNAL"})}:
        yield Finding("ends processes without letting them finish", "services")
    elif given[-1:] == ["1"] or (given[-1:] == ["-1"] and len(given) > 1):
        yield Finding("ends every process, or the first one", "services")
    elif any(("$(" in one or "`" in one) and not OWN_PROCESS.match(one) for one in given):
        yield Finding("ends whatever processes are found", "services")


def checks_for(name: str) -> Iterator[Check]:
    """The checks that a program may need."""
    yield from BY_NAME.get(name, ())
    if may_write(name):
        yield writes
    if name not in programs("looking"):
        yield secrets


def changed_everywhere(command: Command) -> Iterator[Finding]:
    """Changing whatever is found on the whole machine."""
    texts = {word.text for word in command.words}
    if ROOTS & texts and CHANGING & texts and {"-exec", "-execdir"} & texts:
        yield Finding("changes files all over the machine", "system")


def may_write(name: str) -> bool:
    """Whether a program's words can say where it writes."""
    return name in OWN_WAYS or name in programs("last-operand") or name in programs("every-operand")


BY_NAME: Mapping[str, tuple[Check, ...]] = {
    **dict.fromkeys(("rm", "remove-item", "ri", "del", "rd", "rimraf"), (remove,)),
    **dict.fromkeys(("chmod", "chown", "chgrp", "gchmod", "gchown"), (modes,)),
    **dict.fromkeys(("sed", "gsed"), (emptied, edits_that_run)),
    **dict.fromkeys((*EDITORS, "perl", "ruby"), (emptied,)),
    **dict.fromkeys(("find", "gfind"), (changed_everywhere, found_secrets)),
    **dict.fromkeys(("fd", "fdfind", "xargs", "gxargs", "parallel"), (found_secrets,)),
    "kill": (kills,),
}
OWN_WAYS = EDITORS_IN_PLACE | AFTER.keys() | {"dd"}
