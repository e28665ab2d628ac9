"""The page's server under hostile and concurrent requests: an answer to each, no traceback, nothing changed by it."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
import waitress

from experiments.play_store import GameStore
from experiments.play_web import HOST, MAX_BODY, create_app

VALUES: list[Any] = [
    *(None, True, 0, -1, 1.5, 0.0, 1e308, 10**400, float("nan"), "", "nonsense", "\x00", "\ud800", "x" * 9_000),
    *([], [[]], [{}], [None] * 3_000, {}, {"a": {"b": []}}, "../../etc/passwd", "agents/trained/x.npz", "__class__"),
]
GAME = {"preset": "mini", "seed": 1}
FIELDS = {
    "/api/check": ("preset", "options", "play_on"),
    "/api/games": ("preset", "options", "play_on", "opponents", "seat", "seed"),
    "/api/games/{name}/play": ("comparisons", "slot"),
    "/api/games/{name}/continue": ("comparisons", "battles"),
}
BODIES = [
    *(
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe{\x00}",
        b'{"preset": "mini"',
        b'{"a":1}' * 2,
        b"[" * 8_000,
        b'{"a":' * 2_000,
    ),
    *(b"\x00" * 100, b"NaN", b'"\\ud800"', b'{"preset": "mini", "preset": 1}', b"{" + b" " * MAX_BODY + b"}"),
]


@pytest.mark.parametrize("path", FIELDS)
def test_any_value_in_any_field_gets_an_answer_and_changes_no_game(client: Any, path: str) -> None:
    """Every error is a JSON object with its message, of a length that can be read."""
    name = client.post("/api/games", json=GAME).json["id"]
    before = client.get(f"/api/games/{name}").json
    good = {"/api/games": GAME, "/api/check": {"preset": "senso"}}.get(path, {"comparisons": 0, "slot": 0})
    for field in (*FIELDS[path], "unknown"):
        for value in VALUES:
            answer = client.post(
                path.format(name=name), json={**good, field: value} if "continue" not in path else {field: value}
            )
            assert answer.status_code in (200, 201, 400, 404, 409, 413), (field, value, answer.status_code)
            if answer.status_code >= 400:
                assert 0 < len(answer.json["error"]) < 1_500, (field, value)
                continue
            if path.endswith("play"):
                assert (field, value) == ("slot", 0) or (field, value) == ("comparisons", 0)
                name = client.post("/api/games", json=GAME).json["id"]
    assert client.get(f"/api/games/{name}").json == before


@pytest.mark.parametrize("path", [*FIELDS, "/", "/api/games/{name}", "/api/nothing", "/api/games/{name}/record"])
def test_any_body_method_and_header_gets_an_answer(client: Any, path: str) -> None:
    name = client.post("/api/games", json=GAME).json["id"]
    before = client.get(f"/api/games/{name}").json
    headers: list[dict[str, str]] = [
        {},
        {"Content-Type": "application/json; charset=nonsense"},
        {"Content-Type": "multipart/form-data; boundary=x"},
        {"Content-Length": "-1"},
        {"Origin": "null"},
        {"Host": "evil.example"},
        {"Host": "127.0.0.1:99999999"},
        {"X-Forwarded-Host": "evil.example", "Cookie": "a=" + "b" * 4_000},
        {"Transfer-Encoding": "chunked"},
    ]
    for body in BODIES:
        for method in ("post", "get", "put", "patch", "options", "trace"):
            answer = client.open(
                path.format(name=name), method=method.upper(), data=body, content_type="application/json"
            )
            assert answer.status_code < 500, (method, body[:20])
    for extra in headers:
        answer = client.post(path.format(name=name), data=b'{"preset": "mini"}', headers=extra)
        assert answer.status_code < 500, extra
    assert client.get(f"/api/games/{name}").json == before


def test_names_of_games_are_never_paths(client: Any) -> None:
    for name in ("..", "%2e%2e%2f", "a/../../b", "%00", "%ff", "x" * 5_000, "{{7*7}}", "<script>"):
        for end in ("", "/hint", "/known", "/record"):
            answer = client.get(f"/api/games/{name}{end}")
            assert answer.status_code in (404, 308, 405), (name, end)
            assert "49" not in answer.text


@pytest.fixture
def port() -> Iterator[int]:
    """A server as `--web` starts it, on a free port."""
    server = waitress.create_server(create_app(GameStore(limit=8)), host=HOST, port=0, threads=4)

    def run() -> None:
        with suppress(OSError):  # closed by the test
            server.run()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    yield server.effective_port
    server.close()
    thread.join(10)


def said(port: int, data: bytes, most: int = 65_536) -> bytes:
    with socket.create_connection((HOST, port), timeout=10) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while len(answer) < most and (part := connection.recv(4_096)):
            answer += part
        return answer


def asked(port: int, path: str, body: Any = None) -> tuple[int, Any]:
    data = b"" if body is None else json.dumps(body).encode()
    verb = "GET" if body is None else "POST"
    kind = f"Content-Type: application/json\r\nContent-Length: {len(data)}"
    answer = said(port, f"{verb} {path} HTTP/1.0\r\nHost: {HOST}\r\n{kind}\r\n\r\n".encode() + data, 2**24)
    return int(answer.split()[1]), json.loads(answer.split(b"\r\n\r\n", 1)[1])


def test_broken_connections_do_not_stop_the_server(port: int) -> None:
    """Half requests, garbage, endless headers, wrong lengths, clients that go away: then a game is played as ever."""
    waiting = [socket.create_connection((HOST, port), timeout=10) for _ in range(40)]
    for connection in waiting:
        connection.sendall(b"POST /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\n")
    for data in (
        b"\x00\xff" * 500,
        b"GET",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{",
        b"POST /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: x\r\n\r\n{}",
        b"POST /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: " + b"y" * 300_000 + b"\r\n\r\n",
        b"GET /" + b"%41" * 20_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    ):
        try:
            answer = said(port, data)
        except OSError:  # the server hung up before all was sent
            continue
        assert not answer or b" 500 " not in answer.split(b"\r\n")[0], data[:60]
    with socket.create_connection((HOST, port), timeout=10) as connection:  # asks and goes away
        connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    status, made = asked(port, "/api/games", GAME)
    assert status == 201
    assert asked(port, f"/api/games/{made['id']}/play", {"comparisons": 0, "slot": 0})[0] == 200
    for connection in waiting:
        connection.close()


def test_many_at_once_keep_to_the_limits(port: int) -> None:
    """Thirty-two clients make, play and ask about games: every answer is one that is meant."""

    def visit(number: int) -> set[int]:
        seen = set()
        status, made = asked(port, "/api/games", {"preset": "mini", "seed": number})
        seen.add(status)
        if status != 201:
            return seen
        path = f"/api/games/{made['id']}"
        for _ in range(3):
            view = asked(port, path)[1].get("view")
            if view is None or view["is_over"]:
                break
            body = {"comparisons": view["comparisons"], "slot": 0}
            seen |= {asked(port, f"{path}/play", body)[0], *(asked(port, path + end)[0] for end in ("/hint", "/known"))}
        return seen

    with ThreadPoolExecutor(16) as pool:
        seen = set().union(*pool.map(visit, range(32)))
    assert seen <= {200, 201, 400, 404, 409, 429}
    assert {200, 201, 429} <= seen
