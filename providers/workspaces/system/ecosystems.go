package system

import (
	"path"
	"regexp"
	"strings"

	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/workspaces/inside"
)

// javascript reads package.json, and node_modules.
func javascript(project *inside.Folder) (d Dependencies, ok bool) {
	doc, err := jsonc.Parse([]byte(project.Text("package.json")))
	if err != nil {
		return d, false
	}
	d = Dependencies{Manifest: "package.json"}
	switch {
	case project.Exists("node_modules"):
		d.In = "node_modules"
	case project.Exists(".pnp.cjs"):
		d.Note = "Yarn Plug'n'Play has them in its cache"
	}
	for _, key := range []string{"dependencies", "devDependencies"} {
		declared, _ := doc.Get(key)
		for _, m := range declared.Members {
			p := Package{Name: m.Name, Wanted: m.Value.Text}
			if d.Note == "" {
				manifest := path.Join("node_modules", m.Name, "package.json")
				installed, _ := jsonc.Parse([]byte(project.Text(manifest)))
				version, _ := installed.Get("version")
				p.Installed = found(version.Text, project.Exists(manifest))
			}
			d.Packages = append(d.Packages, p)
		}
	}
	return d, len(d.Packages) > 0
}

// fetched is the note on packages that a build fetches itself.
const fetched = "a build fetches what it lacks"

// golang reads go.mod. Source: go.dev/ref/mod#go-mod-file.
func golang(project *inside.Folder) (d Dependencies, ok bool) {
	d = Dependencies{Manifest: "go.mod", Note: fetched}
	block := ""
	for line := range strings.Lines(project.Text("go.mod")) {
		line, comment, _ := strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
			continue
		case words[0] == ")":
			block = ""
			continue
		case len(words) == 2 && words[1] == "(":
			block = words[0]
			continue
		case block != "":
			words = append([]string{block}, words...)
		}
		if words[0] == "require" && len(words) == 3 && strings.TrimSpace(comment) != "indirect" {
			d.Packages = append(d.Packages, Package{Name: words[1], Wanted: words[2]})
		}
	}
	return d, len(d.Packages) > 0
}

// python reads pyproject.toml or requirements.txt, and the virtual environment in the
// project.
func python(project *inside.Folder) (d Dependencies, ok bool) {
	names := pythonDeclared(project, &d)
	installed := make(map[string]string)
	for _, dir := range environments() {
		versions, _, err := project.List(dir + "/lib")
		if err != nil {
			continue
		}
		for _, v := range versions {
			packages, _, err := project.List(path.Join(dir, "lib", v, "site-packages"))
			if err != nil {
				continue
			}
			d.In = path.Join(dir, "lib", v, "site-packages")
			for _, p := range packages {
				if info, ok := strings.CutSuffix(p, ".dist-info"); ok {
					name, version, _ := strings.Cut(info, "-")
					installed[normalize(name)] = version
				}
			}
		}
		break
	}
	if d.In == "" {
		d.Note = "there is no virtual environment in the project"
	}
	for _, requirement := range names {
		p := requirementOf(requirement)
		if p.Name == "" {
			continue
		}
		if d.In != "" {
			version, there := installed[normalize(p.Name)]
			p.Installed = found(version, there)
		}
		d.Packages = append(d.Packages, p)
	}
	return d, len(d.Packages) > 0
}

// pythonDeclared returns the requirements of a project, and sets the manifest.
func pythonDeclared(project *inside.Folder, d *Dependencies) (requirements []string) {
	if doc, err := settings.Document([]byte(project.Text("pyproject.toml"))); err == nil {
		d.Manifest = "pyproject.toml"
		texts := func(path ...string) {
			all, _ := doc.At(path...)
			for _, v := range all.Items {
				if v.Kind == syntax.Text {
					requirements = append(requirements, v.Text)
				}
			}
		}
		texts("project", "dependencies")
		groups, _ := doc.Get("dependency-groups")
		for _, g := range groups.Members {
			texts("dependency-groups", g.Name)
		}
		poetry, _ := doc.At("tool", "poetry", "dependencies")
		for _, m := range poetry.Members {
			if m.Name != "python" {
				requirements = append(requirements, m.Name+" "+m.Value.Text)
			}
		}
	}
	if len(requirements) > 0 {
		return requirements
	}
	d.Manifest = "requirements.txt"
	for line := range strings.Lines(project.Text("requirements.txt")) {
		if line, _, _ = strings.Cut(strings.TrimSpace(line), " #"); line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "-") {
			requirements = append(requirements, line)
		}
	}
	return requirements
}

