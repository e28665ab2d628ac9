"""The PettingZoo environment: its official tests, and games equal to those of `Game` and `WarEnv` in every detail."""

from __future__ import annotations

import copy
import pickle
import re
import warnings
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test
from pettingzoo.utils import parallel_to_aec

from war_env import PRESETS, Game, Rules, WarEnv, get_rules
from war_env.parallel_env import WarParallelEnv, parallel_env
from war_env.policy import ScriptedPolicy

SEATS = [
    ("War-v0", {}),
    ("War-v0", {"players": 3, "max_battles": 60}),
    ("War-v0", {"players": 4, "jokers": 2, "war_party": "everyone", "max_battles": 40}),
    ("War-v0", {"players": 10, "hand_size": 2, "max_battles": 20}),
    *((preset.id, {}) for preset in PRESETS[1:]),
]
IDS = [f"{preset}-{options.get('players', '')}" for preset, options in SEATS]


def play(env: WarParallelEnv, rng: np.random.Generator, steps: int, seed: int | None = None) -> list:
    """Random steps with resets, masked actions among them; everything that is returned, as plain values."""
    seen: list = [plain(env.reset(seed=seed))]
    for _ in range(steps):
        if not env.agents:
            seen.append(plain(env.reset()))
        actions = {name: int(rng.integers(env.action_space(name).n)) for name in env.agents}
        seen.append((actions, plain(env.step(actions)), env.state().tolist(), list(env.agents)))
    return seen


def plain(values: object) -> object:
    """Arrays as lists, all the way down."""
    if isinstance(values, dict):
        return {key: plain(value) for key, value in values.items()}
    if isinstance(values, tuple):
        return [plain(value) for value in values]
    return values.tolist() if isinstance(values, np.ndarray) else values


@pytest.mark.parametrize(("preset", "options"), SEATS, ids=IDS)
def test_pettingzoos_own_tests_pass(preset: str, options: dict) -> None:
    """openai/gym#2906, PettingZoo#1038: masks as int8; its tests send masked actions too."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning)  # that observations are dicts
        parallel_api_test(parallel_env(preset, **options), num_cycles=100)
        parallel_seed_test(lambda: parallel_env(preset, **options), num_cycles=20)
        api_test(parallel_to_aec(parallel_env(preset, **options)), num_cycles=40)


@pytest.mark.parametrize(("preset", "options"), SEATS, ids=IDS)
def test_equal_seeds_give_equal_whole_games(preset: str, options: dict) -> None:
    """Observations, masks, rewards, flags, infos, states and who is left, over resets without a seed as well."""
    first, second = (parallel_env(preset, reward="capture", **options) for _ in range(2))
    one = play(first, np.random.default_rng(1), 250, seed=7)
    np.random.default_rng(0).random()
    assert one == play(second, np.random.default_rng(1), 250, seed=7)
    assert one != play(second, np.random.default_rng(1), 250, seed=8)


@pytest.mark.parametrize(("preset", "options"), SEATS, ids=IDS)
def test_the_same_choices_play_the_same_game(preset: str, options: dict) -> None:
    """Every seat's view at every step, and the outcome, are those of `Game` with the same seed."""
    env, rules = parallel_env(preset, **options), get_rules(preset, **options)
    rng = np.random.default_rng(3)
    for seed in range(3):
        views, _ = env.reset(seed=seed)
        game = Game.deal(rules, seed)
        while env.agents:
            choices = [
                int(rng.integers(len(legal))) if (legal := game.legal_actions(seat)) else None
                for seat in range(rules.players)
            ]
            named = {f"seat_{seat}": choice or 0 for seat, choice in enumerate(choices)}
            views, rewards, _, _, infos = env.step({name: named[name] for name in env.agents})
            game.play(choices if rules.has_choices else None)
            for name, view in views.items():
                seat = int(name.removeprefix("seat_"))
                assert np.array_equal(view["observation"], game.observation(seat))
                is_idle = name in env.agents and seat not in game.fighters
                expected = [1] + [0] * (rules.hand_size - 1) if is_idle else game.action_mask(seat)
                assert view["action_mask"].tolist() == list(expected)
                assert np.array_equal(view["action_mask"], infos[name]["action_mask"])
        assert game.is_over
        outcome = game.outcome
        for name, info in infos.items():
            assert info["winner"] == (-1 if outcome.winner is None else outcome.winner)
            assert (info["reason"], info["battles"], info["wars"]) == (outcome.reason, outcome.battles, outcome.wars)
            assert tuple(info["held"]) == outcome.held
            wins = outcome.winner == int(name.removeprefix("seat_"))
            assert rewards[name] == (0.0 if outcome.winner is None else 1.0 if wins else -1.0)


