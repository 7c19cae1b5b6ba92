# simnet: the two commands of a newcomer are `make demo` and `make test`.
GO      ?= go
BIN     := bin/simnet
VERSION := $(shell git describe --always --dirty 2>/dev/null || echo unknown)
OUT     ?= out

.PHONY: build demo test check check-static race bench hybrid-accuracy docs studies clean

build: ## bin/simnet
	$(GO) build -trimpath -ldflags "-X main.commit=$(VERSION)" -o $(BIN) ./cmd/simnet

demo: build ## the 256-GPU GPT-3 step, its table and its plots
	$(BIN) run scenarios/gpt3-175b-256.yaml -o $(OUT)/demo --force
	@echo "plots:  $(OUT)/demo/plots/   report: $(OUT)/demo/report.html"

test: ## everything but the long studies; no C compiler needed
	CGO_ENABLED=0 $(GO) test ./...

check: check-static test ## the one gate: format, vet, staticcheck, import rule, tests

check-static:
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

race: ## determinism and the engines under the race detector; needs a C compiler
	$(GO) test -race -short ./sim/... ./fabric/...
	$(GO) test -race -run 'TestScripts/run_deterministic' ./cmd/simnet

bench: build ## performance cases, a JSON line each; run on an idle machine
	$(BIN) bench

clean:
	rm -rf bin out

hybrid-accuracy: build ## flow and hybrid against packets: docs/fidelity-engines.md, half an hour
	$(BIN) validate engines --draws 128 -o docs

docs: build ## the pages and figures of docs/ that are made by commands, half an hour
	$(BIN) validate --draws 128 -o docs
	mv docs/engine-errors.json results/validate/engines/data/ # embedded: what results print as their error
	$(GO) test ./results/validate/reference -run TestDocs -update # DEVIATIONS.md
	rm -f docs/figures/*.svg
	$(BIN) sweep scenarios/scaling-gpt3-175b.yaml -o $(OUT)/scaling
	cp $(OUT)/scaling/plots/scaling.png docs/figures/scaling-gpt3-175b.png
