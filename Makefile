# Two commands do everything on a fresh machine: `make run` and `make test`.
.PHONY: help run dev test requirements contract forms customers chaos siege guard cover mutants soak histories fuzz release bench bench-sealing bench-web web check clean fmt pictures windows
.DEFAULT_GOAL := help

CARGO ?= cargo
BINARY = $(abspath $(or $(CARGO_TARGET_DIR),target))/debug/journey
NPM_CI := npm ci --no-audit --no-fund --loglevel=error
JOURNEY = $(CARGO) run --quiet --package engine-server --bin journey --
ADDRESS ?= 127.0.0.1:8080
# Tests and what they run, in one selection: with another one cargo chooses other features and builds everything anew.
EVERYTHING = build --workspace --lib --bins --tests --examples --quiet
# Clippy as the compiler of our own crates: the build of the tests is the lint, and nothing is compiled twice.
LINTED = RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings__CLIPPY_HACKERY__

help: ## This list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## Build what is missing and start the product on SQLite, with sandbox partners and the worker
	@.ci/setup run
	@$(MAKE) --no-print-directory web
	$(JOURNEY) serve --definitions . --address $(ADDRESS)

dev: ## As run, and definitions and the web app reload on save
	@.ci/setup run
	@$(MAKE) --no-print-directory web
	@trap 'kill 0' EXIT INT TERM; (cd web && npx vite build --watch --logLevel warn) & $(JOURNEY) serve --definitions . --watch --address $(ADDRESS)

web: web/dist/server/links.json ## The web app, built

web/node_modules/.package-lock.json: web/package-lock.json
	cd web && $(NPM_CI)
	@touch $@

web/dist/server/links.json: web/node_modules/.package-lock.json $(shell find web/src web/public web/scripts web/vite.config.ts -type f 2>/dev/null)
	cd web && npm run --silent build
	@touch $@

web/contract/node_modules/.package-lock.json: web/contract/package-lock.json
	cd web/contract && $(NPM_CI)
	@touch $@

tests/e2e/node_modules/.package-lock.json: tests/e2e/package-lock.json
	cd tests/e2e && $(NPM_CI)
	@touch $@

tests/differential/node_modules/.package-lock.json: tests/differential/package-lock.json
	cd tests/differential && $(NPM_CI)
	@touch $@

contract: web/contract/node_modules/.package-lock.json ## The API's description and the web app's types of it, written anew
	$(CARGO) build --quiet --bin journey
	$(BINARY) export --openapi > web/src/contract/openapi.json
	cd web/contract && npm run --silent make

check: ## Check all definitions and their style, and run their stories
	$(JOURNEY) check --content .
	$(JOURNEY) fmt --check
	$(JOURNEY) stories

test: ## Everything: set-up, Rust, web, definitions, agreement with XState, browser (VERBOSE=1 prints all of it)
	@.ci/setup test
	@.ci/part --begin
	@.ci/part web '$(MAKE) --no-print-directory web web/contract/node_modules/.package-lock.json tests/e2e/node_modules/.package-lock.json tests/differential/node_modules/.package-lock.json'
	@.ci/part format '$(CARGO) fmt --check'
	@.ci/part build '$(LINTED) $(CARGO) build --workspace --lib --bins --tests --examples --quiet'
	@.ci/part definitions '$(MAKE) --no-print-directory check JOURNEY="$(BINARY)" && node tests/requirements.mjs --check'
	@# three rows, one beside the other: each waits for databases, clocks and browsers for a third of its time
	@(.ci/part crashes '$(dir $(BINARY))chaos --short' && \
	.ci/part fuzz '.ci/fuzz $(BINARY) 60 1' && \
	.ci/part cover '$(dir $(BINARY))cover --short && $(dir $(BINARY))customers --count 12 --helped') & first=$$!; \
	(.ci/part rust '$(LINTED) $(CARGO) test --workspace --quiet' && \
	.ci/part contract 'cd web/contract && npm run --silent check' && \
	.ci/part app 'cd web && npm run --silent lint && npm run --silent check && npm test --silent && npm run --silent size' && \
	.ci/part xstate 'cd tests/differential && TREES="$(dir $(BINARY))examples/trees" SIMULATE="$(BINARY) simulate --batch -" npm test --silent && SIMULATE="$(dir $(BINARY))examples/simulate" node export.mjs && "$(dir $(BINARY))../schemathesis/bin/python" trees.py "$(dir $(BINARY))examples/trees"' && \
	.ci/part forms 'FORMS="$(dir $(BINARY))forms" node tests/forms/random.mjs --seed 1 --count 2000') & second=$$!; \
	.ci/part customers '$(dir $(BINARY))customers --count 18' && \
	.ci/part siege '$(dir $(BINARY))siege --short' && \
	.ci/part guard '$(dir $(BINARY))guard --short' && \
	.ci/part walks 'cd tests/e2e && E2E_BINARY="$(BINARY)" npm test --silent'; \
	status=$$?; wait $$first || status=1; wait $$second || status=1; exit $$status
	@.ci/part lighthouse 'cd tests/e2e && node lighthouse.mjs --gate --binary "$(BINARY)"'
	@.ci/part --summary

