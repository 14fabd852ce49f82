# One set of build flags for every go command: with two sets all would be compiled twice.
export GOFLAGS := -trimpath -buildvcs=false

# The engine's SQLite is C translated to Go. Each of its memory accesses would be checked against the bounds
# of a slice: without these checks the engine is a third faster and a quarter smaller. What they would catch is a
# fault in SQLite's own C; in the tab it then meets what every C program compiled to WebAssembly has, a
# sandbox whose end is still checked. Our own code and the natively built programs keep their checks.
ENGINE_FLAGS := -ldflags="-s -w" -gcflags=github.com/ncruces/go-sqlite3-wasm/v6=-B

# The pages are long chains of small calls. Putting the callee's code in the place of each, as the compiler does, makes
# their program 4 % larger, and nothing in it is faster for a person.
APP_FLAGS := -ldflags="-s -w" -gcflags=retrylab/web=-l -gcflags=github.com/maxence-charriere/go-app/v10/pkg/app=-l

PORT ?= 8000
ADDR ?= 127.0.0.1
BASE ?=
OUT  ?= dist

.DEFAULT_GOAL := help

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: site ## build the site and serve it on http://127.0.0.1:8000 (PORT=8001 for another port)
	@exec ./build/server serve -dir "$(OUT)" -addr $(ADDR):$(PORT) $(if $(BASE),-base $(BASE))

site: programs ## build the site as static files (OUT=dist; BASE=/any/path/ when the path is known)
	@./build/server site -out "$(OUT)" -base "$(BASE)"

programs: npm
	@mkdir -p build
	@echo "Building the server and the programs of the site (the first time takes some minutes) ..."
	@go build -o build/server ./cmd/server
	@GOOS=js GOARCH=wasm go build $(APP_FLAGS) -o build/app.wasm ./cmd/wasm/app
	@GOOS=js GOARCH=wasm go build $(ENGINE_FLAGS) -o build/engine.wasm ./cmd/wasm/engine
	@cp "$$(go env GOROOT)/lib/wasm/wasm_exec.js" build/
	@go build -o build/bundle ./cmd/bundle && ./build/bundle

# The npm parts that ship with the site, anew when the lock file has changed.
npm:
	@cmp -s static/npm/package-lock.json static/npm/node_modules/.installed && exit; \
	command -v npm >/dev/null 2>&1 || { \
		echo "The site needs Node 20 with npm. On Debian: sudo apt-get install nodejs npm" >&2; exit 1; }; \
	echo "Fetching the npm parts of the site: the editor, Python, QuickJS ..."; \
	cd static/npm && npm ci --ignore-scripts --no-bin-links --no-audit --no-fund --no-update-notifier --loglevel=error \
		&& cp package-lock.json node_modules/.installed

worker: ## build the Cloudflare Worker: build/worker
	@go tool workers-assets-gen -mode=go -o build/worker
	@GOOS=js GOARCH=wasm go build -ldflags="-s -w" -o build/worker/app.wasm ./cmd/server

# The browser's tests wait a lot: one more than there are cores uses that time.
test: setup programs worker ## set up what the tests need, then run every test
	@status=0; \
	go vet ./... || status=1; \
	go test $$(go list ./... | grep -v '/e2e$$') || status=1; \
	E2E=1 CHROMIUM="$$(.ci/setup chromium)" go test -count=1 -timeout=15m -parallel=$$(($$(getconf _NPROCESSORS_ONLN) + 1)) ./e2e || status=1; \
	exit $$status

setup:
	@.ci/setup

bench: setup programs ## measure: sizes of the programs and benchmarks of the packages (minutes)
	@GOOS=js GOARCH=wasm go build $(ENGINE_FLAGS) -o build/cycle.wasm ./e2e/cycle
	@E2E=1 BENCH=1 CHROMIUM="$$(.ci/setup chromium)" go test -count=1 -timeout=20m -v -run 'TheProgramsAreSmallEnough|TheQueuesCycle|TheLabOnAProgram' ./e2e
	@go test -count=1 -v -run TestRatios ./lab/retry/bench -ratios
	@go test -count=1 -v -run TestRatios ./lab/queue/bench -ratios
	@go test -run=NONE -bench=. -benchmem ./...

soak: setup programs ## the long tests: races, killed processes and properties as often as the reports say (an hour)
	@SOAK=1 go test -count=1 -timeout=60m ./lab/queue
	@SOAK=1 E2E=1 CHROMIUM="$$(.ci/setup chromium)" go test -count=1 -timeout=20m -run TestModelSolutions ./e2e
	@go test -count=1 -timeout=60m -run 'TestDelayIsTheExact' ./lab/retry -rapid.checks=1000000
	@go test -count=1 -timeout=60m -run 'TestRandomScenarios' ./lab/scenario -rapid.checks=20000
	@for target in FuzzCheckedDelay FuzzRetryAfter FuzzReadResilience4j; do \
		go test -run=NONE -fuzz "^$$target$$" -fuzztime 60s ./lab/retry || exit 1; done
	@go test -run=NONE -fuzz '^FuzzParse$$' -fuzztime 60s -fuzzminimizetime 1s ./lab/scenario

race: ## the tests of goroutines that meet, with the race detector (needs a C compiler)
	@go test -race ./lab/retry/...
	@go test -race -run "Flush|Failure|FailedCommit|Locked|Whose|CrowdEnds|Gathering|TheLead|Beat|LostLease|SendEnds" ./lab/queue

fmt: ## format the Go code
	@gofmt -l -w cmd e2e lab quiz static web

clean: ## remove what was built
	rm -rf build dist server

.PHONY: help run site programs npm worker test setup bench soak race fmt clean
