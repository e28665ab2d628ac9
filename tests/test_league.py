"""Trained agents: playouts, phases, league, cloning, self-play, best responses; all in tiny runs. About 30 seconds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.networks import CHAMPIONS, champion_weights
from agents.registry import get_agent, get_entry
from agents.training import ppo
from agents.training.best_response import STARTS, ResponseConfig, respond
from agents.training.champion import ChampionConfig, Round, make_champion
from agents.training.checkpoints import load_state
from agents.training.cloning import CloneConfig, clone
from agents.training.in_progress import GamesInProgress
from agents.training.league import League
from agents.training.phases import Block, PhasedPolicy
from agents.training.playouts import PlayoutConfig, fit_gains, gather, play_out, try_all
from agents.training.ppo import PPOConfig, logits_of, make_model, to_network
from agents.training.regularised import RegularisedConfig, play_itself
from experiments.arena import play_games
from experiments.best_response import BestResponseSettings, run_best_response
from experiments.champion import ChampionSettings, run_champion
from war_env import ArgumentError, UnknownNameError, get_rules
from war_env.layout import Layout
from war_env.policy import NetworkPolicy, ScriptedPolicy
from war_env.policy_names import SCRIPTED

torch.set_num_threads(1)
LAYOUT = Layout(get_rules("War-v0"))
ONE_PASS = Layout(get_rules("WarOnePass-v0"))
MINI = Layout(get_rules("WarMini-v0"))
SMALL = PlayoutConfig(decisions=300, lanes=256, most=100, epochs=1, hidden=8)


def games_of(layout: Layout, count: int = 256, opponent: object = "reserve") -> GamesInProgress:
    policy = PhasedPolicy(layout)
    return GamesInProgress(policy, layout.rules, opponent, count, 0.1, np.random.default_rng(0))


def random_block(layout: Layout, seed: int) -> Block:
    rng = np.random.default_rng(seed)
    shapes = (layout.size, 8), (8,), (8, layout.num_actions), (layout.num_actions,)
    return Block(*(rng.normal(size=shape).astype(np.float32) for shape in shapes))


@pytest.mark.parametrize("phases", [(), ("war",), ("battle",), ("battle", "war")])
def test_a_joined_network_plays_like_the_phases_and_can_be_split_again(phases: tuple[str, ...]) -> None:
    policy = PhasedPolicy(LAYOUT, {phase: random_block(LAYOUT, k) for k, phase in enumerate(phases)})
    games = games_of(LAYOUT)
    joined = policy.joined()
    for other in (joined, PhasedPolicy.split(joined, LAYOUT), PhasedPolicy.split(joined, LAYOUT).joined()):
        for _ in range(5):
            games.step()
            views = games.observations, games.masks, games.rng
            assert np.array_equal(policy.act(*views), other.act(*views))
    with pytest.raises(ArgumentError, match="phase='peace' is not allowed: it must be one of battle, war"):
        policy.with_block("peace", random_block(LAYOUT, 0))


def test_without_networks_the_phases_are_reserve() -> None:
    games, reserve = games_of(LAYOUT), ScriptedPolicy("reserve", LAYOUT)
    policy = PhasedPolicy(LAYOUT).joined()
    for _ in range(20):
        games.step()
        views = games.observations, games.masks, games.rng
        assert np.array_equal(policy.act(*views), reserve.act(*views))


def test_branched_lanes_go_on_alike_and_leave_the_first_ones_as_they_are() -> None:
    """Against compiled and Python opponents; the copies of a row differ by the learner's choices alone."""
    for opponent in ("random", ScriptedPolicy("reserve", LAYOUT)):
        games = games_of(LAYOUT, 64, opponent)
        before = games.lanes.records.words.copy()
        rows = np.array([3, 3, 60], np.int64)
        branch = games.lanes.branched(rows)
        first = branch.step(np.array([1, 1, 0]))
        assert np.array_equal(first.observations[0], first.observations[1])
        assert np.array_equal(games.lanes.records.words, before)
        branch.set_opponent("greedy")
        actions = np.zeros(64, np.int64)
        actions[3] = 1
        result = games.lanes.step(actions)
        assert np.array_equal(result.observations[[3, 60]], first.observations[[0, 2]])


