"""Test git commands that restore files from history: which of these files differ is determined in advance."""

import subprocess
from pathlib import Path

import pytest

from openkoi_guard.classify import classify_line
from openkoi_guard.git_checkouts import list_changed_autorun

CI = ".github/workflows/ci.yml"
HISTORY = """
git init -q -b main && git config user.name n && git config user.email a@b
mkdir -p .github/workflows sub/.vscode; echo a > a; echo a > .github/workflows/ci.yml; echo a > sub/.vscode/tasks.json
git add -A && git commit -qm first && git branch old && git checkout -q -b side
echo b > .github/workflows/ci.yml && git commit -qam ci && git checkout -q -b plain && echo b > a && git commit -qam a
git checkout -q -b edited && echo c > sub/.vscode/tasks.json && git commit -qam t && git checkout -q main
git update-ref refs/remotes/origin/far side
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose branches differ in files that other programs run."""
    root = tmp_path_factory.mktemp("root")
    subprocess.run(["bash", "-ec", HISTORY], cwd=root, check=True)
    return root


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ("git checkout side", {CI}),
        ("git checkout -b more side && make", {CI}),
        ("git switch -", {CI, "sub/.vscode/tasks.json"}),
        ("cd sub; git checkout edited", {CI, "sub/.vscode/tasks.json"}),
        ("git -C sub rebase edited", {CI, "sub/.vscode/tasks.json"}),
        ("git merge --no-ff -m words side", {CI}),
        ("git cherry-pick side", {CI}),
        ("git cherry-pick plain", set()),
        ("git revert edited", {"sub/.vscode/tasks.json"}),
        ("git reset --hard side", {CI}),
        ("git reset side", set()),
        ("git merge old", set()),
        ("git checkout old", set()),
        ("git checkout far", {CI}),
        ("cd sub && git switch far", {CI}),
        ("git checkout -b far", set()),
        ("git restore --source=side .", {CI}),
        ("git restore -s edited sub", {"sub/.vscode/tasks.json"}),
        ("git restore .", set()),
        ("git checkout side a .github", {CI}),
        ("git checkout side a", set()),
        ("git checkout side -- a", set()),
        ("git cherry-pick old..edited", {CI, "sub/.vscode/tasks.json"}),
        ("git checkout -b more", set()),
        ("git checkout side && git checkout edited", {CI, "sub/.vscode/tasks.json"}),
        ("git switch sub", set()),
        ("git checkout -- a", set()),
        ("git merge --abort", set()),
        ("git checkout nowhere; git pull; git stash; git stash pop", set()),
        ("cd nowhere; git checkout side", set()),
    ],
)
def test_the_files_that_differ_and_are_run_are_found(root: Path, line: str, paths: set[str]) -> None:
    found = {*list_changed_autorun(classify_line(line).comparisons, root)}

    assert paths == found


def test_what_is_not_committed_is_found(tmp_path: Path) -> None:
    subprocess.run(["bash", "-ec", f"{HISTORY}\necho c > {CI}"], cwd=tmp_path, check=True)
    lines = ("git stash", "git stash push -m x", "git reset -q --hard", "git reset --keep HEAD", "git restore .")
    more = (f"git checkout -- {CI}", f"git restore {CI}", "git checkout HEAD -- .")

    assert [[CI]] * 8 == [
        [*list_changed_autorun(classify_line(line).comparisons[:1], tmp_path)] for line in (*lines, *more)
    ]


def test_a_file_that_is_taken_out_of_the_index_by_its_name_alone_is_found(tmp_path: Path) -> None:
    subprocess.run(["bash", "-ec", f"{HISTORY}\necho c > {CI}"], cwd=tmp_path, check=True)

    assert [CI] == [*list_changed_autorun(classify_line("git checkout .github").comparisons, tmp_path)]
    assert [] == [*list_changed_autorun(classify_line("git switch .github").comparisons, tmp_path)]
