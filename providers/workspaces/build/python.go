package build

import (
	"regexp"

	"ctxfs/providers/internal/settings"
	"ctxfs/providers/internal/syntax"
)

// python reads pyproject.toml, and what older projects have.
func (f *folder) python() {
	var doc syntax.Value
	if f.has("pyproject.toml") {
		doc, _ = settings.Document([]byte(f.text("pyproject.toml")))
	}
	has := func(path ...string) bool {
		_, ok := doc.At(path...)
		return ok
	}
	run := f.pythonManager(has)
	if f.has("tox.ini") || has("tool", "tox") {
		f.add(Test, fromTask, "tox", f.first("tox.ini", "pyproject.toml"), 0, "")
	}
	if f.has("noxfile.py") {
		f.add(Test, fromTask, "nox", "noxfile.py", 0, "")
	}
	if source := f.pytestSource(has("tool", "pytest")); source != "" {
		f.add(Test, fromConvention, run+"pytest", source, 0, "")
	} else if f.has("manage.py") {
		f.add(Test, fromConvention, run+"python manage.py test", "manage.py", 0, "")
	}
	if f.has("manage.py") {
		f.add(Run, fromConvention, run+"python manage.py runserver", "manage.py", 0, "")
	}
	if f.has("ruff.toml", ".ruff.toml") || has("tool", "ruff") {
		f.add(Lint, fromConvention, run+"ruff check", f.first("ruff.toml", ".ruff.toml", "pyproject.toml"), 0, "")
	}
	if f.has("mypy.ini") || has("tool", "mypy") {
		command := "mypy ."
		if has("tool", "mypy", "files") || has("tool", "mypy", "packages") || regexp.MustCompile(`(?m)^(files|packages)\s*=`).MatchString(f.text("mypy.ini")) {
			command = "mypy" // which checks what its settings name
		}
		f.add(Lint, fromConvention+variant, run+command, f.first("mypy.ini", "pyproject.toml"), 0, "")
	}
}

// pythonManager adds the command that installs a project, and returns what runs programs
// in its environment: "uv run ".
func (f *folder) pythonManager(has func(path ...string) bool) (run string) {
	switch {
	case f.has("uv.lock") || has("tool", "uv"):
		f.add(Install, fromConvention, "uv sync", f.first("uv.lock", "pyproject.toml"), 0, "")
		return "uv run "
	case f.has("poetry.lock") || has("tool", "poetry"):
		f.add(Install, fromConvention, "poetry install", f.first("poetry.lock", "pyproject.toml"), 0, "")
		return "poetry run "
	case f.has("pdm.lock") || has("tool", "pdm"):
		f.add(Install, fromConvention, "pdm install", f.first("pdm.lock", "pyproject.toml"), 0, "")
		return "pdm run "
	case f.has("Pipfile"):
		f.add(Install, fromConvention, "pipenv install --dev", "Pipfile", 0, "")
		return "pipenv run "
	case f.has("requirements.txt"):
		f.add(Install, fromConvention, "pip install -r requirements.txt", "requirements.txt", 0, "")
	case has("project") || f.has("setup.py"):
		f.add(Install, fromConvention, "pip install -e .", f.first("pyproject.toml", "setup.py"), 0, "")
	}
	return ""
}

// pytestSource returns the file that says that a project is tested by pytest.
func (f *folder) pytestSource(configured bool) string {
	if name := f.first("pytest.ini", "conftest.py"); name != "" {
		return name
	}
	if configured {
		return "pyproject.toml"
	}
	for _, name := range []string{"setup.cfg", "tox.ini"} {
		if f.has(name) && regexp.MustCompile(`(?m)^\[(tool:)?pytest\]`).MatchString(f.text(name)) {
			return name
		}
	}
	for _, name := range []string{"pyproject.toml", "requirements-dev.txt", "dev-requirements.txt", "requirements.txt", "Pipfile"} {
		if f.has(name) && regexp.MustCompile(`(?m)(^|["'\s])pytest(["'\s=<>~\[]|$)`).MatchString(f.text(name)) {
			return name
		}
	}
	return ""
}
