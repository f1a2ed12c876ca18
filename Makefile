# `make` builds everything, `make run` also repeats a published study, `make test` runs all tests. `make help` lists the rest.
# Values carry no comment behind them: make would keep the blanks before it.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := setup
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DONE := $(VENV)/done
LOGS := target/setup
CORE := python/penstock/_core.abi3.so
# How the Rust core is built: `release` for results, tests and speeds; `daily` compiles quickly and runs slower.
PROFILE ?= release
# From where the property tests of `make test` draw their cases: the same ones each time, so that a change is told by what it
# changed. `make properties` draws others.
SEED := 1
# How often `make properties` repeats them.
ROUNDS ?= 10
# The program of `make compare` for htsim, which bench/README.md tells of; left out if empty.
HTSIM ?=
# How long `make fuzz` takes.
MINUTES ?= 60
UV := $(BIN)/uv pip
INSTALL := $(UV) install --quiet --python $(BIN)/python
# Cargo takes every core; a jobserver of ours would hold it to our two jobs.
CARGO := env -u MAKEFLAGS -u MFLAGS cargo
# Its progress is for `make` to tell, see `compiling`.
MATURIN := env -u MAKEFLAGS -u MFLAGS CARGO_TERM_PROGRESS_WHEN=always CARGO_TERM_PROGRESS_WIDTH=100 VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin

