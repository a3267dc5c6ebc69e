# Every target sets up what it needs, once: .venv with requirements.txt, and the extras of pyproject.toml: `demos` for
# the page of all demos, `dev` for authors.

PYTHON := .venv/bin/python
LESSONS := $(patsubst notebooks/%/,%,$(sort $(wildcard notebooks/[0-9]*/)))
LESSON =
FIRST_LESSON = work/00_start_here/00_start_here.ipynb
LAB_FLAGS =
DEMOS_FLAGS =
GRADE_FLAGS =
# nbgrader starts programs of the environment by name.
export PATH := $(CURDIR)/.venv/bin:$(PATH)

.PHONY: help lab demos check build test grade bench clean moved

help:
	@echo "make lab                 open the course in JupyterLab; your own copies are in work/"
	@echo "make demos               open all demos on one page, without JupyterLab around it"
	@echo "make check LESSON=...    grade your copy of a lesson, hidden checks included"
	@echo "make build               authors: lessons/ -> solutions/ and notebooks/"
	@echo "make test                authors: run all tests"
	@echo "make grade LESSON=...    instructors: grade autograder/submitted and write feedback"
	@echo "make bench               run the measurements in benchmarks/"
	@echo "make clean               delete .venv and caches; never work/, submissions or grades"

# -- set-up ----------------------------------------------------------------------------------------------------------------------
# A stamp is the last thing that a set-up writes, so a set-up that was interrupted is done again.

# A stamp holds the folder for which it was made: in a copied or renamed course, .venv still points at the old one.
MOVED := $(shell test ! -f .venv/learner || test "$$(cat .venv/learner)" = "$(CURDIR)" || echo moved)

.venv/learner: requirements.txt pyproject.toml $(if $(MOVED),moved)
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "This course needs python3 to be Python 3.11 or newer: https://www.python.org/downloads/"; exit 1; }
	@$(PYTHON) -m pip --version > /dev/null 2>&1 || python3 -m venv .venv
	@$(if $(MOVED),rm -rf .venv && python3 -m venv .venv,:)
	$(PYTHON) -m pip install -r requirements.txt
	@# JupyterLab's question about news would cover the corner of a learner's first page.
	@$(PYTHON) -m jupyter labextension disable --level=sys_prefix @jupyterlab/apputils-extension:announcements
	@echo "$(CURDIR)" > $@

.venv/demos: .venv/learner
	$(PYTHON) -m pip install -e '.[demos]'
	@touch $@

.venv/author: .venv/learner
	$(PYTHON) -m pip install -e '.[dev]'
	@touch .venv/demos $@  # the extra `dev` holds the extra `demos`

# -- targets ---------------------------------------------------------------------------------------------------------------------

lab: .venv/learner
	@mkdir -p autograder/exchange
	@$(PYTHON) tools/work.py
	$(PYTHON) -m jupyterlab --ServerApp.root_dir="$(CURDIR)" \
		--LabApp.default_url=/lab/tree/$(FIRST_LESSON) $(LAB_FLAGS)

# One kernel is kept ready, with the page already computed. A page that is closed asks for the end of its kernel, but without the token that
# Jupyter's check wants (403), so that check is off. Culling idle kernels instead would end the one that is kept ready. Of JupyterLab's
# extensions only those for widgets are loaded; others fail in Voilà.
demos: .venv/demos
	$(PYTHON) -m voila notebooks/demos/demos.ipynb --preheat_kernel=True \
		--Voila.tornado_settings="{'disable_check_xsrf': True}" \
		--VoilaConfiguration.extension_allowlist="['@jupyter-widgets/jupyterlab-manager', '@voila-dashboards/widgets-manager8']" \
		$(DEMOS_FLAGS)

check: .venv/learner
	@# Status 1 says that an answer is wrong, which is no error of make's.
	@$(PYTHON) -m autograder.check $(LESSON) || test $$? -eq 1

build: .venv/author
	$(PYTHON) tools/build.py

test: .venv/author
	$(PYTHON) -m pytest

grade: .venv/learner
	@$(if $(filter $(LESSON),$(LESSONS)),,echo "say which lesson: make grade LESSON=...; there are $(LESSONS)"; exit 1)
	@# Feedback also where a submission could not be graded: it says why.
	@$(PYTHON) -m autograder.grade $(LESSON) $(GRADE_FLAGS); status=$$?; \
		$(PYTHON) -m nbgrader generate_feedback $(LESSON) --log-level=WARN && exit $$status

bench: .venv/author
	@for script in benchmarks/*.py; do echo "== $$script"; $(PYTHON) $$script || exit 1; done

clean:
	rm -rf .venv .pytest_cache .ruff_cache .nbgrader.log *.egg-info
	find largebatch tests tools lessons benchmarks -name __pycache__ -prune -exec rm -rf {} +
	rm -rf autograder/__pycache__
