"""README and docs: code blocks run, generated parts are current, links exist, golden games are complete."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import war_env
from tests import golden, measured_docs
from tests.environment_pages import PAGES as ENVIRONMENTS
from tests.generate_docs import generated, pages
from tests.public_faults import FAULTS, docstrings, shown_by
from tests.sessions import SESSIONS, with_outputs
from war_env import PRESETS
from war_env.policy_names import SCRIPTED

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]


def blocks() -> list[tuple[str, str]]:
    """Every Python block of the pages, but of those whose blocks go on from each other."""
    found = []
    for page in PAGES:
        if page in SESSIONS:
            continue
        for k, code in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)):
            found.append((f"{page.name}-{k}", code))
    return found


@pytest.mark.parametrize(("name", "code"), blocks(), ids=[name for name, _ in blocks()])
def test_code_blocks_run_when_pasted(name: str, code: str, tmp_path: Path) -> None:
    """sb3-contrib#72: each block runs alone and prints what its comments say.

    In an empty folder, or the checkout for its agents.
    """
    folder = ROOT if "from agents" in code else tmp_path
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=folder, check=False)
    assert result.returncode == 0, result.stderr
    for promised in re.findall(r"print\(.*\) +# (\[.*\]|Outcome\(.*?), \.\.\.", code):
        assert promised in result.stdout
    for promised in re.findall(r"print\(game\.stocks\) +# (.*)", code):
        assert promised in result.stdout
    for promised in re.findall(r"print\(.*\) +# (\d+/\d+|False|True)", code):
        assert promised in result.stdout.split()
    for promised in re.findall(r"print\(.*\) +# (\d+\.\d+)", code):
        printed = [float(number) for number in re.findall(r"\d+\.\d+", result.stdout)]
        assert float(promised) in [round(number, 1) for number in printed]


@pytest.mark.parametrize("page", SESSIONS, ids=lambda path: path.name)
def test_blocks_run_from_the_pages_beginning_to_its_end(page: Path) -> None:
    """In one session; what stands below each block is what it prints (`make docs` writes it anew)."""
    text = page.read_text()
    assert text.count("```python") >= 3
    assert with_outputs(text) == text


def test_every_page_has_one_place_in_the_navigation() -> None:
    named = []
    for page in DOCS.rglob("*.md"):
        for tree in re.findall(r"```{toctree}\n(.*?)```", page.read_text(), re.DOTALL):
            lines = [line for line in tree.splitlines() if line and not line.startswith(":")]
            named += [(page.parent / f"{line}.md").resolve() for line in lines]
    assert sorted(named) == sorted(page for page in DOCS.rglob("*.md") if page != DOCS / "index.md")


def test_every_id_has_its_page() -> None:
    for part, env_id in ENVIRONMENTS.items():
        text = (DOCS / "environments" / f"{env_id}.md").read_text()
        assert text.startswith(f"# {env_id}\n")
        assert f"<!-- generated: {part} -->" in text


def test_every_public_name_is_in_the_reference() -> None:
    reference = "".join(page.read_text() for page in (DOCS / "api").glob("*.md"))
    for name in war_env.__all__:
        if name != "__version__":
            assert re.search(rf"[. ]{name}\b", reference), name


def test_named_tests_exist() -> None:
    """The pages name tests, some by their beginning."""
    sources = "".join(path.read_text() for path in (ROOT / "tests").glob("test_*.py"))
    for page in PAGES:
        for name in re.findall(r"`(test_\w+)", page.read_text()):
            assert f"def {name}" in sources, name


def test_the_training_script_is_about_ten_lines() -> None:
    code = re.search(r"<!-- tested: training -->\n```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert code is not None
    assert len(code[1].strip().splitlines()) <= 12


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.name)
def test_generated_parts_are_current(page: Path) -> None:
    """`make docs` writes them anew."""
    assert generated(page.read_text()) == page.read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_and_pictures_exist(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_golden_games_are_current(preset: object) -> None:
    """datamllab/rlcard#81: no preset without one; `make golden` writes them anew."""
    assert (golden.FOLDER / f"{preset.name}.txt").read_text() == golden.golden_text(preset)


def test_there_are_no_other_golden_games() -> None:
    assert {path.stem for path in golden.FOLDER.glob("*.txt")} == {preset.name for preset in PRESETS}


def test_the_first_screen_names_the_reference_to_beat() -> None:
    """openai/gym#3087."""
    text = (ROOT / "README.md").read_text()[:3500]
    assert "make benchmark" in text
    assert "make test" in text
    assert "reserve" in text


def test_published_tables_are_of_five_seeds_with_their_spread() -> None:
    """araffin/rl-baselines-zoo#38: the champions of War-v0 and the agents trained against the mix."""
    champions = measured_docs.kept("champion")["War-v0"]
    mix = next(row for row in measured_docs.kept("trained")["trained"] if row["title"].endswith("the mix"))
    of_champions = {name: [one["rates"][name]["win_rate"] for one in champions] for name in SCRIPTED}
    tables = {
        ("champion.md", "champion_rates"): ("**War-v0, mean", of_champions),
        ("agents.md", "trained_rates"): (mix["title"], mix["rates"]),
    }
    for seeds in ([one["seed"] for one in champions], mix["seeds"]):
        assert len(set(seeds)) == len(seeds) >= 5
    for (page, part), (label, rates) in tables.items():
        assert f"<!-- generated: {part} -->" in (DOCS / page).read_text()
        row = next(line for line in measured_docs.PARTS[part]().splitlines() if label in line)
        for name in SCRIPTED:
            assert len(rates[name]) >= 5
            mean, least, most = (100 * one for one in (np.mean(rates[name]), min(rates[name]), max(rates[name])))
            assert f"| {mean:.1f} ({least:.1f} to {most:.1f}) |" in row


def test_every_public_fault_is_shown_by_a_test() -> None:
    """Each is named in the docstring of a test, and each that a docstring names has its row in docs/faults.md."""
    texts = docstrings()
    for fault in FAULTS:
        assert shown_by(fault, texts), f"no docstring names {fault.reference}"
    known = {fault.reference for fault in FAULTS}
    assert len(known) == len(FAULTS)
    for test, text in texts.items():
        named = set(re.findall(r"(?<![\w/#-])[\w.-]+(?:/[\w.-]+)?#\d+", text))
        assert named <= known, (test, named - known)
