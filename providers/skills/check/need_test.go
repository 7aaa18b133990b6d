package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

func needed(l *needs, kind NeedKind) string {
	var all []string
	for _, n := range l.sorted() {
		if n.Kind == kind {
			all = append(all, n.Name)
		}
	}
	return strings.Join(all, " ")
}

func TestScripts(t *testing.T) {
	for _, c := range []struct {
		name, text                           string
		interpreters, programs, python, node string
	}{
		{"a.py", "import os, sys as s\nimport numpy as np, pandas\nfrom PIL import Image\nfrom . import x\nfrom helper import y\nfrom lib.more import z\nimport scripts.a\n" +
			"def f():\n    import yaml\n    subprocess.run(['pdftotext', p])\n    os.system(\"soffice --headless\")\n    shutil.which('qpdf')\n    subprocess.run(cmd)\n",
			"python3", "pdftotext qpdf soffice", "PIL numpy pandas yaml", ""},
		{"run", "#!/usr/bin/env -S python3.12 -u\nimport requests\n", "python3.12", "", "requests", ""},
		{"tool.py", "#!/usr/bin/env python\nimport json\n", "python", "", "", ""},
		{"pep.py", "# /// script\n# dependencies = [\"httpx\"]\n# ///\nimport httpx\n", "python3", "uv", "", ""},
		{"uv.py", "#!/usr/bin/env -S uv run --script\n# /// script\nimport httpx\n", "uv", "", "", ""},
		{"a.js", "const fs = require('fs'); const s = require(\"sharp\");\nimport x from '@scope/pkg/deep';\nimport 'node:path'; import './local.js'; import y from 'lodash/map'\nawait import('zx')\nexecSync(`ffmpeg -i ${x}`); spawn('git', [])\n",
			"node", "ffmpeg git", "", "@scope/pkg lodash sharp zx"},
		{"a.ts", "import { clsx } from 'clsx'\n", "", "", "", "clsx"},
		{"a.sh", "#!/bin/bash\nset -e\n# curl in a comment\nX=1 FOO=bar pandoc \"$1\" -o out.pdf | jq -r .x && rg foo || git status\nif ! command -v tmux >/dev/null; then exit 1; fi\n" +
			"helper() { kubectl get pods; }\nhelper\necho \"No $(date) Sessions; now $(hyperfine x) then\"\ncase \"$1\" in\n  dev|prod) docker build . ;;\n  *) echo no ;;\nesac\ncat <<EOF\nnot a program\nEOF\n" +
			"echo 'wget x | tar'\nfor f in *.md; do prettier --write \"$f\"; done\nwhile read -r l; do echo; done < <(fd .)\nnode -e \"const x = 1;\nnothing; else\"\nsudo apt-get install x\nlong \\\n  arguments\n",
			"bash", "apt-get docker fd git hyperfine jq kubectl long node pandoc prettier rg tmux", "", ""},
		{"x.rb", "puts 1\n", "ruby", "", "", ""},
	} {
		l := newNeeds([]string{"SKILL.md", "helper.py", "lib/more.py", "scripts/a.py"})
		l.script(c.name, c.text)
		for kind, want := range map[NeedKind]string{Interpreter: c.interpreters, Program: c.programs, Python: c.python, Node: c.node} {
			fstest.Equal(t, needed(l, kind), want, c.name, kind)
		}
	}
}

// TestSaid: programs that a skill names as needed are needs, other words are not.
func TestSaid(t *testing.T) {
	for text, want := range map[string]string{
		"requires nosuchprog-xyz":                               "nosuchprog-xyz",
		"Requires git, docker, jq, and access to the internet":  "docker git jq",
		"Requires Python 3.14+ and uv":                          "python3 uv",
		"Needs `pandoc` (>= 3.1), node.js 18 or newer, and gh.": "node gh pandoc",
		"Requires the gh CLI to be installed. Needs internet.":  "gh",
		"Designed for Claude Code (or similar products)":        "",
		"Needs wget or curl; macOS only; network access":        "",
		"Requires Chrome, network, an API key and permissions":  "",
		"MIT. This text requires that you read it first":        "",
	} {
		l := newNeeds(nil)
		l.said("SKILL.md", text)
		fstest.Equal(t, strings.TrimSpace(needed(l, Interpreter)+" "+needed(l, Program)), want, text)
	}
}

func TestMachine(t *testing.T) {
	dir := t.TempDir()
	put := func(path string, mode os.FileMode) {
		path = filepath.Join(dir, path)
		fstest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		fstest.Must(t, os.WriteFile(path, []byte("x"), mode))
	}
	put("env/bin/python3", 0o755)
	put("env/bin/pandoc", 0o755)
	put("env/bin/data", 0o644)
	put("env/lib/python3.11/site-packages/yaml/__init__.py", 0o644)
	put("env/lib/python3.11/site-packages/six.py", 0o644)
	put("env/lib/python3.11/site-packages/_cffi.cpython-311-x86_64-linux-gnu.so", 0o644)
	put("env/lib/python3.11/site-packages/gone-1.0.dist-info/METADATA", 0o644)
	put("home/.local/lib/python3.11/site-packages/mine/__init__.py", 0o644)
	put("work/node_modules/sharp/index.js", 0o644)
	put("home/node_modules/@scope/pkg/index.js", 0o644)
	m := &Machine{
		Home: filepath.Join(dir, "home"), LookupEnv: func(name string) (string, bool) { return filepath.Join(dir, "env/bin") + ":relative", name == "PATH" },
		Hide: func(path string) bool { return strings.Contains(path, "/hidden") },
	}
	for _, c := range []struct {
		kind NeedKind
		name string
		want bool
	}{
		{Interpreter, "python3", true}, {Program, "pandoc", true}, {Program, "data", false}, {Program, "nothing", false},
		{Python, "yaml", true}, {Python, "six", true}, {Python, "_cffi", true}, {Python, "gone-1", false}, {Python, "mine", true}, {Python, "numpy-of-nobody", false},
		{Node, "sharp", true}, {Node, "@scope/pkg", true}, {Node, "nothing-at-all", false},
	} {
		fstest.Equal(t, m.Has(Need{Kind: c.kind, Name: c.name}, filepath.Join(dir, "work/skills/x")), c.want, c.kind, c.name)
	}
}

// TestTooMuch: what looks like thousands of needs ends.
func TestTooMuch(t *testing.T) {
	var text strings.Builder
	for i := range 5000 {
		text.WriteString("import m" + strings.Repeat("x", i%50) + string(rune('a'+i%26)) + "\n")
	}
	l := newNeeds(nil)
	l.script("a.py", text.String())
	l.script("b.sh", strings.Repeat("$(", 100_000)+strings.Repeat("\"", 99_999))
	if n := len(l.sorted()); n > maxNeeds {
		t.Errorf("%d needs", n)
	}
	if !slices.IsSortedFunc(l.sorted(), func(a, b Need) int { return 0 }) {
		t.Error("not in order")
	}
}

func FuzzScript(f *testing.F) {
	f.Add("a.sh", "#!/bin/sh\ncase x in a) b \"$(c)\";; esac\n")
	f.Add("a.py", "#!/usr/bin/env -S python3\nimport a, b as c\n")
	f.Fuzz(func(t *testing.T, name, text string) {
		l := newNeeds([]string{name})
		l.script(name, text)
		l.sorted()
	})
}
