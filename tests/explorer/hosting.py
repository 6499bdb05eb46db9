"""The host page as an object: it shows the explorer, and knows what the explorer asked for."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Frame,
    Locator,
    Page,
    Request,
)

PATIENCE = 60_000
STEP = 50
# Reports what a policy has forbidden, in every frame, even a sandboxed one.
WATCH = """addEventListener("securitypolicyviolation", (event) =>
    console.error("CSP", event.effectiveDirective, event.blockedURI, event.sourceFile))"""
ZONE = "America/Chicago"
LOCAL = ("data:", "about:", "blob:")
# The specification requires both of the outer frame, which has another origin.
ASKED_FOR = "An iframe which has both allow-scripts and allow-same-origin"


class Host:
    """A new page. It keeps everything that goes wrong in `troubles`, for the end of the test."""

    def __init__(self, browser: Browser, site: str, sandbox: str, **options: Any) -> None:
        self.origins = [site, sandbox]
        self.troubles: list[str] = []
        self.tolerated = [ASKED_FOR]
        # A time zone that reveals a time wrongly taken for local; and no animations, because they
        # are drawn sixty times a second.
        settings = {"timezone_id": ZONE, "reduced_motion": "reduce", **options}
        self.context: BrowserContext = browser.new_context(**settings)
        self.context.set_default_timeout(PATIENCE)
        self.context.add_init_script(WATCH)
        self.context.on("request", self._guard)
        self.page: Page = self.context.new_page()
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.troubles.append(f"page error: {error}"))
        self.page.goto(f"{site}/host.html#{sandbox}/sandbox.html")

    def connect(self, url: str, era: str = "modern") -> dict[str, Any]:
        """Connect, and return the agreed version and the tools by name."""
        self.origins.append(url)
        agreed = self._ask("connect", url, era)
        return {**agreed, "tools": {tool["name"]: tool for tool in agreed["tools"]}}

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self._ask("call", tool, arguments)

    def show(self, token: str, **showing: Any) -> dict[str, Any]:
        """Call show_result, and put its view on the page."""
        return self._ask(
            "show", "show_result", {"arguments": {"continuation_token": token}, **showing}
        )

    def change(self, **context: Any) -> None:
        self._ask("change", context)

    def record(self, of: str) -> Any:
        """Return the host's notes so far."""
        return self.page.evaluate("of => window.host.record[of]", of)

    def calls(self) -> list[dict[str, Any]]:
        return self.record("calls")

    @property
    def view(self) -> Frame:
        """Return the explorer's own frame. (Locators through the frames around it would take five
        times as long.)"""
        self.page.frame_locator("iframe").locator("iframe").wait_for(state="attached")
        for _ in range(PATIENCE // STEP):
            frame = self.page.frame("view")
            if frame is not None:  # the name appears a moment after the element
                return frame
            self.page.wait_for_timeout(STEP)
        raise AssertionError("no view is shown")

    @property
    def element(self) -> Locator:
        """The element of the host's page that holds the explorer."""
        return self.page.locator("iframe")

    def tolerate(self, *texts: str) -> None:
        """Ignore troubles that the test itself causes."""
        self.tolerated.extend(texts)

    def close(self) -> None:
        self.context.close()

    def unexpected(self) -> list[str]:
        return [
            trouble
            for trouble in self.troubles
            if not any(text in trouble for text in self.tolerated)
        ]

    def _ask(self, method: str, *arguments: Any) -> Any:
        script = "async ([method, rest]) => await window.host[method](...rest)"
        return self.page.evaluate(script, [method, json.loads(json.dumps(arguments))])

    def _guard(self, request: Request) -> None:
        """Report requests to elsewhere. (None can succeed: see the browser's flags.)"""
        if not request.url.startswith((*LOCAL, *self.origins)):
            self.troubles.append(f"left the machine: {request.url}")

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            where = message.location.get("url", "")
            self.troubles.append(f"console {message.type}: {message.text} ({where})")
