# The front door. `make help` lists what it can do; the work itself is in tools/ and CMakePresets.json.
MAKEFLAGS += --no-print-directory
PYTHON := /usr/bin/python3
BASE ?= HEAD

.DEFAULT_GOAL := help
.PHONY: help up down build test test-all check bench dev fmt test-fresh clean gen-api bless

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

up: ## install, build, start the server, run the digits example; then the page's address
	@tools/setup build up
	@tools/build
	@$(PYTHON) tools/up

down: ## stop the server of `make up` (running tasks go on; the next `make up` takes them back)
	@$(PYTHON) tools/up --down

build: ## build/trainyard, the one program
	@tools/setup build
	@tools/build

test: ## everything a change must pass: unit, scenario, integration and 200 crashes (under 25 minutes)
	@tools/setup build up test
	@$(PYTHON) tools/test basic

test-all: ## beyond `make test`: sanitizers, fuzzing, a longer crash loop
	@tools/setup all
	@$(PYTHON) tools/test extra

check: ## quick look before a commit: format, includes, warnings, unit tests, lint of what differs from BASE (HEAD)
	@tools/setup build check
	@$(PYTHON) tools/test check --base $(BASE)

bench: ## measure beside Slurm, SQLite and cat, and print the ratios
	@tools/setup build up test bench
	@tools/build
	@$(PYTHON) tests/bench/bench.py

dev: ## server from a fast build with the fake engine, and the page beside it, renewed as you save
	@tools/setup build
	@tools/dev

fmt: ## format the sources of the program and of the page
	@tools/setup check
	@git ls-files -co --exclude-standard -- '*.h' '*.cc' | xargs -r clang-format-19 -i
	@tools/page-packages
	@npm --prefix web run --silent format -- --write --log-level warn

test-fresh: ## type the README's commands into a bare Debian 12 made on the spot (root)
	@tools/setup fresh
	@tools/test-fresh

gen-api: ## rewrite docs/reference/ and src/client/generated/ from contract/openapi.yaml and messages.toml
	@tools/setup check
	@$(PYTHON) tools/gen-api
	@$(PYTHON) tools/gen-client
	@$(PYTHON) tools/gen-messages --docs

bless: ## rewrite the golden files; read the diff before you commit it
	@tools/setup build
	@tools/build dev
	TY_BLESS=1 ctest --test-dir build/dev --output-on-failure -R 'unit\.(model|jobspec|config|cli)'

clean: ## remove build/
	rm -rf build
