# run: play on the simulated table   test: all checks   soak, fuzz, sight: slow proofs and measurements
# docs: pages made from the code     clean: remove what the others made
.PHONY: run test soak fuzz sight docs clean
SHELL := /bin/bash
BIN := .venv/bin

run:
	@.ci/prepare
	@$(BIN)/smugglers demo

test:
	@.ci/prepare browser
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -q -m "not soak and not fuzz"

soak:
	@.ci/prepare
	$(BIN)/pytest -q -m soak

fuzz:
	@.ci/prepare
	$(BIN)/pytest -q -m fuzz

sight:
	@.ci/prepare
	$(BIN)/python -m calibration.sight_report $(SMUGGLERS_DATA)

docs:
	@.ci/prepare
	$(BIN)/python -m appliance.cli_reference > docs/cli.md

clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
