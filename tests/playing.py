"""What several tests of playing share: games of a person, in this process and over the page's server."""

from __future__ import annotations

from typing import Any

from flask.testing import FlaskClient

from experiments.play_session import PlaySession, seated_agents
from war_env import Rules


def session_of(rules: Rules, seat: int = 0, seed: int = 3, opponent: str = "random") -> PlaySession:
    return PlaySession(rules, seated_agents(rules, [opponent], seat), seed)


def new_game(client: FlaskClient, **body: Any) -> tuple[str, dict[str, Any]]:
    """Start a game; returns its path and first view."""
    answer = client.post("/api/games", json={"preset": "one_pass", "seed": 5, **body})
    assert answer.status_code == 201, answer.json
    return f"/api/games/{answer.json['id']}", answer.json["view"]


def play(client: FlaskClient, path: str, view: dict[str, Any], slot: Any = 0) -> dict[str, Any]:
    answer = client.post(f"{path}/play", json={"comparisons": view["comparisons"], "slot": slot})
    assert answer.status_code == 200, answer.json
    return answer.json["view"]


def play_on(client: FlaskClient, path: str, view: dict[str, Any], battles: Any = None) -> dict[str, Any]:
    answer = client.post(f"{path}/continue", json={"comparisons": view["comparisons"], "battles": battles})
    assert answer.status_code == 200, answer.json
    return answer.json["view"]


def play_out(client: FlaskClient, path: str, view: dict[str, Any]) -> dict[str, Any]:
    while not view["is_over"]:
        slots = [entry["slot"] for entry in view["actions"]] if view["game"] == "casino" else [0]
        view = play(client, path, view, slots[-1]) if view["may_choose"] else play_on(client, path, view)
    return view