# Folders are listed too, so that a file that goes away is noticed.
RUST_SOURCES := Cargo.toml Cargo.lock $(wildcard crates/*/Cargo.toml crates/*/build.rs) $(shell find crates/*/src)

# There is one core at a time: this stamp says of which profile it is, and building another removes it.
BUILT := $(DONE)/core-$(PROFILE)

READY := $(DONE)/command $(BUILT)
READY_DEV := $(READY) $(DONE)/dev

.PHONY: run test new try check wheel packages tshark emulation browser daily lint docs crosscheck compare benchmarks peers instructions lines stress fuzz properties mutants setup setup-dev lock format clean help lost

## What people ask for

run: setup ## build everything and repeat a published study (af)
	@echo "Rust core: $(PROFILE) profile"
	@$(BIN)/penstock reproduce af

test: setup-dev ## set up and run all tests
	@echo "Rust tests: dev profile (optimised, with checks); Python tests: Rust core of the $(PROFILE) profile"
	PROPTEST_RNG_SEED=$(SEED) $(CARGO) test --locked --workspace --quiet
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile

new: ## write a component to begin with (KIND=discipline NAME=early-random-drop); without them, the kinds
	@$(PYTHON) tools/new/new.py "$(KIND)" "$(NAME)"

try: ## try one component after an edit, in seconds (COMPONENT=red)
	@$(PYTHON) tools/try.py "$(COMPONENT)"

# Unoptimised, in the build of `make try`: 65 s of processor time after an edit of a component; optimised it took 630 s.
check: ## the tests that notice most, in a minute: unit tests of Rust, goldens, 50 random networks, bad input
	@TIMEFORMAT="make check: %U s of processor time, and %S s in the system"; time { \
		PROPTEST_RNG_SEED=$(SEED) $(CARGO) test --profile try --locked --workspace --quiet --lib --test goldens --test catalogue --test 'mistakes_*'; \
		PROPTEST_RNG_SEED=$(SEED) PENSTOCK_CASES=13 $(CARGO) test --profile try --locked --workspace --quiet --test equivalence -- executors_agree; }
	@echo "left out: other whole simulations and networks, examples, extremes, published studies, Python (make test); lint; docs"

# What the tests of captures read them with; without it they are skipped.
tshark:
	@{ command -v tshark && command -v capinfos; } >/dev/null || { apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends tshark wireshark-common; }

# What the tests of emulation need; they are skipped without it, and without the rights of root.
emulation:
	@{ command -v ip && command -v iperf3 && command -v curl; } >/dev/null || { apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends iproute2 iperf3 curl; }

lint: setup-dev ## check form, types, spelling and habits of writing
	$(CARGO) fmt --check
	$(CARGO) clippy --locked --quiet --workspace --all-targets -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/stubtest penstock._core penstock.components
	$(BIN)/codespell
	$(BIN)/python tools/prose/prose.py

format: $(DONE)/dev ## put the sources into their form
	$(CARGO) fmt
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

docs: setup-dev ## build the pages, warnings being errors, and check what their search finds first
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --quiet --workspace --no-deps
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet -b html docs docs/_build/html
	$(BIN)/python docs/check_search.py
	@echo "docs/_build/html/index.html"

browser: ## install Chromium (Debian's package, if it is missing), in which the tests open reports
	@command -v chromium >/dev/null || { apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium; }

wheel: $(DONE)/tools ## build a wheel for machines without a compiler, into target/wheels
	@$(MATURIN) build --release --locked --quiet --out target/wheels
	@ls -t target/wheels/*.whl | head -n 1

packages: setup-dev $(DONE)/packaging ## build wheel and source distribution, and try both in empty environments
	$(BIN)/python tests/packages/packages.py

crosscheck: setup ## compare with ns-2 (installs Debian's package if it is missing)
	@command -v ns >/dev/null || { apt-get update -qq && apt-get install -qq -y ns2; }
	$(BIN)/python bench/peers/ns2/crosscheck.py

compare: setup peers ## compare the speed with that of ns-2, ns-3 (installs Debian's packages if they are missing) and htsim (HTSIM=PROGRAM)
	$(BIN)/python bench/peers/compare.py $(if $(HTSIM),--htsim $(HTSIM))

benchmarks: setup-dev peers ## the same, how time and memory grow, and the page of it (half an hour)
	$(BIN)/python bench/peers/compare.py --keep $(if $(HTSIM),--htsim $(HTSIM))
	$(BIN)/python bench/growth.py

# What cannot be installed is left out of the comparison, which says so.
peers:
	@{ command -v ns && command -v g++ && pkg-config --exists ns3-internet; } >/dev/null || \
		{ apt-get update -qq && apt-get install -qq -y ns2 libns3-dev g++ pkg-config; } || true

instructions: setup-dev ## compare instruction counts with the recorded ones (installs valgrind if it is missing)
	@command -v valgrind >/dev/null || { apt-get update -qq && apt-get install -qq -y valgrind; }
	$(BIN)/python bench/instructions.py
	$(BIN)/python bench/delays.py

lines: setup-dev ## count lines of code, without comments, blank lines and inline tests
	@$(BIN)/python bench/lines.py

stress: setup-dev ## the store and worker processes under random kills, power cuts, what a run costs, coverage of precision targets (half an hour)
	$(BIN)/python tests/stress/store.py
	$(BIN)/python tests/stress/workers.py
	$(BIN)/python tests/stress/precision.py

fuzz: setup-dev ## random and mutated scenarios, with overflow checks, for an hour (MINUTES=5 for less)
	$(BIN)/python tests/fuzz/fuzz.py --minutes $(MINUTES) --result docs/fuzz-last-run.md

properties: ## repeat all Rust tests with other random cases (ROUNDS=3 for fewer)
	@for round in $$(seq $(ROUNDS)); do $(CARGO) test --locked --workspace --quiet || exit 1; done

mutants: setup-dev ## make each mistake of a list and look whether a test notices (a long while; goes on where it was)
	$(BIN)/python tests/mutants/mutants.py

daily: ## build for the loop of editing and trying: compiles quickly, runs slower
	@$(MAKE) setup PROFILE=daily
	@echo "Rust core: daily profile (for speeds and results: make)"

setup: ## build everything (also plain `make`)
	@$(call unless_ready,$(READY))

setup-dev: ## build everything that tests, lints and pages need
	@$(call unless_ready,$(READY_DEV))

lock: $(DONE)/tools ## write the Python lock files again; `make lock UP=--upgrade` takes newer versions
	$(call compile,--group setup,requirements-setup.lock)
	$(call compile,pyproject.toml,requirements.lock)
	$(call compile,--group dev --constraint requirements.lock,requirements-dev.lock)
	$(call compile,--group packages --constraint requirements-dev.lock,requirements-packages.lock)

clean: ## remove all that was built
	rm -rf $(VENV) target docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -f $(CORE)

help: ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

## How it is set up: tools first, then the Python packages beside the Rust core, last the command

# Asks first whether there is anything to do: the second time nothing is printed and nothing started.
define unless_ready
if ! $(MAKE) --question $(1) 2>/dev/null; then \
	echo "setting up (what it says goes to $(LOGS))"; \
	$(MAKE) --silent --jobs=2 $(1); \
	printf '%s\n' "setting up ............................................ $$SECONDS s (once)"; \
fi
endef

# Says every ten seconds which crates cargo is compiling, as far as the log $(1) tells. It ends with the recipe's shell, also
# where that is interrupted: what runs in the background does not see Ctrl-C.
define compiling
while sleep 10 </dev/null >/dev/null 2>&1 && kill -0 $$$$ 2>/dev/null; do \
	now=$$(tail -c 4000 $(1) | tr '\r' '\n' | \
		sed -nE 's|^ *Building \[[^]]*\] ([0-9]+)/([0-9]+): (.*[^ ]) *$$|\1 of \2 crates compiled, now \3|p' | tail -n 1); \
	[ "$$now" = "$${last:-}" ] || printf '    %s\n' "$$now"; \
	last=$$now; \
done
endef

# Runs $(2) quietly, says how far the compiler is and how long it took, and shows what was said only if it failed. The stamp has
# the time at which it began, so that a file edited meanwhile is newer.
define step
@mkdir -p $(LOGS); \
touch $(LOGS)/$(@F).begun; \
: >$(LOGS)/$(@F).log; \
{ $(call compiling,$(LOGS)/$(@F).log); } & \
watcher=$$!; \
status=0; \
{ $(2); } </dev/null >$(LOGS)/$(@F).log 2>&1 || status=$$?; \
kill $$watcher 2>/dev/null || true; \
wait $$watcher 2>/dev/null || true; \
if [ $$status = 0 ]; then \
	mkdir -p $(DONE); touch -r $(LOGS)/$(@F).begun $@; printf '  %-51s %3s s\n' "$(1)" "$$SECONDS"; \
else \
	cat $(LOGS)/$(@F).log; echo "setting up failed at: $(1)"; exit 1; \
fi
endef

compile = $(UV) compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header $(UP) $(1) -o $(2)

$(DONE)/tools: requirements-setup.lock
	$(call step,tools,$(PYTHON) -c 'import sys; sys.hexversion >= 0x030b0000 or sys.exit("Python 3.11 or newer is needed")' && \
		$(PYTHON) -m venv --clear $(VENV) && \
		$(BIN)/python -m pip install --quiet --no-deps --only-binary :all: --require-hashes -r $<)

# Downloads while the tools are being installed.
$(LOGS)/crates: Cargo.lock
	$(call step,Rust crates,$(CARGO) fetch --locked --quiet)

$(DONE)/packages: requirements.lock $(DONE)/tools
	$(call step,Python packages,$(INSTALL) --only-binary :all: --require-hashes -r $<)

$(DONE)/dev: requirements-dev.lock $(DONE)/packages
	$(call step,Python packages for development,$(INSTALL) --only-binary :all: --require-hashes -r $<)

$(DONE)/packaging: requirements-packages.lock $(DONE)/dev
	$(call step,Python packages for packaging,$(INSTALL) --only-binary :all: --require-hashes -r $<)

# Builds once more if a source was edited meanwhile: the model version is that of the sources, and must not name another core.
$(BUILT): $(RUST_SOURCES) $(DONE)/tools $(if $(wildcard $(CORE)),,lost) | $(LOGS)/crates
	@rm -f $(DONE)/core-*
	$(call step,Rust core ($(PROFILE) profile),(until touch $(LOGS)/$(@F).begun; \
		$(MATURIN) develop --profile $(PROFILE) --locked --skip-install || exit 1; \
		[ -z "$$(find crates Cargo.toml Cargo.lock -newer $(LOGS)/$(@F).begun -print -quit)" ]; do echo "edited meanwhile: once more"; done))

# The stamp does not count where the core itself was removed.
lost:

# An edit of Python or Rust needs no new installation, only new metadata does. The package is named for
# reinstallation because uv would otherwise take what it built for an earlier .venv, without building anything.
$(DONE)/command: pyproject.toml $(DONE)/packages | $(BUILT)
	$(call step,command,$(INSTALL) --offline --no-deps --no-build-isolation --reinstall-package penstock \
		--config-settings build-args="--profile $(PROFILE)" --editable .)
