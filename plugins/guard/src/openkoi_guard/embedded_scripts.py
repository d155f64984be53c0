"""Check Perl, Ruby, JavaScript, PHP, Lua, awk and AppleScript in a shell line.

These are not parsed, but searched for calls that run or delete.
"""

import re
from collections.abc import Iterator

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .command_rules import load_programs
from .databases import describe_harm
from .python_code import CodeFinding

RUNS = lazy_pattern(
    r"\b(system|exec|popen|passthru|shell_exec|proc_open|execSync|execFile|execFileSync|spawn|spawnSync|execute"
    r"|do shell script|pcntl_exec|qx|Command|\$)\b\s*[({]?\s*(?P<literal>\"[^\"\\]*\"|'[^'\\]*'|`[^`\\$]*`)?",
)
CALLED = lazy_pattern(
    r"\b(system|exec|popen|passthru|shell_exec|proc_open|execSync|execFile|execFileSync|spawn"
    r"|spawnSync|pcntl_exec)\b\s*(\(|[\"'$@])|\bos\.execute\b|\bdo shell script\b|child_process|\bqx\b|\bOpen3\b"
    r"|Deno\.(run|Command)|Bun\.(spawn|\$)"
)
DELETES = lazy_pattern(
    r"\b(rmSync|unlinkSync|rmdirSync|truncateSync|rmtree|remove_tree|rm_rf|rm_r|rm_f|delete_all|deltree)\b"
    r"|\bunlink\b\s*[(\"'$@<\w]|\b(File|Dir|FileUtils|Pathname|IO)(\.|::)(delete|unlink|rm\w*|remove\w*|truncate|rmdir)\b"
    r"|\bfs(\.promises)?\.(rm|unlink|rmdir|truncate)\s*\(|\bpromises\b.*\b(rm|unlink|rmdir)\s*\(|\bos\.remove\b|\brmdir\b\s*\("
    r"|\bDeno\.remove|\bdelete(?:Dir|Recursively)\s*\(|\bFiles\.delete|\bFile\.Delete|\bDirectory\.Delete|fs['\"]\)\.(rm|unlink|rmdir|promises\.rm)|rimraf|\bfile\s+delete\b|\bfile\.remove\b|\bunlink\(|(?<![\w.])rm\("
)
DELETED = lazy_pattern(r"(?:\bfs|['\"]\))\.(rmSync|rmdirSync|unlinkSync)\(\s*['\"]([^'\"]+)['\"]\s*[,)]")
DROPS = lazy_pattern(
    r"\b(delete_all|destroy_all|drop_table|drop_database|flushall|flushdb|deleteMany|dropDatabase)\b|::truncate\(|\bREMOVE\b"
)
CHANGES_ELSEWHERE = lazy_pattern(
    r"\bmethod:\s*['\"](POST|PUT|PATCH|DELETE)|\b(axios|got|http|client|Net::HTTP)['\")(]*\.(post|put|patch|delete)\b",
    re.IGNORECASE,
)
# A method of any client with an address as its argument: ``->post("https://...")``.
CALLS_ELSEWHERE = lazy_pattern(
    r"(?:->|\.|::)(?:post|put|patch|delete)\w*\s*\(?\s*(?:\w+[(.]?)*\s*['\"]https?://", re.IGNORECASE
)
UPLOADS = lazy_pattern(
    r"CURLOPT_(?:POST|UPLOAD|CUSTOMREQUEST)|['\"]?method['\"]?\s*(?:=>|=)\s*['\"](?:POST|PUT|PATCH|DELETE)\b"
)
MAILS = lazy_pattern(
    r"\bNet::SMTP\b|\bnodemailer\b|\bsendMail\s*\(|\bEmail::Sender\b|\bPHPMailer\b|(?<![\w.>:])mail\s*\(\s*['\"$]"
)
# Installing packages that no index has published.
INSTALLS = lazy_pattern(
    r"\binstall_(?:github|git|gitlab|bitbucket|url|svn|dev)\s*\(|\bPkg\.(?:add|develop|clone)\s*\([^)]*(?:url\s*=|https?://|git@)"
    r"|\b(?:install\.packages|pak|pkg_install)\s*\(\s*['\"](?:https?://|github::|git::)"
)
SOURCES = lazy_pattern(r"\b(?:source|include|require|eval|do|load)\s*\(?\s*(?:url\s*\()?\s*['\"]https?://")
LOCAL = lazy_pattern(r"https?://(localhost|127\.|\[::1\]|0\.0\.0\.0)")
EVALUATES = lazy_pattern(
    r"\beval\b\s*[(\"'$]|\beval\s+(pack|unpack|join|reverse|decode)\b"
    r"|\bnew Function\s*\(|\bFunction\s*\(\s*[\"'`]|instance_eval|class_eval|loadstring"
    r"|\bassert\s*\(\s*\$"
)
FETCHES = lazy_pattern(r"https?://|fsockopen|TCPSocket|net\.connect|net\.Socket|IO::Socket|\bSocket\b|/dev/tcp|/inet/")
EVAL = lazy_pattern(r"\beval\b")
TCL = frozenset({"tclsh", "expect"})
TCL_RUNS = lazy_pattern(r"\b(?:exec|spawn|system)\s+(?:-\w+\s+)*([^;\]\n]+)")
QUOTED = lazy_pattern(
    r"(?P<named>require\(|import\(|array_\w+\(|call_user_func\w*\(|send\(|\[)?"
    r"(\"(?:[^\"\\#$@]|\\.)*\"|'(?:[^'\\]|\\.)*')"
)
WRITES = lazy_pattern(
    r"(?:\b(?:write|append|copy|rename|link|symlink)\w*File\w*|\bcreateWriteStream|\bfile_put_contents|\bBun\.write|"
    r"\b(?:appendFile|writeFile|writeTextFile)\w*|\b(?:File|IO)\.(?:bin)?write)\s*\(?\s*[\"'](?P<path>[^\"']+)"
)
AWK_WRITES = lazy_pattern(r">\s*\"([^\"]+)\"")
BACKTICKS = lazy_pattern(r"`([^`]*)`")
TAGGED = lazy_pattern(r"\$`([^`]*)`")
AWK_RUNS = lazy_pattern(
    r"\bsystem\s*\(|\|\s*&?\s*(\"|getline|sh\b|cmd\b|[a-z_]+\s*[;}])|\"\s*\|\s*getline|/inet/(tcp|udp)"
    r"|>\s*\"/(etc|dev/[a-z]d)"
)
AWK_LITERAL = lazy_pattern(
    r"\bsystem\s*\(\s*\"([^\"\\]*)\"\s*\)|\|\s*&?\s*\"([^\"\\]*)\"|\"([^\"\\]*)\"\s*\|\s*getline"
)


