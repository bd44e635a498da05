# run: play on the simulated table   test: all checks   soak, fuzz, bench, sight: slow proofs and measurements
.PHONY: run test check soak fuzz bench sight clean
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

clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