@pytest.mark.parametrize("reward", ["win", "margin", "capture"])
@pytest.mark.parametrize("opponent", ["greedy", "median", "reserve"])
@pytest.mark.parametrize("options", [{}, {"players": 3, "max_battles": 60}], ids=["two", "three"])
def test_a_seat_lives_what_war_env_gives_it(reward: str, opponent: str, options: dict) -> None:
    """Against policies without chance: `WarEnv`'s observations, rewards and infos at each of its decisions."""
    single = WarEnv("strategic", seat=1, opponent=opponent, reward=reward, memory=False, **options)
    env = parallel_env("strategic", reward=reward, memory=False, **options)
    policy, rng = ScriptedPolicy(opponent, env.layout), np.random.default_rng(5)
    for seed in range(4):
        observation, _ = single.reset(seed=seed)
        views, _ = env.reset(seed=seed)
        terminated = False
        while not terminated:
            assert np.array_equal(views["seat_1"]["observation"], observation)
            action = int(rng.integers(5))
            observation, value, terminated, _, info = single.step(action)
            total, is_first = 0.0, True
            while is_first or ("seat_1" in env.agents and not has_say(env, 1)):
                names = [name for name in env.agents if name != "seat_1"]
                slots = policy.act(
                    np.stack([views[name]["observation"] for name in names]),
                    np.stack([views[name]["action_mask"] for name in names]),
                    rng,
                )
                views, rewards, over, _, infos = env.step(
                    {**dict(zip(names, slots.tolist(), strict=True)), "seat_1": action}
                )
                total, is_illegal = total + rewards["seat_1"], infos["seat_1"]["illegal_action"] if is_first else False
                assert not is_first or is_illegal == info["illegal_action"]
                is_first = False
            assert total == pytest.approx(value)
            assert over["seat_1"] is terminated
        ended = infos["seat_1"]
        assert {key: plain(ended[key]) for key in ("winner", "reason", "battles", "comparisons", "wars", "held")} == {
            key: plain(info[key]) for key in ("winner", "reason", "battles", "comparisons", "wars", "held")
        }


def has_say(env: WarParallelEnv, seat: int) -> bool:
    """Whether a seat must choose now."""
    return bool(int(env._lanes.header["fighters"][0]) >> seat & 1)


