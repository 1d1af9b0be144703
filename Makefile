# make demo and make test need Go and nothing else: a compiler is installed
# where that is possible, everything else comes through the Go modules.

# DuckDB is linked into the binary, by cgo.
export CGO_ENABLED := 1
export PATH := $(PATH):/usr/local/go/bin

# Go asks git for the version to stamp. Where git does not answer, such as in a
# folder of another owner, build without.
ifneq ($(shell git rev-parse HEAD >/dev/null 2>&1 && echo yes),yes)
export GOFLAGS := $(GOFLAGS) -buildvcs=false
endif

GO      ?= go
BIN     := build/ccbfsql
EXT     := build/ccbf.duckdb_extension
LINT    := build/tools/golangci-lint
LINTVER := v2.15.0
VALE    := build/tools/vale
VALEVER := v3.22.0
# Pages whose sentences are short and have few figures: all but the code of conduct, which is quoted.
PROSE   := $(filter-out CODE_OF_CONDUCT.md,$(wildcard *.md docs/*.md docs/*/*.md bench/*.md js/*.md python/*.md test/*/*.md))

# Every module of the repository, this one first; beam, bench, the tools that package
# and the driver under its old name have one of their own.
MODULES := . $(patsubst %/go.mod,%,$(wildcard beam/go.mod bench/go.mod packaging/tools/go.mod test/olddriver/go.mod))

# Everything but the shell, the clients and the examples, which run as processes of their
# own. Of the sketches without the families' laws, which take most of the time, on one goroutine.
RACE := ./filters/... ./agg/... ./udf/... ./internal/... ./connector/...
# Of the tests over SQL those with several threads or connections; the others
# take minutes under the race detector and have nothing to race.
RACESQL := TestSQL|TestManyConnections|TestCancelled|TestRegister|TestRelease|TestUnwrap

# The packages whose tests take longest, which begin first: beside each other, and none alone
# at the end.
LONGEST := ./test/clients ./cmd/ccbfsql/internal/serve ./sql/test

FUZZTIME ?= 20s

.DEFAULT_GOAL := help
.PHONY: help demo map build extension wheel dist test test-all machines clients web js cluster race differential soak bench peers paper lint fuzz docs clean compiler

help: ## This list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1~\2/p' $(MAKEFILE_LIST) | awk -F'~' '{ printf "%-19s %s\n", $$1, $$2 }'

compiler:
	@scripts/compiler

# What ccbf_version() and the extension's footer say.
VERSION := $(or $(shell git describe --tags --always --dirty --abbrev=10 2>/dev/null),development)
NAMED   := -X github.com/ccbfsql/ccbfsql/udf.built=$(VERSION)

# Of these goals in any order: the page is embedded by the build.
ifneq ($(filter web,$(MAKECMDGOALS)),)
build: web
endif

build: compiler ## The shell: build/ccbfsql
	@[ -f cmd/ccbfsql/internal/serve/page/index.html ] || echo "The map's page is not built: ccbfsql serve will say so. make web builds it, for the next build."
	@echo "Building $(BIN) (the first time downloads about 50 MB, mostly DuckDB)"
	@$(GO) build -ldflags "$(NAMED)" -o $(BIN) ./cmd/ccbfsql

# The system that is built for; $(shell) does not see what was said to make.
SYSTEM  := $(or $(GOOS),$(shell $(GO) env GOOS))
# Only the entry point is to be seen: a host or another extension may bring
# functions of the same names. packaging/glibc/link takes what glibc has in several
# versions in its oldest, and says what is linked in and what is not.
ifeq ($(SYSTEM),linux)
EXTLD   := -extld=$(CURDIR)/packaging/glibc/link -extldflags '-Wl,--version-script=$(CURDIR)/cmd/ccbf-extension/export.map'
endif
ifeq ($(SYSTEM),darwin)
EXTLD   := -extldflags '-Wl,-exported_symbol,_ccbf_init_c_api'
endif
# MinGW's libraries, winpthread among them, are on no Windows machine.
ifeq ($(SYSTEM),windows)
EXTLD   := -extldflags '-static'
endif

