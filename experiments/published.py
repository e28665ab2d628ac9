"""Numbers about War that others published, or that are known exactly, and how ours are compared with them.

Kinds of reference: *exact*, from fractions or complete enumeration; *published*, with its source; *measured*, by two
programs that share no code with this project, over 1,000,000 games (shuffled and pile orders) or 100,000 (fixed ones).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from experiments.game_statistics import STATISTICS
from experiments.known_deals import DEALS, ENUMERATED
from war_env.presets import get_rules
from war_env.rules import Rules
from war_env.simulation import simulate


@dataclass(frozen=True)
class Reference:
    """One number to compare with.

    Attributes:
        statistic: a key of STATISTICS.
        value: the number.
        kind: exact, published or measured.
        source: where it comes from.
        preset, options: the rules.
        deal: a key of DEALS, for games that are not dealt at random.
        error: standard error of the reference.
        rounding: half a unit of its last digit.
        relative: tolerated relative difference, for published numbers whose sample is unknown.
        most: largest number of games worth playing, where they are long.
    """

    statistic: str
    value: float
    kind: str
    source: str
    preset: str = "classic"
    options: dict[str, Any] = field(default_factory=dict)
    deal: str = ""
    error: float = 0.0
    rounding: float = 0.0
    relative: float = 0.0
    most: int | None = None

    def tolerance(self, error: float) -> float:
        """Allowed difference: four standard errors of both together, rounding, and what is tolerated of the source."""
        return 4 * math.hypot(error, self.error) + self.rounding + self.relative * abs(self.value)

    @property
    def rules(self) -> Rules:
        """The rules."""
        return get_rules(self.preset, **self.options)


def no_tie_in_one_pass() -> Fraction:
    """Probability that 26 pairs of a shuffled deck hold no pair of equal ranks, by inclusion and exclusion.

    Choosing m disjoint pairs of equal rank: (1 - 6x + 3x^2)^13, as four cards have 6 pairs and 3 ways of two pairs.
    """
    signed = np.array([1], dtype=object)
    for _ in range(13):
        signed = np.convolve(signed, np.array([1, -6, 3], dtype=object))
    odd = [1]  # number of ways to pair up 0, 2, 4, … cards
    for pairs in range(1, 27):
        odd.append(odd[-1] * (2 * pairs - 1))
    return Fraction(int(sum(int(count) * odd[26 - m] for m, count in enumerate(signed))), odd[26])


_SIMULATED = "two separate simulators"


def _printed(text: str) -> tuple[float, float]:
    """A number as printed, and half a unit of its last digit."""
    decimals = len(text.partition(".")[2])
    return float(text), 0.5 * 10.0**-decimals


def _lengths() -> list[Reference]:
    """Length of classic War: mean, standard deviation, median, wars a game."""
    table = {
        ("shuffled", 3, "lose"): "235.6 189.5 180 14.82",
        ("shuffled", 3, "last_card"): "270.5 222 205 17.04",
        ("shuffled", 3, "equal_force"): "263.7 215 200 16.61",
        ("shuffled", 1, "lose"): "441.2 362 333 27.7",
        ("shuffled", 1, "last_card"): "456.6 376 344 28.7",
        ("shuffled", 0, "lose"): "582.2 480 438 36.5",
        ("pile_shuffled", 3, "lose"): "233.3 187 178 14.64",
        ("pile_shuffled", 3, "last_card"): "266.7 217 202 16.76",
        ("winner_first", 3, "lose"): "177.5 136 138 13.31",
        ("winner_first", 3, "last_card"): "188.0 145 146 14.12",
        ("winner_first", 3, "equal_force"): "190.8 148 147 14.36",
        ("winner_first", 1, "lose"): "288.4 225 220",
        ("winner_first", 1, "last_card"): "291.9 228 224",
        ("winner_first", 0, "lose"): "332.8 250 260 25.7",
        ("loser_first", 3, "lose"): "179.2 138 138",
        ("loser_first", 3, "last_card"): "220.1 177 166",
        ("loser_first", 1, "last_card"): "306.0 242 232",
        ("loser_first", 0, "lose"): "348.9 267 271 27.2",
    }
    made = []
    for (winnings, face_down, run_out), text in table.items():
        options = {"winnings": winnings, "face_down": face_down, "run_out": run_out}
        root = math.sqrt(1_000_000 if winnings.endswith("shuffled") else 100_000)
        numbers = [_printed(number) for number in text.split()]
        deviation = numbers[1][0]
        # Standard errors: sd / sqrt n of the mean, about 1.3 times that of sd and median of such skewed lengths.
        for statistic, (value, rounding), spread in zip(
            ("mean", "sd", "median", "wars"), numbers, (deviation, 1.3 * deviation, 1.3 * deviation, None), strict=False
        ):
            error = (0.9 * value if spread is None else spread) / root
            made.append(Reference(statistic, value, "measured", _SIMULATED, "classic", options, "", error, rounding))
    made.append(Reference("comparisons", 249.9, "measured", _SIMULATED, error=0.2, rounding=0.05))
    return made


def _published() -> list[Reference]:
    """What public simulators of the same rules report; their samples are not always stated."""
    lose, last = {}, {"run_out": "last_card"}
    one = {"face_down": 1}
    ordered = {"winnings": "winner_first"}
    rows = [
        ("plays", 294, "Norvig, pytudes, ipynb/war.ipynb", lose, 0.005),
        ("plays sd", 234, "Norvig, pytudes, ipynb/war.ipynb", lose, 0.02),
        ("plays median", 224, "Norvig, pytudes, ipynb/war.ipynb", lose, 0.01),
        ("mean", 442.5, "github.com/tgvoskuilen/War-Simulator: 440 to 445", one, 0.006),
        ("p95", 1160, "github.com/tgvoskuilen/War-Simulator", one, 0.02),
        ("p99", 1750, "github.com/tgvoskuilen/War-Simulator", one, 0.02),
        ("mean", 270.62, "github.com/kevinabrandon/kbWar", last, 0.005),
        ("mean", 178.0, "github.com/zaporter/war_simulator", ordered, 0.005),
        ("sd", 135.98, "github.com/zaporter/war_simulator", ordered, 0.01),
        ("wars", 13.3, "github.com/zaporter/war_simulator", ordered, 0.005),
        ("mean", 233.3, "github.com/sambecker/rustwar", {"winnings": "pile_shuffled"}, 0.005),
    ]
    return [Reference(s, v, "published", source, "classic", options, relative=r) for s, v, source, options, r in rows]


def _loops() -> list[Reference]:
    """Games that never end, and complete enumerations of strict ranks (each rank once)."""
    made = []
    for winnings, face_down, run_out, share, rounding in (
        ("interleaved", 3, "lose", 0.1117, 0.00005),
        ("interleaved", 3, "last_card", 0.1286, 0.00005),
        ("interleaved", 1, "lose", 0.420, 0.0005),
        ("interleaved", 1, "last_card", 0.434, 0.0005),
        ("seat_order", 3, "lose", 0.37, 0.01),
        ("seat_order", 3, "last_card", 0.44, 0.01),
    ):
        options = {"winnings": winnings, "face_down": face_down, "run_out": run_out}
        error = math.sqrt(share * (1 - share) / 100_000)
        made.append(Reference("loops", share, "measured", _SIMULATED, "classic", options, "", error, rounding))
    for winnings in ("winner_first", "loser_first"):
        options = {"winnings": winnings, "face_down": 3, "run_out": "lose"}
        made.append(Reference("loops", 0.0, "measured", "none in 100,000 deals", "classic", options))
    endless = {"winnings": "interleaved", "face_down": 0, "loop_limit": 20_000}
    made.append(
        Reference(
            "without a verdict",
            0.998,
            "measured",
            "5,000 deals",
            "classic",
            endless,
            error=0.0006,
            rounding=5e-4,
            most=1_000,
        )
    )
    spivey = "complete enumeration; Spivey, Cycles in War, INTEGERS 10, 2010, proves that loops exist for n = 10"
    for ranks, loops, mean in (
        (4, 0.0, 10 / 3),
        (6, 0.0, 6.466667),
        (8, 0.0, 10.527381),
        (10, 395_940 / 3_628_800, 14.470846),
    ):
        options = {"ranks": ranks, "suits": 1, "winnings": "winner_first"}
        deal = f"{ranks} strict ranks, all"
        made.append(Reference("loops", loops, "exact", spivey, "classic", options, deal, rounding=1e-9))
        made.append(Reference("mean", mean, "exact", spivey, "classic", options, deal, rounding=5e-7))
        if ranks == 10:
            made.append(Reference("max", 49, "exact", spivey, "classic", options, deal))
    strict = {"ranks": 52, "suits": 1, "winnings": "winner_first"}
    source = "Spivey, Cycles in War, INTEGERS 10, 2010"
    made.append(Reference("period", 31_920, "exact", source, "classic", strict, "Spivey's deal"))
    options = {"ranks": 6, "suits": 1, "winnings": "loser_first"}
    made.append(
        Reference(
            "loops", 72 / 720, "exact", "complete enumeration", "classic", options, "6 strict ranks, all", rounding=1e-9
        )
    )
    return made


def _probabilities() -> list[Reference]:
    """Ties, the worth of aces."""
    first = {"max_battles": 1}
    made = [
        Reference("first battle tied", 1 / 17, "exact", "3 of the 51 other cards", options=first),
        Reference("seat 0 wins, no tie", 24 / 51, "exact", "half of the rest", options=first),
        Reference(
            "no tie in one pass",
            float(no_tie_in_one_pass()),
            "exact",
            "inclusion and exclusion; / 2^26 is 1 in 319,240,343",
            "senso",
        ),
    ]
    for options, ratio in (
        ({"face_down": 1}, 0.0591),
        ({"face_down": 3}, 0.0593),
        ({"face_down": 0}, 0.0590),
    ):
        made.append(Reference("ties per comparison", ratio, "measured", _SIMULATED, options=options, rounding=0.0001))
    made.append(
        Reference(
            "ties per comparison", 0.070, "measured", _SIMULATED, options={"winnings": "winner_first"}, rounding=0.001
        )
    )
    for count, rate in enumerate((0.207, 0.352, 0.5, 0.650, 0.790)):
        made.append(Reference(f"wins with {count} aces", rate, "measured", _SIMULATED, rounding=0.002))
    for face_down, rate in ((1, 0.809), (2, 0.717), (3, 0.654)):
        source = "hectorpefo.github.io/2017-09-13-Card-Wars, and two separate simulators"
        made.append(
            Reference(
                "seat 0 wins",
                rate,
                "published",
                source,
                "classic",
                {"face_down": face_down},
                "aces against the rest",
                rounding=0.002,
            )
        )
    return made


def _senso() -> list[Reference]:
    """One pass, most captured cards, the last tie taken back: exact values, and complete small decks."""
    made = []
    for face_down, wins, draws, decided, deviation in (
        (0, 0.430988, 0.138024, 416 / 17, 10.7795),
        (1, 0.437120, 0.125759, 23.2146, 11.7736),
        (3, 0.448829, 0.102343, 21.1887, 14.2825),
    ):
        options = {"face_down": face_down}
        for statistic, value, rounding in (
            ("seat 0 wins", wins, 5e-7),
            ("seat 1 wins", wins, 5e-7),
            ("draws", draws, 5e-7),
            ("decided battles", decided, 5e-5),
            ("sd of captured difference", deviation, 5e-5),
            ("last tie taken back", 1 / 17, 0.0),
        ):
            made.append(
                Reference(
                    statistic, value, "exact", "dynamic programme over fractions", "senso", options, rounding=rounding
                )
            )
    for ranks, suits, wins, draws in (
        (3, 2, Fraction(13, 30), Fraction(2, 15)),
        (2, 2, Fraction(1, 6), Fraction(2, 3)),
    ):
        options, deal = {"ranks": ranks, "suits": suits}, f"{ranks} x {suits}, all"
        for statistic, value in (("seat 0 wins", wins), ("draws", draws)):
            made.append(
                Reference(
                    statistic,
                    float(value),
                    "exact",
                    f"complete enumeration: {value}",
                    "senso",
                    options,
                    deal,
                    rounding=1e-12,
                )
            )
    return made


def _speed() -> list[Reference]:
    """Speed War: the mean of the largest of two (three) exponential times; one comparison each."""
    one = {"max_battles": 1, "clock": "exponential", "face_down": 0, "run_out": "draw", "ranks": 52, "suits": 1}
    formula = "1/a + 1/b - 1/(a + b)"
    return [
        Reference("seconds per comparison", 1.5, "exact", formula, "classic", one),
        Reference(
            "seconds per comparison", 1 + 0.5 - 1 / 3, "exact", formula, "classic", {**one, "reaction": (1.0, 0.5)}
        ),
        Reference("seconds per comparison", 11 / 6, "exact", "1 + 1/2 + 1/3", "classic", {**one, "players": 3}),
    ]


REFERENCES = [*_lengths(), *_published(), *_loops(), *_probabilities(), *_senso(), *_speed()]


def group_key(reference: Reference) -> str:
    """References with the same key are read off the same games."""
    options = ",".join(f"{name}={value}" for name, value in sorted(reference.options.items()))
    return "-".join(part for part in (reference.preset, options, reference.deal) if part)


def measure_group(group: str, games: int, seed: int) -> list[dict[str, Any]]:
    """Play the games of one group and compare every reference of it.

    Returns:
        For each: rules, statistic, ours, standard_error, games, reference, kind, source, tolerance and agrees.
    """
    references = [reference for reference in REFERENCES if group_key(reference) == group]
    rules, deal = references[0].rules, references[0].deal
    games = min([games, *(reference.most for reference in references if reference.most)])
    stocks = DEALS[deal](games, seed) if deal else None
    stats = simulate(rules, None if deal else games, seed, stocks=stocks, progress=False)
    rows = []
    for reference in references:
        ours, error = STATISTICS[reference.statistic](stats)
        rows.append(compared(group, reference, ours, 0.0 if deal in ENUMERATED else error, stats.games))
    return rows


def compared(label: str, reference: Reference, ours: float, error: float, games: int) -> dict[str, Any]:
    """One number of ours beside its reference."""
    tolerance = reference.tolerance(error)
    return {
        "rules": label,
        "statistic": reference.statistic,
        "ours": ours,
        "standard_error": error,
        "games": games,
        "reference": reference.value,
        "kind": reference.kind,
        "source": reference.source,
        "tolerance": tolerance,
        "agrees": abs(ours - reference.value) <= tolerance,
    }