requirements: ## Which requirement is held by which test, without building anything; rows of one group: ARGS="--group people"
	@node tests/requirements.mjs $(ARGS)

forms: web/node_modules/.package-lock.json ## Random forms and answers, read by the engine and by the browser's code: 20,000 (options: ARGS="--seed 7 --count 5000")
	$(CARGO) $(EVERYTHING)
	FORMS="$(dir $(BINARY))forms" node tests/forms/random.mjs $(ARGS)

RELEASE = $(abspath $(or $(CARGO_TARGET_DIR),target))/release

bench: ## Speed, side by side with a baseline in the same run; one part: BENCH="journeys --database sqlite"
	@.ci/setup test
	@$(MAKE) --no-print-directory web tests/differential/node_modules/.package-lock.json
	$(CARGO) build --release --quiet --package engine-server --bin journey --package journey-bench --bin journey-bench
ifdef BENCH
	$(RELEASE)/journey-bench $(BENCH)
else
	$(CARGO) bench --package engine-statechart
	cd tests/differential && npm run --silent bench
	$(RELEASE)/journey-bench journeys
	$(RELEASE)/journey-bench jobs
endif

bench-sealing: ## What sealing costs: steps a second beside a build that seals nothing, window by window (options: ARGS="--database sqlite")
	@.ci/setup test
	@$(MAKE) --no-print-directory web
	$(CARGO) build --release --quiet --package engine-server --bin journey --package journey-bench --bin journey-bench
	RUSTFLAGS="--cfg unsealed" $(CARGO) build --release --quiet --package engine-server --bin journey --target-dir $(RELEASE)/../unsealed
	$(RELEASE)/journey-bench journeys --former $(RELEASE)/../unsealed/release/journey --rounds 5 --open 0 --grown 0 $(ARGS)

bench-web: ## Lighthouse mobile over the main pages, median of five; beside a former build: BASELINE=path/to/journey; of a build that is there: BUILT=path/to/journey (options: ARGS="--runs 3 --page /")
	@.ci/setup test
	@$(MAKE) --no-print-directory web tests/e2e/node_modules/.package-lock.json
ifndef BUILT
	$(CARGO) build --release --quiet --package engine-server --bin journey
endif
	cd tests/e2e && node lighthouse.mjs --binary $(abspath $(or $(BUILT),$(RELEASE)/journey)) $(if $(BASELINE),--baseline $(abspath $(BASELINE))) $(ARGS)

fuzz: ## Requests made from the API's description, three seeds of five minutes: no answer but what it describes
	@.ci/setup test
	@$(MAKE) --no-print-directory web
	$(CARGO) build --quiet --bin journey
	@.ci/fuzz $(BINARY) 300 1 2 3

