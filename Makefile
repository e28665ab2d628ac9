# `make benchmark` and `make test` set themselves up: they need Python >= 3.11 and make, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DOCS := .venv-docs
DOCS_STAMP := $(DOCS)/.installed
CLUSTER_VENV := .venv-cluster
CLUSTER_STAMP := $(CLUSTER_VENV)/.installed
PURELIB := -c 'import sysconfig; print(sysconfig.get_path("purelib"))'
# The line of a .pth file that puts this environment's packages below another's.
BELOW := -c 'import sysconfig; print("import site; site.addsitedir(%r)" % sysconfig.get_path("purelib"))'
# The interpreters in which `make wheel` tries the wheel.
PYTHONS ?= $(PYTHON)

.PHONY: benchmark test test-cluster check twin fuzz golden docs leaderboard site wheel lock clean

benchmark: $(STAMP)
	$(BIN)/python -m experiments.benchmark

test: $(STAMP)
	$(BIN)/python -m pytest -n 2

# A local Ray and a local Dask cluster, in an environment that lies on top of the other.
test-cluster: $(CLUSTER_STAMP)
	WAR_ENV_CLUSTER=required $(CLUSTER_VENV)/bin/python -m pytest tests/test_cluster.py

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

# The kept leaderboard and the tables made from it.
leaderboard: $(STAMP)
	$(BIN)/python -m experiments.leaderboard --keep
	$(BIN)/python -m tests.generate_docs

# The site from docs/, into site/; a warning is an error.
site: $(DOCS_STAMP)
	rm -rf site
	$(DOCS)/bin/python -m sphinx -W --keep-going -q -b html -d $(DOCS)/doctrees docs site

# Both distributions, checked; the wheel alone in a fresh venv of each interpreter must play.
wheel: $(DOCS_STAMP)
	rm -rf dist .venv-wheel
	$(DOCS)/bin/python -m build --quiet
	$(DOCS)/bin/python -m twine check --strict dist/*
	for python in $(PYTHONS); do \
		$$python -m venv --clear .venv-wheel && \
		.venv-wheel/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl && \
		.venv-wheel/bin/python -I tests/fresh_venv.py || exit 1; \
	done

$(DOCS_STAMP): requirements-docs.lock
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-docs.lock
	touch $(DOCS_STAMP)

# Anew only when the lock or the package's own description changes.
$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("war_env needs Python 3.11 or newer, not " + sys.version)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $(STAMP)

$(CLUSTER_STAMP): requirements-cluster.lock $(STAMP)
	$(BIN)/python -m venv --clear --without-pip $(CLUSTER_VENV)
	$(BIN)/python $(BELOW) > "$$($(CLUSTER_VENV)/bin/python $(PURELIB))/below.pth"
	$(CLUSTER_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile -r requirements-cluster.lock
	touch $(CLUSTER_STAMP)

# Pins every package of all extras; those of the clusters, and what makes the site and the wheel, in locks of their own.
lock:
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check --upgrade hatchling editables torch==2.13.0 \
		".[sb3,pettingzoo,render,exact,openspiel,experiments,web,dev]"
	.venv-lock/bin/python -m pip freeze --exclude war_env | sed 's/+cpu$$//' > requirements.lock
	$(PYTHON) -m venv --clear --without-pip .venv-lock-cluster
	.venv-lock/bin/python $(BELOW) > "$$(.venv-lock-cluster/bin/python $(PURELIB))/below.pth"
	.venv-lock-cluster/bin/python -m pip install --quiet --disable-pip-version-check ".[ray,dask]"
	.venv-lock-cluster/bin/python -m pip freeze --local --exclude war_env > requirements-cluster.lock
	$(PYTHON) -m venv --clear .venv-lock
	.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock ".[docs,package]"
	.venv-lock/bin/python -m pip freeze --exclude war_env > requirements-docs.lock
	rm -rf .venv-lock .venv-lock-cluster

clean:
	rm -rf $(VENV) $(CLUSTER_VENV) .venv-docs .venv-wheel site dist results .hypothesis .pytest_cache .mypy_cache .ruff_cache