// requirementOf returns the package that a requirement names. Source: PEP 508.
func requirementOf(text string) Package {
	m := regexp.MustCompile(`^\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*([^;]*)`).FindStringSubmatch(text)
	if m == nil {
		return Package{}
	}
	return Package{Name: m[1], Wanted: strings.TrimSpace(m[2])}
}

// normalize returns the form in which names of Python packages are compared. Source: PEP
// 503.
func normalize(name string) string {
	return strings.ToLower(regexp.MustCompile(`[-_.]+`).ReplaceAllString(name, "-"))
}

// rust reads Cargo.toml.
func rust(project *inside.Folder) (d Dependencies, ok bool) {
	doc, err := settings.Document([]byte(project.Text("Cargo.toml")))
	if err != nil {
		return d, false
	}
	d = Dependencies{Manifest: "Cargo.toml", Note: fetched}
	for _, table := range [][]string{{"dependencies"}, {"dev-dependencies"}, {"build-dependencies"}, {"workspace", "dependencies"}} {
		declared, _ := doc.At(table...)
		for _, m := range declared.Members {
			p := Package{Name: m.Name, Wanted: m.Value.Text}
			for _, key := range []string{"version", "path"} {
				if value, ok := m.Value.Get(key); ok {
					p.Wanted = value.Text
				}
			}
			d.Packages = append(d.Packages, p)
		}
	}
	return d, len(d.Packages) > 0
}

// ruby reads Gemfile.lock, and gems in vendor/bundle.
func ruby(project *inside.Folder) (d Dependencies, ok bool) {
	d = Dependencies{Manifest: "Gemfile.lock"}
	const bundle = "vendor/bundle/ruby"
	versions, _, _ := project.List(bundle)
	gems := ""
	if len(versions) > 0 {
		gems = path.Join(bundle, versions[len(versions)-1], "gems")
		d.In = gems
	} else {
		d.Note = "gems are not installed in the project"
	}
	section, locked := "", make(map[string]string)
	for line := range strings.Lines(project.Text("Gemfile.lock")) {
		if line = strings.TrimRight(line, "\n"); line != "" && line[0] != ' ' {
			section = line
			continue
		}
		name, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, version = strings.TrimSuffix(name, "!"), strings.Trim(version, "()")
		switch {
		case name == "":
		case section == "GEM" && strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "     "):
			locked[name] = version
		case section == "DEPENDENCIES":
			p := Package{Name: name, Wanted: version}
			if gems != "" {
				p.Installed = found(locked[name], project.Exists(path.Join(gems, name+"-"+locked[name])))
			}
			d.Packages = append(d.Packages, p)
		}
	}
	return d, len(d.Packages) > 0
}

// php reads composer.json, and vendor/composer/installed.json.
func php(project *inside.Folder) (d Dependencies, ok bool) {
	doc, err := jsonc.Parse([]byte(project.Text("composer.json")))
	if err != nil {
		return d, false
	}
	d = Dependencies{Manifest: "composer.json"}
	if project.Exists("vendor") {
		d.In = "vendor"
	}
	versions := make(map[string]string)
	if installed, err := jsonc.Parse([]byte(project.Text("vendor/composer/installed.json"))); err == nil {
		packages, _ := installed.Get("packages")
		for _, p := range packages.Items {
			name, _ := p.Get("name")
			version, _ := p.Get("version")
			versions[name.Text] = version.Text
		}
	}
	for _, key := range []string{"require", "require-dev"} {
		declared, _ := doc.Get(key)
		for _, m := range declared.Members {
			if !strings.Contains(m.Name, "/") {
				continue // php itself, and its extensions
			}
			d.Packages = append(d.Packages, Package{Name: m.Name, Wanted: m.Value.Text, Installed: found(versions[m.Name], project.Exists(path.Join("vendor", m.Name)))})
		}
	}
	return d, len(d.Packages) > 0
}
