"""A person plays in a window: click a card or press its number.

H hints, K tells what is known of the cards, N deals anew, Escape ends.
`run_window` plays one game after another until the window is closed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from experiments.play_cards import counts_text, known_cards
from war_env.errors import checked_int, refused
from war_env.files import written_whole
from war_env.game import Game
from war_env.policy import Policy, checked_slots
from war_env.render._pygame import pygame
from war_env.render.geometry import HEIGHT, WIDTH, spot_at
from war_env.render.pixels import WINDOW_SCALE, paint
from war_env.render.war_table import Look, hand_spots
from war_env.rules import Rules
from war_env.weights import get_policy

FPS = 60
MOVE_SECONDS = 0.16  # a card's way to the table
PAUSE_SECONDS = 1.1  # what lies open stays so long before the next comparison without the person
_TURN_KEYS = (pygame.K_SPACE, pygame.K_RETURN)


class Table:
    """Games in a window, one after another.

    Args:
        rules: the rules.
        agents: for each seat a policy, or None for the person, who may sit in one seat or in none.
        seed: of the first game; each further game takes the next number.
        save: where the record of the game played last is written.
        hint: who is asked for a hint.
    """

    def __init__(
        self, rules: Rules, agents: Sequence[Policy | None], seed: int, save: Path | None, hint: Policy | None
    ) -> None:
        if isinstance(agents, str) or len(agents) != rules.players or sum(agent is None for agent in agents) > 1:
            raise refused("agents", agents, f"one entry per seat, {rules.players}, at most one of them None")
        self._rules, self._save = rules, save
        self._policies = [
            None if agent is None else get_policy(f"agents[{k}]", agent, rules) for k, agent in enumerate(agents)
        ]
        self._hinting = None if hint is None else get_policy("hint", hint, rules)
        self.person = self._policies.index(None) if None in self._policies else None
        self._seed, self._scores = checked_int("seed", seed, 0), [0, 0, 0]
        self._rng = np.random.default_rng(self._seed)
        self.game, self.last = Game.deal(rules, self._seed), None  # type: Game, Game | None
        self._before: Game | None = None
        self._hover: int | None = None
        self._hint: int | None = None
        self._chosen: int | None = None
        self._tells_known = False
        self._next_at = 0.0
        self.is_open = True

    @property
    def seat(self) -> int:
        """Whose view is shown: the person's, or that of seat 0."""
        return 0 if self.person is None else self.person

    @property
    def is_asking(self) -> bool:
        """Whether the person has to choose."""
        return self.person in self.game.fighters and self._chosen is None

    # -- what the person does ------------------------------------------------------------------------------------

    def take(self, event: pygame.event.Event, point: tuple[float, float], now: float) -> None:
        """React to an event.

        Args:
            event: from pygame.
            point: where the pointer is, on a table of 640 x 480.
            now: seconds.
        """
        if event.type == pygame.QUIT or (event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE):
            self.is_open = False
        elif event.type == pygame.MOUSEMOTION:
            self._hover = self._slot_at(point)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            self._choose(self._slot_at(point), now)
        elif event.type == pygame.KEYDOWN:
            self._press(event.key, now)

    def _slot_at(self, point: tuple[float, float]) -> int | None:
        if self.person is None:
            return None
        return spot_at(hand_spots(len(self.game.legal_actions(self.person))), *point)

    def _press(self, key: int, now: float) -> None:
        if key == pygame.K_n:
            self._deal_anew()
        elif key == pygame.K_h and self.is_asking and self._hinting is not None:
            self._hint = self._ask(self._hinting, self.seat)
        elif key == pygame.K_k and self.person is not None:
            self._tells_known = not self._tells_known
        elif pygame.K_1 <= key <= pygame.K_9:
            self._choose(key - pygame.K_1, now)
        elif key in _TURN_KEYS and not self._rules.has_choices:
            self._choose(0, now)

    def _choose(self, slot: int | None, now: float) -> None:
        """Play a card; while the others play on, any choice only shortens the pause."""
        if self.is_asking and slot is not None and slot in self.game.legal_actions(self.seat):
            self._chosen, self._next_at = slot, now + MOVE_SECONDS
        elif not self.is_asking and self._chosen is None:
            self._next_at = now

    def _deal_anew(self) -> None:
        self.keep()
        self._seed += 1
        self.game, self._before = Game.deal(self._rules, self._seed), None
        self._chosen = self._hint = self._hover = None

    # -- what the game does --------------------------------------------------------------------------------------

    def go_on(self, now: float) -> None:
        """Play the next comparison when its time has come."""
        if self.game.is_over or self.is_asking or now < self._next_at:
            return
        choices: list[int | None] = [None] * self._rules.players
        for number in self.game.fighters:
            policy = self._policies[number]
            choices[number] = self._chosen if policy is None else self._ask(policy, number)
        self._before = self.game.copy()
        self.game.play(choices)
        self._chosen = self._hint = None
        self._next_at = now + PAUSE_SECONDS
        outcome = self.game.outcome
        if outcome is not None:
            self._scores[2 if outcome.winner is None else int(outcome.winner != self.seat)] += 1
            self.keep()

    def _ask(self, policy: Policy, number: int) -> int:
        """The slot that a policy plays for a seat; a masked one plays the highest card."""
        mask = self.game.action_mask(number)[None]
        slots = policy.act(self.game.observation(number)[None], mask, self._rng)
        slot = int(checked_slots(f"agents[{number}]", slots, mask)[0])
        return min(slot, int(mask.sum()) - 1)

    def keep(self) -> None:
        """Write the record of the game at hand, once a card of it was played."""
        if self._before is None or self.last is self.game.outcome is not None:
            return
        self.last = self.game
        if self._save is not None:
            with written_whole(self._save) as partial:
                partial.write_text(json.dumps(self.game.record()) + "\n")

    # -- what is shown -------------------------------------------------------------------------------------------

    def picture(self, scale: float, now: float) -> pygame.Surface:
        """The table as it looks now."""
        scene = self.game.scene(self.seat, self._before)
        way = 0.0 if self._chosen is None else 1.0 - max(self._next_at - now, 0.0) / MOVE_SECONDS
        hover = self._hover if self.is_asking else None
        return paint(scene, scale, Look(hover, self._hint, self._chosen, way, self._keys(), self._notes()))

    def _notes(self) -> tuple[tuple[str, str], ...]:
        """What is known of the cards, while the person wants to see it."""
        if not self._tells_known:
            return ()
        names = ["you" if seat == self.seat else f"seat {seat}" for seat in range(self._rules.players)]
        known = known_cards(self.game, self.seat, names)
        rows = [(f"With {seat['name']}", seat["cards"]) for seat in known["seats"]]
        rows += [("Seen, not located", known["unlocated"]), ("Never seen", known["unseen"])]
        return tuple((title, counts_text(cards)) for title, cards in rows)

    def _keys(self) -> str:
        parts = [*(["K known"] if self.person is not None else []), "N new game", "Esc ends"]
        if self.game.is_over:
            return "   ".join(parts)
        return "   ".join([*(["H hint"] if self.is_asking and self._hinting is not None else []), *parts])

    @property
    def title(self) -> str:
        """The window's title: how the games went so far."""
        won, lost, drawn = self._scores
        return f"War – won {won}, lost {lost}, drawn {drawn}"