def test_seats_that_are_out_leave_and_the_others_go_on() -> None:
    """pytorch/rl#3702: masks for the living alone; the reward of being out is -1."""
    env = parallel_env("three_player")
    eliminated = idle = 0
    for seed in range(12):
        env.reset(seed=seed)
        rewards_of: dict[str, float] = dict.fromkeys(env.possible_agents, 0.0)
        while env.agents:
            alive = list(env.agents)
            idle += sum(not has_say(env, env.possible_agents.index(name)) for name in alive)
            views, rewards, over, truncated, infos = env.step(dict.fromkeys(alive, 0))
            assert set(views) == set(rewards) == set(over) == set(truncated) == set(infos) == set(alive)
            assert env.agents == [name for name in alive if not over[name]]
            for name, value in rewards.items():
                rewards_of[name] += value
                if over[name] and env.agents:
                    assert infos[name]["reason"] == "eliminated"
                    assert value == -1.0
                    eliminated += 1
        assert sorted(rewards_of.values()) in ([-1.0, -1.0, 1.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    assert eliminated > 6
    assert idle > 20


def test_pickled_and_copied_environments_go_on_identically() -> None:
    env = parallel_env("War-v0", players=3, max_battles=40)
    play(env, np.random.default_rng(0), 30, seed=2)
    twins = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
    expected = play(env, np.random.default_rng(4), 60)
    assert all(play(twin, np.random.default_rng(4), 60) == expected for twin in twins)


def test_returned_arrays_are_fresh_and_spaces_stay_the_same() -> None:
    env, twin = parallel_env(), parallel_env()
    assert env.observation_space("seat_0") is env.observation_space("seat_0")
    assert env.action_space("seat_1") is env.action_space("seat_1")
    for each in (env, twin):
        each.reset(seed=0)
    for _ in range(30):
        views, _, _, _, infos = env.step({"seat_0": 1, "seat_1": 2})
        expected = twin.step({"seat_0": 1, "seat_1": 2})
        assert plain(views) == plain(expected[0])
        assert not np.shares_memory(views["seat_0"]["action_mask"], infos["seat_0"]["action_mask"])
        for name in views:
            assert env.observation_space(name).contains(views[name])
            for array in (*views[name].values(), infos[name]["action_mask"]):
                array[:] = 0


@pytest.mark.parametrize(
    "rules",
    [
        get_rules("strategic"),
        get_rules("one_pass", players=3),
        Rules(players=3, winnings="pile_shuffled", clock="lognormal", max_seconds=60.0, jokers=1),
    ],
    ids=["shuffled", "captured", "piles"],
)
def test_state_is_where_every_card_is(rules: Rules) -> None:
    """Counts by place and rank are those of the cards that `Game` names; an imagined deal changes them."""
    env, rng = parallel_env(rules), np.random.default_rng(0)
    env.reset(seed=4)
    game = Game.deal(rules, 4)
    ranks, scale = rules.deck.rank_names, rules.deck.most_of_a_rank
    imagined = parallel_env(rules)
    differing = 0
    for _ in range(25):
        state = env.state()
        assert env.state_space.contains(state)
        named = {name: state[place] for name, place in env.state_layout.slices.items()}
        drawn = [seat["hand"] for seat in game._seats]
        hands = [[rules.deck.name(card) for card in range(64) if int(cards) >> card & 1] for cards in drawn]
        stocks = [game._cards(game._ring(k, 0, int(seat["stock"]))).split() for k, seat in enumerate(game._seats)]
        laid = [text.split() for text in game.pot]
        places = {
            "hands": hands,
            "stocks": stocks,
            "piles": [text.split() for text in game.piles],
            "shown": [[card for card in cards if card[0] != "("] for cards in laid],
            "staked": [[card.strip("()") for card in cards if card[0] == "("] for cards in laid],
        }
        for name, seats in places.items():
            expected = [[sum(card.rstrip("cdhs") == rank for card in cards) for rank in ranks] for cards in seats]
            assert np.allclose(named[name] * scale, np.ravel(expected)), name
        assert np.flatnonzero(named["fighters"]).tolist() == game.fighters
        imagined.reset(seed=0)
        imagined._lanes.records.words[:] = game.determinize(0, int(rng.integers(99)))._records.words
        differing += not np.array_equal(imagined.state(), state)
        turned_about = copy.deepcopy(env)
        seat = turned_about._lanes.records.fields["seats"][0, 0]
        places_of_stock = (int(seat["head"]) + np.arange(int(seat["stock"]))) % 64
        seat["ring"][places_of_stock] = seat["ring"][places_of_stock[::-1]]
        assert np.array_equal(turned_about.state(), state)
        choices = [
            int(rng.integers(len(legal))) if (legal := game.legal_actions(k)) else None for k in range(rules.players)
        ]
        env.step({name: choices[k] or 0 for k, name in enumerate(env.possible_agents) if name in env.agents})
        game.play(choices if rules.has_choices else None)
        if game.is_over:
            break
    assert differing > 5


@pytest.mark.parametrize(("preset", "options"), [("WarOnePass-v0", {}), SEATS[1]], ids=["two", "three"])
def test_observations_are_flat_where_the_dict_is_taken_away(preset: str, options: dict) -> None:
    """PettingZoo#551: the wrapper of docs/pettingzoo.md; its spaces are `Box`es, the infos hold the dicts' masks."""
    names: dict = {}
    exec(block("flat"), names)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(names["Flat"](parallel_env(preset, **options)), num_cycles=100)
    flat, whole = names["Flat"](parallel_env(preset, **options)), parallel_env(preset, **options)
    (observations, infos), (views, others) = flat.reset(seed=3), whole.reset(seed=3)
    rng, masked = np.random.default_rng(0), 0
    while whole.agents:
        assert flat.agents == whole.agents
        for name in whole.agents:
            space, mask = flat.observation_space(name), infos[name]["action_mask"]
            assert type(space) is gym.spaces.Box
            assert space.shape == (whole.layout.size,)
            assert space.contains(observations[name])
            assert np.array_equal(observations[name], views[name]["observation"])
            assert np.array_equal(mask, views[name]["action_mask"])
            assert mask.dtype == np.int8
            masked += int((mask == 0).sum())
        actions = {name: int(rng.choice(np.flatnonzero(infos[name]["action_mask"]))) for name in whole.agents}
        observations, rewards, _, _, infos = flat.step(actions)
        views, others_rewards, _, _, others = whole.step(actions)
        assert rewards == others_rewards
        assert plain(infos) == plain(others)
    assert masked > 0


def block(name: str) -> str:
    """A code block of docs/pettingzoo.md."""
    page = (Path(__file__).parent.parent / "docs" / "pettingzoo.md").read_text()
    found = re.search(rf"<!-- tested: {name} -->\n```python\n(.*?)```", page, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_recipe_takes_thirty_lines() -> None:
    """PettingZoo#1067, sb3-contrib#250; that it runs, `test_code_blocks_run_when_pasted` shows."""
    assert len([line for line in block("self-play").splitlines() if line.strip()]) <= 30
