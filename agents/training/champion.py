"""`champion`: rounds of paired playouts against scripted agents and a league of the earlier rounds; other recipes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from agents.training.checkpoints import load_curve
from agents.training.distilled import DistilledConfig, distil
from agents.training.league import League, check_shares
from agents.training.phases import PHASES, PhasedPolicy
from agents.training.playouts import PlayoutConfig, Trials, fit_gains, gather
from agents.training.ppo import PPOConfig, check_config, train
from agents.training.regularised import RegularisedConfig, play_itself
from war_env.errors import ArgumentError, checked_int, refused, unknown_name
from war_env.files import written_whole
from war_env.layout import Layout
from war_env.policy import NetworkPolicy, Policy
from war_env.presets import get_rules
from war_env.seeding import tagged_generator

CURVE = "curve.json"
Evaluate = Callable[[NetworkPolicy], dict[str, float]]


@dataclass(frozen=True)
class Round:
    """One round: which decisions are improved, and against whom.

    Attributes:
        phase: battle or war.
        opponents: scripted names, `self` (the policy of the last round) and `past` (earlier rounds), with their shares.
    """

    phase: str
    opponents: dict[str, float]

    def check(self, guests: Iterable[str] = ()) -> None:
        """Refuse a round that cannot be played.

        Raises:
            ArgumentError, UnknownNameError: the message names the field, its value and what is allowed.
        """
        if self.phase not in PHASES:
            raise refused("phase", self.phase, f"one of {', '.join(PHASES)}")
        check_shares("opponents", self.opponents, guests)


_SIMPLE = {"random": 0.1, "greedy": 0.1, "lowest": 0.15, "median": 0.1}
FIRST = Round("war", {"reserve": 0.55, **_SIMPLE})
LATER = Round("war", {"reserve": 0.25, "self": 0.3, **_SIMPLE})


@dataclass(frozen=True)
class ChampionConfig:
    """What a champion is made of.

    Attributes:
        preset, options: the rules; two seats.
        rounds: one after another, each from the policy of the one before; the first starts from *reserve*.
        playouts: how decisions are gathered and learned from.
        memory: rounds of one phase, the newest included, whose decisions are learned from together.
        seed: of deals, games and networks.
    """

    preset: str = "War-v0"
    options: dict[str, Any] = field(default_factory=dict)
    rounds: tuple[Round, ...] = (FIRST, LATER, LATER)
    playouts: PlayoutConfig = field(default_factory=PlayoutConfig)
    memory: int = 2
    seed: int = 0

    def quick(self) -> ChampionConfig:
        """The same recipe, small."""
        return replace(self, playouts=self.playouts.quick())

    def check(self, guests: Iterable[str] = ()) -> None:
        """Refuse what cannot run, before anything is computed.

        Raises:
            ArgumentError, UnknownNameError, RulesError: the message names the field, its value and what is allowed.
        """
        rules = get_rules(self.preset, **self.options)
        rules.require_ending()
        if rules.players != 2:
            raise ArgumentError(f"players={rules.players} is not allowed: champions play for two seats.")
        checked_int("seed", self.seed, 0, 2**32 - 1)
        checked_int("memory", self.memory, 1)
        checked_int("rounds", len(self.rounds), 1, 1000)
        self.playouts.check()
        for one in self.rounds:
            one.check(guests)


Recipe = ChampionConfig | PPOConfig | RegularisedConfig | DistilledConfig


@dataclass(frozen=True)
class Improved:
    """What a recipe gave: the last policy as a network, and the points of the curve, the start included."""

    network: NetworkPolicy
    curve: list[dict[str, Any]]


def make_champion(
    config: ChampionConfig,
    folder: Path,
    evaluate: Evaluate,
    report: Callable[[int], None] = lambda done: None,
    guests: Mapping[str, Policy] | None = None,
) -> Improved:
    """Play all rounds, or go on after the last one that was finished.

    Args:
        config: the recipe.
        folder: where league and curve are kept.
        evaluate: from a network to the values of one point of the curve.
        report: called with the decisions tried so far.
        guests: policies by name that rounds may name as opponents besides.
    """
    config.check(guests or {})
    layout = Layout(get_rules(config.preset, **config.options))
    league = League(folder / "league", layout, guests)
    path = folder / CURVE
    curve: list[dict[str, Any]] = load_curve(path, "round")
    if not league.members:
        league.add(PhasedPolicy(layout).joined())
    for number in range(len(curve), len(config.rounds) + 1):
        league.shrink(max(number, 1))
        point: dict[str, Any] = {"round": number}
        if number:
            point |= _play_round(config, number, league, folder, report)
        curve.append(point | evaluate(league.members[-1]))
        with written_whole(path) as partial:
            partial.write_text(json.dumps(curve))
    return Improved(league.members[-1], curve)


def _play_round(
    config: ChampionConfig, number: int, league: League, folder: Path, report: Callable[[int], None]
) -> dict[str, Any]:
    """Improve the newest member once; the new one joins the league."""
    one, rng = config.rounds[number - 1], tagged_generator(config.seed, number)
    policy = PhasedPolicy.split(league.members[-1], league.layout)
    before = (number - 1) * config.playouts.decisions
    opponents = league.opponents(one.opponents, rng)
    trials = gather(policy, opponents, one.phase, config.playouts, rng, lambda done: report(before + done))
    trials.save(folder / f"trials_{number}.npz")
    alike = [k for k in range(1, number + 1) if config.rounds[k - 1].phase == one.phase][-config.memory :]
    together = Trials.joined([Trials.load(folder / f"trials_{k}.npz") for k in alike])
    block = fit_gains(together, one.phase, config.playouts, int(rng.integers(2**31)))
    league.add(policy.with_block(one.phase, block).joined(config=asdict(config), round=number))
    return {"phase": one.phase, "decisions": len(trials.masks)}


_MIX = {"reserve": 0.35, "random": 0.1, "greedy": 0.1, "lowest": 0.05, "median": 0.1, "self": 0.2, "past": 0.1}


_FEW_CARDS = 12


def _ppo(preset: str, options: dict[str, Any]) -> PPOConfig:
    return PPOConfig(
        preset=preset,
        options=options,
        opponent=_MIX,
        steps=3_000_000,
        rollout=32,
        batch_size=4096,
        epochs=3,
        learning_rate=1.5e-3,
        entropy=0.004,
        hidden=(128, 128),
        league_every=10,
    )


RECIPES: dict[str, Callable[[str, dict[str, Any]], Recipe]] = {
    "playouts": lambda preset, options: ChampionConfig(preset=preset, options=options),
    "ppo": _ppo,
    "regularised": RegularisedConfig,
    "distilled": DistilledConfig,
}


def recipe_for(preset: str, options: dict[str, Any], name: str = "best") -> Recipe:
    """A recipe by name, or with `best` that of the champions that are shipped, for any rules of two seats.

    In one pass games are short and battles decide them: there MaskablePPO learns more in the same time, against a
    mix and a league of its past. With few cards the game is solved, and a network learns the equilibrium. Where cards
    come back, games are decided in wars, and playouts find what it does not.
    """
    if name == "best":
        rules = get_rules(preset, **options)
        is_small, is_one_pass = len(rules.cards) <= _FEW_CARDS, rules.goal == "stock_out"
        name = "distilled" if is_small else "ppo" if is_one_pass else "playouts"
    elif name not in RECIPES:
        raise unknown_name("recipe", name, ("best", *RECIPES))
    return RECIPES[name](preset, options)


def make(
    recipe: Recipe, folder: Path, evaluate: Evaluate, report: Callable[[int], None] = lambda done: None
) -> Improved:
    """Follow a recipe, or go on where it was stopped; arguments as for `make_champion`."""
    if isinstance(recipe, ChampionConfig):
        return make_champion(recipe, folder, evaluate, report)
    if isinstance(recipe, RegularisedConfig):
        return Improved(*play_itself(recipe, folder, evaluate, report))
    if isinstance(recipe, DistilledConfig):  # takes a minute and is not resumed
        return Improved(*distil(recipe, evaluate, report))
    trained = train(recipe, folder, evaluate, report)
    return Improved(trained.network, trained.curve)


def quick(recipe: Recipe) -> Recipe:
    """The same recipe, small."""
    if isinstance(recipe, ChampionConfig):
        return recipe.quick()
    if isinstance(recipe, RegularisedConfig):
        return replace(recipe, iterations=20, lanes=512, evaluations=2)
    if isinstance(recipe, DistilledConfig):
        return replace(recipe, cloning=replace(recipe.cloning, views=60_000, epochs=8), evaluations=2)
    return replace(recipe, steps=65_536, evaluations=2)


def check(recipe: Recipe) -> None:
    """Refuse a recipe that cannot be followed, before anything is computed."""
    if isinstance(recipe, PPOConfig):
        check_config(recipe)
    else:
        recipe.check()
