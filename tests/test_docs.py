"""README and docs: code blocks run, generated parts are current, links exist, golden games are complete."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import golden
from tests.generate_docs import generated, pages
from tests.public_faults import FAULTS, docstrings, shown_by
from war_env import PRESETS

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks() -> list[tuple[str, str]]:
    """Every Python block of the pages."""
    found = []
    for page in PAGES:
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