def test_trying_every_card_gives_the_scores_of_the_games_that_follow() -> None:
    """In the miniature, where the playouts can be made one by one."""
    games = games_of(MINI, 64)
    games.stagger()
    rows = games.choices(64)
    assert rows.size > 10
    scores = try_all(games.lanes, rows, games.policy)
    for slot in range(2):
        single = play_out(games.lanes.branched(rows), games.policy, np.full(len(rows), slot))
        assert np.array_equal(single.astype(np.float32), scores[:, slot])
    assert set(np.unique(scores)) <= {0.0, 0.5, 1.0}


def test_gains_are_learned() -> None:
    """In a war against *lowest*, which lays its lowest card, the highest card wins and the lowest seldom does."""
    rng = np.random.default_rng(0)
    config = replace(SMALL, decisions=1_000, lanes=1_024, most=250, epochs=40, hidden=16)
    trials = gather(PhasedPolicy(ONE_PASS), "lowest", "war", config, rng, lambda done: None)
    full = trials.masks.all(axis=1)
    assert (trials.gains[np.arange(len(full)), trials.reference] == 0).all()
    assert trials.gains[full, 0].mean() < -0.05  # standard error about .015
    block = fit_gains(trials, "war", config, 0)
    scores = block.scores(trials.observations[full])
    assert (scores[:, 4] - scores[:, 0]).mean() > 0.05


def test_a_champion_is_resumed_after_the_last_finished_round(tmp_path: Path) -> None:
    """The resumed champion is the one that an undisturbed run makes, to the last bit."""
    rounds = (Round("war", {"reserve": 1.0}), Round("war", {"self": 0.5, "past": 0.5}), Round("battle", {"self": 1.0}))
    config = ChampionConfig("WarOnePass-v0", {}, rounds, SMALL, seed=3)
    whole = make_champion(config, tmp_path / "whole", lambda network: {"x": 1.0})
    seen = []

    def stop(network: NetworkPolicy) -> dict[str, float]:
        seen.append(network)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return {"x": 1.0}

    with pytest.raises(KeyboardInterrupt):
        make_champion(config, tmp_path / "stopped", stop)
    resumed = make_champion(config, tmp_path / "stopped", lambda network: {"x": 1.0})
    assert resumed.curve == whole.curve
    assert [point["round"] for point in whole.curve] == [0, 1, 2, 3]
    for one, two in zip(whole.network.layers, resumed.network.layers, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rounds": (Round("peace", {"self": 1.0}),)}, "phase='peace' is not allowed"),
        ({"rounds": (Round("war", {"nobody": 1.0}),)}, "opponents='nobody' is unknown"),
        ({"rounds": (Round("war", {"self": 0.0}),)}, r"opponents\['self'\]=0.0 is not allowed"),
        ({"rounds": ()}, "rounds=0 is not allowed"),
        ({"memory": 0}, "memory=0 is not allowed"),
        ({"preset": "WarThreePlayer-v0"}, "players=3 is not allowed"),
        ({"playouts": PlayoutConfig(exploration=2.0)}, "exploration=2.0 is not allowed: it must be a number"),
        ({"playouts": PlayoutConfig(hidden=0)}, "hidden=0 is not allowed"),
    ],
)
def test_a_champion_that_cannot_be_made_is_refused(tmp_path: Path, changes: dict, words: str) -> None:
    with pytest.raises((ArgumentError, UnknownNameError), match=words):
        make_champion(replace(ChampionConfig(), **changes), tmp_path, lambda network: {})
    assert not list(tmp_path.iterdir())


def test_a_league_keeps_its_members_on_disk(tmp_path: Path) -> None:
    """ray#6669."""
    league = League(tmp_path, LAYOUT, guests={"friend": ScriptedPolicy("median", LAYOUT)})
    rng = np.random.default_rng(0)
    with pytest.raises(ArgumentError, match="opponent='self' is not allowed: the league has no members yet"):
        league.opponents({"self": 1.0}, rng)
    for seed in range(3):
        league.add(PhasedPolicy(LAYOUT, {"war": random_block(LAYOUT, seed)}).joined())
    mix = league.opponents({"self": 0.5, "past": 0.25, "reserve": 0.125, "friend": 0.125}, rng)
    assert mix[league.members[-1]] == 0.5
    assert mix[league.members[0]] == mix[league.members[1]] == 0.125
    assert mix["reserve"] == mix[league.guests["friend"]] == 0.125
    again = League(tmp_path, LAYOUT)
    assert len(again.members) == 3
    again.shrink(1)
    assert len(League(tmp_path, LAYOUT).members) == 1
    with pytest.raises(UnknownNameError, match="opponent='friend' is unknown"):
        again.opponents({"friend": 1.0}, rng)


