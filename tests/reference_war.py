"""A slow, readable reference implementation of War: the "slow twin" of the fast engine.

It was written from the rules page alone, so that the two can be compared event by event.  Section
numbers below are those of the page.  A card is a tuple ``(rank, tag)``: only ranks are compared, the
tag tells equal ranks apart.  A stock is a list with its top card first, a pile a list with its oldest
card first, a hand a list in ascending order.
"""

from __future__ import annotations

from dataclasses import dataclass, field

RUN_OUT = ("lose", "last_card", "last_card_stands", "equal_force", "take_back", "draw")
FIXED_ORDER = ("winner_first", "loser_first", "seat_order", "interleaved", "pile_ordered")
WINNINGS = FIXED_ORDER + ("shuffled", "pile_shuffled", "captured")
FEEDING_PILES = ("pile_shuffled", "pile_ordered")
GOALS = ("all_cards", "stock_out", "first_empty")

# What can follow from a comparison (first item of the tuples that `settle` and `settle_tie` return).
TAKE, WAR, DRAW, UNDO, NONE_LEFT = "take", "war", "draw", "undo", "none_left"


@dataclass(frozen=True)
class TwinRules:
    """The options of section 3, as far as they matter once the cards are dealt."""

    players: int = 2
    hand_size: int = 1
    face_down: int = 3
    run_out: str = "lose"
    winnings: str = "shuffled"
    goal: str = "all_cards"
    max_battles: int | None = None
    max_seconds: float | None = None
    two_beats_ace: bool = False
    war_party: str = "tied"
    clock: str | None = None
    loop_limit: int = 100_000
    joker_rank: int | None = None
    ace_rank: int | None = None
    two_rank: int | None = None

    def __post_init__(self):
        for name, values in (
            ("run_out", RUN_OUT),
            ("winnings", WINNINGS),
            ("goal", GOALS),
            ("war_party", ("tied", "everyone")),
        ):
            if getattr(self, name) not in values:
                raise ValueError(f"unknown {name}: {getattr(self, name)!r}")
        if (self.goal == "stock_out") != (self.winnings == "captured"):
            raise ValueError("goal stock_out and winnings captured need each other")
        if self.run_out == "take_back" and self.goal != "stock_out":
            raise ValueError("run_out take_back needs goal stock_out")
        if self.war_party == "everyone" and self.players < 3:
            raise ValueError("war_party everyone needs three or more players")
        if self.max_seconds is not None and self.clock is None:
            raise ValueError("max_seconds needs a clock")
        if self.two_beats_ace and None in (self.ace_rank, self.two_rank):
            raise ValueError("two_beats_ace needs ace_rank and two_rank")


@dataclass
class Result:
    """How a game ended, and everything that was compared on the way."""

    winner: int | None
    reason: str
    battles: int
    comparisons: int
    wars: int
    held: list
    period: int | None
    stocks: list
    hands: list
    piles: list
    nanoseconds: int
    seat_nanoseconds: list
    events: list = field(repr=False)


class Table:
    """Everything that lies on the table, in plain lists, sets and dicts; one entry per seat."""

    def __init__(self, rules, stocks, piles, hands, choose, shuffle, reaction):
        seats = range(rules.players)
        piles = piles if piles is not None else [[] for _ in seats]
        hands = hands if hands is not None else [[] for _ in seats]
        if not len(stocks) == len(piles) == len(hands) == rules.players:
            raise ValueError("one stock (and pile, and hand) per player is needed")
        if rules.winnings not in FEEDING_PILES + ("captured",) and any(piles):
            raise ValueError(f"winnings {rules.winnings!r} keep no piles")
        self.rules, self.choose, self.shuffle, self.reaction = rules, choose, shuffle, reaction
        self.seats = list(seats)
        self.stock = [list(cards) for cards in stocks]
        self.pile = [list(cards) for cards in piles]
        self.hand = [sorted(cards) for cards in hands]
        if rules.hand_size == 1:  # a card already drawn counts as the top of the stock
            self.stock = [self.hand[s] + self.stock[s] for s in seats]
            self.hand = [[] for _ in seats]
        self.in_game = {s for s in seats if not self.owns_nothing(s)}
        self.battles = self.comparisons = self.wars = self.nanoseconds = 0
        self.seat_nanoseconds = [0 for _ in seats]
        self.events = []
        self.clear_pot()
        self.face_up = {}  # the last card each seat turned up in this battle
        self.unable = set()  # seats that in this battle fell out, unable to pay
        self.all_cards = sorted(self.every_card())

    def clear_pot(self):
        """Nothing lies on the table any more."""
        self.laid = [[] for _ in self.seats]  # the cards each seat laid, in the order laid
        self.leftovers = {}  # seat -> (hand, stock, pile) taken from it under `lose`

    def every_card(self):
        """All cards wherever they are."""
        zones = self.stock + self.pile + self.hand + self.laid
        zones += [zone for three in self.leftovers.values() for zone in three]
        return [card for zone in zones for card in zone]

    def held(self, seat):
        """Section 1: hand + stock + pile, under `stock_out` the captured pile alone."""
        if self.rules.goal == "stock_out":
            return len(self.pile[seat])
        return len(self.hand[seat]) + len(self.stock[seat]) + len(self.pile[seat])

    def undrawn(self, seat):
        """Number of cards that can still be drawn: the stock, and a pile that may become the stock."""
        feeding = self.rules.winnings in FEEDING_PILES
        return len(self.stock[seat]) + (len(self.pile[seat]) if feeding else 0)

    def left(self, seat):
        """Number of cards a seat can still play; captured cards never count."""
        return len(self.hand[seat]) + self.undrawn(seat)

    def owns_nothing(self, seat):
        return not (self.hand[seat] or self.stock[seat] or self.pile[seat])


