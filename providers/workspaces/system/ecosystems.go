package system

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

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

// golang reads go.mod, and the vendor folder or the cache of modules.
func (r *Reader) golang(project *inside.Folder) (d Dependencies, ok bool) {
	d = Dependencies{Manifest: "go.mod", In: r.moduleCache()}
	vendored := project.Text("vendor/modules.txt")
	if vendored != "" {
		d.In = "vendor"
	}
	required, replaced := parseGoMod(project.Text("go.mod"))
	for _, p := range required {
		switch target := replaced[p.Name]; {
		case vendored != "":
			p.Installed = found(p.Wanted, strings.Contains(vendored, "# "+p.Name+" "))
		case strings.HasPrefix(target, "."):
			p.Installed = found("", project.Exists(path.Clean(target)))
		case strings.HasPrefix(target, "/"):
			p.Installed = found("", exists(target))
		default:
			module, version, _ := strings.Cut(target, " ")
			if target == "" {
				module, version = p.Name, p.Wanted
			}
			p.Installed = found(version, filepath.IsLocal(module) && exists(filepath.Join(d.In, escapeModule(module)+"@"+escapeModule(version))))
		}
		d.Packages = append(d.Packages, p)
	}
	return d, len(d.Packages) > 0
}

// moduleCache returns the folder of Go's modules. Source: go help environment.
func (r *Reader) moduleCache() string {
	if dir := r.opts.Env("GOMODCACHE"); dir != "" {
		return dir
	}
	if path := filepath.SplitList(r.opts.Env("GOPATH")); len(path) > 0 {
		return filepath.Join(path[0], "pkg", "mod")
	}
	return filepath.Join(r.opts.Home, "go", "pkg", "mod")
}

// escapeModule returns a module's path or version as the cache writes it: a capital as "!"
// and the small letter.
func escapeModule(name string) string {
	var b strings.Builder
	for _, c := range name {
		if unicode.IsUpper(c) {
			b.WriteByte('!')
			c = unicode.ToLower(c)
		}
		b.WriteRune(c)
	}
	return b.String()
}

// parseGoMod returns the modules that a go.mod requires directly, and by what modules are
// replaced: a path, or a module and its version. Source: go.dev/ref/mod#go-mod-file.
func parseGoMod(text string) (required []Package, replaced map[string]string) {
	replaced = make(map[string]string)
	block := ""
	for line := range strings.Lines(text) {
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
		switch {
		case words[0] == "require" && len(words) == 3 && strings.TrimSpace(comment) != "indirect":
			required = append(required, Package{Name: words[1], Wanted: words[2]})
		case words[0] == "replace":
			if left, right, ok := strings.Cut(strings.Join(words[1:], " "), " => "); ok {
				module, _, _ := strings.Cut(left, " ")
				replaced[module] = right
			}
		}
	}
	return required, replaced
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

// rust reads Cargo.toml and Cargo.lock, and the registry of Cargo.
func (r *Reader) rust(project *inside.Folder) (d Dependencies, ok bool) {
	doc, err := settings.Document([]byte(project.Text("Cargo.toml")))
	if err != nil {
		return d, false
	}
	home := r.opts.Env("CARGO_HOME")
	if home == "" {
		home = filepath.Join(r.opts.Home, ".cargo")
	}
	d = Dependencies{Manifest: "Cargo.toml", In: filepath.Join(home, "registry", "src")}
	registries, _ := os.ReadDir(d.In)
	locked := make(map[string]string)
	for _, m := range regexp.MustCompile(`(?m)^name = "([^"]+)"\nversion = "([^"]+)"`).FindAllStringSubmatch(project.Text("Cargo.lock"), -1) {
		locked[m[1]] = m[2]
	}
	for _, table := range [][]string{{"dependencies"}, {"dev-dependencies"}, {"build-dependencies"}, {"workspace", "dependencies"}} {
		declared, _ := doc.At(table...)
		for _, m := range declared.Members {
			p := Package{Name: m.Name, Wanted: m.Value.Text}
			if version, ok := m.Value.Get("version"); ok {
				p.Wanted = version.Text
			}
			if at, ok := m.Value.Get("path"); ok {
				p.Wanted, p.Installed = at.Text, found("", project.Exists(path.Clean(at.Text)))
			} else if version := locked[m.Name]; version != "" && !strings.ContainsAny(m.Name+version, `/\`) {
				p.Installed = missing
				for _, registry := range registries {
					if exists(filepath.Join(d.In, registry.Name(), m.Name+"-"+version)) {
						p.Installed = version
					}
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

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
