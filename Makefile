# Every target runs on a fresh clone: it makes what it needs first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
# The embedded default keeps everything below var/, its secret key included.
LOCAL := TOUCHSTONE_SECRET_KEY_FILE=var/secret_key TOUCHSTONE_DATA_DIR=var

.PHONY: setup demo test test-quick blinding lint fix lock bench roundtrip clean

setup: $(STAMP)

$(STAMP): requirements-dev.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes -r requirements-dev.txt
	$(PIP) --no-deps --no-build-isolation -e .
	touch $@

var/secret_key: $(STAMP)
	mkdir -p var
	umask 077; $(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(48))' > $@

# Sets everything up, loads the sample work once, and serves it.
demo: setup var/secret_key
	$(LOCAL) $(BIN)/touchstone migrate --verbosity 0
	$(LOCAL) $(BIN)/touchstone createcachetable
	$(LOCAL) $(BIN)/touchstone collectstatic --noinput --verbosity 0
	$(LOCAL) $(BIN)/touchstone demo
	$(LOCAL) $(BIN)/touchstone serve

# The whole suite: checks, SQLite, PostgreSQL with Redis, browser. Starts or installs the services where it may.
test: setup
	bash tests/run.sh

# A minute's worth while working: no browser, no services.
test-quick: setup
	$(BIN)/pytest -q -n auto -m "not browser and not services"

# Blinding in every phase x role x hidden work; the suite tries every two of them.
blinding: setup
	TOUCHSTONE_WHOLE_BLINDING=1 $(BIN)/pytest -q -n auto tests/blinding

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy
	$(BIN)/python -m django makemigrations --check --dry-run --settings tests.settings

fix: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup
	$(BIN)/python -m bench

# Proves the readers of changes on history: make roundtrip REPOSITORIES="PATH ..."
roundtrip: setup
	$(BIN)/python -m bench.roundtrip $(REPOSITORIES)

# Index addresses stay out of the lock files: only names, versions and hashes are written.
COMPILE := $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
  --no-emit-index-url
lock: setup
	$(COMPILE) pyproject.toml -o requirements.txt
	$(COMPILE) --extra dev -c requirements.txt pyproject.toml -o requirements-dev.txt

# Pictures of the viewer in its states, to be looked at, in build/screenshots.
screenshots: setup
	$(BIN)/pytest -q tests/e2e/screenshots.py

clean:
	rm -rf $(VENV) var staticfiles build *.egg-info
