# weft: two commands do it all.
#   make demo    install what is missing, build, run the command on small real data
#   make test    install what is missing, build, run the whole CPU test suite; ends with "N passed, N failed"
#   make bundle  programs and GPU tests that run on any Linux machine: build/bundle/weft-*.tar.gz (BUNDLE_ARCHITECTURES=90: one CUDA architecture)
# More: make bench | asan | tsan | fuzz | docs | install PREFIX=/usr/local | clean
SHELL := /bin/bash
BUILD := build/release
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local

.PHONY: demo test bench bundle asan tsan fuzz docs install setup setup-test setup-bench setup-fuzz setup-docs clean

demo: setup
	@scripts/build.sh release weft_program no-tests
	@examples/demo.sh $(BUILD)/cli/weft

test: setup-test
	@scripts/build.sh release all
	@scripts/test.sh $(BUILD)

asan tsan: setup-test
	@scripts/build.sh $@ all
	@scripts/test.sh build/$@

bench: setup-bench
	@scripts/build.sh bench all
	@bench/run.sh build/bench

bundle: setup-bench
	@scripts/bundle.sh

fuzz: setup-fuzz
	@scripts/build.sh fuzz all no-tests
	@fuzz/run.sh build/fuzz

docs: setup-docs
	@[ ! -f $(BUILD)/CMakeCache.txt ] || cmake $(BUILD) >/dev/null   # finds a Doxygen that is new
	@scripts/build.sh release docs no-tests

install: setup
	@scripts/build.sh release all no-tests
	cmake --install $(BUILD) --prefix $(PREFIX)

setup:
	@scripts/setup.sh build
setup-test:
	@scripts/setup.sh build test
setup-bench:
	@scripts/setup.sh build test bench
setup-fuzz:
	@scripts/setup.sh build fuzz
setup-docs:
	@scripts/setup.sh build docs

clean:
	rm -rf build
