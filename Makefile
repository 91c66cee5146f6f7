# `make` alone lists the targets. Each target creates what it needs, .venv included.

PYTHON ?= python3
VENV ?= .venv
PYTEST_ARGS ?=

export PIP_DISABLE_PIP_VERSION_CHECK = 1
unexport PYTHONPATH

BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
ENGINES := .venvs/engines
COMPILED := .venvs/compiled
COMPILED_TESTS := tests/compiled tests/acceptance tests/declared tests/laws \
    $(addprefix tests/unit/holdall/,carriers engine objects review scheme text)
PIP_INSTALL := $(BIN)/python -m pip install --quiet --constraint constraints.txt
CHECKED := $(wildcard runtime codegen generated hooks schemas tests docs/site bench hatch_build.py)

.DEFAULT_GOAL := help
.PHONY: help demo test test-all random e2e e2e-newer browser databases engines package compiled lint docs house bench proposals validity generate clean

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1|\2/p' $(firstword $(MAKEFILE_LIST)) | \
	    while IFS='|' read -r target text; do printf '%-16s %s\n' "$$target" "$$text"; done

# pip comes first because dependency groups need a newer one than old interpreters bring along.
# The build backend comes from the constraints, too, hence no build isolation.
$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "holdall needs Python 3.11 or newer, but '$(PYTHON)' is older or does not run;" \
	        "name another one: make PYTHON=python3.12 …" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(PIP_INSTALL) pip hatchling
	$(PIP_INSTALL) --no-build-isolation --editable '.[arrow,cli,codegen,conform,k8s,otel,sql,testing,validate,webhook]' --group dev
	@touch $@

demo: $(INSTALLED) ## show holdall at work on the sample project
	PYTHONPATH=. $(BIN)/python tests/demo/demo.py

# Tests start hundreds of commands, which would compile the sources each time where Python is told
# to write no bytecode. A worker keeps to the files it began until the other one has nothing left:
# what a file's tests share is made once.
test: $(INSTALLED) ## run the tests; PYTEST_ARGS="tests/unit -k bag" narrows them
	@$(BIN)/python -m compileall -q runtime codegen generated hooks
	$(BIN)/python -m pytest -n 2 --dist worksteal $(PYTEST_ARGS)

# A pyenv shim may exist without running, so every candidate has to prove its version.
test-all: ## run the tests on each Python 3.11 to 3.14 of this machine
	@status=0; found=; \
	for version in 3.11 3.12 3.13 3.14; do \
	    python=; \
	    for candidate in $$(type -ap python$$version) \
	            "$(HOME)"/.pyenv/versions/$$version*/bin/python$$version; do \
	        if "$$candidate" -c "import ensurepip, venv, sys; \
	            sys.exit('%d.%d' % sys.version_info[:2] != '$$version')" >/dev/null 2>&1; \
	        then python=$$candidate; break; fi; \
	    done; \
	    if [ -z "$$python" ]; then echo "== Python $$version: not found, skipped"; continue; fi; \
	    echo "== Python $$version: $$python"; found="$$found $$version"; \
	    $(MAKE) --no-print-directory test PYTHON="$$python" VENV=.venvs/$$version || status=1; \
	done; \
	if [ -z "$$found" ]; then echo "no interpreter found" >&2; exit 1; fi; \
	exit $$status
test-all: SHELL := bash

random: $(INSTALLED) ## draw groups, edits and schema changes: GROUPS=1000 SEED=0 PROCESSES=2
	$(BIN)/python -m tests.random_groups --groups $(GROUPS) --seed $(SEED) --processes $(PROCESSES)
random: GROUPS ?= 1000
random: SEED ?= 0
random: PROCESSES ?= 2

# Exit code 3 says that this machine cannot be supplied; then the tests are skipped and say why.
e2e: $(INSTALLED) ## run the tests on a real kube-apiserver; builds it once, which takes minutes
	@tests/e2e/assets.sh || [ $$? -eq 3 ]
	$(BIN)/python -m pytest -n 2 --dist loadfile tests/e2e $(PYTEST_ARGS)

e2e-newer: ## the same, with a newer server beside it, which judges CEL; builds it once, in ten minutes
	@tests/e2e/newer.sh
	$(MAKE) e2e

# axe-core comes inside of axe-playwright-python; Chromium is Debian's, or what HOLDALL_CHROMIUM names.
browser: $(INSTALLED) ## run the tests of the explorer in Chromium; pictures go to build/browser
	$(PIP_INSTALL) playwright axe-playwright-python
	HOLDALL_BROWSER=1 $(BIN)/python -m pytest tests/browser $(PYTEST_ARGS)

