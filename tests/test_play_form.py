"""The page's new-game dialog and the program that serves it: what is offered, what is refused, an end by Ctrl-C."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from agents.registry import agent_names
from experiments.play_form import PLAY_ON, form_data
from experiments.play_web import serve
from tests.playing import new_game, play_out
from war_env import PRESETS
from war_env.errors import ArgumentError

ROOT = Path(__file__).parent.parent


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
        ({"preset": "mini", "options": {"preset": "classic"}}, "option='preset' is unknown"),
        ({"preset": "mini", "options": {"self": 1}}, "option='self' is unknown"),
        ({"preset": "casino", "options": {"preset": "x"}}, "option='preset' is unknown"),
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
        ({"preset": "mini", "options": {"ranks": 6}, "opponents": ["equilibrium"]}, "takes too long to get ready"),
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