def test_earlier_members_are_drawn_evenly(tmp_path: Path) -> None:
    """Unity-Technologies/ml-agents#1070: who joined early is met as often as who joined late, so nobody is forgotten.

    Two of five at a time, 4,000 draws: a count within 4 x sqrt(4,000 x .4 x .6) = 124 of 1,600.
    """
    league = League(tmp_path, MINI, most_past=2)
    for seed in range(6):
        league.add(PhasedPolicy(MINI, {"war": random_block(MINI, seed)}).joined())
    rng, drawn = np.random.default_rng(0), dict.fromkeys(league.members, 0)
    for _ in range(4_000):
        mix = league.opponents({"self": 0.5, "past": 0.5}, rng)
        assert sorted(mix.values()) == [0.25, 0.25, 0.5]
        for member in mix:
            drawn[member] += 1
    *earlier, last = drawn.values()
    assert last == 4_000
    assert all(abs(count - 1_600) < 124 for count in earlier), earlier


def test_a_cloned_network_plays_like_its_teacher() -> None:
    """*reserve*, on views that the copy has not seen; 5,120 of them, standard error at most .002."""
    model = make_model(PPOConfig(num_envs=4, rollout=8, hidden=(32,)))
    config = CloneConfig(views=40_000, batch_size=256, epochs=4)
    agreement = clone(logits_of(model), ScriptedPolicy("reserve", LAYOUT), LAYOUT, "random", 0, config)
    assert agreement > 0.99
    network = to_network(model)
    games, same = games_of(LAYOUT), []
    for _ in range(20):
        games.step()
        views = games.observations, games.masks, games.rng
        same.append(network.act(*views) == games.policy.act(*views))
    assert np.mean(same) > 0.98
    with pytest.raises(ArgumentError, match="doubt=2 is not allowed: it must be a number from 0 to 1"):
        clone(logits_of(model), games.policy, LAYOUT, "random", 0, CloneConfig(doubt=2))


def test_self_play_with_a_league_is_resumed(tmp_path: Path) -> None:
    """stable-baselines3#957: a stopped training's league goes back to its checkpoint; first the values settle."""
    config = PPOConfig(
        preset="WarMini-v0",
        opponent={"self": 0.5, "past": 0.25, "reserve": 0.25},
        league_every=1,
        steps=4_096,
        num_envs=64,
        rollout=16,
        batch_size=512,
        evaluations=2,
        hidden=(8,),
        value_steps=2_048,
    )
    before = to_network(make_model(config)).layers[0][0]

    def stop(steps: int) -> None:
        if steps >= 3_072:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ppo.train(config, tmp_path, lambda network: {}, stop)
    kept = load_state(tmp_path / ppo.CHECKPOINT, dict)
    assert kept["steps"] == 2_048
    assert torch.equal(kept["policy"]["mlp_extractor.policy_net.0.weight"].T, torch.as_tensor(before))
    assert len(League(tmp_path / ppo.LEAGUE, MINI).members) == kept["members"] == 3
    trained = ppo.train(config, tmp_path, lambda network: {}, lambda steps: None)
    assert trained.steps == 4_096
    assert len(League(tmp_path / ppo.LEAGUE, MINI).members) == 5
    assert not np.array_equal(trained.network.layers[0][0], before)
    with pytest.raises(UnknownNameError, match="opponent='nobody' is unknown"):
        make_model(replace(config, opponent={"self": 1.0, "nobody": 1.0}))


def test_responses_begin_from_every_start(tmp_path: Path) -> None:
    cloning = CloneConfig(views=1_024, epochs=1)
    config = ResponseConfig("WarOnePass-v0", {}, 2_048, 32, cloning, SMALL, evaluations=1)
    agent = ScriptedPolicy("greedy", ONE_PASS)
    for start in STARTS:
        network, curve = respond(agent, start, config, tmp_path / start, lambda network: {"x": 1.0})
        assert len(curve) >= 2
        network.card.update(rules=ONE_PASS.rules.to_dict(), memory=True)
        scores, _ = play_games(network, agent, ONE_PASS.rules, 0, 0, swap=False)
        assert 0 < scores.mean() < 1
    with pytest.raises(UnknownNameError, match="start='somewhere' is unknown"):
        respond(agent, "somewhere", config, tmp_path, lambda network: {})


