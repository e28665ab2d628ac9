"""Drawing hidden cards anew as one seat could imagine them, for search and for tests of what a seat may know."""

from __future__ import annotations

import numpy as np

from war_env.cards import cards_in, mask_of
from war_env.rules import Rules


class _Place:
    """One hidden card: where it lies and what restricts who can lie there."""

    def __init__(self, seat: int, area: str, index: int, card: int, group: int, is_front: bool = False) -> None:
        self.seat, self.area, self.index, self.card, self.group = seat, area, index, card, group
        self.is_front = is_front


def redraw_hidden(state: np.ndarray, seats: np.ndarray, rules: Rules, observer: int, rng: np.random.Generator) -> None:
    """Redraw, in place, all that `observer` cannot know: hidden cards and the streams of shuffles to come.

    Three permutations keep what everybody knows: cards known with a seat move within their block of its stock and what
    was drawn from it; loose known cards and cards at risk move among that seat's uncertain places; cards that are with
    nobody for certain move among all hidden places.
    """
    places = _hidden_places(state, seats, observer)
    known = [mask_of(cards_in(seat["known"])) for seat in seats]
    for number in range(rules.players):
        for group in sorted({place.group for place in places if place.seat == number and place.group >= 0}):
            _permute([place for place in places if place.seat == number and place.group == group], rng)
    for number, seat in enumerate(seats):
        uncertain = int(seat["loose"]) | int(seat["risk"])
        _permute(
            [p for p in places if p.seat == number and (uncertain >> p.card & 1 or not known[number] >> p.card & 1)],
            rng,
        )
    _permute([place for place in places if not known[place.seat] >> place.card & 1], rng)
    _write(seats, places)
    for seat in seats:
        for stream in ("shuffles", "choices", "clock"):
            seat[stream] = rng.integers(0, 2**64, dtype=np.uint64)
        seat["coins"] = 1


def _hidden_places(state: np.ndarray, seats: np.ndarray, observer: int) -> list[_Place]:
    table = int(state["table"])
    places = []
    for number, seat in enumerate(seats):
        size = len(seat["ring"])
        front, group = int(seat["front"]), 0
        stock, pile, laid = int(seat["stock"]), int(seat["pile"]), int(seat["laid"])
        for k in range(stock + pile + laid):
            index = (int(seat["head"]) + k) % size
            card = int(seat["ring"][index])
            if k < stock:
                group += int(seat["starts"]) >> index & 1
                places.append(_Place(number, "ring", index, card, group))
            elif k < stock + pile or not table >> card & 1:
                places.append(_Place(number, "ring", index, card, -1))
        if number != observer:
            for card in cards_in(seat["hand"]):
                is_front = bool(front >> card & 1)
                places.append(_Place(number, "hand", 0, card, 0 if is_front else -1, is_front))
        for card in cards_in(seat["captured"]):
            places.append(_Place(number, "captured", 0, card, -1))
    return places


def _permute(places: list[_Place], rng: np.random.Generator) -> None:
    cards = [place.card for place in places]
    for place, k in zip(places, rng.permutation(len(cards)), strict=True):
        place.card = cards[k]


def _write(seats: np.ndarray, places: list[_Place]) -> None:
    """Put the cards in their places, and let each seat's `front` name those that now lie where its cards lay."""
    for number, seat in enumerate(seats):
        hidden = [place for place in places if place.seat == number and place.area == "hand"]
        before = int(seat["hand"]) if hidden else 0
        seat["front"] = (int(seat["front"]) & ~before) | mask_of(place.card for place in hidden if place.is_front)
    for area in ("hand", "captured"):
        for number in {place.seat for place in places if place.area == area}:
            seats[number][area] = mask_of(p.card for p in places if p.seat == number and p.area == area)
    for place in places:
        if place.area == "ring":
            seats[place.seat]["ring"][place.index] = place.card
