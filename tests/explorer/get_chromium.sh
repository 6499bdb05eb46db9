#!/bin/sh
# Gets a Chromium for the browser tests. If it cannot, it prints why and what to do, and the browser
# tests are skipped with a reason. It never fails, because the rest of the suite needs no browser.

if [ -n "$PENSTOCK_CHROMIUM" ] || command -v chromium >/dev/null || command -v chromium-browser >/dev/null; then
	exit 0
fi
say() {
	echo "Chromium is not installed: $1"
	echo "The browser tests will be skipped. Install it, or name one with PENSTOCK_CHROMIUM=/path/to/chromium."
	exit 0
}
command -v apt-get >/dev/null || say "this system has no apt-get."
[ "$(id -u)" = 0 ] || say "that takes root; run: sudo apt-get install chromium"
echo "Installing Chromium for the browser tests (once) ..."
(apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends chromium) >/dev/null 2>&1 ||
	say "apt-get could not install it; see why with: apt-get install chromium"
