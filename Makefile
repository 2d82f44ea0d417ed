# weft: two commands do it all.
#   make demo    install what is missing, build, run the command on small real data
#   make test    install what is missing, build, run the whole CPU test suite; ends with "N passed, N failed"
#   make bundle  programs and GPU tests that run on any Linux machine: build/bundle/weft-*.tar.gz (BUNDLE_ARCHITECTURES=90: one CUDA architecture)
#   make deb     the command as a package for Debian 12, Ubuntu 24.04 and later: build/deb/weft_*.deb; make deb-check installs it in a fresh system
#   make python-test  installs the Python package in a fresh environment and runs its tests (PYTHON=python3.12: with another interpreter)
#   make python-check  the same with every package that weft is compared with, and every command of the corpus
#   make wheel   self-contained wheels for the installed interpreters: build/wheel/dist/*.whl (WHEEL_ARCHITECTURES=90: one CUDA architecture)
#   make mpi-test  every command of the corpus as 1, 2, 3, 4, 5 and 8 ranks of MPICH and of Open MPI (MPI_RANKS=3: so many only)
#   make lint    checks the format of the sources, and what clang-tidy finds
# Code for GPUs is compiled for the GPU of this machine, if it has one; PRESET=release-all compiles it for all GPUs.
# More: make bench | asan | tsan | fuzz | check-long SECONDS=1800 | check-variants SEEDS=5 | docs | sdist | install PREFIX=/usr/local | clean
SHELL := /bin/bash
PRESET ?= release
BUILD := build/$(PRESET)
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
SECONDS ?= 1800
SEEDS ?= 5
PYTHON ?= python3
MPI_RANKS ?= 1,2,3,4,5,8

.PHONY: demo test mpi-test lint bench bundle deb deb-check python-test python-check wheel sdist asan tsan fuzz check-long check-variants docs install setup setup-test setup-fuzz setup-deb setup-docs setup-python clean

demo: setup
	@scripts/build.sh $(PRESET) weft_program no-tests
	@examples/demo.sh $(BUILD)/cli/weft

test: setup-test
	@scripts/build.sh $(PRESET) all
	@scripts/test.sh $(BUILD)

mpi-test: setup-test
	@scripts/setup.sh mpi openmpi
	@scripts/build.sh $(PRESET) weft_program
	@test/mpi/run_all.sh $(BUILD) $(MPI_RANKS)

lint: setup-test
	@scripts/setup.sh lint
	@scripts/build.sh $(PRESET) weft_base
	@scripts/lint.sh $(BUILD)

asan: setup-test
	@scripts/build.sh $@ all
	@scripts/test.sh build/$@

# ThreadSanitizer makes these tests 10 to 80 times slower: they compare the results of all small inputs, or of large ones.
# The other tests use the same code on several threads. weft-bench runs oneTBB, which is not instrumented, as a yardstick.
# A command that ends because its input was truncated does not wait for its threads, so that their leaks are not reported.
TSAN_LEFT_OUT := all_pairs_(over|equal)|of_large_texts|periodic_and_lopsided|lcs_large_suite|^cooperative_merge|^partition|path_memory.gives|lcs_letters.unmatched|fm_steps|fm_index.of_random|are_together|of_doubled|cut_anywhere|long_motifs|inverse_(bwt|chains).take|ternary_quicksort.suffix_arrays|^bench(_papers|_program)?[.]|^corpus.commands

tsan: setup-test
	@scripts/build.sh $@ all
	@TSAN_OPTIONS=report_thread_leaks=0 scripts/test.sh build/$@ -E "$(TSAN_LEFT_OUT)"

bench: setup
	@scripts/build.sh $(PRESET) weft_bench_program no-tests
	@bench/run.sh $(BUILD)

bundle: setup-test
	@scripts/bundle.sh

deb: setup
	@scripts/setup.sh mpi openmpi
	@scripts/deb.sh

deb-check: setup-deb
	@scripts/deb_check.sh

python-test: setup-python
	@PYTHON="$(PYTHON)" scripts/python_test.sh $(PRESET)

python-check: setup-python
	@WEFT_WHOLE_CORPUS=1 PYTHON="$(PYTHON)" scripts/python_test.sh $(PRESET) all-packages

wheel: setup-python
	@scripts/setup.sh mpi openmpi || echo "the wheels will not run as several ranks of every MPI library"
	@scripts/wheel.sh

sdist: setup-python
	@scripts/sdist.sh

fuzz: setup-fuzz
	@scripts/build.sh fuzz all no-tests
	@fuzz/run.sh build/fuzz

check-long: setup-test
	@scripts/setup.sh peers || true
	@scripts/build.sh $(PRESET) all
	@scripts/check_long.sh $(BUILD) $(SECONDS)

check-variants: setup-test
	@scripts/setup.sh peers || true
	@scripts/build.sh $(PRESET) weft_program
	@scripts/build.sh $(PRESET) evolve_genome
	@scripts/check_variants.sh $(BUILD) $(SEEDS)

docs: setup-docs
	@[ ! -f $(BUILD)/CMakeCache.txt ] || cmake $(BUILD) >/dev/null   # finds a Doxygen that is new
	@scripts/build.sh $(PRESET) docs no-tests

install: setup
	@scripts/build.sh $(PRESET) all no-tests
	cmake --install $(BUILD) --prefix $(PREFIX)

setup:
	@scripts/setup.sh build
setup-test:
	@scripts/setup.sh build test
setup-fuzz:
	@scripts/setup.sh build fuzz
setup-deb:
	@scripts/setup.sh deb
setup-python:
	@scripts/setup.sh build python
setup-docs:
	@scripts/setup.sh build docs

clean:
	rm -rf build