def analyze_code(code: str, language: str) -> Iterator[CodeFinding]:
    """Find what a program runs, deletes and sends, as far as its text shows."""
    if calls := DELETES.findall(QUOTED.sub(blank_literal, code)):
        paths = [match[2] for match in DELETED.finditer(code)]
        yield CodeFinding("deletes files", deletes=tuple(paths) if len(paths) == len(calls) else ())
    plain = QUOTED.sub(blank_literal, code)
    literals = (match[2][1:-1] for match in QUOTED.finditer(code))
    if DROPS.search(plain) or any(" " in text and describe_harm(text, "") for text in literals):
        yield CodeFinding("deletes data")
    if any(one.search(code) for one in (CHANGES_ELSEWHERE, CALLS_ELSEWHERE, UPLOADS, MAILS)) and not LOCAL.search(code):
        yield CodeFinding("sends data to another machine")
    if INSTALLS.search(code):
        yield CodeFinding("installs unpublished code from a URL")
    if SOURCES.search(code):
        yield CodeFinding("runs downloaded code")
    if EVALUATES.search(code) and (FETCHES.search(code) or "(" in code):
        yield CodeFinding("runs generated code")
    elif FETCHES.search(code) and EVAL.search(code):
        yield CodeFinding("runs downloaded code")
    yield from (CodeFinding(path=match["path"]) for match in WRITES.finditer(code))
    if CALLED.search(code):
        yield from find_called_lines(code)
    if language in TCL:
        yield from (CodeFinding(line=match[1]) for match in TCL_RUNS.finditer(code))
    if language in {"perl", "ruby", "php"}:
        yield from (CodeFinding(line=match[1]) for match in BACKTICKS.finditer(code))
    yield from (CodeFinding(line=match[1]) for match in TAGGED.finditer(code))
    if FETCHES.search(code) and re.search(r"/bin/(ba|z)?sh|cmd\.exe|\bsh\b", code):
        yield CodeFinding("opens a shell for a remote machine")


def blank_literal(match: re.Match[str]) -> str:
    """Return a literal without its text, unless it names a module or a member."""
    return match[0] if match["named"] else "''"


def find_called_lines(code: str) -> Iterator[CodeFinding]:
    """Yield the lines that a program passes to a shell; one that is not a literal is computed."""
    for match in RUNS.finditer(code):
        literal = match["literal"]
        if literal:
            yield CodeFinding(line=literal[1:-1])
        elif CALLED.match(code, match.start()):
            yield CodeFinding("runs a command that is only known at run time, so it cannot be checked")


def analyze_awk(code: str) -> Iterator[CodeFinding]:
    """Find the commands that an awk program runs."""
    yield from (CodeFinding(path=match[1]) for match in AWK_WRITES.finditer(code))
    if not AWK_RUNS.search(code):
        return
    literals = [next(filter(None, match.groups()), "") for match in AWK_LITERAL.finditer(code)]
    yield from (CodeFinding(line=line) for line in literals)
    if any(line.split()[:1] and line.split()[0] in load_programs("shells") for line in literals):
        yield CodeFinding("runs a command that is only known at run time, so it cannot be checked")
    if len(literals) < len(AWK_RUNS.findall(code)):
        yield CodeFinding("runs a command that is only known at run time, so it cannot be checked")
