"""Files with ordinary names that git, direnv or an editor runs because a link, a hook or a setting of git names them.

Each case has a repository of its own: what its user set up, what a command does, and the file that matters.
"""

from typing import NamedTuple

EVIL = "touch $CANARY"
SCRIPT = "mkdir -p scripts; echo true > scripts/check.sh; chmod +x scripts/check.sh; "
TOOL = "mkdir -p tools; echo true > tools/run.sh; chmod +x tools/run.sh; "
APPEND = f"echo '{EVIL}' >> "


class Case(NamedTuple):
    """The user's files, a command's changes, and the file that another program would run."""

    setup: str
    attack: str
    path: str


# What a link, a setting of hooks or an include puts in the place of a protected file: it stays as it is.
STAND_INS: dict[str, Case] = {
    "hook by link": Case(
        f"{SCRIPT}ln -s ../../scripts/check.sh .git/hooks/pre-commit", f"{APPEND}scripts/check.sh", "scripts/check.sh"
    ),
    "hook by an absolute link": Case(
        f'{SCRIPT}ln -s "$PWD/scripts/check.sh" .git/hooks/pre-push', f"{APPEND}scripts/check.sh", "scripts/check.sh"
    ),
    "hook by link, replaced": Case(
        f"{SCRIPT}ln -s ../../scripts/check.sh .git/hooks/pre-commit",
        f"echo '{EVIL}' > n; mv n scripts/check.sh",
        "scripts/check.sh",
    ),
    "hook by link, its folder replaced": Case(
        f"{SCRIPT}ln -s ../../scripts/check.sh .git/hooks/pre-commit",
        f"mv scripts old; mkdir scripts; echo '{EVIL}' > scripts/check.sh",
        "scripts/check.sh",
    ),
    "hook by link, by a hard link": Case(
        f"{SCRIPT}ln -s ../../scripts/check.sh .git/hooks/pre-commit",
        f"ln scripts/check.sh x 2>/dev/null; echo '{EVIL}' >> x",
        "scripts/check.sh",
    ),
    "hook by a link to nothing yet": Case(
        "ln -s ../../later.sh .git/hooks/pre-commit", f"echo '{EVIL}' > later.sh; chmod +x later.sh", "later.sh"
    ),
    "hook by two links": Case(
        f"{SCRIPT}mkdir l; ln -s ../scripts/check.sh l/c; ln -s ../../l/c .git/hooks/pre-commit",
        f"echo '{EVIL}' > evil; chmod +x evil; ln -sfn ../evil l/c",
        "l/c",
    ),
    "hook by two links, at their end": Case(
        f"{SCRIPT}mkdir l; ln -s ../scripts/check.sh l/c; ln -s ../../l/c .git/hooks/pre-commit",
        f"{APPEND}scripts/check.sh",
        "scripts/check.sh",
    ),
    "hook by a linked folder in its way": Case(
        f"{SCRIPT}ln -s scripts way; ln -s ../../way/check.sh .git/hooks/pre-commit",
        f"mkdir evil; echo '{EVIL}' > evil/check.sh; ln -sfn evil way",
        "way",
    ),
    "loop of links": Case("ln -s b a; ln -s a b; ln -s ../../a .git/hooks/pre-commit", "rm -f a; echo evil > a", "a"),
    "folder of hooks by link": Case(
        f"{SCRIPT}rm -rf .git/hooks; ln -s ../scripts .git/hooks",
        f"echo '{EVIL}' > scripts/post-merge",
        "scripts/post-merge",
    ),
    "folder of hooks by link, changed": Case(
        "mkdir own; echo true > own/pre-commit; rm -rf .git/hooks; ln -s ../own .git/hooks",
        f"{APPEND}own/pre-commit",
        "own/pre-commit",
    ),
    "hooksPath": Case(
        "mkdir own; echo true > own/pre-commit; git config core.hooksPath own",
        f"{APPEND}own/pre-commit",
        "own/pre-commit",
    ),
    "hooksPath, a new hook": Case(
        "mkdir own; git config core.hooksPath own", f"echo '{EVIL}' > own/post-commit", "own/post-commit"
    ),
    "hooksPath to nothing yet": Case(
        "git config core.hooksPath ./later", f"mkdir later; echo '{EVIL}' > later/pre-push", "later/pre-push"
    ),
    "hooksPath behind a link": Case(
        "mkdir real; echo true > real/pre-commit; ln -s real own; git config core.hooksPath own",
        f"{APPEND}real/pre-commit",
        "real/pre-commit",
    ),
    "hooksPath, the link moved": Case(
        "mkdir real; echo true > real/pre-commit; ln -s real own; git config core.hooksPath own",
        f"mkdir evil; echo '{EVIL}' > evil/pre-commit; ln -sfn evil own",
        "own",
    ),
    "hooksPath in other letters": Case(
        "mkdir own; echo true > own/pre-commit; printf '[CORE]\\n\\tHooksPath = \"own\"\\n' >> .git/config",
        f"{APPEND}own/pre-commit",
        "own/pre-commit",
    ),
    "hooksPath, absolute": Case(
        'mkdir own; echo true > own/pre-commit; git config core.hooksPath "$PWD/own"',
        f"{APPEND}own/pre-commit",
        "own/pre-commit",
    ),
    "hooksPath with dots": Case(
        "mkdir -p own x; echo true > own/pre-commit; git config core.hooksPath x/../own",
        f"{APPEND}own/pre-commit",
        "own/pre-commit",
    ),
    "hooksPath of included settings": Case(
        "mkdir own conf; echo true > own/pre-commit; git config -f conf/git core.hooksPath own; "
        "git config include.path ../conf/git",
        f"{APPEND}own/pre-commit",
        "own/pre-commit",
    ),
    "included settings": Case(
        "git config -f more user.name n; git config include.path ../more",
        "git config -f more core.fsmonitor 'touch $CANARY #'",
        "more",
    ),
    "settings that included ones include": Case(
        "git config -f a include.path b; git config -f b user.name n; git config include.path ../a",
        "git config -f b core.fsmonitor 'touch $CANARY #'",
        "b",
    ),
    "settings included by a condition": Case(
        "git config -f more user.name n; git config 'includeIf.onbranch:x.path' ../more",
        "git config -f more core.fsmonitor 'touch $CANARY #'",
        "more",
    ),
    "settings behind a link": Case(
        "mv .git/config shared; ln -s ../shared .git/config",
        "git config -f shared core.fsmonitor 'touch $CANARY #'",
        "shared",
    ),
    "husky": Case(
        "mkdir -p .husky/_; echo true > .husky/_/pre-commit; echo true > .husky/pre-commit; "
        "git config core.hooksPath .husky/_",
        f"{APPEND}.husky/pre-commit; {APPEND}.husky/_/pre-commit",
        ".husky/pre-commit",
    ),
    ".envrc by link": Case("echo true > env.sh; ln -s env.sh .envrc", f"{APPEND}env.sh", "env.sh"),
    ".envrc by a link to another folder": Case(
        "mkdir conf d; echo true > conf/env; ln -s ../conf/env d/.envrc", f"{APPEND}conf/env", "conf/env"
    ),
    "editor's folder by link": Case(
        "mkdir conf; echo '{}' > conf/settings.json; ln -s conf .vscode",
        "echo '[]' > conf/tasks.json",
        "conf/tasks.json",
    ),
    "editor's folder by link, changed": Case(
        "mkdir conf; echo '{}' > conf/settings.json; ln -s conf .vscode",
        "echo '[]' > conf/settings.json",
        "conf/settings.json",
    ),
    "editor's folder by link, deeper": Case(
        "mkdir -p conf/x; ln -s conf .idea", "mkdir conf/run; echo '<x/>' > conf/run/a.xml", "conf/run/a.xml"
    ),
    "a file in an editor's folder by link": Case(
        "mkdir .vscode; echo '{}' > tasks; ln -s ../tasks .vscode/tasks.json", "echo '[]' > tasks", "tasks"
    ),
    "workflows by a linked folder": Case(
        "mkdir -p ci/workflows; echo 'on: push' > ci/workflows/a.yml; ln -s ci .github",
        "echo 'on: x' > ci/workflows/a.yml",
        "ci/workflows/a.yml",
    ),
    "workflows by a linked folder, new": Case(
        "mkdir -p ci; ln -s ci .github", "mkdir ci/workflows; echo 'on: x' > ci/workflows/b.yml", "ci/workflows/b.yml"
    ),
    "workflows by a link in it": Case(
        "mkdir -p .github wf; echo 'on: push' > wf/a.yml; ln -s ../wf .github/workflows",
        "echo 'on: x' > wf/a.yml",
        "wf/a.yml",
    ),
    "a pipeline by link": Case("echo a > ci.yml; ln -s ci.yml .gitlab-ci.yml", "echo b > ci.yml", "ci.yml"),
    "an agent's settings by link": Case(
        "mkdir agents; echo '{}' > agents/settings.json; ln -s agents .claude",
        "echo '[]' > agents/settings.json",
        "agents/settings.json",
    ),
    "our settings by link": Case(
        "mkdir koi; echo 'a = 1' > koi/config.toml; ln -s koi .openkoi",
        "echo 'b = 1' > koi/config.toml",
        "koi/config.toml",
    ),
    "a submodule's hooks by link": Case(
        f"{SCRIPT}git init -q lib; git -C lib commit -qm l --allow-empty; "
        "git -c protocol.file.allow=always submodule add -q ./lib mod; "
        "ln -s ../../../../scripts/check.sh .git/modules/mod/hooks/pre-commit",
        f"{APPEND}scripts/check.sh",
        "scripts/check.sh",
    ),
    "a submodule's hooksPath": Case(
        "git init -q lib; git -C lib commit -qm l --allow-empty; "
        "git -c protocol.file.allow=always submodule add -q ./lib mod; mkdir mod/own; echo true > mod/own/pre-commit; "
        "git -C mod config core.hooksPath own",
        f"{APPEND}mod/own/pre-commit",
        "mod/own/pre-commit",
    ),
    "a submodule's hooks": Case(
        "git init -q lib; git -C lib commit -qm l --allow-empty; "
        "git -c protocol.file.allow=always submodule add -q ./lib mod",
        f"echo '{EVIL}' > .git/modules/mod/hooks/pre-commit",
        ".git/modules/mod/hooks/pre-commit",
    ),
    "a worktree's hooksPath": Case(
        "git commit -qm l --allow-empty; git worktree add -q tree; mkdir tree/own; echo true > tree/own/pre-commit; "
        "git config core.hooksPath own",
        f"{APPEND}tree/own/pre-commit",
        "tree/own/pre-commit",
    ),
    "a worktree's own settings": Case(
        "git commit -qm l --allow-empty; git worktree add -q tree; git config extensions.worktreeConfig true; "
        "mkdir tree/own; echo true > tree/own/pre-commit; git -C tree config --worktree core.hooksPath own",
        f"{APPEND}tree/own/pre-commit",
        "tree/own/pre-commit",
    ),
    "a separate git folder": Case(
        "git init -q --separate-git-dir=sep sub; mkdir sub/own; echo true > sub/own/pre-commit; "
        "git -C sub config core.hooksPath own; git -C sub config core.worktree ../sub",
        f"{APPEND}sub/own/pre-commit",
        "sub/own/pre-commit",
    ),
    "hook of a repository in a repository in a repository": Case(
        "git init -q a; git init -q a/b; mkdir a/b/s; echo true > a/b/s/c; ln -s ../../s/c a/b/.git/hooks/pre-commit",
        f"{APPEND}a/b/s/c",
        "a/b/s/c",
    ),
    "hook across repositories": Case(
        f"{SCRIPT}git init -q a; ln -s ../../../scripts/check.sh a/.git/hooks/pre-commit",
        f"{APPEND}scripts/check.sh",
        "scripts/check.sh",
    ),
}

