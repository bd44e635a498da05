# run: play on the simulated table   test: all checks but the long ones   quick: those without browsers, simulated time, whole tables and hubs
# thorough: every page of every game on every screen, every drawn scene, random game and fault, and the cases of long tests
#   that test leaves out; CI runs it after test
# soak, sight: slow proofs and measurements
# fuzz: bent files at every door, the API as stranger, phone and touchscreen, random lives of a table, rubbish before the camera; each for FUZZ_SECONDS (20)
# deb: dist/smugglers-table_VERSION_ARCH.deb (ARCH=arm64 for a Pi)   deb-proof: install, upgrade, purge it in booted Debians
# deb-arm64-proof: every dependency for arm64 has a wheel or a Debian package
# deb-recommended-proof: with cage, Chromium and NetworkManager   camera-proof: the camera's driver on Picamera2 and libcamera
# damage: each file of a table damaged in many ways, and what a person then sees, written to docs/damage.md
# kills: kill −9 of the running table, KILLS (1000) times   writes: what an evening writes onto the card, by file
# chain: TABLES (20) tables, a broker and a hub with PostgreSQL, KILLED (20) times −9; every entry once and in order
# bench: ours beside its peers and floors, written to docs/benchmarks.md   SUBJECTS="live at_work": these anew, the others kept
# pi: the product on a real kernel in a virtual machine, with the table's wires as devices; what held goes into docs/pi.md
# faults: every fault, and every pair, played in every phase of a game, written to docs/faults.md
# install: only set up .venv   docs, pictures, films: pages, screenshots (SCREENS="host hub": sheets of these alone) and strips of moments made anew   clean: remove what the others made
.PHONY: run test thorough quick soak fuzz sight kills damage chain writes bench deb deb-proof deb-arm64-proof deb-recommended-proof camera-proof pi faults docs pictures films install clean
SHELL := /bin/bash
BIN := .venv/bin
# Three for two processors: many of the long tests wait for a clock.
WORKERS := $(shell echo $$(( $$(nproc) * 3 / 2 )))
# Where this is set, as in many containers, every process of the tests compiles all that it imports once more.
unexport PYTHONDONTWRITEBYTECODE
# A test that hangs fails under its name, with where it stands, and the others go on.
HUNG_S := 1200
PYTEST := $(BIN)/pytest -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations 25 --timeout $(HUNG_S)

run:
	@.ci/prepare
	@$(BIN)/smugglers demo

test:
	@.ci/prepare browser
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(PYTEST) -m "not thorough and not soak and not fuzz"

thorough:
	@.ci/prepare browser
	$(PYTEST) -m "thorough and not soak and not fuzz"

# Folders of tests that serve whole tables or hubs, start systems, or only need a browser.
LEFT_OUT_BY_QUICK := appliance/hub bench end_to_end fuzz installed machine power web/doors web/evening web/host web/hub
quick:
	@.ci/prepare
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "not soak and not fuzz and not browser and not slow and not thorough" \
		$(LEFT_OUT_BY_QUICK:%=--ignore tests/%)

soak:
	@.ci/prepare
	$(BIN)/pytest -q -m soak

fuzz:
	@.ci/prepare
	@$(BIN)/python -c 'import schemathesis' 2>/dev/null || $(BIN)/python -m pip install -q --disable-pip-version-check -e ".[fuzz]" || \
		echo "schemathesis cannot be installed here: the API is left out"
	$(BIN)/pytest -q -p no:schemathesis -m fuzz

sight:
	@.ci/prepare
	$(BIN)/python -m calibration.sight_report $(SMUGGLERS_DATA)

KILLS ?= 1000

kills:
	@.ci/prepare
	@$(BIN)/python -m tests.power.kills $(KILLS)

TABLES ?= 20
KILLED ?= 20

damage:
	@.ci/prepare
	$(BIN)/python -m tests.damage_page

chain:
	@.ci/prepare
	@$(BIN)/python -m tests.chain --tables $(TABLES) --kills $(KILLED)

writes:
	@.ci/prepare
	@$(BIN)/python -m tests.power.writes

bench:
	@.ci/prepare
	@$(BIN)/python -c 'import skimage' 2>/dev/null || $(BIN)/python -m pip install -q --disable-pip-version-check -e ".[bench]" || \
		echo "scikit-image cannot be installed here: that peer is left out"
	$(BIN)/python -m tests.bench $(SUBJECTS)

ARCH ?= $(shell dpkg --print-architecture)
VERSION ?= $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)

deb:
	@.ci/prepare
	@$(BIN)/python systemd/deb/build_deb.py --arch $(ARCH) --version $(VERSION)

deb-proof:
	@$(MAKE) --no-print-directory deb
	$(BIN)/python -m tests.installed dist/smugglers-table_$(VERSION)_$(ARCH).deb $(SUITES)

deb-arm64-proof:
	@$(MAKE) --no-print-directory deb ARCH=arm64
	@$(BIN)/python -m tests.installed.arm64 dist/smugglers-table_$(VERSION)_arm64.deb

deb-recommended-proof:
	@$(MAKE) --no-print-directory deb
	$(BIN)/python -m tests.installed.recommended dist/smugglers-table_$(VERSION)_$(ARCH).deb $(SUITES)

camera-proof:
	@.ci/prepare
	@$(BIN)/python -m tests.installed.libcamera

pi:
	@.ci/prepare
	@$(BIN)/python -m tests.machine --write $(STORIES)

faults:
	@.ci/prepare
	$(BIN)/python -m tests.faults_page

docs:
	@.ci/prepare
	$(BIN)/python -m appliance.commands.cli_reference > docs/cli.md
	$(BIN)/python -m tests.building_docs
	$(BIN)/python -m tests.settings_page

pictures:
	@.ci/prepare browser
	$(BIN)/python -m tests.pictures
	$(BIN)/python -m tests.screens $(SCREENS)

films:
	@.ci/prepare browser
	$(BIN)/python -m tests.films $(FILMS)
	$(BIN)/python -m tests.card_films $(FILMS)

install:
	@.ci/prepare

clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
