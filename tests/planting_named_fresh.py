"""More files that a link, a hook or a setting names, written when the protection was finished."""

from planting_named import APPEND, EVIL, HOOK, SCRIPT, TOOL, Case

FRESH_STAND_INS: dict[str, Case] = {
    "link removed, edited, made again": Case(
        f"{SCRIPT}ln -s ../../scripts/check.sh .git/hooks/pre-commit",
        f"rm .git/hooks/pre-commit; {APPEND}scripts/check.sh; ln -s ../../scripts/check.sh .git/hooks/pre-commit",
        "scripts/check.sh",
    ),
    "link removed, edited": Case(
        f"{SCRIPT}ln -s ../../scripts/check.sh .git/hooks/pre-commit",
        f"rm -f .git/hooks/pre-commit; {APPEND}scripts/check.sh",
        "scripts/check.sh",
    ),
    "hook hard linked": Case(
        f"{SCRIPT}ln scripts/check.sh .git/hooks/pre-commit", f"{APPEND}scripts/check.sh", ".git/hooks/pre-commit"
    ),
    "odd name": Case(
        "printf x > $'od\\xff d'; ln -s ../../$'od\\xff d' .git/hooks/pre-commit; ln -s $'od\\xff d' watch",
        f"echo '{EVIL}' > watch",
        "watch",
    ),
    "odd name2": Case(
        "printf x > 'a b;c'; ln -s '../../a b;c' .git/hooks/pre-commit", f"echo '{EVIL}' > 'a b;c'", "a b;c"
    ),
    "hooksPath with a slash": Case(
        "mkdir own; echo t > own/pre-commit; git config core.hooksPath own/",
        f"{APPEND}own/pre-commit",
        "own/pre-commit",
    ),
    "hooksPath top": Case("echo t > pre-commit; git config core.hooksPath .", f"{APPEND}pre-commit", "pre-commit"),
    "hooksPath in .git": Case(
        "mkdir .git/mine; echo t > .git/mine/pre-commit; git config core.hooksPath .git/mine",
        f"{APPEND}.git/mine/pre-commit",
        ".git/mine/pre-commit",
    ),
    "hooksPath twice": Case(
        "mkdir o p; echo t > p/pre-commit; git config core.hooksPath o; git config --add core.hooksPath p",
        f"{APPEND}p/pre-commit",
        "p/pre-commit",
    ),
    "hooksPath quoted": Case(
        "mkdir 'o p'; echo t > 'o p/pre-commit'; git config core.hooksPath 'o p'",
        f"{APPEND}'o p/pre-commit'",
        "o p/pre-commit",
    ),
    "hooksPath subfolder link": Case(
        "mkdir -p own real; echo t > real/h; ln -s ../real/h own/pre-commit; git config core.hooksPath own",
        f"{APPEND}real/h",
        "real/h",
    ),
    "hook fifo target": Case("ln -s ../../f .git/hooks/pre-commit", "mkfifo f", "f"),
    ".envrc to a folder's link": Case("mkdir r; echo t > r/e; ln -s r l; ln -s l/e .envrc", f"{APPEND}r/e", "r/e"),
    ".envrc deep": Case("mkdir -p a/b/c; echo t > e; ln -s ../../../e a/b/c/.envrc", f"{APPEND}e", "e"),
    "vimrc link": Case("mkdir c; echo t > c/vim; ln -s c/vim .exrc", f"{APPEND}c/vim", "c/vim"),
    "mcp link": Case("echo '{}' > m.json; ln -s m.json .mcp.json", "echo '[]' > m.json", "m.json"),
    "circleci folder link": Case(
        "mkdir ci; echo a > ci/config.yml; ln -s ci .circleci", "echo b > ci/config.yml", "ci/config.yml"
    ),
    "github actions only": Case(
        "mkdir -p g/actions/x; echo a > g/actions/x/action.yml; ln -s g .github",
        "echo b > g/actions/x/action.yml",
        "g/actions/x/action.yml",
    ),
    "link to link folder": Case(
        "mkdir c; echo a > c/settings.json; ln -s c d; ln -s d .vscode", "echo b > c/settings.json", "c/settings.json"
    ),
    "link to link folder, middle": Case(
        "mkdir c; echo a > c/settings.json; ln -s c d; ln -s d .vscode",
        "mkdir e; echo b > e/settings.json; ln -sfn e d",
        "d",
    ),
    "link by rename": Case(
        f"{SCRIPT}ln -s ../../scripts/check.sh .git/hooks/pre-commit",
        f"mkdir n; echo '{EVIL}' > n/check.sh; mv scripts o; mv n scripts",
        "scripts/check.sh",
    ),
    "link by exchange dir": Case(
        f"{SCRIPT}ln -s ../../scripts/check.sh .git/hooks/pre-commit",
        f'cp -r scripts n; {APPEND}n/check.sh; mv --exchange n scripts 2>/dev/null || python3 -c "import ctypes; '
        f"ctypes.CDLL(None).syscall(316,-100,b'n',-100,b'scripts',2)\"",
        "scripts/check.sh",
    ),
    "target to folder": Case(
        f"{SCRIPT}ln -s ../../scripts/check.sh .git/hooks/pre-commit",
        "rm -f scripts/check.sh; mkdir scripts/check.sh",
        "scripts/check.sh",
    ),
    "target to link": Case(
        f"{SCRIPT}ln -s ../../scripts/check.sh .git/hooks/pre-commit",
        f"echo '{EVIL}' > z; ln -sf ../z scripts/check.sh",
        "scripts/check.sh",
    ),
    "mode": Case(
        "mkdir s; echo t > s/c; ln -s ../../s/c .git/hooks/pre-commit; ln -s s/c watch", "chmod +x s/c", "s/c"
    ),
    "case folded": Case(
        "mkdir own; echo t > own/pre-commit; git config core.hooksPath own",
        f"echo '{EVIL}' > own/POST-MERGE",
        "own/POST-MERGE",
    ),
    "include relative to home": Case(
        "git config include.path '~/nothing'; mkdir own; git config core.hooksPath own",
        f"echo '{EVIL}' > own/pre-push",
        "own/pre-push",
    ),
    "include of a link": Case(
        "git config -f real user.name n; ln -s real more; git config include.path ../more",
        "git config -f real core.fsmonitor x",
        "real",
    ),
    "include chain to hooksPath in a folder": Case(
        "mkdir -p c own; git config -f c/a include.path b; git config -f c/b core.hooksPath own; "
        "git config include.path ../c/a",
        f"echo '{EVIL}' > own/pre-push",
        "own/pre-push",
    ),
    "bare repo in it": Case(
        "git init -q --bare b.git; mkdir own; git -C b.git config core.hooksPath ../own",
        f"echo '{EVIL}' > own/pre-receive",
        "own/pre-receive",
    ),
    "bare repo hook link": Case(
        "git init -q --bare b.git; echo t > h; ln -s ../../h b.git/hooks/post-receive", f"{APPEND}h", "h"
    ),
    "worktree hook link": Case(
        "git commit -qm l --allow-empty; git worktree add -q tree; echo t > h; ln -s ../../h .git/hooks/pre-commit",
        f"{APPEND}h",
        "h",
    ),
    "submodule in submodule": Case(
        "git init -q l; git -C l commit -qm l --allow-empty; "
        "git -c protocol.file.allow=always -C l submodule add -q ../l in 2>/dev/null || true; "
        "git -C l commit -qm m -a --allow-empty; git -c protocol.file.allow=always submodule add -q ./l mod; "
        "echo t > h; ln -s ../../../../h .git/modules/mod/hooks/pre-push",
        f"{APPEND}h",
        "h",
    ),
    "husky legacy": Case(
        "mkdir .husky; echo t > .husky/pre-commit; git config core.hooksPath .husky",
        f"{APPEND}.husky/pre-commit",
        ".husky/pre-commit",
    ),
    "husky new": Case(
        "mkdir .husky; git config core.hooksPath .husky", "echo t > .husky/post-merge", ".husky/post-merge"
    ),
    "husky helper": Case(
        "mkdir -p .husky/_; echo t > .husky/_/husky.sh; git config core.hooksPath .husky/_",
        f"{APPEND}.husky/_/husky.sh",
        ".husky/_/husky.sh",
    ),
    "openkoi skills link": Case(
        "mkdir -p k/skills/x; echo t > k/skills/x/SKILL.md; mkdir .openkoi; ln -s ../k/skills .openkoi/skills",
        f"{APPEND}k/skills/x/SKILL.md",
        "k/skills/x/SKILL.md",
    ),
    "claude hooks link file": Case(
        "mkdir .claude; echo '{}' > s.json; ln -s ../s.json .claude/settings.json", "echo '[]' > s.json", "s.json"
    ),
    "idea through two": Case(
        "mkdir -p x/y; echo a > x/y/w.xml; ln -s x .z; ln -s .z/y .idea", "echo b > x/y/w.xml", "x/y/w.xml"
    ),
    "idea through two, top moved": Case(
        "mkdir -p x/y; echo a > x/y/w.xml; ln -s x .z; ln -s .z/y .idea",
        "mkdir -p e/y; echo b > e/y/w.xml; ln -sfn e .z",
        ".z",
    ),
    "absolute link": Case('mkdir c; echo a > c/t; ln -s "$PWD/c" .vscode', "echo b > c/t", "c/t"),
    "devcontainer": Case("echo a > d.json; ln -s d.json .devcontainer.json", "echo b > d.json", "d.json"),
}
# The same of what is called.
FRESH_CALLED: dict[str, Case] = {
    "ps1 quoting": Case(f"{TOOL}git config alias.x '!\"tools/run.sh\" a'", f"{APPEND}tools/run.sh", "tools/run.sh"),
    "cd then": Case(
        f"{TOOL}{HOOK}'cd tools; ./run.sh' > .git/hooks/pre-commit", f"{APPEND}tools/run.sh", "tools/run.sh"
    ),
    "bash -c": Case(f"{TOOL}git config core.pager \"bash -c 'tools/run.sh'\"", f"{APPEND}tools/run.sh", "tools/run.sh"),
    "env prefix": Case(f"{TOOL}git config core.editor 'A=1 tools/run.sh'", f"{APPEND}tools/run.sh", "tools/run.sh"),
    "assigned": Case(
        f"{TOOL}{HOOK}'T=tools/run.sh; $T' > .git/hooks/pre-commit", f"{APPEND}tools/run.sh", "tools/run.sh"
    ),
    "tools/ of worktree": Case(
        "git commit -qm l --allow-empty; git worktree add -q tree; mkdir tree/tools; echo t > tree/tools/r; "
        "git config diff.x.textconv tools/r",
        f"{APPEND}tree/tools/r",
        "tree/tools/r",
    ),
    "python path": Case(
        f"mkdir tools; echo 1 > tools/a.py; {HOOK}'python3 tools/a.py' > .git/hooks/pre-commit",
        "echo 2 > tools/a.py",
        "tools/a.py",
    ),
    "node script": Case(
        f"mkdir tools; echo 1 > tools/a.mjs; {HOOK}'node tools/a.mjs' > .git/hooks/pre-commit",
        "echo 2 > tools/a.mjs",
        "tools/a.mjs",
    ),
    "root file": Case(
        f"echo 1 > check; chmod +x check; {HOOK}'./check' > .git/hooks/pre-commit", "echo 2 > check", "check"
    ),
    "replaced by rename": Case(
        f"{TOOL}git config diff.x.textconv tools/run.sh", "echo evil > n; mv n tools/run.sh", "tools/run.sh"
    ),
}
