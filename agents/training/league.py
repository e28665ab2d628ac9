"""The pool of past selves on disk, from which self-play takes its opponents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from war_env.errors import ArgumentError, shown, unknown_name
from war_env.layout import Layout
from war_env.policy import NetworkPolicy, Policy
from war_env.policy_names import SCRIPTED
from war_env.weights import load_network, save_network

SELF, PAST = "self", "past"


def check_shares(field: str, shares: Mapping[str, float], guests: Iterable[str] = ()) -> None:
    """Refuse shares of opponents that a league cannot give; `guests` are names that it knows besides.

    Raises:
        ArgumentError, UnknownNameError: the message names the entry, its value and what is allowed.
    """
    known = (*SCRIPTED, SELF, PAST, *guests)
    if not shares:
        raise ArgumentError(f"{field}={shown(shares)} is not allowed: name at least one of {', '.join(known)}.")
    for name, share in shares.items():
        if name not in known:
            raise unknown_name(field, name, known)
        if not 0 < share <= 1e9:
            raise ArgumentError(f"{field}[{shown(name)}]={shown(share)} is not allowed: a share must be a number > 0.")


class League:
    """Members in the order in which they joined; a member that has joined stays as it is.

    Args:
        folder: where their weights are kept; those that are there are taken over.
        layout: how their observations are laid out.
        guests: policies by name that may be named as opponents besides.
        most_past: earlier members that are drawn as opponents at once.
    """

    def __init__(
        self, folder: Path, layout: Layout, guests: Mapping[str, Policy] | None = None, most_past: int = 4
    ) -> None:
        self.folder, self.layout, self.guests, self.most_past = folder, layout, dict(guests or {}), most_past
        self.members: list[NetworkPolicy] = []
        while self._path(len(self.members)).exists():
            network = load_network(self._path(len(self.members)))
            network.check(layout)
            self.members.append(network)

    def _path(self, number: int) -> Path:
        return self.folder / f"member_{number:04d}.json"  # written last, so that a member is whole or absent

    def add(self, network: NetworkPolicy) -> None:
        """Let a network join."""
        path = self._path(len(self.members))
        save_network(path, network, self.layout)
        self.members.append(load_network(path))

    def shrink(self, count: int) -> None:
        """Let those leave who joined after the first `count`, as when training goes back to a checkpoint."""
        while len(self.members) > count:
            self.members.pop()
            self._path(len(self.members)).unlink()

    def opponents(self, shares: Mapping[str, float], rng: np.random.Generator) -> dict[Any, float]:
        """Who plays the other seat, as environments take it.

        Args:
            shares: scripted names, `self` (who joined last) and `past` (some of the others, drawn evenly; while there
                are none, who joined last) or guests, each with its share of the episodes.
            rng: draws the members.
        """
        check_shares("opponent", shares, self.guests)
        mix: dict[Any, float] = {}
        for name, share in shares.items():
            chosen: list[Any] = [self.guests.get(name, name)]
            if name in (SELF, PAST):
                if not self.members:
                    raise ArgumentError(f"opponent={shown(name)} is not allowed: the league has no members yet.")
                chosen = self.members[-1:]
            if name == PAST and len(self.members) > 1:
                count = min(self.most_past, len(self.members) - 1)
                chosen = [self.members[k] for k in rng.choice(len(self.members) - 1, count, replace=False)]
            for member in chosen:
                mix[member] = mix.get(member, 0.0) + share / len(chosen)
        return mix
