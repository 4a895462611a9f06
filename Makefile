# make demo, make test, ...: each sets up .venv when needed, then does its job.
#
#   PYTHON=python3.13    the Python to build .venv with (default: the first of 3.11, 3.12, 3.13 found)
#   EXTRAS=render,test   what to install (default: all; on 3.12 and 3.13 all but `train`, see below)
#   JOBS=4               test processes
#
# PyTorch is pinned for Python 3.11, so on 3.12 and 3.13 the `train` extra is left out: the environments and their
# tests work, training and the command line (so `make demo`) do not. `make clean` first to change the Python.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
JOBS ?= 2

PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3 python; do \
	$$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null \
	&& echo $$python && break; done)

.PHONY: help demo test slow lint bench clean

help:
	@echo "make demo    train an agent on Musée for about three minutes, rank it, leave it all in runs/ (Python 3.11)"
	@echo "make test    all tests but the slow ones"
	@echo "make slow    the slow tests"
	@echo "make lint    ruff check, ruff format --check, mypy"
	@echo "make bench   measure the speed"
	@echo "make clean   remove .venv, caches and build products; keeps runs/"

$(STAMP): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "No Python 3.11, 3.12 or 3.13 found; set PYTHON=/path/to/python" >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || "$(PYTHON)" -m venv $(VENV)
	@extras="$(EXTRAS)"; \
	if test -z "$$extras"; then \
		if $(BIN)/python -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))'; then extras=all; \
		else extras=render,test,notebooks; \
			echo "Not Python 3.11: the train extra is left out, since PyTorch is pinned for 3.11."; fi; \
	fi; \
	echo "Setting up $(VENV) with [$$extras] ..."; \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[$$extras]"
	@touch $@

demo: $(STAMP)
	$(BIN)/gallery demo

# One thread each for PyTorch: several test processes with as many threads as cores slow each other down.
test: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(JOBS) --dist loadfile

slow: $(STAMP)
	$(BIN)/python -m pytest -m slow

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(STAMP)
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks .coverage htmlcov
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