HOOK = "printf '#!/bin/sh\\n%s\\n' "
# What a hook, .envrc or a setting of git calls: a file of the project, which is listed.
CALLED: dict[str, Case] = {
    **{
        f"{key}": Case(f"{TOOL}git config {key} '{value}'", f"{APPEND}tools/run.sh", "tools/run.sh")
        for key, value in {
            "core.fsmonitor": "tools/run.sh",
            "core.pager": "./tools/run.sh | less",
            "core.editor": "tools/run.sh --wait",
            "core.sshCommand": "sh tools/run.sh",
            "core.askPass": "tools/run.sh",
            "core.gitProxy": "tools/run.sh for x",
            "sequence.editor": "tools/run.sh",
            "diff.external": "tools/run.sh",
            "diff.x.textconv": "tools/run.sh",
            "diff.x.command": "tools/run.sh",
            "filter.x.clean": "tools/run.sh %f",
            "filter.x.smudge": "sh -c ./tools/run.sh",
            "filter.x.process": "tools/run.sh",
            "merge.x.driver": "tools/run.sh %O %A %B",
            "mergetool.x.cmd": "tools/run.sh $LOCAL",
            "alias.go": "!tools/run.sh",
            "credential.helper": "!tools/run.sh",
            "credential.https://x.helper": "!f() { tools/run.sh; }; f",
            "gpg.program": "tools/run.sh",
            "gpg.ssh.defaultKeyCommand": "tools/run.sh",
            "interactive.diffFilter": "tools/run.sh",
            "remote.o.uploadpack": "tools/run.sh",
            "remote.o.url": "ext::tools/run.sh",
            "submodule.x.update": "!tools/run.sh",
            "uploadpack.packObjectsHook": "tools/run.sh",
            "pager.log": "tools/run.sh",
            "hook.x.command": "tools/run.sh",
            "trailer.x.command": "tools/run.sh",
            "a.setting.ofTheFuture": "tools/run.sh",
        }.items()
    },
    "in included settings": Case(
        f"{TOOL}git config -f more diff.x.textconv tools/run.sh; git config include.path ../more",
        f"{APPEND}tools/run.sh",
        "tools/run.sh",
    ),
    "in a worktree's settings": Case(
        f"{TOOL}git config extensions.worktreeConfig true; git config --worktree core.pager tools/run.sh",
        f"{APPEND}tools/run.sh",
        "tools/run.sh",
    ),
    "in a setting, not there yet": Case(
        "git config diff.x.textconv tools/new.sh", f"mkdir tools; echo '{EVIL}' > tools/new.sh", "tools/new.sh"
    ),
    "in a setting, by an absolute path": Case(
        f'{TOOL}git config diff.x.textconv "$PWD/tools/run.sh"', f"{APPEND}tools/run.sh", "tools/run.sh"
    ),
    "in a hook": Case(
        f"{TOOL}{HOOK}'exec tools/run.sh' > .git/hooks/pre-commit", f"{APPEND}tools/run.sh", "tools/run.sh"
    ),
    "in a hook, from the top": Case(
        f"{TOOL}{HOOK}'exec \"$(git rev-parse --show-toplevel)/tools/run.sh\"' > .git/hooks/pre-commit",
        f"{APPEND}tools/run.sh",
        "tools/run.sh",
    ),
    "in a hook, beside it": Case(
        f'{HOOK}\'. "$(dirname "$0")/lib.sh"\' > .git/hooks/pre-commit; mkdir own; echo true > own/lib.sh; '
        "cp .git/hooks/pre-commit own/; git config core.hooksPath own",
        f"{APPEND}own/lib.sh",
        "own/lib.sh",
    ),
    "in a hook, after cd": Case(
        f"{TOOL}{HOOK}'cd tools && ./run.sh' > .git/hooks/pre-commit", f"{APPEND}tools/run.sh", "tools/run.sh"
    ),
    "in a hook, as a module": Case(
        f"mkdir tools; echo 1 > tools/lint.py; {HOOK}'exec python3 -m tools.lint' > .git/hooks/pre-commit",
        "echo 2 > tools/lint.py",
        "tools/lint.py",
    ),
    "in a hook's script": Case(
        f"{TOOL}{SCRIPT}{HOOK}'. tools/run.sh' > scripts/check.sh; {HOOK}scripts/check.sh > .git/hooks/pre-push",
        f"{APPEND}tools/run.sh",
        "tools/run.sh",
    ),
    "in a linked hook's script": Case(
        f"{TOOL}{SCRIPT}{HOOK}'node ./tools/run.sh' > scripts/check.sh; "
        "ln -s ../../scripts/check.sh .git/hooks/pre-commit",
        f"{APPEND}tools/run.sh",
        "tools/run.sh",
    ),
    "in .envrc": Case(f"{TOOL}echo 'source_env tools/run.sh' > .envrc", f"{APPEND}tools/run.sh", "tools/run.sh"),
    "in .envrc, a file without a folder": Case(
        "echo A=1 > .env; echo 'dotenv .env' > .envrc", "echo LD_PRELOAD=x > .env", ".env"
    ),
    "in husky's hook": Case(
        f"{TOOL}mkdir .husky; echo 'sh tools/run.sh' > .husky/pre-commit", f"{APPEND}tools/run.sh", "tools/run.sh"
    ),
    "in a hook, with an option": Case(
        f"echo a > lint.yaml; {HOOK}'lint --config=lint.yaml' > .git/hooks/pre-commit",
        "echo b > lint.yaml",
        "lint.yaml",
    ),
}
