"""Golden games: one readable game of every preset, written down comparison by comparison.

`make golden` (python -m tests.golden) writes them anew; a change in them is a change of the rules or the streams.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from war_env import PRESETS, Game
from war_env.game_view import comparison_text
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
            lines.append(comparison_text(shown, slots, game))
    lines += ["", str(game)]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write all golden games anew."""
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.txt"):
        path.unlink()
    for preset in PRESETS:
        (FOLDER / f"{preset.name}.txt").write_text(golden_text(preset))


if __name__ == "__main__":
    main()
