"""The page's server: JSON requests about games that live here; the page knows no rule. Only on this machine."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from typing import Any

import waitress
from flask import Flask, Response, abort, g, jsonify, render_template, request
from werkzeug.exceptions import BadRequest, HTTPException

from experiments.harness import console
from experiments.play_form import check_form, form_data, new_session
from experiments.play_session import PlaySession, seated_agents
from experiments.play_store import GameStore, NoGameError, NoRoomError, Session
from war_env.errors import ArgumentError, FinishedError, WarEnvError, refused, shown, unknown_name
from war_env.presets import get_rules

HOST = "127.0.0.1"
_NAMES = ["127.0.0.1", "localhost"]  # under which a browser may ask; any other is a rebound name
MAX_BODY = 16 * 1024  # bytes
MOST_AT_ONCE = 2_000  # comparisons that one request plays
_THREADS = 8
_CSP = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def create_app(store: GameStore | None = None) -> Flask:
    """The application.

    Args:
        store: where games are kept; a new one when None.
    """
    app = Flask("experiments", static_folder=None)
    app.config.update(MAX_CONTENT_LENGTH=MAX_BODY, TRUSTED_HOSTS=list(_NAMES))
    app.json.sort_keys = False  # type: ignore[attr-defined]
    _guard(app)
    _tell_errors(app)
    _add_routes(app, GameStore() if store is None else store)
    return app


def _guard(app: Flask) -> None:
    """No other site may ask, and what is sent says what a browser may do with it."""

    @app.before_request
    def check_origin() -> None:
        origin = request.headers.get("Origin")
        if origin is not None and origin != f"{request.scheme}://{request.host}":
            abort(403, "Requests from other sites are not answered.")
        g.nonce = secrets.token_urlsafe(16)

    @app.after_request
    def add_headers(response: Response) -> Response:
        response.headers.update(_HEADERS)
        response.headers["Content-Security-Policy"] = _CSP.format(nonce=g.get("nonce", "none"))
        return response


def _tell_errors(app: Flask) -> None:
    """Every error is a JSON object with its message."""

    def told(message: str, status: int) -> tuple[Response, int]:
        return jsonify({"error": message}), status

    app.register_error_handler(HTTPException, lambda error: told(_message(error), error.code or 500))
    app.register_error_handler(WarEnvError, lambda error: told(str(error), 400))
    app.register_error_handler(FinishedError, lambda error: told(str(error), 409))
    app.register_error_handler(NoGameError, lambda error: told(str(error), 404))
    app.register_error_handler(NoRoomError, lambda error: told(str(error), 429))


def _message(error: HTTPException) -> str:
    known = {
        413: f"The request is too large: at most {MAX_BODY} bytes are read.",
        415: "The request must be JSON, with Content-Type: application/json.",
    }
    return known.get(error.code or 0, error.description or error.name)


def _body(*known: str) -> dict[str, Any]:
    """The request's JSON object; with `known`, of these fields and no others."""
    try:
        body = request.get_json()
    except RecursionError:
        abort(400, "The JSON is nested too deeply.")
    except BadRequest:
        abort(400, "The request's body is not valid JSON.")
    if not isinstance(body, dict):
        raise ArgumentError("the request must be a JSON object.")
    for name in body:
        if known and name not in known:
            raise unknown_name("field", name, known)
    return body


def _add_routes(app: Flask, store: GameStore) -> None:
    @app.get("/")
    def page() -> str:
        return render_template("play.html", form=form_data(), nonce=g.nonce)

    @app.post("/api/check")
    def check() -> Response:
        return jsonify(check_form(_body()))

    @app.post("/api/games")
    def new_game() -> tuple[Response, int]:
        session = new_session(_body())
        return jsonify({"id": store.add(session), "seed": session.seed, "view": session.view()}), 201

    @app.get("/api/games/<name>")
    def look(name: str) -> Response:
        return _answer(store, name, lambda session: {"view": session.view()})

    @app.post("/api/games/<name>/play")
    def play(name: str) -> Response:
        body = _body("comparisons", "slot")
        return _answer(store, name, lambda session: _play(session, body))

    @app.post("/api/games/<name>/continue")
    def play_on(name: str) -> Response:
        body = _body("comparisons", "battles")
        return _answer(store, name, lambda session: _play_on(session, body))

    @app.get("/api/games/<name>/hint")
    def hint(name: str) -> Response:
        return _answer(store, name, lambda session: session.hint())

    @app.get("/api/games/<name>/known")
    def known(name: str) -> Response:
        return _answer(store, name, lambda session: session.known())

    @app.get("/api/games/<name>/record")
    def record(name: str) -> Response:
        response = _answer(store, name, lambda session: session.record())
        response.headers["Content-Disposition"] = 'attachment; filename="war_game.json"'
        return response

    @app.delete("/api/games/<name>")
    def end(name: str) -> Response:
        store.remove(name)
        return jsonify({})


def _answer(store: GameStore, name: str, answer: Callable[[Session], dict[str, Any]]) -> Response:
    with store.playing(name) as session:
        return jsonify(answer(session))


def _check_is_current(session: Session, body: dict[str, Any]) -> None:
    """A click on a table that has moved on is refused, so that nothing is played twice."""
    now, seen = session.view()["comparisons"], body.get("comparisons")
    if seen != now or isinstance(seen, bool):
        abort(409, f"comparisons={shown(seen)} is not allowed: the game has moved on to {now}; look at it again.")


def _play(session: Session, body: dict[str, Any]) -> dict[str, Any]:
    _check_is_current(session, body)
    session.step(body.get("slot"))
    return {"view": session.view()}


def _play_on(session: Session, body: dict[str, Any]) -> dict[str, Any]:
    """Play where the person has no say: one battle, or up to MOST_AT_ONCE comparisons when `battles` is null."""
    battles = body.get("battles")
    if battles is not None and (battles != 1 or isinstance(battles, bool)):
        raise refused("battles", battles, "1, or null for as many as there are")
    _check_is_current(session, body)
    if session.is_over:
        raise FinishedError("the game has ended: start a new one.")
    if session.may_choose or not isinstance(session, PlaySession):
        abort(409, "The game waits for your choice.")
    session.play_on(MOST_AT_ONCE, battles)
    return {"view": session.view()}


def _warm_up() -> None:
    """Compile what games need before the first request, which would wait for it."""
    rules = get_rules("mini")
    session = PlaySession(rules, seated_agents(rules, ["reserve"], 0), 0)
    session.step(session.hint()["slot"])


def serve(port: int) -> None:
    """Serve the page on this machine until Ctrl-C.

    Raises:
        ArgumentError: the port cannot be used.
    """
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # requests that wait a moment are no news
    _warm_up()
    try:
        server = waitress.create_server(
            create_app(), host=HOST, port=port, threads=_THREADS, ident="war_env", max_request_body_size=4 * MAX_BODY
        )
    except OSError as error:
        raise ArgumentError(f"port={port} cannot be used: {error}.") from None
    console.print(f"Play at http://{HOST}:{port}/ (Ctrl-C ends it).")
    console.file.flush()  # a pipe would keep it back
    server.run()  # returns on Ctrl-C
    console.print("Stopped.")
