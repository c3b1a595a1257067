# Everything a person types is a target of this file; `make help` lists them.
# `make tour` and `make test` each work as the first command on a fresh machine that has Python 3.10 or
# newer, a C compiler, make and cargo.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Inside of the environment: what is done to it goes when it goes.
STAMPS := $(VENV)/.stamps
PROFILE := checked
DATA ?= $(wildcard ../shared/data)
DEVELOP = VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release
RUST_SOURCES := $(shell find crates -name '*.rs' -not -path '*/target/*' 2>/dev/null) Cargo.toml Cargo.lock $(wildcard crates/*/Cargo.toml)

.DEFAULT_GOAL := help
.PHONY: help setup tour test check bench docs fuzz clean cargo-test pytest lint types

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(STAMPS)/toolchain:
	@command -v cargo >/dev/null 2>&1 || { echo "maxmunch needs cargo (Rust 1.95 or newer) to build its core: install it from https://rustup.rs, then run this again."; exit 1; }
	@command -v cc >/dev/null 2>&1 || { echo "maxmunch needs a C compiler (cc): on Debian, apt-get install build-essential; then run this again."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || { echo "maxmunch needs Python 3.10 or newer as '$(PYTHON)': install it, or name one with make PYTHON=/path/to/python3."; exit 1; }
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/venv: pyproject.toml | $(STAMPS)/toolchain
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'maturin>=1.10,<2'
	@touch $@

$(STAMPS)/build: $(RUST_SOURCES) $(STAMPS)/venv
	@echo "building the core and installing maxmunch (a minute or two the first time) …"
	@$(DEVELOP) --extras hf,report >$(STAMPS)/build.log 2>&1 || { cat $(STAMPS)/build.log; exit 1; }
	@touch $@

$(STAMPS)/dev: pyproject.toml | $(STAMPS)/build
	@echo "installing what the checks and tests need …"
	@$(DEVELOP) --extras hf,report,data,lp,test,lint,docs >$(STAMPS)/dev.log 2>&1 || { cat $(STAMPS)/dev.log; exit 1; }
	@touch $@

setup: $(STAMPS)/build ## make .venv, build the core, install the package

tour: setup ## the main job on this machine's own Python sources: train, encode, certify, report
	$(BIN)/maxmunch tour --output tour-report

test: check cargo-test pytest docs ## every check and every test: Rust, Python, docs

check: setup $(STAMPS)/dev ## formatters, linters, types, and the stub against the built module
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest maxmunch._core --allowlist tests/stubtest_allowlist.txt --ignore-disjoint-bases

cargo-test: | $(STAMPS)/toolchain
	cargo test --package maxmunch --profile $(PROFILE) --quiet

pytest: setup $(STAMPS)/dev
	$(BIN)/python -m pytest

$(STAMPS)/bench: $(STAMPS)/dev
	@echo "installing the engines to compare with …"
	@$(DEVELOP) --extras hf,report,data,lp,test,lint,docs,bench >$(STAMPS)/bench.log 2>&1 || { cat $(STAMPS)/bench.log; exit 1; }
	@touch $@

bench: setup $(STAMPS)/bench ## ours and the rivals (extra `bench`) in fresh processes, ids compared; DATA=folder of tokenizers and texts
	$(BIN)/python benchmarks/peers.py $(DATA)

docs: setup $(STAMPS)/dev ## build the documentation, any broken reference is an error
	$(BIN)/python -m sphinx -n -W --keep-going -q -b html docs docs/_build/html

fuzz: ## run each fuzz target for a minute (needs cargo-fuzz and a nightly toolchain)
	cd crates/maxmunch && cargo +nightly fuzz run encode_ids -- -max_total_time=60 -max_len=4096

clean: ## remove everything that was built
	rm -rf $(VENV) target docs/_build tour-report
	find . -name '__pycache__' -prune -exec rm -rf {} +
	find python -name '*.so' -delete