# ---- Comparing


def best_seats(rules, cards):
    """The seats with the best card of `cards` (seat -> card), in seat order; several are a tie."""

    def strength(rank):
        return (rules.joker_rank is not None and rank == rules.joker_rank, rank)

    ranks = {seat: card[0] for seat, card in cards.items()}
    best = max(ranks.values(), key=strength)
    if rules.two_beats_ace and best == rules.ace_rank and rules.two_rank in ranks.values():
        best = rules.two_rank  # an Ace is the best card shown and a 2 is out
    return sorted(seat for seat, rank in ranks.items() if rank == best)


# ---- Laying cards


def shuffled(table, seat, cards):
    """The cards as the caller's `shuffle` orders them."""
    if table.shuffle is None:
        raise ValueError("these rules need a shuffle function")
    result = list(table.shuffle(seat, list(cards)))
    assert sorted(result) == sorted(cards), "shuffle must return a permutation"
    return result


def draw_card(table, seat):
    """Take the top card of the stock; a feeding pile becomes the stock when the stock is empty."""
    if not table.stock[seat] and table.rules.winnings in FEEDING_PILES:
        pile, table.pile[seat] = table.pile[seat], []
        ordered = table.rules.winnings == "pile_ordered"
        table.stock[seat] = pile if ordered else shuffled(table, seat, pile)
    return table.stock[seat].pop(0)


def refill(table, seat):
    """Section 2 (1): draw up to `hand_size`; the hand is kept in ascending order."""
    while len(table.hand[seat]) < table.rules.hand_size and table.undrawn(seat) > 0:
        table.hand[seat].append(draw_card(table, seat))
    table.hand[seat].sort()


def stake_numbers(table, fighters):
    """Section 2: the hand is never staked, and a card to turn up is always kept."""
    numbers = {}
    for seat in fighters:
        kept = 0 if table.hand[seat] else 1
        numbers[seat] = min(table.rules.face_down, table.undrawn(seat) - kept)
    if table.rules.run_out == "equal_force":
        numbers = {seat: min(numbers.values()) for seat in fighters}
    return numbers


def choose_cards(table, fighters, is_war):
    """Section 2 (2): the card each fighter will turn up; all are asked before any is revealed."""
    chosen = {}
    for seat in fighters:
        hand, index = table.hand[seat], 0
        if table.rules.hand_size > 1:
            if table.choose is None:
                raise ValueError("hand_size > 1 needs a choose function")
            index = table.choose(seat, list(hand), is_war)
            if not 0 <= index < len(hand):
                raise ValueError(f"seat {seat} chose slot {index} of {len(hand)}")
        chosen[seat] = hand[index]
    return chosen


def run_clock(table, cards_laid):
    """Section 6: a comparison takes the largest sum of one reaction per card laid."""
    if table.rules.clock is None:
        return
    if table.reaction is None:
        raise ValueError("a clock needs a reaction function")
    sums = {seat: sum(table.reaction(seat) for _ in range(number)) for seat, number in cards_laid.items()}
    for seat, total in sums.items():
        table.seat_nanoseconds[seat] += total
    table.nanoseconds += max(sums.values())


def lay_cards(table, fighters, is_war):
    """Each fighter stakes (in a war), refills, chooses and turns up; opens the comparison's event."""
    numbers = stake_numbers(table, fighters) if is_war else dict.fromkeys(fighters, 0)
    staked = {}
    for seat in fighters:
        staked[seat] = [draw_card(table, seat) for _ in range(numbers[seat])]
        table.laid[seat] += staked[seat]
        refill(table, seat)
    turned = choose_cards(table, fighters, is_war)
    for seat, card in turned.items():
        table.hand[seat].remove(card)
        table.laid[seat].append(card)
        table.face_up[seat] = card
    run_clock(table, {seat: numbers[seat] + 1 for seat in fighters})
    table.comparisons += 1
    table.events.append(
        {
            "battle": table.battles,
            "war": is_war,
            "staked": {seat: cards for seat, cards in staked.items() if cards},
            "turned": turned,
            "winner": None,
            "held_after": None,
        }
    )


