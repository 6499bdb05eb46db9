# Every command of this project. `make` alone lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OLDEST := .venv-oldest-django
# What is installed in it: the package with programs, what the Django demo needs, everything.
PACKAGE := $(VENV)/.package
DJANGO := $(VENV)/.django
READY := $(VENV)/.ready
PINNED := -c requirements-dev.txt -e '.[programs]'
PINNED_FOR_DJANGO := -c requirements-dev.txt -e '.[django,mcp]' django-filter
NODE := tests/node
NODE_READY := $(NODE)/node_modules/.ready
APPS := apps
APPS_READY := $(APPS)/node_modules/.ready

.DEFAULT_GOAL := help
# Several targets fill one environment.
.NOTPARALLEL:
.PHONY: help demo demo-django app test test-workers chromium test-oldest-django test-sites check format bench faults fuzz record-corpus clean

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Install into an environment: with uv where it is on the PATH, for it takes seconds, else with pip. An
# environment whose Python has gone is made anew. One that uv has made lacks pip, and venv adds it.
define install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Penstock needs Python 3.11 or newer; name one with: make PYTHON=python3.11 ..."; exit 1; }
	@echo "Setting up $(1) (once) ..."
	@[ -x "$(1)/bin/python" ] || [ ! -e "$(1)/pyvenv.cfg" ] || rm -rf "$(1)"
	@if command -v uv >/dev/null; then \
		{ [ -d "$(1)" ] || uv venv --quiet --python "$(PYTHON)" "$(1)"; } \
			&& uv pip install --quiet --python "$(1)/bin/python" $(2); \
	else \
		{ "$(1)/bin/python" -m pip --version >/dev/null 2>&1 || "$(PYTHON)" -m venv "$(1)"; } \
			&& "$(1)/bin/python" -m pip install --quiet --disable-pip-version-check $(2); \
	fi
endef

$(PACKAGE): requirements-dev.txt pyproject.toml
	$(call install,$(VENV),$(PINNED))
	@touch $@

$(DJANGO): requirements-dev.txt pyproject.toml
	$(call install,$(VENV),$(PINNED_FOR_DJANGO))
	@touch $@

$(READY): requirements-dev.txt pyproject.toml
	$(call install,$(VENV),-r requirements-dev.txt -e .)
	@touch $(PACKAGE) $(DJANGO) $@

# What npm brings for the tests, and for the explorer.
$(NODE_READY) $(APPS_READY): %/node_modules/.ready: %/package.json %/package-lock.json
	@if ! command -v npm >/dev/null; then \
		echo "npm is not installed: the tests that need Node will be skipped."; \
	else \
		echo "Installing the Node packages of $* (once) ..."; \
		npm ci --no-audit --no-fund --silent --prefix $* && touch $@ \
			|| { echo "That failed; see why with: npm ci --prefix $*"; exit 1; }; \
	fi

chromium:
	@tests/explorer/get_chromium.sh

demo: $(PACKAGE) ## See large results and long lists kept inside the budget, and a program of 40 calls
	@$(BIN)/penstock demo

demo-django: $(DJANGO) ## See the API of a Django site with 50,000 devices as MCP tools
	@$(BIN)/python examples/demo_django.py

app: $(APPS_READY) ## Build the result explorer and the script for widgets from apps/
	@npm run --silent --prefix $(APPS) build

test: $(READY) $(NODE_READY) $(APPS_READY) chromium ## Run the whole suite
	@$(BIN)/python -m pytest -n 3 --dist worksteal

test-workers: $(READY) $(NODE_READY) ## Run the tests of serve and the conformance suite with two workers on each port
	@PENSTOCK_TEST_WORKERS=2 $(BIN)/python -m pytest -n 2 --dist worksteal tests/relay/http tests/conformance \
		tests/fuzz/test_fuzz_http.py tests/relay/test_orphans.py tests/relay/test_program_processes.py

test-oldest-django: ## Run the tests of the Django gateway on the oldest versions it works with
	$(call install,$(OLDEST),-r requirements-oldest-django.txt -e .)
	@$(OLDEST)/bin/python -m pytest -n 2 tests/django

test-sites: $(READY) ## Compare MCP with REST on Nautobot, Label Studio and Wagtail; takes an hour
	@$(BIN)/python -m pytest --capture=no tests/sites

check: $(READY) ## Lint, check formatting, types, the direction of imports and the prose
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -q tests/test_architecture.py tests/test_plain_english.py

format: $(READY) ## Format the code and mend what the linter can
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format .

bench: $(READY) ## Measure speed and memory, as ratios in one run
	@$(BIN)/python -m benchmarks

faults: $(READY) ## Cause every fault, and start, use and stop Penstock 300 times
	@PENSTOCK_FAULT_CYCLES=300 $(BIN)/python -m pytest -n 2 tests/faults

fuzz: $(READY) ## Search longer for broken promises, and for input that breaks something
	@PENSTOCK_FUZZ=200 $(BIN)/python -m pytest -n 2 tests/property tests/fuzz tests/widgets/test_gallery.py

record-corpus: $(READY) ## Record the results of real servers in tests/corpus again; takes minutes
	@PYTHONPATH=tests $(BIN)/python -m corpus.record

clean: ## Remove everything that make made
	@rm -rf $(VENV) $(OLDEST) .venv-peers .venv-servers .venv-servers-old .catalogues .sites examples/fleet/fleet.sqlite3 $(NODE)/node_modules $(APPS)/node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