def test_regularised_self_play_is_resumed_and_draws_from_its_probabilities(tmp_path: Path) -> None:
    config = RegularisedConfig(iterations=6, lanes=128, hidden=(8,), evaluations=3, magnet_every=2)

    def stop(iteration: int) -> None:
        if iteration == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_itself(config, tmp_path, lambda network: {}, stop)
    network, curve = play_itself(config, tmp_path, lambda network: {}, lambda iteration: None)
    assert [point["iteration"] for point in curve] == [0, 2, 4, 6]
    assert network.is_sampling
    with pytest.raises(ArgumentError, match="pull=-1 is not allowed"):
        play_itself(replace(config, pull=-1), tmp_path, lambda network: {})


def test_champions_are_made_by_one_command(tmp_path: Path) -> None:
    """The small miniature, whose recipe ends with the exact exploitability; again with the same numbers."""
    settings = ChampionSettings(preset="WarMini-v0", quick=True, games=256, workers=1, out=tmp_path / "r")
    run_champion(settings)
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    assert {row["against"] for row in summary["rows"]} == set(SCRIPTED)
    assert 0 <= summary["curves"]["champion-0"][-1]["exploitability"] <= 0.05  # 60,000 views; random play has .061
    card = json.loads((tmp_path / "r" / "weights" / "champion-0.json").read_text())
    assert card["command"] == "python -m experiments.champion --preset WarMini-v0 --seed 0 --seeds 1 --quick"
    assert card["curve"] == summary["curves"]["champion-0"]


def test_best_responses_are_measured_by_one_command(tmp_path: Path) -> None:
    """In the miniature, greedy play loses to a response; 2,048 games, standard error .01."""
    out = tmp_path / "r"
    starts = ("nothing", "playouts")
    run_best_response(
        BestResponseSettings(agent="greedy", preset="mini", quick=True, starts=starts, workers=1, out=out)
    )
    summary = json.loads((out / "summary.json").read_text())
    assert summary["method"] == "learned"
    assert [response["start"] for response in summary["responses"]] == list(starts)
    assert summary["win_rate"] == max(response["win_rate"] for response in summary["responses"])
    assert summary["low"] <= summary["win_rate"] <= summary["high"]


def test_champions_are_picked_by_the_rules() -> None:
    """Each preset that has one names it; its weights are small, and its card says how to make it again."""
    paths = sorted(CHAMPIONS.glob("*.json"))
    assert {path.stem for path in paths} >= {"War-v0", "WarOnePass-v0"}
    for path in paths:
        rules = get_rules(path.stem)
        assert get_entry("champion", rules).name == str(champion_weights(rules)) == str(path.with_suffix(".npz"))
        assert get_agent("champion", rules).is_trained
        assert path.with_suffix(".npz").stat().st_size < 2_000_000
        card = json.loads(path.read_text())
        assert path.stem in card["command"]
        assert {"seed", "versions", "sha256", "curve"} <= set(card)
    with pytest.raises(UnknownNameError, match="agent='champion' does not know these rules"):
        get_entry("champion", get_rules("War-v0", hand_size=3))


@pytest.mark.parametrize("preset", ["War-v0", "WarOnePass-v0"])
def test_the_champion_beats_reserve(preset: str) -> None:
    """1,024 games, standard error .016; far above one half in docs/agents.md, here at least one half."""
    rules = get_rules(preset)
    reserve = ScriptedPolicy("reserve", Layout(rules))
    scores, _ = play_games(get_agent("champion", rules), reserve, rules, 0, 0, swap=False)
    assert scores.mean() > 0.5


@pytest.mark.parametrize("preset", ["War-v0", "WarOnePass-v0"])
def test_the_champion_beats_random_in_both_seats(preset: str) -> None:
    """PettingZoo#1147: 1,024 games in each seat, far outside of four standard errors of .016."""
    rules = get_rules(preset)
    champion, other = get_agent("champion", rules), get_agent("random", rules)
    for swap in (False, True):
        scores, _ = play_games(champion, other, rules, 3, 0, swap=swap)
        assert scores.mean() > 0.5 + 4 * 0.016
