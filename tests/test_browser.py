"""The page in headless Chromium: whole games by clicking and by keyboard, two at once, phone, dark mode, the dialog."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import waitress

from experiments.play_web import create_app
from tests.browsing import BRIGHTNESS, DESKTOP, HAS_BROWSER, IS_REQUIRED, PHONE, overflow, started
from war_env import Game

if not HAS_BROWSER and not IS_REQUIRED:
    pytest.skip(
        "no playwright or no chromium on this machine; WAR_ENV_BROWSER=required makes this a failure",
        allow_module_level=True,
    )

from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The server, on a port of its own."""
    server = waitress.create_server(create_app(), host="127.0.0.1", port=0)
    threading.Thread(target=server.run, daemon=True).start()
    yield f"http://127.0.0.1:{server.effective_port}/"
    server.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as made:
        yield made


@pytest.fixture
def open_page(browser: Browser, address: str) -> Iterator[Any]:
    """Opens the page in a context of its own; no console may hold an error, nor anything be loaded from elsewhere."""
    troubles: list[str] = []
    contexts = []

    def opened(viewport: dict[str, int] = DESKTOP, **options: Any) -> Page:
        context = browser.new_context(viewport=viewport, reduced_motion="reduce", **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on(
            "console", lambda message: troubles.append(message.text) if message.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: None if request.url.startswith(address) else troubles.append(request.url))
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert [trouble for trouble in troubles if not trouble.startswith("data:")] == []


def deal(page: Page, preset: str = "one_pass", seed: str = "11", **options: str) -> None:
    """Fill in the dialog and start."""
    page.wait_for_selector("#dialog[open]")
    page.select_option("#preset", preset)
    for name, value in options.items():
        page.select_option(f"#option_{name}", value)
    page.wait_for_selector("#deal:enabled")
    page.fill("#seed", seed)
    page.click("#deal")
    page.wait_for_selector("#dialog", state="hidden")
    page.wait_for_selector("#headline:not(:empty)")


def logged(page: Page) -> int:
    return page.locator("#history li").count()


def wait_until_logged(page: Page, count: int) -> None:
    """Wait until the history tells of so many comparisons; by a locator, since the page allows no eval."""
    page.locator("#history li").nth(count - 1).wait_for(state="attached")


def is_over(page: Page) -> bool:
    return page.locator("#result").is_visible()


def click_card(page: Page, place: int) -> None:
    """Play a card by clicking, and wait until the page tells of it."""
    count = logged(page)
    cards = page.locator("#hand button")
    cards.nth(min(place, cards.count() - 1)).click()
    wait_until_logged(page, count + 1)


def record_of(page: Page) -> dict[str, Any]:
    """The record, as the page's link saves it."""
    with page.expect_download() as download:
        page.click("#record")
    return json.loads(Path(download.value.path()).read_text())


def test_a_whole_game_by_clicking(open_page: Any) -> None:
    page = open_page()
    deal(page)
    clicks = wars = 0
    while not is_over(page):
        click_card(page, clicks % 5)
        clicks += 1
        wars += page.locator("#banner").is_visible()
    assert wars >= 1
    game = Game.from_record(record_of(page))
    assert game.outcome is not None
    assert clicks == game.outcome.comparisons == logged(page)
    assert wars == game.outcome.wars
    words = {None: "A draw", 0: "You win", 1: "Reserve wins"}[game.outcome.winner]
    assert page.inner_text("#result_head") == words
    assert f"you {game.outcome.held[0]}, reserve {game.outcome.held[1]}" in page.inner_text("#result_text")
    page.click("#again")
    page.wait_for_selector("#result", state="hidden")
    assert record_of(page)["seed"] != 11
    assert logged(page) == 0


def test_a_whole_game_by_keyboard(open_page: Any) -> None:
    """Help, hint, known cards, a game, the next one, all without a pointer; the focus stays on the cards."""
    page = open_page()
    deal(page, preset="mini", seed="2")
    assert page.evaluate("document.activeElement.parentElement.id") == "hand"
    page.keyboard.press("?")
    assert page.locator("#help_dialog").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("k")
    page.wait_for_selector("#known .chip")
    assert page.get_attribute("#know", "aria-expanded") == "true"
    page.keyboard.press("h")
    page.wait_for_selector("#hand .hint")
    assert "would play the" in page.inner_text("#hinted")
    names = page.locator("#hand button").evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")
    assert all(re.match(r"(\d+|jack|queen|king|ace) of (clubs|diamonds)", name) for name in names), names
    while not is_over(page):
        count = logged(page)
        page.keyboard.press("1")
        wait_until_logged(page, count + 1)
        assert page.evaluate("document.activeElement.closest('#hand, #result') !== null")
    assert Game.from_record(record_of(page)).is_over
    page.focus("#again")
    page.keyboard.press("Enter")
    page.wait_for_selector("#result", state="hidden")
    page.keyboard.press("n")
    page.wait_for_selector("#dialog[open]")
    page.keyboard.press("Escape")
    assert not page.locator("#dialog").is_visible()


def test_without_choices_enter_and_a_play_and_casino_has_its_buttons(open_page: Any) -> None:
    page = open_page()
    deal(page, preset="classic")
    page.locator("#moves button").first.wait_for()
    page.keyboard.press("Enter")
    wait_until_logged(page, 1)
    page.keyboard.press("a")
    page.wait_for_selector("#result:not([hidden])")
    assert Game.from_record(record_of(page)).is_over
    page.click("#new")
    deal(page, preset="casino", seed="0", packs="1")
    for _ in range(20):
        count = logged(page)
        page.locator("#moves button").last.click()
        wait_until_logged(page, count + 1)
    record = record_of(page)
    assert len(record["actions"]) == 20
    assert record["rules"]["packs"] == 1
    assert 3 in record["actions"]  # a tie, and to war


def test_two_games_at_once_do_not_mix(open_page: Any) -> None:
    """Two browsers, turn by turn; a reload brings each its own game back."""
    first, second = open_page(), open_page()
    deal(first, seed="21")
    deal(second, seed="22", hand_size="3")
    for _ in range(4):
        click_card(first, 0)
        click_card(second, 2)
    first.reload()
    first.wait_for_selector("#hand button")
    click_card(first, 0)
    records = [record_of(first), record_of(second)]
    assert [record["seed"] for record in records] == [21, 22]
    assert [record["rules"]["hand_size"] for record in records] == [5, 3]
    assert [choices[0] for choices in records[0]["choices"]] == [0] * 5
    assert [choices[0] for choices in records[1]["choices"]] == [2] * 4
    for page, record in zip((first, second), records, strict=True):
        assert page.locator("#hand button").evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")
        assert Game.from_record(record).record() == record


def test_what_is_answered_late_is_not_drawn_over_the_next_game(open_page: Any) -> None:
    """The moves of a game that was left are answered when the next one is on the table."""
    page = open_page()
    deal(page, preset="classic", seed="1")
    waiting: list[Any] = []
    page.route("**/continue", lambda route: waiting.append((route, route.fetch())))
    page.keyboard.press("a")
    page.keyboard.press("n")
    deal(page, preset="one_pass", seed="2")
    route, answer = waiting[0]
    with page.expect_response("**/continue"):
        route.fulfill(response=answer)
    page.keyboard.press("k")
    page.wait_for_selector("#known .chip")
    assert logged(page) == 0
    click_card(page, 0)
    record = record_of(page)
    assert (record["seed"], len(record["choices"])) == (2, 1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_needs_no_sideways_scrolling_and_dark_mode_is_dark(open_page: Any, scheme: str) -> None:
    page = open_page(PHONE, color_scheme=scheme, has_touch=True)
    assert overflow(page) <= 0
    deal(page, preset="strategic", seed="4", players="6", hand_size="8", jokers="2")
    page.locator("#hand button").nth(7).tap()
    wait_until_logged(page, 1)
    page.tap("#know")
    page.wait_for_selector("#known .chip")
    assert overflow(page) <= 0
    boxes = [page.locator("#hand button").nth(k).bounding_box() for k in range(8)]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 360 and box["width"] >= 44 for box in boxes)
    is_dark = page.evaluate(BRIGHTNESS) < 200
    assert is_dark == (scheme == "dark")
    page.tap("#theme")
    assert (page.evaluate(BRIGHTNESS) < 200) != is_dark
    assert page.get_attribute("#theme", "aria-pressed") == str(not is_dark).lower()


def test_the_dialog_tells_what_is_wrong_and_a_lost_game_is_told(open_page: Any, address: str) -> None:
    page = open_page()
    page.wait_for_selector("#dialog[open]")
    page.keyboard.press("Escape")
    assert page.locator("#dialog").is_visible()  # there is no game to go back to
    page.select_option("#preset", "mini")
    page.check("#option_two_beats_ace")
    page.wait_for_selector("#problem:not(:empty)")
    assert "it needs 13 ranks" in page.inner_text("#problem")
    assert page.is_disabled("#deal")
    page.uncheck("#option_two_beats_ace")
    page.wait_for_selector("#deal:enabled")
    page.select_option("#opponent_0", "greedy")
    page.click("#deal")
    page.wait_for_selector("#hand button")
    assert "greedy" in page.inner_text("#others")
    game_path = page.get_attribute("#record", "href").removesuffix("/record")
    assert page.evaluate("path => fetch(path, { method: 'DELETE' }).then((answer) => answer.status)", game_path) == 200


@pytest.fixture
def quiet_page(browser: Browser, address: str) -> Iterator[Page]:
    """A page whose console may hold errors: the browser notes each refused request there."""
    context = browser.new_context(viewport=DESKTOP, reduced_motion="reduce")
    page = context.new_page()
    page.goto(address)
    yield page
    context.close()


def test_a_game_that_is_gone_is_told(quiet_page: Page) -> None:
    deal(quiet_page)
    game_path = quiet_page.get_attribute("#record", "href").removesuffix("/record")
    quiet_page.evaluate("path => fetch(path, { method: 'DELETE' })", game_path)
    quiet_page.keyboard.press("1")
    quiet_page.wait_for_selector("#trouble:not([hidden])")
    assert "Start a new game" in quiet_page.inner_text("#trouble")
    quiet_page.reload()
    quiet_page.wait_for_selector("#dialog[open]")
