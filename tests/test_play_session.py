"""A game of a person against agents as data: nothing hidden in it, nothing changed by asking, hints, cards in words."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from agents import registry
from agents.base import AgentSpec
from experiments.play_cards import card_data
from experiments.play_casino import CasinoSession
from experiments.play_replay import replay
from tests.playing import session_of
from war_env import CasinoRules, Game, Rules, get_rules
from war_env.errors import ArgumentError, FinishedError, IllegalActionError, NotationError, RulesError, UnknownNameError
from war_env.policy import ScriptedPolicy


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"format": 2}, NotationError),
        ({"extra": 1}, NotationError),
        ({"actions": "11"}, NotationError),
        ({"version": 3}, NotationError),
        ({"seed": -1}, ArgumentError),
        ({"rules": {"packs": 99}}, RulesError),
        ({"rules": {"pecks": 1}}, UnknownNameError),
        ({"actions": [77]}, IllegalActionError),
        ({"actions": [True]}, IllegalActionError),
        ({"actions": [0.0]}, IllegalActionError),
        ({"rules": {"self": 1}}, UnknownNameError),
        ({"actions": [0] * 60}, (FinishedError, IllegalActionError)),
    ],
)
def test_a_wrong_casino_record_is_refused(change: dict, error: type[Exception], tmp_path: Path) -> None:
    record = {**CasinoSession(CasinoRules(rounds=2), 0).record(), **change}
    (tmp_path / "r.json").write_text(json.dumps(record))
    with pytest.raises(error):
        replay(tmp_path / "r.json", None)


def test_a_seat_without_a_say_waits_and_one_that_is_out_watches() -> None:
    rules = Rules(players=3, hand_size=2, ranks=6, run_out="last_card", max_battles=60)
    had_no_say = 0
    for seed in range(12):
        session = session_of(rules, seat=1, seed=seed)
        while not session.is_over:
            if session.may_choose:
                session.step(0)
                continue
            had_no_say += 1
            with pytest.raises(IllegalActionError, match="nothing to choose"):
                session.step(0)
            with pytest.raises(IllegalActionError, match="nothing to choose"):
                session.hint()
            session.play_on(battles=1)
        assert Game.from_record(session.record()).outcome == session.game.outcome
        with pytest.raises(FinishedError):
            session.step()
    assert had_no_say > 10


@pytest.mark.parametrize("preset", ["strategic", "one_pass", "mini", "three_player"])
def test_asking_changes_nothing_and_a_view_holds_nothing_hidden(preset: str) -> None:
    """The view, the hint's card and what is known stay the same when all that the person cannot know is drawn anew."""
    rules = get_rules(preset)
    asked, quiet = session_of(rules, seat=1, opponent="reserve"), session_of(rules, seat=1, opponent="reserve")
    rng = np.random.default_rng(0)
    for _ in range(40):
        if asked.is_over:
            break
        shown = asked.view(), asked.known(), asked.hint() if asked.may_choose else None
        truth = asked.game
        asked.game = truth.determinize(1, int(rng.integers(2**31)))
        assert (asked.view(), asked.known(), asked.hint() if asked.may_choose else None) == shown
        asked.game = truth
        slot = int(rng.integers(len(truth.legal_actions(1)))) if asked.may_choose else None
        asked.step(slot)
        quiet.step(slot)
    assert asked.record() == quiet.record()
    assert json.loads(json.dumps(asked.view())) == quiet.view()


