# Everything a person types. Each target works as the first and only command on a machine that has
# Python >= 3.11 with venv, make and a C compiler.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: install run test test-tcp mutations test-browser test-n8n test-oidc screenshots lint format lock system-packages schema icons sbom licences clean soak attacks bench-ingest

install: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing into .venv (once; a minute or two)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

run: install
	@exec $(BIN)/veraz serve $(ARGS)

# In two processes, each with a PostgreSQL of its own: most tests wait for theirs.
test: install system-packages
	$(BIN)/pytest --ignore tests/browser --numprocesses 2 --dist worksteal $(ARGS)

# The same suite against a PostgreSQL over TCP with passworded roles.
test-tcp: install system-packages
	$(BIN)/python tests/support/on_tcp_postgres.py $(BIN)/pytest --ignore tests/browser $(ARGS)

# Takes every policy and every filter out, one by one, and looks who misses it: prints a table; minutes.
mutations: install system-packages
	PYTHONPATH=.:tests $(BIN)/python -m mutations $(ARGS)

# People in a real browser: slower, so apart from the suite.
test-browser: install
	@sh scripts/system-packages.sh chromium
	$(BIN)/pytest tests/browser $(ARGS)

# The shipped workflow in the real n8n, installed at the first run (some minutes, 3 GB): slower still.
test-n8n: install
	PYTHONPATH=tests $(BIN)/python tests/n8n/run_n8n.py

# Signing in at a real OpenID Connect issuer (npm package oidc-provider), installed at the first run (some seconds).
test-oidc: install
	$(BIN)/python tests/support/oidc_provider.py
	$(BIN)/pytest tests/sso $(ARGS)

# Pictures of every page into screenshots/.
screenshots: install
	@sh scripts/system-packages.sh chromium
	PYTHONPATH=tests $(BIN)/python tests/browser/screenshots.py screenshots $(ARGS)

# Long and cruel: processes killed, thousands of documents, huge files. Each prints a table and fails over its limit.
soak: install
	$(BIN)/python -m tests.soak.no_loss
	$(BIN)/python -m tests.soak.fairness
	$(BIN)/python -m tests.soak.first_result
	$(BIN)/python -m tests.soak.memory
	$(BIN)/python -m tests.soak.search_isolation
	$(BIN)/python -m tests.soak.pages

# Forged requests at every door and page, 100,000 of them; prints a seed that plays the same attack again.
attacks: install
	$(BIN)/python -m tests.attacks.long $(ARGS)

# Ingestion against the raw embedder and against other frameworks, which are installed beside at the first run.
bench-ingest: install
	$(BIN)/python -m benchmarks.ingest $(ARGS)

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Renews requirements.lock from pyproject.toml; needs uv on the PATH.
lock:
	uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	    --no-emit-index-url --group dev pyproject.toml -o requirements.lock

# Regenerates src/veraz/db/schema.sql from the migrations.
schema: install
	$(BIN)/python -m veraz.db.schema

# Renews src/veraz/ui/icons after a page uses an icon it did not use before.
icons: install
	@test -x build/icons/bin/python || $(PYTHON) -m venv --system-site-packages build/icons
	@build/icons/bin/python -m pip install --quiet --disable-pip-version-check fonttools brotli
	PYTHONPATH=$$(echo .venv/lib/python*/site-packages) build/icons/bin/python scripts/icon_font.py

# Every installed library for programs that look for advisories: CycloneDX, build/sbom.cdx.json.
sbom: install
	@test -x build/sbom/bin/cyclonedx-py || $(PYTHON) -m venv build/sbom
	@build/sbom/bin/python -m pip install --quiet --disable-pip-version-check "cyclonedx-bom>=7,<8"
	build/sbom/bin/cyclonedx-py environment --pyproject pyproject.toml --mc-type application --output-reproducible \
	    --of JSON -o build/sbom.cdx.json $(BIN)/python

# Renews docs/licences.md, after requirements.lock has changed.
licences: install
	$(BIN)/python scripts/licences.py

system-packages:
	@sh scripts/system-packages.sh

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
