"""Ranks, suits and decks, and cards as text.

A card is an identity: a number 0..63 that says rank and suit, `rank * suits + suit`, lowest first, jokers last.
Only its rank is ever compared. A set of cards is the 64-bit mask of their numbers.

Text: `7h`, `10` or `T`, `Qs`, `X` for a joker; plain numbers 1..n when a deck has more than 13 ranks.
A suit may be left out: the card is then any one of that rank that is still free.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from war_env.errors import NotationError, checked_bool, checked_int, refused, shown

RANK_NAMES = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
SUIT_LETTERS = "cdhs"
JOKER = "X"
MAX_CARDS = 64
_SUIT_SYMBOLS = {"♣": "c", "♦": "d", "♥": "h", "♠": "s"}
_CARD = re.compile(r"(?P<rank>\d+|[A-Za-z])(?P<suit>[cdhsCDHS♣♦♥♠]|#\d+)?")


@dataclass(frozen=True)
class Deck:
    """One pack of `ranks` x `suits` cards and some jokers.

    Args:
        ranks: number of ranks; up to 13 are the top ones of 2..A, more are the plain numbers 1..n.
        suits: number of suits.
        jokers: number of jokers, which rank above every other card.
    """

    ranks: int
    suits: int
    jokers: int = 0

    def __post_init__(self) -> None:
        for name, low in (("ranks", 1), ("suits", 1), ("jokers", 0)):
            checked_int(name, getattr(self, name), low, MAX_CARDS)

    @property
    def size(self) -> int:
        """Number of cards."""
        return self.ranks * self.suits + self.jokers

    @property
    def most_of_a_rank(self) -> int:
        """Largest number of cards that share a rank."""
        return max(self.suits, self.jokers)

    @property
    def rank_shift(self) -> int | None:
        """By how many bits a card's number is shifted to give its rank; None where no shift does."""
        is_shift = self.suits.bit_count() == 1 and self.jokers <= self.suits
        return self.suits.bit_length() - 1 if is_shift else None

    @cached_property
    def rank_names(self) -> tuple[str, ...]:
        """Names of the ranks, lowest first; the joker, if there is one, last."""
        plain = RANK_NAMES[-self.ranks :] if self.ranks <= len(RANK_NAMES) else map(str, range(1, self.ranks + 1))
        return (*plain, JOKER) if self.jokers else tuple(plain)

    def rank(self, card: int) -> int:
        """Index of the card's rank in `rank_names`."""
        return min(checked_int("card", card, 0, self.size - 1) // self.suits, self.ranks)

    def cards_of(self, rank: int) -> range:
        """All cards of one rank, lowest suit first."""
        if checked_int("rank", rank, 0, len(self.rank_names) - 1) == self.ranks:
            return range(self.ranks * self.suits, self.size)
        return range(rank * self.suits, (rank + 1) * self.suits)

    def name(self, card: int, suits: bool = True) -> str:
        """The card as text; without `suits` its rank alone."""
        rank = self.rank(card)
        if not checked_bool("suits", suits) or self.suits == 1 or rank == self.ranks:
            return self.rank_names[rank]
        suit = card % self.suits
        letter = SUIT_LETTERS[suit] if self.suits <= len(SUIT_LETTERS) else f"#{suit + 1}"
        return self.rank_names[rank] + letter

    def text(self, cards: Iterable[int], suits: bool = True) -> str:
        """Cards as one text, separated by spaces."""
        return " ".join(self.name(card, suits) for card in _listed("cards", cards))

    def parse(self, texts: Sequence[str], among: Iterable[int] | None = None) -> list[list[int]]:
        """Cards of several texts, which together are a part of one deck.

        Args:
            texts: each a sequence of cards separated by spaces or commas.
            among: the cards that are in play; all of the deck when None.

        Returns:
            For each text its card numbers, in its order.

        Raises:
            NotationError: a card is not text of this deck, or is named more often than the deck holds it.
        """
        if isinstance(texts, str):
            raise refused("texts", texts, "a list of texts such as '7h 2 A'", NotationError)
        texts = _listed("texts", texts)
        cards = range(self.size) if among is None else _listed("among", among)
        free = {checked_int("among", card, 0, self.size - 1) for card in cards}
        wanted = [[self._candidates(token) for token in _tokens(text)] for text in texts]
        chosen: dict[tuple[int, int], int] = {}
        places = [(i, k) for i, cards in enumerate(wanted) for k in range(len(cards))]
        # Cards with a suit first, so that a bare rank never takes the card that another text names.
        for i, k in sorted(places, key=lambda place: len(wanted[place[0]][place[1]][1])):
            token, candidates = wanted[i][k]
            card = next((card for card in candidates if card in free), None)
            if card is None:
                raise NotationError(
                    f"card {shown(token)} in {shown(texts[i])} is not in the deck, or more often than the deck "
                    f"holds it: {self.ranks} ranks "
                    f"({self.rank_names[0]}..{self.rank_names[self.ranks - 1]}) x {self.suits} suits"
                    f" and {self.jokers} jokers, less the cards that the rules remove."
                )
            free.remove(card)
            chosen[i, k] = card
        return [[chosen[i, k] for k in range(len(cards))] for i, cards in enumerate(wanted)]

    def _candidates(self, token: str) -> tuple[str, Sequence[int]]:
        match = _CARD.fullmatch(token)
        if match is None:
            raise NotationError(
                f"card {shown(token)} is not a card: expected a rank ({' '.join(self.rank_names)}), e.g. '7h'."
            )
        name = match["rank"].upper()
        name = "10" if name == "T" else name
        if name not in self.rank_names:
            raise NotationError(
                f"card {shown(token)} has no rank of this deck: its ranks are {' '.join(self.rank_names)}."
            )
        cards = self.cards_of(self.rank_names.index(name))
        if match["suit"] is None:
            return token, cards
        suit = self._suit(match["suit"])
        if name == JOKER or suit >= self.suits:
            raise NotationError(f"card {shown(token)} has no suit of this deck: it has {self.suits} suits.")
        return token, (cards[suit],)

    def _suit(self, text: str) -> int:
        if text.startswith("#"):
            return int(text[1:]) - 1 if len(text) <= 3 and int(text[1:]) else MAX_CARDS
        return SUIT_LETTERS.index(_SUIT_SYMBOLS.get(text, text.lower()))


def _listed(field: str, values: Any) -> list[Any]:
    try:
        return list(values)
    except TypeError:
        raise refused(field, values, "a list") from None


def _tokens(text: str) -> list[str]:
    if not isinstance(text, str):
        raise refused("cards", text, "text, cards such as '7h 2 A'", NotationError)
    return text.replace(",", " ").split()


def has_suits(texts: Iterable[str]) -> bool:
    """Whether any card of the texts names its suit."""
    matches = (_CARD.fullmatch(token) for text in texts for token in _tokens(text))
    return any(match is not None and match["suit"] is not None for match in matches)


def mask_of(cards: Iterable[int]) -> int:
    """The set of cards as a bit mask."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def cards_in(mask: int) -> list[int]:
    """The cards of a bit mask, lowest first."""
    mask = int(mask)
    return [card for card in range(MAX_CARDS) if mask >> card & 1]
