package system

import (
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/workspaces/inside"
)

// wanted returns the versions for which a project asks.
func wanted(project *inside.Folder) []Wanted {
	var all []Wanted
	add := func(program, version, source string) {
		if version = clean.Cut(clean.Line(version), 100); version != "" {
			all = append(all, Wanted{program, version, source})
		}
	}
	for _, f := range [][2]string{{".python-version", "python"}, {".nvmrc", "node"}, {".node-version", "node"}, {".ruby-version", "ruby"}, {".go-version", "go"}, {".java-version", "java"}, {"rust-toolchain", "rust"}} {
		if text := strings.TrimSpace(project.Text(f[0])); !strings.HasPrefix(text, "[") { // as TOML below
			line, _, _ := strings.Cut(text, "\n")
			add(f[1], line, f[0])
		}
	}
	for line := range strings.Lines(project.Text(".tool-versions")) {
		if words := strings.Fields(line); len(words) > 1 && !strings.HasPrefix(line, "#") {
			add(clean.Cut(words[0], 100), strings.Join(words[1:], " "), ".tool-versions")
		}
	}
	for line := range strings.Lines(project.Text("go.mod")) {
		if words := strings.Fields(line); len(words) == 2 && (words[0] == "go" || words[0] == "toolchain") {
			add("go", strings.TrimPrefix(words[1], "go"), "go.mod")
		}
	}
	if doc, err := jsonc.Parse([]byte(project.Text("package.json"))); err == nil {
		engines, _ := doc.Get("engines")
		for _, m := range engines.Members {
			add(clean.Cut(clean.Line(m.Name), 100), m.Value.Text, "package.json")
		}
		if manager, ok := doc.Get("packageManager"); ok {
			name, version, _ := strings.Cut(manager.Text, "@")
			version, _, _ = strings.Cut(version, "+") // and a digest
			add(clean.Cut(clean.Line(name), 100), version, "package.json")
		}
	}
	for _, t := range []struct {
		file, program string
		path          []string
	}{
		{"pyproject.toml", "python", []string{"project", "requires-python"}}, {"pyproject.toml", "python", []string{"tool", "poetry", "dependencies", "python"}},
		{"rust-toolchain.toml", "rust", []string{"toolchain", "channel"}}, {"rust-toolchain", "rust", []string{"toolchain", "channel"}}, {"Cargo.toml", "rust", []string{"package", "rust-version"}},
	} {
		if doc, err := settings.Document([]byte(project.Text(t.file))); err == nil {
			value, _ := doc.At(t.path...)
			add(t.program, value.Text, t.file)
		}
	}
	if doc, err := jsonc.Parse([]byte(project.Text("global.json"))); err == nil {
		version, _ := doc.At("sdk", "version")
		add("dotnet", version.Text, "global.json")
	}
	return all
}
