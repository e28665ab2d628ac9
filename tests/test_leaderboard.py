"""The leaderboard: who takes part, how much they play, what is known of their exploitability, and its page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agents.registry import Entry, agent_specs, get_entries
from experiments import leaderboard
from experiments.leaderboard import LeaderboardSettings, budget_of, chosen_presets, run_leaderboard, shipped_agents
from experiments.leaderboard_page import board_head, board_rows
from tests.browsing import check_page
from war_env.errors import ArgumentError, RulesError
from war_env.policy_names import SCRIPTED
from war_env.presets import PRESETS, get_rules

QUICK = {"quick": True, "presets": ("one_pass", "mini"), "workers": 1}


def boards_of(folder: Path) -> dict[str, Any]:
    boards: dict[str, Any] = json.loads((folder / "summary.json").read_text())["boards"]
    return boards


def test_all_presets_for_two_with_a_choice_are_played() -> None:
    expected = [preset.id for preset in PRESETS if preset.rules.players == 2 and preset.rules.has_choices]
    assert chosen_presets(()) == expected
    for names in (("classic",), ("three_player",), ("mini", "WarMini-v0")):
        with pytest.raises((ArgumentError, RulesError), match="is not allowed"):
            chosen_presets(names)


def test_agents_of_this_machine_alone_do_not_take_part() -> None:
    names = shipped_agents(get_rules("War-v0"))
    assert set(SCRIPTED) <= set(names)
    assert "champion" in names
    assert "trained" not in names
    assert "equilibrium" not in names


def test_who_thinks_long_plays_less_and_the_champion_plays_the_scripted_most() -> None:
    budget = budget_of(LeaderboardSettings())
    rules = get_rules("War-v0")
    entries = {entry.title: entry for entry in get_entries(("champion", "reserve", "random", "search"), rules)}
    assert agent_specs()["search"].is_slow
    assert budget(entries["reserve"], entries["champion"]).games >= 20_480
    assert budget(entries["champion"], entries["search"]).games == 256
    assert budget(entries["reserve"], entries["random"]).games == 8_192


def test_boards_say_ratings_results_and_exploitability(tmp_path: Path) -> None:
    """The reference comes first; where the game is solved the exact fractions, elsewhere a lower bound from here."""
    run_leaderboard(LeaderboardSettings(agents=("random", "greedy", "reserve"), out=tmp_path, **QUICK))
    boards = boards_of(tmp_path)
    assert list(boards) == ["WarOnePass-v0", "WarMini-v0"]
    for board in boards.values():
        rows = board_rows(board)
        assert rows[0][0] == "reserve"
        assert {row[0] for row in rows} == {"random", "greedy", "reserve"}
        assert all(len(row) == len(board_head(board)) for row in rows)
        assert all(row["illegal"] == 0 and row["games"] == 256 for row in board["pairs"])
    solved = {row[0]: row[-1] for row in board_rows(boards["WarMini-v0"])}
    assert solved == {"reserve": "9.01 = 227/2520", "random": "6.05 = 61/1008", "greedy": "13.75 = 11/80"}
    bound = boards["WarOnePass-v0"]["gains"]["random"]
    assert (bound["method"], bound["by"], bound["games"]) == ("agent", "reserve", 256)
    assert 0.1 < bound["low"] < bound["gain"] < bound["high"] < 0.4
    words = ("Leaderboard", "WarOnePass-v0", "reserve", "at least", "Win rates", "python -m experiments.")
    check_page(tmp_path / "leaderboard.html", words, choose_the_miniature)


def choose_the_miniature(page: Any) -> None:
    """Another preset takes the place of the first."""
    assert "227/2520" not in page.inner_text("body")
    page.click("text=WarMini-v0")
    assert "227/2520" in page.inner_text("body")
    assert "at least" not in page.inner_text("table >> visible=true >> nth=0")


def test_a_learned_bound_counts_for_the_very_weights_it_was_learned_against(tmp_path: Path) -> None:
    found = {"exploitability": 0.071, "low": 0.066, "high": 0.075, "method": "learned", "start": "agent"}
    summary = {
        "entries": {"champion": "abc"}, "agents": {"champion": found}, "config": {"games": 20_480, "steps": 4_000_000}
    }  # fmt: skip
    (tmp_path / "learned_War-v0.json").write_text(json.dumps(summary))
    bound = leaderboard.learned_bound(Entry("champion", "champion.npz", "abc"), "War-v0", tmp_path)
    assert bound is not None
    assert (bound["gain"], bound["by"], bound["steps"]) == (0.071, "agent", 4_000_000)
    assert leaderboard.learned_bound(Entry("champion", "champion.npz", "other"), "War-v0", tmp_path) is None
    assert leaderboard.learned_bound(Entry("champion", "champion.npz", "abc"), "WarOnePass-v0", tmp_path) is None


def test_quick_numbers_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaderboard, "KEPT", tmp_path)
    settings = LeaderboardSettings(agents=("random", "reserve"), keep=True, out=tmp_path / "r", **QUICK)
    with pytest.raises(ArgumentError, match="keep=True is not allowed with quick=True"):
        run_leaderboard(settings)
    assert list(tmp_path.iterdir()) == []
    few = {"games": 2, "other_games": 2, "slow_games": 2}
    run_leaderboard(
        LeaderboardSettings(agents=("random", "reserve"), presets=("one_pass",), workers=1, keep=True,
                            out=tmp_path / "r", **few)
    )  # fmt: skip
    assert json.loads((tmp_path / "leaderboard.json").read_text())["boards"] == boards_of(tmp_path / "r")
