"""Casino War evaluated exactly, in fractions: for a full shoe, and for any composition of the unseen cards.

Burned cards are as unknown as those in the shoe, so that cards drawn after a burn are a uniform sample of all unseen
cards: burning changes nothing. Values are in units per unit of the ante, or of the tie bet.
Published figures for full shoes: https://wizardofodds.com/games/casino-war/.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from war_env.casino_rules import (
    BONUS,
    CARDS_OF_A_RANK,
    LOSE,
    NUM_RANKS,
    SURRENDER,
    TIE_BET_LOST,
    TIE_BET_WON,
    WAR_LOST,
    WAR_TIED,
    WAR_WON,
    WIN,
    CasinoRules,
)
from war_env.errors import ArgumentError, checked_int, refused, shown

Distribution = dict[Fraction, Fraction]  # units won -> probability
HALF = Fraction(1, 2)


def full_shoe(packs: int) -> tuple[int, ...]:
    """Cards of each rank in so many packs."""
    return (CARDS_OF_A_RANK * packs,) * NUM_RANKS


def _checked(counts: Sequence[int], least: int) -> tuple[int, ...]:
    if isinstance(counts, str) or not isinstance(counts, Sequence | np.ndarray) or len(counts) != NUM_RANKS:
        raise ArgumentError(f"counts={shown(counts)} is not allowed: it must hold {NUM_RANKS} integers >= 0.")
    cards = tuple(checked_int(f"counts[{rank}]", count, 0) for rank, count in enumerate(counts))
    if sum(cards) < least:
        raise ArgumentError(f"counts={shown(counts)} is not allowed: together they must be at least {least}.")
    return cards


def tie_probability(counts: Sequence[int]) -> Fraction:
    """Probability that the next two cards have one rank."""
    cards = _checked(counts, 2)
    total = sum(cards)
    return Fraction(sum(count * (count - 1) for count in cards), total * (total - 1))


def war_distribution(counts: Sequence[int], bonus: int) -> Distribution:
    """Units won by going to war, with these cards unseen after the tie."""
    cards = _checked(counts, 2)
    tie = tie_probability(cards)
    apart = (1 - tie) / 2  # by symmetry of the two cards
    distribution: Distribution = {}
    for half_units, chance in ((WAR_WON, apart), (WAR_LOST, apart), (WAR_TIED + BONUS * bonus, tie)):
        units = half_units * HALF
        distribution[units] = distribution.get(units, Fraction(0)) + chance
    return distribution


def mean(distribution: Distribution) -> Fraction:
    """Expectation of a distribution."""
    return sum((units * chance for units, chance in distribution.items()), Fraction(0))


def deviation(distribution: Distribution) -> float:
    """Standard deviation of a distribution."""
    centre = mean(distribution)
    return math.sqrt(sum((units - centre) ** 2 * chance for units, chance in distribution.items()))


def round_distribution(counts: Sequence[int], policy: str, rules: CasinoRules) -> Distribution:
    """Units won in a round of one unit.

    Args:
        counts: unseen cards of each rank before the round.
        policy: `surrender` or `war` on every tie; `tie_bet` is the tie bet alone, per unit of it.
        rules: the rules.
    """
    cards = _checked(counts, 4)
    total = sum(cards)
    tie = tie_probability(cards)
    if policy == "tie_bet":
        return {Fraction(TIE_BET_WON * rules.tie_pays, 2): tie, TIE_BET_LOST * HALF: 1 - tie}
    if policy not in ("surrender", "war"):
        raise refused("policy", policy, "one of surrender, war, tie_bet")
    if policy == "surrender" and not rules.surrender:
        raise ArgumentError("policy='surrender' is not allowed: surrender=False at this table.")
    distribution: Distribution = {WIN * HALF: (1 - tie) / 2, LOSE * HALF: (1 - tie) / 2}
    for rank, count in enumerate(cards):
        chance = Fraction(count * (count - 1), total * (total - 1))
        if not chance:
            continue
        rest = (*cards[:rank], count - 2, *cards[rank + 1 :])
        outcome = {SURRENDER * HALF: Fraction(1)} if policy == "surrender" else war_distribution(rest, rules.bonus)
        for units, share in outcome.items():
            distribution[units] = distribution.get(units, Fraction(0)) + chance * share
    return distribution


@dataclass(frozen=True)
class Evaluation:
    """What a policy is worth with a full shoe.

    Attributes:
        edge: the house's expectation per unit of the bet named, positive.
        deviation: standard deviation of a round, in units.
        element_of_risk: edge per unit of all that is wagered, raises included.
    """

    edge: Fraction
    deviation: float
    element_of_risk: Fraction


def evaluate(policy: str, rules: CasinoRules) -> Evaluation:
    """Exact edge, standard deviation and element of risk of a policy at the first round of a shoe."""
    counts = full_shoe(rules.packs)
    distribution = round_distribution(counts, policy, rules)
    edge = -mean(distribution)
    wagered = 1 + tie_probability(counts) if policy == "war" else Fraction(1)
    return Evaluation(edge, deviation(distribution), edge / wagered)


@dataclass(frozen=True)
class BestPlay:
    """The best decisions for some unseen cards, and what they are worth per unit.

    Attributes:
        takes_tie_bet: whether the tie bet has a positive expectation.
        tie_bet: its expectation.
        goes_to_war: for each rank, whether war beats surrender after a tie of that rank (None where it cannot tie).
        value: expectation of a round of one unit with the best decisions, the tie bet included where it pays.
        level: the best ante in units: the highest where the value is positive, else the lowest.
    """

    takes_tie_bet: bool
    tie_bet: Fraction
    goes_to_war: tuple[bool | None, ...]
    value: Fraction
    level: int


def best_play(counts: Sequence[int], rules: CasinoRules) -> BestPlay:
    """The best bet and decisions of one round, for any composition of the unseen cards."""
    cards = _checked(counts, 4)
    total = sum(cards)
    tie_bet = mean(round_distribution(cards, "tie_bet", rules))
    value, wars = max(tie_bet, Fraction(0)), []
    for rank, count in enumerate(cards):
        chance = Fraction(count * (count - 1), total * (total - 1))
        if not chance:
            wars.append(None)
            continue
        war = mean(war_distribution((*cards[:rank], count - 2, *cards[rank + 1 :]), rules.bonus))
        wars.append(not rules.surrender or war > SURRENDER * HALF)
        value += chance * (war if wars[-1] else SURRENDER * HALF)
    return BestPlay(tie_bet > 0, tie_bet, tuple(wars), value, rules.bet_levels if value > 0 else 1)
