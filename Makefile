# `make benchmark` and `make test` set themselves up: they need Python >= 3.11 and make, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: benchmark test check twin fuzz golden docs lock clean

benchmark: $(STAMP)
	$(BIN)/python -m experiments.benchmark

test: $(STAMP)
	$(BIN)/python -m pytest -n 2

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The engine against the slow twin over many more positions than the tests play.
twin: $(STAMP)
	WAR_ENV_TWIN_GAMES=40000 $(BIN)/python -m pytest -n 2 tests/test_twin.py

# Ten minutes of random sequences of calls; the tests play a small share of it.
fuzz: $(STAMP)
	$(BIN)/python -m tests.fuzz --seconds 600

golden: $(STAMP)
	$(BIN)/python -m tests.golden

docs: $(STAMP)
	$(BIN)/python -m tests.generate_docs

# Anew only when the lock or the package's own description changes.
$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("war_env needs Python 3.11 or newer, not " + sys.version)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $(STAMP)

# Pins every package of all extras but the clusters'.
lock:
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check --upgrade hatchling editables torch==2.13.0 \
		".[sb3,pettingzoo,render,exact,openspiel,experiments,web,dev]"
	.venv-lock/bin/python -m pip freeze --exclude war_env | sed 's/+cpu$$//' > requirements.lock
	rm -rf .venv-lock

clean:
	rm -rf $(VENV) results .pytest_cache .mypy_cache .ruff_cache