def test_what_a_view_says_is_what_the_game_holds() -> None:
    """Counts, table, pot and history against the game's own text, over whole games of several rules."""
    for options in ({}, {"winnings": "pile_ordered"}, {"players": 4, "war_party": "everyone"}, {"jokers": 2}):
        session = session_of(get_rules("strategic", max_battles=40, **options), seed=9)
        while not session.is_over:
            view, game = session.view(), session.game
            assert [card["text"] for card in view["hand"]] == game.hands[0].split()
            for seat, stock, hand, pile in zip(view["seats"], game.stocks, game.hands, game.piles, strict=True):
                if not seat["is_out"]:
                    assert (seat["stock"], seat["hand"], seat["pile"]) == tuple(
                        len(x.split()) for x in (stock, hand, pile)
                    )
            if view["is_war"]:
                laid = [" ".join("(?)" if card is None else card["text"] for card in cards) for cards in view["table"]]
                assert laid == [re.sub(r"\(\w+\)", "(?)", text) for text in game.pot]
                assert view["pot"] == sum(len(text.split()) for text in game.pot)
            session.step(0) if session.may_choose else session.play_on(comparisons=1)
        view = session.view()
        assert view["outcome"]["held"] == list(session.game.held) == view["history"][-1]["held"]
        assert view["history"][-1]["number"] == session.game.outcome.comparisons


def test_hints_come_from_the_strongest_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A champion for these rules before the trained one before reserve; those for other rules are passed over."""

    def for_rules(wanted: Rules | None) -> object:
        def make(rules: Rules, memory: bool) -> ScriptedPolicy:
            if wanted not in (None, rules):
                raise RulesError("made for other rules")
            return ScriptedPolicy("greedy", session_of(rules).game.layout)

        return make

    rules, mini = get_rules("strategic"), get_rules("mini")
    kept = {name: spec for name, spec in registry.agent_specs().items() if name in ("random", "reserve")}
    specs = dict(kept)
    monkeypatch.setattr(registry, "agent_specs", lambda: specs)
    assert registry.strongest_agent(rules).name == "reserve"
    specs["trained"] = AgentSpec("trained", "", for_rules(rules))
    assert registry.strongest_agent(rules).name == "trained"
    assert registry.strongest_agent(mini).name == "reserve"
    specs["champion_mini"] = AgentSpec("champion_mini", "", for_rules(mini))
    specs["champion"] = AgentSpec("champion", "", for_rules(rules))
    assert registry.strongest_agent(rules).name == "champion"
    assert registry.strongest_agent(mini).name == "champion_mini"
    session = session_of(rules)
    assert session.hint()["slot"] == 4
    assert session.hint()["text"].startswith("champion would play the ")
    assert [agent.name for agent in registry.fitting_agents(mini)] == ["random", "reserve", "champion_mini"]
    specs["equilibrium"] = AgentSpec("equilibrium", "", for_rules(None), is_quick=lambda wanted: wanted == mini)
    assert registry.strongest_agent(mini).name == "equilibrium"
    assert registry.strongest_agent(rules).name == "champion"


def test_what_takes_minutes_to_make_is_not_offered() -> None:
    """A deck a little larger than the miniature's is measured for minutes before it can be refused."""
    spec = registry.agent_specs()["equilibrium"]
    fits = {ranks: spec.is_quick(get_rules("mini", ranks=ranks)) for ranks in (3, 4, 5, 6, 13)}
    assert fits == {3: True, 4: True, 5: False, 6: False, 13: False}
    assert not spec.is_quick(get_rules("three_player"))
    offered = [agent.name for agent in registry.fitting_agents(get_rules("mini", ranks=6))]
    assert offered == ["random", "greedy", "lowest", "median", "reserve"]


def test_cards_in_words() -> None:
    deck = get_rules("strategic", jokers=1).deck
    assert card_data(deck, 0) == {"rank": "2", "suit": "c", "text": "2c", "label": "2 of clubs"}
    assert card_data(deck, 51)["label"] == "ace of spades"
    assert card_data(deck, 52)["label"] == "joker"
    plain = Rules(ranks=20, suits=1).deck
    assert card_data(plain, 11) == {"rank": "12", "suit": None, "text": "12", "label": "12"}
    assert card_data(Rules(ranks=5, suits=6).deck, 5)["label"] == "10 of suit 6"
