# Everything needed is Python 3.11 or later, git and make: each target sets up what it uses, once.
#   VENV=path     another environment           PYTHON=path   another interpreter
#   WORKERS=n     test processes (default auto) ARGS='-k x'   more arguments for pytest

VENV ?= .venv
WORKERS ?= auto
ARGS ?=
UPGRADE ?=

BIN := $(VENV)/bin
CODE := $(wildcard src tests examples benchmarks)
QUICK := not slow and not crash and not scale and not service and not web

# The shipped example that `make demo` runs.
DEMO ?= $(BIN)/rejudge run examples/quickstart/eval.yaml

# The first interpreter that is new enough and really runs; a name on the PATH may be an empty shell.
PROBE := import sys, ssl, sqlite3, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for name in python3.13 python3.12 python3.11 python3; do \
	"$$name" -c '$(PROBE)' >/dev/null 2>&1 && echo "$$name" && break; done)

RUN := $(VENV)/.run-installed
DEV := $(VENV)/.dev-installed
COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --no-emit-index-url --custom-compile-command 'make pins' $(UPGRADE)

.PHONY: setup demo check test lint types layers quick scale suite bench format hooks pins help clean
.NOTPARALLEL:
.DELETE_ON_ERROR:

setup: $(DEV) ## Set up the development environment (the default)

demo: $(RUN) ## Run the shipped example; needs only the run-time packages
	$(DEMO)

check: lint types layers quick ## Everything quick: style, types, floors, architecture and unit tests

test: lint types layers scale suite ## Everything: check, all tests, the documentation's and the shipped examples

lint: $(DEV) ## Style and format
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)

types: $(DEV) ## Types, strict, on everything
	$(BIN)/mypy --strict $(CODE)

layers: $(DEV) ## Imports go down the floors
	$(BIN)/lint-imports --no-logo

quick: $(DEV) ## The tests that are quick
	$(BIN)/pytest -n $(WORKERS) -m '$(QUICK)' $(ARGS)

scale: $(DEV) ## The tests that measure, alone on the machine; pytest's exit 5 says that there are none
	$(BIN)/pytest -m scale $(ARGS) || [ $$? -eq 5 ]

suite: $(DEV) ## All other tests
	$(BIN)/pytest -n $(WORKERS) -m 'not scale' $(ARGS)

bench: $(DEV) ## Measure everything, alone on the machine; writes benchmarks/results.json and the README's tables
	$(BIN)/python -m benchmarks.all $(ARGS)

format: $(DEV) ## Mend style and format in place
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

hooks: $(DEV) ## Let git run the quick checks before each commit
	$(BIN)/prek install

pins: $(DEV) ## Write requirements/ again from pyproject.toml; UPGRADE=--upgrade takes the newest
	$(COMPILE) --extra data --extra text --extra sandbox --group dev -o requirements/dev.txt pyproject.toml requirements/build.in
	$(COMPILE) -c requirements/dev.txt -o requirements/run.txt pyproject.toml requirements/build.in
	$(COMPILE) -o requirements/uv.txt requirements/uv.in

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "%-8s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

clean: ## Remove the environment, caches and build outputs
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache .rejudge
	find $(CODE) -type d -name __pycache__ -prune -exec rm -rf {} +

$(BIN)/python:
	@[ -n '$(PYTHON)' ] || { echo 'No Python 3.11 or later with venv was found; say which: make PYTHON=/path/to/python'; exit 1; }
	$(PYTHON) -m venv $(VENV)

# uv installs in seconds; where it is not to be had, or reads no setting that pip reads, pip does the same.
define install
	@[ -x $(BIN)/uv ] || $(BIN)/python -m pip install --quiet --require-hashes -r requirements/uv.txt || echo 'pip installs instead'
	@$(call with_uv,--require-hashes -r $(1)) || $(call with_pip,--require-hashes -r $(1))
	@$(call with_uv,--no-deps --no-build-isolation -e .) || $(call with_pip,--no-deps --no-build-isolation -e .)
endef
with_uv = $(BIN)/uv pip install --quiet --python $(BIN)/python $(1)
with_pip = $(BIN)/python -m pip install --quiet $(1)

$(RUN): requirements/run.txt requirements/uv.txt pyproject.toml | $(BIN)/python
	$(call install,requirements/run.txt)
	@touch $@

$(DEV): requirements/dev.txt requirements/uv.txt pyproject.toml | $(BIN)/python
	$(call install,requirements/dev.txt)
	@touch $(RUN) $@
