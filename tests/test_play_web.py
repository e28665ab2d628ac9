"""The page's server: whole games over JSON, bad requests, games kept apart, room, and who may ask."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from agents.registry import agent_names
from experiments.play_casino import CasinoSession
from experiments.play_form import PLAY_ON, form_data
from experiments.play_store import GameStore
from experiments.play_web import MAX_BODY, create_app, serve
from war_env import PRESETS, Game
from war_env.errors import ArgumentError

ROOT = Path(__file__).parent.parent


@pytest.fixture
def client() -> Iterator[FlaskClient]:
    with create_app().test_client() as made:
        yield made


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


def test_local_rules_seats_and_opponents_take_effect(client: FlaskClient) -> None:
    options = {
        "players": 4,
        "jokers": 1,
        "two_beats_ace": True,
        "max_battles": 30,
        "hand_size": 3,
        "uneven": "extra_card",
    }
    body = {"options": options, "play_on": True, "opponents": ["greedy", "random", "reserve"], "seat": 2}
    path, view = new_game(client, **body)
    rules = client.get(f"{path}/record").json["rules"]
    for name, value in {**options, **PLAY_ON}.items():
        assert rules[name] == value
    assert [seat["name"] for seat in view["seats"]] == ["greedy", "random", "you", "reserve"]
    assert len(view["hand"]) == 3
    assert client.get(f"{path}/hint").json["agent"] == "reserve"
    known = client.get(f"{path}/known").json
    assert sum(card["count"] for card in known["unseen"]) == 53 - 3
    assert play_out(client, path, view)["battle"] <= 30


def test_the_form_offers_what_the_rules_allow(client: FlaskClient) -> None:
    form = form_data()
    assert {preset["name"] for preset in form["presets"]} == {*(preset.name for preset in PRESETS), "casino"}
    for preset in form["presets"]:
        answer = client.post("/api/check", json={"preset": preset["name"]})
        assert answer.status_code == 200
        for option in form["options"][preset["game"]]:
            given = preset["rules"][option["name"]]
            assert option["kind"] != "select" or given in option["choices"]
            if option["kind"] == "number" and given is not None:
                assert option["min"] <= given <= option["max"]
            body = {"preset": preset["name"], "options": {option["name"]: given}}
            assert client.post("/api/check", json=body).json["problem"] is None, body
    wrong = client.post("/api/check", json={"preset": "mini", "options": {"two_beats_ace": True}})
    assert "it needs 13 ranks" in wrong.json["problem"]
    assert client.post("/api/check", json={"colour": 1}).status_code == 400
    answer = client.post("/api/check", json={"preset": "strategic", "options": {"players": 3}}).json
    assert answer["seats"] == 3
    assert {"random", "reserve"} <= {agent["name"] for agent in answer["agents"]} <= set(agent_names())
    page = client.get("/").text
    assert '"first_preset"' in page
    assert not re.search(r'(src|href)="(?!data:|#)', page)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ([], "must be a JSON object"),
        ({"preset": "chess"}, "preset='chess' is unknown"),
        ({"preset": 3}, "preset=3 is not allowed: it must be a JSON string"),
        ({}, "preset='' is unknown"),
        ({"preset": "mini", "colour": 1}, "field='colour' is unknown"),
        ({"preset": "mini", "options": [1]}, "options=[1] is not allowed"),
        ({"preset": "mini", "options": {"jockers": 1}}, "Did you mean 'jokers'"),
        ({"preset": "mini", "options": {"players": {}}}, "players={} is not allowed"),
        ({"preset": "mini", "options": {"hand_size": 9}}, "hand_size=9 is not allowed"),
        ({"preset": "mini", "options": {"two_beats_ace": True}}, "it needs 13 ranks"),
        ({"preset": "strategic", "options": {"players": 7}}, "at most 6 seats"),
        ({"preset": "mini", "play_on": "yes"}, "play_on='yes' is not allowed"),
        ({"preset": "mini", "seed": -1}, "seed=-1 is not allowed"),
        ({"preset": "mini", "seed": 1.5}, "seed=1.5 is not allowed"),
        ({"preset": "mini", "seed": True}, "seed=True is not allowed"),
        ({"preset": "mini", "seat": 2}, "seat=2 is not allowed"),
        ({"preset": "mini", "seat": "0"}, "seat='0' is not allowed"),
        ({"preset": "mini", "opponents": "random"}, "opponents='random' is not allowed"),
        ({"preset": "mini", "opponents": []}, "opponent=[] has 0 entries"),
        ({"preset": "mini", "opponents": [["random"]]}, "is unknown"),
        ({"preset": "mini", "opponents": ["/etc/passwd.npz"]}, "opponent='/etc/passwd.npz' is unknown"),
        ({"preset": "casino", "options": {"packs": 9}}, "packs=9 is not allowed"),
        ({"preset": "casino", "options": {"players": 2}}, "option='players' is unknown"),
        ({"preset": "casino", "play_on": True}, "play_on=True is not allowed"),
        ({"preset": "casino", "seat": 1}, "seat=1 is not allowed"),
    ],
)
def test_a_wrong_new_game_is_a_clear_400(client: FlaskClient, body: Any, words: str) -> None:
    answer = client.post("/api/games", json=body)
    assert answer.status_code == 400
    assert words in answer.json["error"]


def test_requests_that_are_no_json_objects_of_a_fair_size(client: FlaskClient) -> None:
    json_type = {"Content-Type": "application/json"}
    for data, headers, status in (
        ("{", json_type, 400),
        ("", json_type, 400),
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
    for origin in ("http://evil.example", "null", "http://localhost:9"):
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


def test_the_program_serves_this_machine_alone_and_ends_on_ctrl_c() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        taken.listen()
        with pytest.raises(ArgumentError, match=f"port={port} cannot be used"):
            serve(port)
    command = [sys.executable, "-m", "experiments.play", "--web", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT) as server:
        line = server.stdout.readline()
        assert f"http://127.0.0.1:{port}/" in line
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=20) as answer:
            assert "<title>War" in answer.read().decode()
        listening = subprocess.run(["cat", "/proc/net/tcp"], capture_output=True, text=True, check=True).stdout
        assert f"0100007F:{port:04X} 00000000:0000 0A" in listening  # 127.0.0.1, listening
        assert f"00000000:{port:04X} 00000000:0000 0A" not in listening
        server.send_signal(signal.SIGINT)
        rest = server.stdout.read()
        assert server.wait(20) == 0
    assert "Stopped." in rest
    assert "Traceback" not in rest
