# Every target runs on a fresh clone: it makes what it needs first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: setup demo test test-quick lint fix lock bench clean

setup: $(STAMP)

$(STAMP): requirements-dev.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

test-quick: setup
	$(BIN)/pytest -q -m "not browser and not services"

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy
	$(BIN)/python manage.py makemigrations --check --dry-run --settings tests.settings

fix: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Index addresses stay out of the lock files: only names, versions and hashes are written.
lock: setup
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	  --no-emit-index-url pyproject.toml -o requirements.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	  --no-emit-index-url --extra dev -c requirements.txt pyproject.toml -o requirements-dev.txt