databases: $(INSTALLED) ## run the tests on a real PostgreSQL, MariaDB and MySQL; brings Debian's where there is none
	@for server in postgresql mariadb mysql; do tests/databases/assets.sh $$server >/dev/null || [ $$? -eq 3 ] || exit; done
	$(BIN)/python -m pytest tests/databases $(PYTEST_ARGS)

# Spark and Ray are large and bring much along, so they have an environment of their own. pyspark comes as
# source and is built with tools of its own; everything else as in $(INSTALLED).
$(ENGINES)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear $(ENGINES)
	$(ENGINE_PIP) pip hatchling
	$(ENGINE_PIP) pyspark
	$(ENGINE_PIP) --no-build-isolation --editable '.[cli,codegen,ray,spark]' hypothesis pytest pytest-randomly
	@touch $@
$(ENGINES)/.installed: ENGINE_PIP = $(ENGINES)/bin/python -m pip install --quiet --constraint constraints.txt

engines: $(ENGINES)/.installed ## run the tests on real Spark and Ray; installs both, and Debian's JRE if there is none
	@tests/engines/assets.sh || [ $$? -eq 3 ]
	PYSPARK_PYTHON=$(CURDIR)/$(ENGINES)/bin/python \
	    $(ENGINES)/bin/python -m pytest --show-capture=no tests/engines tests/docs/test_docs.py -k 'engines' $(PYTEST_ARGS)

package: $(INSTALLED) ## build wheel and sdist in dist, check both, and go a new user's way with the wheel
	$(PIP_INSTALL) hatchling twine
	rm -rf dist
	$(BIN)/python -m hatchling build -d dist
	$(BIN)/python -m twine check --strict dist/*
	HOLDALL_DIST=dist $(BIN)/python -m pytest tests/package $(PYTEST_ARGS)

# Whether generated code is clean does not depend on this, so the slowest of these tests are left out.
compiled: ## compile a wheel in build/wheels, and run the tests of conversions on it
	$(PYTHON) -m venv --clear $(COMPILED)
	$(COMPILED_PIP) pip cython hatchling setuptools
	rm -rf build/wheels
	HOLDALL_COMPILED=1 $(COMPILED)/bin/python -m hatchling build -t wheel -d build/wheels
	$(COMPILED_PIP) "$$(ls build/wheels/*.whl)[arrow,cli,codegen,conform,k8s,otel,sql,testing,validate,webhook]" --group lint --group test
	HOLDALL_COMPILED=1 $(COMPILED)/bin/python -m pytest -n 2 --dist worksteal -k "not clean and not mypy" $(COMPILED_TESTS) $(PYTEST_ARGS)
compiled: COMPILED_PIP = $(COMPILED)/bin/python -m pip install --quiet --constraint constraints.txt

lint: $(INSTALLED) ## check style, types, words and forbidden text; report all findings
	@status=0; \
	check() { echo "== $$*"; "$$@" || status=1; }; \
	no_machine_is_named() { \
	    git grep --untracked -nIE -f .ci/forbidden-text -- . ':!.ci/forbidden-text'; \
	    [ $$? -eq 1 ]; \
	}; \
	check $(BIN)/ruff check .; \
	check $(BIN)/ruff format --check .; \
	check $(BIN)/mypy --strict $(CHECKED); \
	check $(BIN)/basedpyright --pythonpath $(BIN)/python; \
	check no_machine_is_named; \
	check $(BIN)/python -m tests.support.prose; \
	exit $$status

docs: $(INSTALLED) ## build the documentation site in build/site and check its links
	$(BIN)/python -m sphinx -E -W --keep-going --quiet -c docs/site . build/site
	$(BIN)/python docs/site/check.py build/site

house: $(INSTALLED) ## print the rooms: modules, lines, circles of imports, public names
	$(BIN)/python -m tests.support.house

bench: $(INSTALLED) ## measure, and print the table of docs/performance.md
	PYTHONPATH=. $(BIN)/python bench/run.py

proposals: $(INSTALLED) ## measure proposals: CRDS=folder TRUTH=table.yaml
	$(BIN)/python -m tests.support.proposals --list $(CRDS) $(TRUTH)

validity: $(INSTALLED) ## convert drawn objects of CRDS=folder, and judge them
	$(BIN)/python -m tests.support.validity --list $(CRDS)

generate: $(INSTALLED) ## regenerate the sample project
	$(BIN)/holdall generate

clean: ## remove environments, builds and caches
	rm -rf .venv .venvs build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