def run_window(
    rules: Rules, agents: Sequence[Policy | None], seed: int = 0, save: Path | None = None, hint: Policy | None = None
) -> Game:
    """Play one game after another until the window is closed, by its button, Escape or Ctrl-C.

    Args:
        rules: the rules.
        agents: for each seat a policy, or None for the person, who may sit in one seat or in none.
        seed: of the first game and of all that agents draw.
        save: where the record of the last game is written, as `Game.record` gives it.
        hint: who is asked for a hint on key H.

    Returns:
        The game that was played last.

    Raises:
        ArgumentError: the agents do not fit the seats.
    """
    table = Table(rules, agents, seed, save, hint)
    pygame.display.init()
    try:
        screen = pygame.display.set_mode((WIDTH * WINDOW_SCALE, HEIGHT * WINDOW_SCALE), pygame.RESIZABLE)
        clock = pygame.time.Clock()
        while table.is_open:
            _show_once(table, screen)
            clock.tick(FPS)
    except KeyboardInterrupt:
        pass
    finally:
        pygame.display.quit()
    table.keep()
    return table.game if table.last is None else table.last


def _show_once(table: Table, screen: pygame.Surface) -> None:
    """Take what has happened, go on, and draw, as large as the window allows."""
    now = pygame.time.get_ticks() / 1000
    scale = min(screen.get_width() / WIDTH, screen.get_height() / HEIGHT)
    left, top = (screen.get_width() - WIDTH * scale) / 2, (screen.get_height() - HEIGHT * scale) / 2
    for event in pygame.event.get():
        x, y = getattr(event, "pos", pygame.mouse.get_pos())
        table.take(event, ((x - left) / scale, (y - top) / scale), now)
    table.go_on(now)
    screen.fill((0, 0, 0))
    screen.blit(table.picture(scale, now), (round(left), round(top)))
    pygame.display.set_caption(table.title)
    pygame.display.flip()
