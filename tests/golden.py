"""Golden games: one readable game of every preset, written down comparison by comparison.

`make golden` (python -m tests.golden) writes them anew; a change in them is a change of the rules or the streams.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from war_env import PRESETS, Game
from war_env.presets import Preset

FOLDER = Path(__file__).parent / "golden_games"
SEED = 2026
MOST_COMPARISONS = 40


def golden_text(preset: Preset) -> str:
    """A preset's golden game: the deal, each comparison and the outcome; long games are told up to a point."""
    game = Game.deal(preset.rules, SEED)
    lines = [f"# {preset.id} ({preset.name}), seed {SEED}; each seat plays the slots in brackets", str(game), ""]
    rng = np.random.default_rng(SEED)
    told = 0
    while not game.is_over:
        slots: list[int | None] = [None] * preset.rules.players
        for seat in game.fighters:
            slots[seat] = int(rng.choice(game.legal_actions(seat)))
        told += 1
        shown = game.copy()
        game.play(slots)
        if told <= MOST_COMPARISONS:
            lines.append(line_of(shown, slots, game))
    lines += ["", str(game)]
    return "\n".join(lines) + "\n"


def line_of(before: Game, slots: list[int | None], after: Game) -> str:
    """One comparison: battle, whether it is a war, the slots, the face-up cards, what each seat holds after it."""
    deck = before.rules.deck
    turned = " v ".join(
        f"{deck.name(int(after._seats[seat]['up']))}[{slot}]" if slot is not None else "-"
        for seat, slot in enumerate(slots)
    )
    kind = "war " if any(before.pot) else "    "
    return f"battle {before.battles + 1:>3} {kind} {turned:<24} held {' '.join(map(str, after.held))}"


def main() -> None:
    """Write all golden games anew."""
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.txt"):
        path.unlink()
    for preset in PRESETS:
        (FOLDER / f"{preset.name}.txt").write_text(golden_text(preset))


if __name__ == "__main__":
    main()
