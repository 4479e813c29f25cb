# serena: `make demo` to see it work, `make test` for every test, `make check` for everything else that CI asks.

GOPLS_VERSION := v0.23.0
KUBERNETES := k8s.io/kubernetes@v1.33.0
NATS := github.com/nats-io/nats-server/v2@v2.11.0
CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/serena-go
GOPLS := $(CACHE)/tools/gopls-$(GOPLS_VERSION)/gopls
export SERENA_TEST_GOPLS := $(GOPLS)
# A Python with what examples/plugin-python needs. Where it cannot be installed: make test GRPC_PYTHON=none.
GRPC_REQUIREMENTS := examples/plugin-python/requirements.txt
GRPC_PYTHON ?= $(CACHE)/tools/grpcio-$(shell cksum < $(GRPC_REQUIREMENTS) | cut -d' ' -f1)/bin/python
export SERENA_TEST_GRPC_PYTHON := $(GRPC_PYTHON)
TOOLS := $(GOPLS) $(filter-out none,$(GRPC_PYTHON))
STATICCHECK := go tool -modfile=tools/go.mod staticcheck

.DEFAULT_GOAL := help
.PHONY: help build demo tools test check generate bench verify race clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

build: ## build bin/serena
	@go build -o bin/serena ./cmd/serena

tools: $(TOOLS) ## get what demo and tests need, once: a language server, a Python with grpcio

$(GOPLS):
	@echo "building gopls $(GOPLS_VERSION) into $(@D): happens once and takes a few minutes on two cores" >&2
	@rm -rf $(@D).part && mkdir -p $(@D).part
	GOBIN=$(@D).part go install -v golang.org/x/tools/gopls@$(GOPLS_VERSION)
	@rm -rf $(@D) && mv $(@D).part $(@D)

ifneq ($(GRPC_PYTHON),none)
$(GRPC_PYTHON):
	@rm -rf $(@D:/bin=) && python3 -m venv $(@D:/bin=)
	@$(@D:/bin=)/bin/pip install --quiet --disable-pip-version-check --requirement $(GRPC_REQUIREMENTS) || { rm -rf $(@D:/bin=); exit 1; }
endif

demo: build $(GOPLS) ## find a symbol of this repository and its references
	@PATH="$(dir $(GOPLS)):$$PATH" bin/serena eval --project . - < docs/demo.py

test: $(TOOLS) ## run every test, the end-to-end ones included
	go test ./...

race: $(TOOLS) ## run every test with the race detector
	go test -race ./...

check: ## gofmt, go vet, staticcheck, go.mod, generated code, import directions
	@test -z "$$(gofmt -l .)" || { echo "not formatted:"; gofmt -l .; exit 1; }
	go vet ./... && go vet -tags verify ./e2e
	$(STATICCHECK) ./...
	go mod tidy -diff
	@cd tools && go vet ./... && go mod tidy -diff
	@cd examples/plugin-todo && go vet ./... && go mod tidy -diff
	@tools/generated-is-current
	go test -count=1 ./internal/arch

generate: ## write the generated code anew
	cd tools && go run ./protogen ../internal/wire plugin.proto

bench: $(GOPLS) ## measure start, cells, reads, sessions, plugins, memory, and searches beside ripgrep
	@command -v rg >/dev/null || { echo "make bench compares with ripgrep, which is not here: apt-get install ripgrep, or brew install ripgrep" >&2; exit 1; }
	go test ./e2e ./host/repl ./host/plugin -p 1 -run '^$$' -bench . -benchtime 2s
	go mod download $(KUBERNETES)
	go test -count=1 -tags verify -run TestSearch_beside_ripgrep -v ./e2e

verify: $(GOPLS) ## the same work on 300,000 lines that nobody here wrote, against bare gopls and grep
	go mod download $(NATS)
	go test -count=1 -tags verify -run TestVerify -v ./e2e

clean: ## remove what was built here
	rm -rf bin e2e/js/node_modules