# For another machine, with a C compiler for it:
#   make extension GOARCH=arm64 CC=aarch64-linux-gnu-gcc CXX=aarch64-linux-gnu-g++ EXT=build/linux_arm64/ccbf.duckdb_extension
extension: compiler ## The loadable extension: build/ccbf.duckdb_extension
	@[ -z "$$(find packaging/glibc -newer build/extension/libccbf.so 2>/dev/null)" ] || rm build/extension/libccbf.so # Go does not look
	@$(GO) build -buildmode=c-shared -trimpath -buildvcs=false -o build/extension/libccbf.so \
		-ldflags "-s -w -buildid= $(NAMED) $(EXTLD)" ./cmd/ccbf-extension
	@mkdir -p $(dir $(EXT))
	@env -u GOOS -u GOARCH -u CC -u CXX $(GO) run ./cmd/ccbf-extension/stamp -version $(VERSION) $(STAMP) -o $(EXT) build/extension/libccbf.so

wheel: extension ## The package for Python, with the extension inside, for this machine: build/wheel
	@rm -rf build/wheel
	@cd packaging/tools && $(GO) run ./sbom -version $(VERSION) -created "$$(date -u +%FT%TZ)" \
		-spdx $(CURDIR)/build/extension/spdx.json -licences $(CURDIR)/build/extension/THIRD_PARTY.txt $(abspath $(EXT))
	@scripts/wheel build/wheel $$($(GO) env GOARCH) $(EXT) build/extension/THIRD_PARTY.txt $(VERSION)
	@ls build/wheel/*

# Not of make test-all: it builds everything for two processors.
dist: compiler web ## The release files for linux amd64 and arm64, in build/dist, and their tests; TARGETS="linux_amd64": only those
	@GO=$(GO) MAKE="$(MAKE)" scripts/dist $(TARGETS)

demo: build ## A million crimes, one sketch per month and category, and answers beside the true counts
	@mkdir -p build/demo
	@rm -f build/demo/demo.duckdb build/demo/demo.duckdb.wal
	@cd build/demo && ../ccbfsql demo.duckdb -f ../../sql/demo/demo.sql
	@echo
	@echo "Its tables are still there. To ask them yourself:  $(BIN) build/demo/demo.duckdb"
	@echo "To look at them on a map:                               make map"

# web first: the page is embedded by the build.
map: web demo ## The sketches of the demo on a map in the browser: http://127.0.0.1:8080
	@$(BIN) serve build/demo/demo.duckdb

test: compiler ## The tests of every module, without those that take long
	@set -e; for m in $(MODULES); do echo "== go test -short ./... in $$m"; \
		(cd $$m && $(GO) test -short -timeout 30m $$(ls -d $(LONGEST) 2>/dev/null) ./...); done

test-all: compiler extension clients web js ## All tests: also those of the extension in other programs, of the page in a browser, and on 386 and s390x
	@GO=$(GO) scripts/machines quick
	@set -e; for m in $(MODULES); do echo "== go test ./... in $$m"; \
		(cd $$m && $(GO) test -timeout 30m $$(ls -d $(LONGEST) 2>/dev/null) ./...); done

machines: ## Tests of the sketches on 386 and, emulated, on s390x: the same bytes; of the extension on arm64
	@GO=$(GO) MAKE="$(MAKE)" scripts/machines

# Into a folder of its own, and not with npm ci: that refuses a lock file without
# the packages of every platform, which not every registry has.
# pyarrow, pandas and Polars are half a gigabyte: only with CCBF_LONG=1.
clients: build/clients/installed build/clients/python/installed build/clients/python/tools/installed build/clients/python/spatial/installed build/clients/python/cli/installed $(if $(CCBF_LONG),build/clients/python/frames/installed) build/clients/jvm/installed ## Several versions of DuckDB for Node, Python and Java, for the tests of the extension
	@command -v node >/dev/null && command -v npm >/dev/null || \
		echo "No node and npm here: the tests of the extension in Node are left out."
	@command -v javac >/dev/null || \
		echo "No JDK here: the tests of the extension in a Java virtual machine are left out."

build/clients/installed: test/clients/node/package.json test/clients/node/package-lock.json
	@mkdir -p $(@D)
	@if command -v node >/dev/null && command -v npm >/dev/null; then \
		echo "Installing DuckDB's Node client in several versions (half a gigabyte, once)"; \
		cp $^ $(@D) && cd $(@D) && npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error && touch $(@F) || \
		echo "npm could not install them: the tests of the extension in Node are left out."; \
	fi

build/clients/python/installed: test/clients/python/versions
	@mkdir -p $(@D)
	@if command -v python3 >/dev/null; then \
		echo "Installing DuckDB's Python package in several versions (a quarter of a gigabyte, once)"; \
		(for v in $$(cat $<); do python3 -m pip install --quiet --no-deps --only-binary :all: --disable-pip-version-check \
			--root-user-action ignore --upgrade --target $(@D)/$$v duckdb==$$v || exit; done) && touch $@ || \
		echo "pip could not install them: the tests of the extension in Python are left out."; \
	else echo "No Python here: the tests of the extension in it are left out."; fi

# pytest and what runs a notebook; cli: DuckDB's own shell; frames: what DuckDB passes data to.
build/clients/python/%/installed: test/clients/python/%.txt
	@mkdir -p $(@D)
	@if command -v python3 >/dev/null; then \
		python3 -m pip install --quiet --no-deps --only-binary :all: --disable-pip-version-check \
			--root-user-action ignore --upgrade --target $(@D) -r $< && touch $@ || \
		echo "pip could not install what $< lists: the tests in Python that need it are left out."; \
	else echo "No Python here: the tests in it are left out."; fi

# The JDBC driver, and the library in it, which has DuckDB's C API, too.
build/clients/jvm/installed: test/clients/jvm/versions
	@mkdir -p $(@D)
	@(for v in $$(cat $<); do mkdir -p $(@D)/$$v && cd $(@D)/$$v && \
		curl -fsS -o driver.jar https://repo1.maven.org/maven2/org/duckdb/duckdb_jdbc/$$v/duckdb_jdbc-$$v.jar && \
		python3 -c "import sys, zipfile; open('libduckdb.so', 'wb').write(zipfile.ZipFile('driver.jar').read(sys.argv[1]))" \
			"libduckdb_java.so_linux_$$(uname -m | sed 's/x86_64/amd64/;s/aarch64/arm64/')" && cd $(CURDIR) || exit; \
		done) && touch $@ || \
		echo "No DuckDB $$(cat $<) from Maven Central here: the tests of the extension in it are left out."

# Not with npm ci, as above. Scripts of packages are not run: none is needed.
web: ## The page of ccbfsql serve, for the next build
	@if command -v node >/dev/null && command -v npm >/dev/null; then \
		cd web && npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error && npm run --silent build || \
		echo "The page of ccbfsql serve could not be built; ccbfsql serve says so."; \
	else echo "No node and npm here: ccbfsql serve has no page, and its test in a browser is left out."; fi

js: ## The reader of sketches for browsers and Node, in js/dist
	@if command -v node >/dev/null && command -v npm >/dev/null; then \
		cd js && npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error && npm run --silent build || \
		echo "The reader in js could not be built: its tests are left out."; \
	else echo "No node and npm here: the tests of the reader in js are left out."; fi

# Not of make test-all: it downloads half a gigabyte, and takes Java, Maven and Python.
cluster: build ## The pipeline on Apache Spark and Flink on this machine, compared with DuckDB alone; ARGS="-points 100000000"
	@cd beam && $(GO) build -o ../build/ccbf-pipeline ./cmd/ccbf-pipeline
	@python3 test/cluster/run.py $(ARGS)

race: compiler ## The tests with Go's race detector
	$(GO) test -race -short -timeout 30m -skip '^TestConformance$$' $(RACE)
	$(GO) test -race -short -timeout 30m -run '$(RACESQL)' ./sql/test

differential: compiler ## 100,000 random queries through all plans of DuckDB, more than an hour; ARGS="-queries 1000 -seed 7"
	@mkdir -p build
	@$(GO) build -o build/differential ./test/differential
	@build/differential $(ARGS)
	@CCBF_SKETCHES=20000 $(GO) test -timeout 0 -run TestIntervalsOfAnyCounters ./filters/ccbf

soak: compiler ## The queries of make differential in one process for an hour, with its use of memory; ARGS="-for 10m"
	@mkdir -p build
	@$(GO) build -o build/differential ./test/differential
	@build/differential -for 1h $(ARGS)

bench: compiler extension clients ## docs/PERFORMANCE.md and docs/performance: speed and size as ratios, compared with stored figures, eight minutes; ARGS: names of experiments, -quick, -keep, -render
	@cd bench && $(GO) run ./speed -out ../docs $(ARGS)

peers: extension build/peers/installed ## docs/PEERS.md: beside spatial joins, H3, datasketches, datashader and others in Python, fifteen minutes; ARGS=-quick: a trial
	@PYTHONPATH=build/peers python3 bench/peers/peers.py $(ARGS)

build/peers/installed: bench/peers/requirements.txt
	@mkdir -p $(@D)
	@echo "Installing what is compared with, for Python (0.8 GB, once)"
	@python3 -m pip install --quiet --only-binary :all: --disable-pip-version-check --root-user-action ignore --upgrade --target $(@D) -r $<
	@touch $@

paper: compiler ## docs/ACCURACY.md, docs/accuracy and docs/papers: the papers' experiments, twenty minutes; ARGS: names of experiments, -quick, -render
	@cd bench && $(GO) run ./paper -out ../docs $(ARGS)

lint: compiler $(LINT) $(VALE) ## gofmt, go vet, golangci-lint, actionlint, shellcheck, and Vale for prose
	@bad=; out=$$(gofmt -l $$(git ls-files '*.go' 2>/dev/null || find . -name '*.go')); \
		if [ -n "$$out" ]; then echo "gofmt wants to change:"; echo "$$out"; bad=1; fi; \
		for m in $(MODULES); do echo "== go vet and golangci-lint in $$m"; \
			(cd $$m && $(GO) vet ./... && $(CURDIR)/$(LINT) run ./...) || bad=1; done; \
		echo "== actionlint"; (cd packaging/tools && $(GO) tool actionlint ../../.github/workflows/*.yml) || bad=1; \
		if command -v shellcheck >/dev/null; then echo "== shellcheck"; \
			shellcheck packaging/install.sh packaging/formulas packaging/glibc/link packaging/community/go packaging/community/test scripts/* .ci/run || bad=1; \
			else echo "No shellcheck here: scripts are not checked."; fi; \
		echo "== vale"; $(VALE) --output=line $(PROSE) $$(git ls-files '*.go' 2>/dev/null) || bad=1; \
		[ -z "$$bad" ]

# A new file when the version changes, so that it is installed anew.
$(LINT): build/tools/golangci-lint-$(LINTVER)
	@ln -sf golangci-lint-$(LINTVER) $@

build/tools/golangci-lint-$(LINTVER):
	@echo "Installing golangci-lint $(LINTVER) (two minutes, once)"
	@mkdir -p build/tools
	@GOBIN=$(CURDIR)/build/tools $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINTVER)
	@mv build/tools/golangci-lint $@

$(VALE): build/tools/vale-$(VALEVER)
	@ln -sf vale-$(VALEVER) $@

build/tools/vale-$(VALEVER):
	@echo "Installing Vale $(VALEVER) (a minute, once)"
	@mkdir -p build/tools
	@GOBIN=$(CURDIR)/build/tools $(GO) install github.com/vale-cli/vale/v3/cmd/vale@$(VALEVER)
	@mv build/tools/vale $@

fuzz: compiler ## Every fuzz target for FUZZTIME=20s each
	@set -e; for p in $$($(GO) list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}' ./...); do \
		for f in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$p/*_test.go | sort -u); do \
			echo "== $$f in $${p#$(CURDIR)/}"; \
			(cd $$p && $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x .); \
		done; \
	done

docs: compiler ## docs/functions.md, from the descriptions of the functions
	@$(GO) run ./cmd/docgen docs

clean: ## Remove the built files
	rm -rf build

include packaging/community/community.mk
