"""Cards and events of a played game as plain data and words, for every way of showing them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from war_env.cards import JOKER, Deck
from war_env.game import Game

_SUIT_WORDS = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}
_RANK_WORDS = {"J": "jack", "Q": "queen", "K": "king", "A": "ace"}
REASON_WORDS = {
    "all_cards": "one seat holds all the cards",
    "run_out": "the others ran out of cards in a war",
    "stock_out": "the stock is played through",
    "first_empty": "a seat has no card left",
    "max_battles": "the agreed number of battles is played",
    "max_seconds": "the time is up",
    "loop": "the game would go round for ever",
    "unfinished": "no end in sight",
    "draw": "nobody could go on with the war",
}

CardData = dict[str, Any]


def rank_data(rank: str) -> CardData:
    """A card of which only the rank matters: keys rank, suit (None), text and label."""
    word = "joker" if rank == JOKER else _RANK_WORDS.get(rank, rank)
    return {"rank": rank, "suit": None, "text": rank, "label": word}


def card_data(deck: Deck, card: int) -> CardData:
    """A card: its rank and suit as text, `7h` and `7 of hearts`; the suit is None where there is none."""
    text = deck.name(card)
    data = rank_data(deck.rank_names[deck.rank(card)])
    suit = text[len(data["rank"]) :] or None
    if suit is not None:
        suit_word = _SUIT_WORDS.get(suit, f"suit {suit.removeprefix('#')}")
        data |= {"suit": suit, "text": text, "label": f"{data['label']} of {suit_word}"}
    return data


def seat_names(agents: Sequence[Any]) -> list[str]:
    """What each seat is called: `you` for None, an agent by its name, with its seat where several are called alike."""
    names = ["you" if agent is None else str(getattr(agent, "name", type(agent).__name__)) for agent in agents]
    alike = Counter(names)
    return [f"{name} {seat}" if alike[name] > 1 else name for seat, name in enumerate(names)]


def counted_ranks(names: Sequence[str], shares: np.ndarray, scale: int) -> list[dict[str, Any]]:
    """The ranks of which there are any, highest first: keys rank and count.

    Args:
        names: the ranks, lowest first.
        shares: numbers of cards / scale, shape (len(names),).
        scale: cards of a rank.
    """
    counts = np.rint(shares * scale).astype(int).tolist()
    return [{"rank": rank, "count": n} for rank, n in reversed(list(zip(names, counts, strict=True))) if n]


def known_cards(game: Game, person: int, names: Sequence[str]) -> dict[str, Any]:
    """What an attentive player knows of the cards, by rank: keys seats (seat, name, cards), unlocated, unseen."""
    players, deck = game.rules.players, game.rules.deck
    named = game.layout.named(game.observation(person))
    rows = named["known"].reshape(players, len(deck.rank_names))
    order = [(person + place) % players for place in range(players)]
    seats = [
        {"seat": seat, "name": names[seat], "cards": counted_ranks(deck.rank_names, row, deck.most_of_a_rank)}
        for seat, row in zip(order, rows, strict=True)
    ]
    lost, unseen = (counted_ranks(deck.rank_names, named[key], deck.most_of_a_rank) for key in ("unlocated", "unseen"))
    return {"seats": seats, "unlocated": lost, "unseen": unseen}


def counts_text(counts: Sequence[dict[str, Any]]) -> str:
    """Cards by rank, highest first: `A K×3 7`."""
    return " ".join(c["rank"] + (f"×{c['count']}" if c["count"] > 1 else "") for c in counts) or "none"


def verb(name: str, word: str) -> str:
    """A sentence's start: `you take`, `reserve takes`."""
    return f"{name} {word}" if name == "you" else f"{name} {word}s"


def event_text(event: dict[str, Any], names: Sequence[str]) -> str:
    """One comparison in a sentence, as it is read aloud."""
    cards = ", ".join(f"{name}: {card['label']}" for name, card in zip(names, event["plays"], strict=True) if card)
    if event["result"] == "war":
        end = "a tie: war"
    elif event["result"] == "taken":
        end = f"{verb(names[event['seat']], 'take')} {event['cards']} cards"
    else:
        end = "the cards are taken back"
    return f"Battle {event['battle']}{', war' if event['is_war'] else ''}: {cards} – {end}."


def winner_text(winner: int | None, names: Sequence[str]) -> str:
    """Who won: `You win`, `Reserve wins`, `A draw`."""
    head = "a draw" if winner is None else verb(names[winner], "win")
    return head[0].upper() + head[1:]


def ending_text(reason: str, held: Sequence[int], names: Sequence[str]) -> str:
    """Why the game ended, and what each seat has, in a sentence each."""
    why = REASON_WORDS[reason]
    cards = ", ".join(f"{name} {count}" for name, count in zip(names, held, strict=True))
    return f"{why[0].upper()}{why[1:]}. Cards: {cards}."