# ---- Ties (section 4)


def can_pay(table, seat):
    """`lose` and `draw` ask for all stakes and a card to turn up, the others for any card at all."""
    if table.rules.run_out in ("lose", "draw"):
        return table.left(seat) >= table.rules.face_down + 1
    return table.left(seat) >= 1


def fall_out(table, seat):
    """A tied seat cannot pay: it leaves this war; under `lose` it leaves the game with its cards."""
    table.unable.add(seat)
    if table.rules.run_out == "lose":
        table.in_game.discard(seat)
        captured = table.rules.winnings == "captured"  # captured cards stay where they are
        pile = [] if captured else table.pile[seat]
        table.leftovers[seat] = (table.hand[seat], table.stock[seat], pile)
        table.hand[seat], table.stock[seat] = [], []
        if not captured:
            table.pile[seat] = []


def joining_seats(table, tied):
    """`war_party="everyone"`: the other seats of this battle which can pay, too."""
    if table.rules.war_party == "tied":
        return []
    return [
        seat
        for seat in table.seats
        if seat in table.in_game
        and table.laid[seat]
        and seat not in tied
        and seat not in table.unable
        and can_pay(table, seat)
    ]


def settle_all_short(table, tied):
    """None of the tied seats can pay, under any option but `draw`."""
    if table.rules.run_out == "take_back":
        return (UNDO,)
    if table.rules.run_out == "lose":
        most = max(table.left(seat) for seat in tied)
        best_supplied = [seat for seat in tied if table.left(seat) == most]
        for seat in tied:
            if seat not in best_supplied:
                fall_out(table, seat)
        if len(best_supplied) == 1:
            return (TAKE, best_supplied[0])
        tied = best_supplied
    for seat in tied:
        fall_out(table, seat)
    return (NONE_LEFT,)


def settle_tie(table, tied):
    """What follows from one tie: a war, or an end without a further card, or nobody left."""
    able = [seat for seat in tied if can_pay(table, seat)]
    short = [seat for seat in tied if not can_pay(table, seat)]
    if short and table.rules.run_out == "draw":
        return (DRAW,)
    if not able:
        return settle_all_short(table, tied)
    standing = []
    if table.rules.run_out == "last_card_stands":
        standing = short
    else:
        for seat in short:
            fall_out(table, seat)
    fighters = sorted(able + joining_seats(table, tied))
    if len(fighters) == 1 and not standing:
        return (TAKE, fighters[0])
    return (WAR, fighters, standing)


def settle(table, leaders):
    """What follows from a comparison with these leaders, until a pot is given or a war begins."""
    while len(leaders) > 1:
        table.wars += 1
        outcome = settle_tie(table, leaders)
        if outcome[0] != NONE_LEFT:
            return outcome
        remaining = {
            seat: card for seat, card in table.face_up.items() if seat in table.in_game and seat not in table.unable
        }
        if not remaining:
            return (DRAW,)
        leaders = best_seats(table.rules, remaining)
    return (TAKE, leaders[0])


# ---- The pot


def order_of_pot(table, winner):
    """The laid cards in the order of `winnings`, then the leftovers of `lose` in seat order."""
    players, laid = len(table.seats), table.laid
    turn = [(winner + step) % players for step in range(players)]
    if table.rules.winnings == "loser_first":
        turn = turn[1:] + [winner]
    if table.rules.winnings == "seat_order":
        turn = table.seats
    cards = [card for seat in turn for card in laid[seat]]
    if table.rules.winnings == "interleaved":
        cards = [
            laid[seat][place] for place in range(max(map(len, laid))) for seat in table.seats if place < len(laid[seat])
        ]
    for seat in sorted(table.leftovers):
        for zone in table.leftovers[seat]:
            cards += zone
    return cards


def take_pot(table, winner):
    """The winner collects the pot."""
    cards = order_of_pot(table, winner)
    if table.rules.winnings == "shuffled":
        cards = shuffled(table, winner, cards)
    own_place(table)[winner] += cards
    table.clear_pot()


def own_place(table):
    """Where cards that come from the table go: the piles where there are any, or the stocks."""
    return table.pile if table.rules.winnings in FEEDING_PILES + ("captured",) else table.stock


