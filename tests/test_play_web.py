"""The page's server: whole games over JSON, bad requests, games kept apart, room, and who may ask."""

from __future__ import annotations

import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from experiments.play_casino import CasinoSession
from experiments.play_store import GameStore
from experiments.play_web import MAX_BODY, create_app
from tests.playing import new_game, play, play_on, play_out
from war_env import PRESETS, Game

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("preset", [*(preset.name for preset in PRESETS), "casino"])
def test_a_whole_game_of_every_preset_and_its_record(client: FlaskClient, preset: str) -> None:
    path, view = new_game(client, preset=preset)
    view = play_out(client, path, view)
    answer = client.get(f"{path}/record")
    assert "attachment" in answer.headers["Content-Disposition"]
    if preset == "casino":
        assert CasinoSession.from_record(answer.json).view() == view
        return
    game = Game.from_record(answer.text)
    assert game.outcome is not None
    assert (view["outcome"]["winner"], view["outcome"]["held"]) == (game.outcome.winner, list(game.outcome.held))
    assert answer.json["seed"] == 5


def test_requests_that_are_no_json_objects_of_a_fair_size(client: FlaskClient) -> None:
    json_type = {"Content-Type": "application/json"}
    for data, headers, status in (
        ("{", json_type, 400),
        ("", json_type, 400),
        (b"\xff\xfe{", json_type, 400),
        ("[" * 9000, json_type, 400),
        ('{"preset": "mini", "seed": ' + "9" * 9000 + "}", json_type, 400),
        ('{"preset": "mini"}', {"Content-Type": "text/plain"}, 415),
        ("preset=mini", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ('{"preset": "' + "x" * MAX_BODY + '"}', json_type, 413),
    ):
        answer = client.post("/api/games", data=data, headers=headers)
        assert answer.status_code == status, (data[:30], answer.json)
        assert answer.json["error"]
    for path, method, status in (
        ("/nowhere", "get", 404),
        ("/api/games", "get", 405),
        ("/api/games/x/play", "get", 405),
    ):
        answer = getattr(client, method)(path)
        assert answer.status_code == status
        assert answer.json["error"]


def test_other_sites_and_rebound_names_get_nothing(client: FlaskClient) -> None:
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 400
    assert client.get("/", headers={"Host": "127.0.0.1.evil.example:8000"}).status_code == 400
    for host in ("127.0.0.1:8000", "localhost:8000"):
        answer = client.get("/", headers={"Host": host, "Origin": f"http://{host}"})
        assert answer.status_code == 200
    for origin in ("http://evil.example", "null", "http://localhost:9", "http://[", "//localhost", "https://localhost"):
        answer = client.post("/api/games", json={"preset": "mini"}, headers={"Origin": origin})
        assert answer.status_code == 403, origin
        assert answer.json["error"]
    headers = client.get("/").headers
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    nonces = {re.search(r"'nonce-([^']+)'", client.get("/").headers["Content-Security-Policy"])[1] for _ in range(5)}
    assert len(nonces) == 5


def test_moves_that_are_not_allowed_change_nothing(client: FlaskClient) -> None:
    path, view = new_game(client)
    for body, status, words in (
        ({"comparisons": 0, "slot": 5}, 400, "slot=5 is not allowed"),
        ({"comparisons": 0, "slot": True}, 400, "slot=True is not allowed"),
        ({"comparisons": 0, "slot": 0.0}, 400, "slot=0.0 is not allowed"),
        ({"comparisons": 0, "slot": "1"}, 400, "slot='1' is not allowed"),
        ({"comparisons": 0}, 400, "slot=None is not allowed"),
        ({"comparisons": 0, "slot": 1, "x": 2}, 400, "field='x' is unknown"),
        ({"comparisons": 1, "slot": 1}, 409, "moved on"),
        ({"comparisons": False, "slot": 1}, 409, "moved on"),
        ({"slot": 1}, 409, "moved on"),
    ):
        answer = client.post(f"{path}/play", json=body)
        assert (answer.status_code, words in answer.json["error"]) == (status, True), answer.json
    assert client.post(f"{path}/continue", json={"comparisons": 0}).status_code == 409
    assert client.post(f"{path}/continue", json={"comparisons": 0, "battles": 3}).status_code == 400
    assert client.get(path).json["view"] == view
    assert play(client, path, view)["comparisons"] == 1
    answer = client.post(f"{path}/play", json={"comparisons": 0, "slot": 0})
    assert answer.status_code == 409
    end = play_out(client, path, client.get(path).json["view"])
    for action in ("play", "continue"):
        answer = client.post(
            f"{path}/{action}",
            json={"comparisons": end["comparisons"], "slot": 0}
            if action == "play"
            else {"comparisons": end["comparisons"]},
        )
        assert (answer.status_code, "has ended" in answer.json["error"]) == (409, True)
    assert client.get(f"{path}/hint").status_code == 400


def test_two_games_at_once_do_not_mix(client: FlaskClient) -> None:
    """Turn by turn, each is the game that is played alone from its seed."""
    alone = []
    for seed in (1, 2):
        path, view = new_game(client, seed=seed)
        play_out(client, path, view)
        alone.append(client.get(f"{path}/record").json)
    games = [new_game(client, seed=seed) for seed in (1, 2)]
    assert games[0][0] != games[1][0]
    while not all(view["is_over"] for _, view in games):
        games = [(path, view if view["is_over"] else play(client, path, view)) for path, view in games]
    assert [client.get(f"{path}/record").json for path, _ in games] == alone
    assert alone[0]["deal"] != alone[1]["deal"]


def test_requests_at_the_same_moment_are_played_one_by_one() -> None:
    """Eight clicks on the same card: one is played, seven are told that the game has moved on."""
    app = create_app()
    path, _ = new_game(app.test_client())
    gate = threading.Barrier(8)

    def click() -> int:
        gate.wait()
        return app.test_client().post(f"{path}/play", json={"comparisons": 0, "slot": 0}).status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = sorted(future.result() for future in [pool.submit(click) for _ in range(8)])
    assert statuses == [200] + [409] * 7
    assert len(app.test_client().get(f"{path}/record").json["choices"]) == 1


def test_there_is_room_for_so_many_games_and_the_idle_make_room() -> None:
    now = [0.0]
    store = GameStore(limit=3, idle_seconds=60, clock=lambda: now[0])
    client = create_app(store).test_client()
    paths = []
    for _ in range(3):
        paths.append(new_game(client)[0])
        now[0] += 1
    answer = client.post("/api/games", json={"preset": "mini"})
    assert answer.status_code == 429
    assert "3 games are being played here" in answer.json["error"]
    client.get(paths[0])
    now[0] += 60
    client.get(paths[0])
    newest = new_game(client)[0]
    answers = [client.get(path) for path in (*paths, newest)]
    assert [answer.status_code for answer in answers] == [200, 404, 200, 200]
    assert "made room for others" in answers[1].json["error"]
    client.delete(paths[2])
    assert client.get(paths[2]).status_code == 404
    assert len(store) == 2
    path, view = new_game(client, preset="mini")
    play_out(client, path, view)
    now[0] += 1
    third = new_game(client)[0]
    assert client.get(path).status_code == 404  # over, so that it makes room at once
    assert client.get(third).status_code == 200


def test_unknown_games_tell_nothing(client: FlaskClient) -> None:
    path, _ = new_game(client)
    for other in ("x", path.split("/")[-1][:-1], path.split("/")[-1].swapcase(), "%2e%2e"):
        for end in ("", "/hint", "/known", "/record"):
            answer = client.get(f"/api/games/{other}{end}")
            assert answer.status_code == 404
            assert set(answer.json) == {"error"}
        assert client.post(f"/api/games/{other}/play", json={"comparisons": 0, "slot": 0}).status_code == 404
    assert len(path.split("/")[-1]) >= 24


def test_long_games_are_played_in_parts(client: FlaskClient) -> None:
    """A game that goes round for ever is played by requests that each take a bounded time."""
    body = {"preset": "classic", "options": {"winnings": "seat_order", "face_down": 0}}
    path, view = new_game(client, **body)
    seen = []
    for _ in range(3):
        view = play_on(client, path, view)
        seen.append(view["comparisons"])
        if view["is_over"]:
            break
    assert max(b - a for a, b in zip([0, *seen], seen, strict=False)) <= 2000
    assert len(json.dumps(view)) < 60_000
    view = play_on(client, path, view, 1) if not view["is_over"] else view
    assert len(view["history"]) == 60
