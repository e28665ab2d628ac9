"""Headless Chromium for tests, and what a page that stands alone must be: quiet, narrow enough, dark in the dark."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = os.environ.get("WAR_ENV_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
IS_REQUIRED = os.environ.get("WAR_ENV_BROWSER") == "required"
HAS_BROWSER = CHROMIUM is not None and importlib.util.find_spec("playwright") is not None
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
PHONE = {"width": 360, "height": 740}
DESKTOP = {"width": 1280, "height": 860}
BRIGHTNESS = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0)"


@contextmanager
def started() -> Iterator[Any]:
    """A browser."""
    from playwright.sync_api import sync_playwright

    assert CHROMIUM is not None, "WAR_ENV_BROWSER=required, but there is no chromium"
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield made
        made.close()


def overflow(page: Any) -> int:
    """By how many pixels a page is wider than its window."""
    width: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return width


def check_page(path: Path, words: Sequence[str], use: Callable[[Any], None] = lambda page: None) -> None:
    """Look at a page of its own on a phone and a desktop, in light and dark.

    Does nothing on a machine without a browser, unless WAR_ENV_BROWSER=required.

    Args:
        path: the file.
        words: what must be seen on it.
        use: what else is done with it in each view.
    """
    if not HAS_BROWSER and not IS_REQUIRED:
        return
    with started() as browser:
        for size in (PHONE, DESKTOP):
            for scheme in ("light", "dark"):
                _look(browser.new_context(viewport=size, color_scheme=scheme), path, words, use)


def _look(context: Any, path: Path, words: Sequence[str], use: Callable[[Any], None]) -> None:
    page, troubles, address = context.new_page(), list[str](), path.resolve().as_uri()
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda request: None if request.url in (address, "data:,") else troubles.append(request.url))
    page.goto(address)
    text = page.inner_text("body")
    assert [word for word in words if word not in text] == []
    assert overflow(page) <= 0
    colours = page.evaluate(f"[{BRIGHTNESS}, getComputedStyle(document.body).color]")
    is_dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    assert (colours[0] < 200) == is_dark
    # The ink of the plots is that of the page, on both grounds.
    inks = page.eval_on_selector_all(
        "svg.plot text", "all => [...new Set(all.map((one) => getComputedStyle(one).fill))]"
    )
    assert inks in ([], [colours[1]])
    wide = page.eval_on_selector_all(
        "svg.plot", "all => all.filter((one) => one.checkVisibility()).map((one) => one.clientWidth)"
    )
    assert all(200 < width <= page.viewport_size["width"] for width in wide)
    use(page)
    assert overflow(page) <= 0
    assert troubles == []
    context.close()