def return_pot(table):
    """Draw or undone pot: every seat takes back what it laid; leftovers stay where they had been."""
    for seat, (hand, stock, pile) in table.leftovers.items():
        table.hand[seat], table.stock[seat] = hand, stock
        table.pile[seat] = table.pile[seat] + pile
    for seat in table.seats:
        own_place(table)[seat] += table.laid[seat]
    table.clear_pot()


def play_battle(table):
    """One battle from the first flip to the end of its pot; True unless the game is a draw."""
    table.face_up, table.unable = {}, set()
    fighters, standing, is_war = sorted(table.in_game), [], False
    while True:
        lay_cards(table, fighters, is_war)
        leaders = best_seats(table.rules, {s: table.face_up[s] for s in fighters + standing})
        event = table.events[-1]
        event["winner"] = leaders[0] if len(leaders) == 1 else None
        outcome = settle(table, leaders)
        if outcome[0] == TAKE:
            take_pot(table, outcome[1])
        elif outcome[0] in (DRAW, UNDO):
            return_pot(table)
        event["held_after"] = [table.held(seat) for seat in table.seats]
        assert sorted(table.every_card()) == table.all_cards, "a card was lost or doubled"
        if outcome[0] != WAR:
            table.battles += 1
            return outcome[0] != DRAW
        _, fighters, standing = outcome
        is_war = True


# ---- The end of the game


def most_held(table):
    """The seat in the game that holds most cards, or None if several hold as many."""
    most = max(table.held(seat) for seat in table.in_game)
    best = [seat for seat in table.in_game if table.held(seat) == most]
    return best[0] if len(best) == 1 else None


def goal_verdict(table):
    """(winner, reason) if the goal is reached, else None."""
    goal = table.rules.goal
    alone = min(table.in_game) if len(table.in_game) == 1 else None
    if alone is not None and table.unable and (goal == "all_cards" or table.rules.run_out == "lose"):
        return alone, "run_out"  # a seat fell out in this battle, unable to pay
    if goal == "all_cards":
        return None if alone is None else (alone, goal)
    if goal == "stock_out":
        reached = any(table.left(seat) == 0 for seat in table.seats)
    else:
        reached = any(table.held(seat) == 0 for seat in table.seats)
    return (most_held(table), goal) if reached else None


def position(table):
    """Every stock and pile by rank, and who is in the game: it decides all that follows."""

    def ranks(zones):
        return tuple(tuple(card[0] for card in zone) for zone in zones)

    return ranks(table.stock), ranks(table.pile), tuple(sorted(table.in_game))


def verdict_after_battle(table, seen):
    """(winner, reason, period) or None; the ends are asked in the order of section 5."""
    rules = table.rules
    table.in_game = {seat for seat in table.in_game if not table.owns_nothing(seat)}
    verdict = goal_verdict(table)
    if verdict is not None:
        return verdict + (None,)
    if rules.max_battles is not None and table.battles >= rules.max_battles:
        return most_held(table), "max_battles", None
    if rules.max_seconds is not None and table.nanoseconds >= rules.max_seconds * 1_000_000_000:
        return most_held(table), "max_seconds", None
    if rules.hand_size == 1 and rules.winnings in FIXED_ORDER:
        now = position(table)
        if now in seen:
            return None, "loop", table.battles - seen[now]
        seen[now] = table.battles
    if table.battles >= rules.loop_limit:
        return None, "unfinished", None
    return None


def play(rules, stocks, piles=None, hands=None, choose=None, shuffle=None, reaction=None):
    """Play one game to its end.

    stocks, piles, hands: lists of cards per seat (stocks top first, piles oldest first).
    choose(seat, hand, is_war) -> index into the ascending hand; asked whenever hand_size > 1.
    shuffle(seat, cards) -> the cards in a new order; asked under `shuffled` and `pile_shuffled`.
    reaction(seat) -> nanoseconds; asked once per card laid if there is a clock.
    """
    table = Table(rules, stocks, piles, hands, choose, shuffle, reaction)
    if len(set(table.all_cards)) < len(table.all_cards) or not table.all_cards:
        raise ValueError("there must be cards, and all must be distinct")
    seen = {position(table): 0}
    start = goal_verdict(table)  # a game may be over before it begins
    verdict = start + (None,) if start is not None else None
    while verdict is None:
        goes_on = play_battle(table)
        verdict = verdict_after_battle(table, seen) if goes_on else (None, "draw", None)
    winner, reason, period = verdict
    return Result(
        winner,
        reason,
        table.battles,
        table.comparisons,
        table.wars,
        [table.held(seat) for seat in table.seats],
        period,
        table.stock,
        table.hand,
        table.pile,
        table.nanoseconds,
        table.seat_nanoseconds,
        table.events,
    )