release: ## One program with the web app and the definitions inside, a container file and a unit file beside it: release/
	@.ci/setup run
	@$(MAKE) --no-print-directory web
	$(CARGO) build --release --locked --quiet --package engine-server --bin journey
	@.ci/release $(RELEASE)/journey release

chaos: ## Crash tests: 200 kills on each database under load, bad lines, a disk without power, a backup restored, an old database taken over, and an audit of each (options: ARGS="--help")
	@.ci/setup test
	@$(MAKE) --no-print-directory web
	$(CARGO) build --release --quiet --package engine-server --bin journey
	$(CARGO) run --quiet --package journey-tests --bin chaos -- --binary $(RELEASE)/journey $(ARGS)

customers: ## Random customers, seeded, buy whatever they like; rules that must always hold (options: ARGS="--seed 7 --count 500")
	@.ci/setup test
	@$(MAKE) --no-print-directory web
	$(CARGO) run --release --quiet --package journey-tests --bin customers -- $(ARGS)

siege: ## Customers in quiet, and beside 18,000 half-open, slow and silent connections (options: ARGS="--help")
	@.ci/setup test
	@$(MAKE) --no-print-directory web
	$(CARGO) build --release --quiet --package engine-server --bin journey
	$(CARGO) run --quiet --package journey-tests --bin siege -- --binary $(RELEASE)/journey $(ARGS)

guard: ## What stands before an account: wrong one-time passwords in parallel, a flood of requests to send some, what a session's check costs (options: ARGS="--help")
	@.ci/setup test
	@$(MAKE) --no-print-directory web
	$(CARGO) run --release --quiet --package journey-tests --bin guard -- $(ARGS)

cover: ## Everybody who is not the customer opens everything there is, in every role and each way to help, and finds nothing of the customer (the form of make test: ARGS="--short")
	@.ci/setup test
	@$(MAKE) --no-print-directory web
	$(CARGO) run --release --quiet --package journey-tests --bin cover -- $(ARGS)
	$(CARGO) run --release --quiet --package journey-tests --bin customers -- --helped

mutants: ## Shipped definitions with one small mistake each: check or a story must find it (options: ARGS="--kind guard --count 10 --only health")
	$(CARGO) run --release --quiet --package journey-tests --bin mutants -- $(ARGS)

soak: ## An hour of customers who buy cars beside partners that misbehave: memory, file size and latency stay flat (options: ARGS="--help")
	@.ci/setup test
	@$(MAKE) --no-print-directory web
	$(CARGO) build --release --quiet --package engine-server --bin journey
	$(CARGO) run --quiet --package journey-tests --bin soak -- --binary $(RELEASE)/journey $(ARGS)

histories: ## The kept databases that later builds must finish, written anew (only while the format is open)
	$(CARGO) $(EVERYTHING)
	$(dir $(BINARY))histories
	$(dir $(BINARY))chaos --binary $(BINARY) --round record --database sqlite
	$(dir $(BINARY))chaos --binary $(BINARY) --round record --database postgres

pictures: ## Pictures of every step at 390 and 1280 pixels, in tests/e2e/pictures (at four widths, by day and night, in both languages: PICTURES=all)
	@.ci/setup test
	@$(MAKE) --no-print-directory web tests/e2e/node_modules/.package-lock.json
	$(CARGO) build --bin journey
	cd tests/e2e && E2E_BINARY="$(BINARY)" npm run --silent pictures

windows: ## Every walk, with what leads on from each step looked at in seven widths and three text sizes: nothing stands on it (options: ARGS="walks/phone.spec.ts")
	@.ci/setup test
	@$(MAKE) --no-print-directory web tests/e2e/node_modules/.package-lock.json
	$(CARGO) build --bin journey
	cd tests/e2e && E2E_BINARY="$(BINARY)" E2E_WINDOWS=all E2E_EXAMPLES=all npm test --silent -- $(ARGS)

fmt: ## Format Rust, definitions and the web app
	$(CARGO) fmt
	$(JOURNEY) fmt
	cd web && npm run --silent format

clean: ## Remove build output and the development database
	rm -rf target web/dist .data
