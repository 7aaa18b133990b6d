package system

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/workspaces/inside"
	"ctxfs/providers/workspaces/programs"
)

// tree makes a folder with files, "name" and "content" in turn; a content that begins with
// "#!" makes a program.
func tree(t testing.TB, files ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	fill(t, root, files...)
	return root
}

func fill(t testing.TB, root string, files ...string) {
	t.Helper()
	for pair := range slices.Chunk(files, 2) {
		path, mode := filepath.Join(root, pair[0]), fs.FileMode(0o600)
		if strings.HasPrefix(pair[1], "#!") {
			mode = 0o700
		}
		fstest.Must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(pair[1]), mode)))
	}
}

func newReader(t testing.TB, home string) *Reader {
	runner := programs.New()
	t.Cleanup(runner.Close)
	return New(Options{
		Path: filepath.Join(home, ".pyenv/shims") + ":" + filepath.Join(home, "bin") + ":" + filepath.Join(home, "work/bin"), Shell: "/bin/zsh", Home: home, Programs: runner,
		Work: func() []string { return []string{filepath.Join(home, "work")} },
	})
}

// TestPrograms: versions come from files, or from the program, which is asked once.
func TestPrograms(t *testing.T) {
	home := tree(t,
		"asked", "",
		"bin/node", "#!/bin/sh\necho asked >>$HOME/asked\necho v20.11.1\n",
		"bin/ruby", "#!/bin/sh\nexit 3\n",
		"bin/deno", "#!/bin/sh\necho deno 1.46.3 '(stable, release, x86_64)'\n",
		"bin/apt-get", "#!/bin/sh\n",
		"go1/bin/go", "#!/bin/sh\ntouch $HOME/ran\n", "go1/VERSION", "go1.26.8\ntime 2026\n",
		"jdk/bin/java", "#!/bin/sh\ntouch $HOME/ran\n", "jdk/release", "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"17.0.2\"\n",
		"lib/node_modules/npm/bin/npm-cli.js", "#!/usr/bin/env node\n", "lib/node_modules/npm/package.json", `{"name": "npm", "version": "10.2.4"}`,
		".local/share/x/versions/1.2.3/bin/uv", "#!/bin/sh\ntouch $HOME/ran\n",
		".pyenv/shims/python3", "#!/bin/sh\ntouch $HOME/ran\n",
		"rust/rustup", "#!/bin/sh\ntouch $HOME/ran\n", // of a user who has no toolchain yet
		"work/bin/gcc", "#!/bin/sh\ntouch $HOME/ran\n",
		"work/app/x", "",
	)
	for name, target := range map[string]string{"go": "go1/bin/go", "java": "jdk/bin/java", "npm": "lib/node_modules/npm/bin/npm-cli.js", "uv": ".local/share/x/versions/1.2.3/bin/uv", "cargo": "work/bin/gcc", "rustc": "rust/rustup"} {
		fstest.Must(t, os.Symlink(filepath.Join(home, target), filepath.Join(home, "bin", name)))
	}
	r := newReader(t, home)
	var s System
	for range 2 {
		var err error
		if s, err = r.Read(t.Context(), filepath.Join(home, "work/app")); err != nil {
			t.Fatal(err)
		}
	}
	got := make(map[string]string)
	for _, p := range s.Programs {
		got[p.Name] = p.Version + " " + strings.TrimPrefix(p.Path, home+"/")
	}
	want := map[string]string{
		"node": "20.11.1 bin/node", "ruby": " bin/ruby", "deno": "1.46.3 bin/deno", "go": "1.26.8 bin/go", "java": "17.0.2 bin/java", "npm": "10.2.4 bin/npm", "uv": "1.2.3 bin/uv", "rustc": " bin/rustc",
		"python3": " .pyenv/shims/python3",
	}
	for name := range want {
		fstest.Equal(t, got[name], want[name], name)
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("found as well: %q", got)
	}
	if len(s.PackageManagers) != 1 || s.PackageManagers[0].Name != "apt-get" || s.Shell != "/bin/zsh" || s.Machine.System == "" || s.Machine.Processors < 1 {
		t.Errorf("got %+v", s)
	}
	if _, err := os.Stat(filepath.Join(home, "ran")); err == nil {
		t.Error("a program was run whose version a file says, or that lies in a project")
	}
	if asked, _ := os.ReadFile(filepath.Join(home, "asked")); string(asked) != "asked\n" {
		t.Errorf("node was asked: %q", asked)
	}

	fill(t, home, "bin/node", "#!/bin/sh\necho v22.0.0 and more\n")
	later := time.Now().Add(time.Minute)
	fstest.Must(t, os.Chtimes(filepath.Join(home, "bin/node"), later, later))
	if s, err := r.Read(t.Context(), filepath.Join(home, "work/app")); err != nil || !slices.ContainsFunc(s.Programs, func(p Program) bool { return p.Version == "22.0.0" }) {
		t.Errorf("after its update node is in %+v, %v", s.Programs, err)
	}
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]string{
		"v20.11.1\n": "20.11.1", "gcc (Debian 12.2.0-14+deb12u1) 12.2.0": "12.2.0", "jq-1.6": "1.6", "tmux 3.3a": "3.3a", "go version go1.27rc1 linux": "1.27rc1", "zig 0.14.0-dev.2": "0.14.0", "x 2.0.0-rc.1": "2.0.0-rc.1", "none": "", "7": "",
	} {
		fstest.Equal(t, number(text), want, "version", text)
	}
}

func TestWanted(t *testing.T) {
	project, err := inside.Open(tree(t, ".nvmrc", "lts/iron\n", ".tool-versions", "# c\nruby 3.3.0\n", "go.mod", "module x\ngo 1.26.0\ntoolchain go1.26.8\n",
		"package.json", `{"engines": {"node": ">=20"}, "packageManager": "pnpm@9.1.0+sha512.abc"}`, "pyproject.toml", "[project]\nrequires-python = \">=3.11\"\n",
		"rust-toolchain", "[toolchain]\nchannel = \"1.80\"\n", "global.json", `{"sdk": {"version": "8.0.100"}}`))
	fstest.Must(t, err)
	defer project.Close()
	want := []Wanted{
		{"node", "lts/iron", ".nvmrc"}, {"ruby", "3.3.0", ".tool-versions"}, {"go", "1.26.0", "go.mod"}, {"go", "1.26.8", "go.mod"}, {"node", ">=20", "package.json"}, {"pnpm", "9.1.0", "package.json"},
		{"python", ">=3.11", "pyproject.toml"}, {"rust", "1.80", "rust-toolchain"}, {"dotnet", "8.0.100", "global.json"},
	}
	fstest.EqualSlices(t, wanted(project), want)
}

func TestDependencies(t *testing.T) {
	for name, c := range map[string]struct {
		files []string
		want  string
	}{
		"npm": {
			[]string{"package.json", `{"dependencies": {"left-pad": "^1.3.0", "@a/b": "workspace:*", "gone": "1"}, "devDependencies": {"jest": "29"}}`, "node_modules/left-pad/package.json", `{"version": "1.3.0"}`, "node_modules/@a/b/package.json", "broken", "node_modules/jest/package.json", `{"version": "29.7.0"}`},
			"package.json in node_modules: 3 of 4: gone 1 = no, @a/b workspace:* = yes, jest 29 = 29.7.0, left-pad ^1.3.0 = 1.3.0",
		},
		"npm, nothing installed": {[]string{"package.json", `{"dependencies": {"a": "1"}}`}, "package.json in : 0 of 1: a 1 = no"},
		"plug and play":          {[]string{"package.json", `{"dependencies": {"a": "1"}}`, ".pnp.cjs", ""}, "package.json in : 0 of 1 (Yarn Plug'n'Play has them in its cache): a 1 = "},
		"go": {
			[]string{"go.mod", "module x\nrequire github.com/BurntSushi/toml v1.3.2 // for settings\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.0.0 // indirect\n)\nreplace example.com/a => ./local\n"},
			"go.mod in : 0 of 2 (a build fetches what it lacks): example.com/a v1.0.0 = , github.com/BurntSushi/toml v1.3.2 = ",
		},
		"python": {
			[]string{"pyproject.toml", "[project]\ndependencies = [\"Requests[socks]>=2,<3; python_version > '3'\", \"ruamel.yaml\"]\n[dependency-groups]\ndev = [\"pytest\", {include-group = \"x\"}]\n", ".venv/lib/python3.12/site-packages/requests-2.31.0.dist-info/METADATA", "", ".venv/lib/python3.12/site-packages/ruamel_yaml-0.18.dist-info/METADATA", ""},
			"pyproject.toml in .venv/lib/python3.12/site-packages: 2 of 3: pytest  = no, Requests >=2,<3 = 2.31.0, ruamel.yaml  = 0.18",
		},
		"poetry":       {[]string{"pyproject.toml", "[tool.poetry.dependencies]\npython = \"^3.11\"\nflask = \"^3\"\n"}, "pyproject.toml in : 0 of 1 (there is no virtual environment in the project): flask ^3 = "},
		"requirements": {[]string{"requirements.txt", "# x\n-r other.txt\nflask==3.0 # web\n"}, "requirements.txt in : 0 of 1 (there is no virtual environment in the project): flask ==3.0 = "},
		"rust": {
			[]string{"Cargo.toml", "[dependencies]\nserde = { version = \"1\", features = [\"derive\"] }\nmine = { path = \"crates/mine\" }\nrand = \"0.8\"\n[dev-dependencies]\nnew = \"1\"\n"},
			"Cargo.toml in : 0 of 4 (a build fetches what it lacks): mine crates/mine = , new 1 = , rand 0.8 = , serde 1 = ",
		},
		"ruby": {
			[]string{"Gemfile.lock", "GEM\n  remote: https://rubygems.org/\n  specs:\n    rails (7.1.0)\n      rack (~> 3)\n    rspec (3.13)\n\nDEPENDENCIES\n  rails (~> 7)\n  rspec!\n", "vendor/bundle/ruby/3.3.0/gems/rails-7.1.0/x", ""},
			"Gemfile.lock in vendor/bundle/ruby/3.3.0/gems: 1 of 2: rspec  = no, rails ~> 7 = 7.1.0",
		},
		"php": {
			[]string{"composer.json", `{"require": {"php": "^8", "a/b": "^1", "ext-json": "*"}, "require-dev": {"c/d": "2"}}`, "vendor/a/b/x", "", "vendor/composer/installed.json", `{"packages": [{"name": "a/b", "version": "1.2.0"}]}`},
			"composer.json in vendor: 1 of 2: c/d 2 = no, a/b ^1 = 1.2.0",
		},
		"hostile": {[]string{"package.json", `{"dependencies": {"../../etc": "1", "x\ny": "\u001b[1m"}}`, "node_modules/x", "", "go.mod", "require ../../etc v1\n", "Cargo.toml", "[dependencies]\n", "composer.json", "["}, "package.json in node_modules: 0 of 2: ../../etc 1 = no, x y  = no; go.mod in : 0 of 1 (a build fetches what it lacks): ../../etc v1 = "},
		"nothing": {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReader(t, t.TempDir())
			s, err := r.Read(t.Context(), tree(t, c.files...))
			fstest.Must(t, err)
			var all []string
			for _, d := range s.Dependencies {
				var packages []string
				for _, p := range d.Packages {
					packages = append(packages, p.Name+" "+p.Wanted+" = "+p.Installed)
				}
				note := ""
				if d.Note != "" {
					note = " (" + d.Note + ")"
				}
				all = append(all, d.Manifest+" in "+d.In+": "+string(rune('0'+d.Installed))+" of "+string(rune('0'+d.Declared))+note+": "+strings.Join(packages, ", "))
			}
			got := strings.Join(all, "; ")
			fstest.Equal(t, got, c.want)
		})
	}
}

// TestJSON: the text is JSON of the same content, one line for each program and package.
func TestJSON(t *testing.T) {
	s := System{
		Machine: Machine{System: "x", Architecture: "amd64", Processors: 2}, Shell: "/bin/sh",
		Programs:     []Program{{"go", "1.26", "/go"}, {"node", "", "/<node>"}},
		Dependencies: []Dependencies{{Manifest: "package.json", Declared: 2, Packages: []Package{{"a", "1", "no"}, {"b", "", "yes"}}}, {Manifest: "go.mod"}},
	}
	var back System
	if err := json.Unmarshal(s.JSON(), &back); err != nil {
		t.Fatalf("%v:\n%s", err, s.JSON())
	}
	again, _ := json.Marshal(back)
	first, _ := json.Marshal(s)
	if strings.ReplaceAll(string(again), `,"packages":[]`, "") != string(first) || !strings.Contains(string(s.JSON()), "\n"+`    {"name":"node","path":"/<node>"}`) {
		t.Errorf("got\n%s", s.JSON())
	}
}

// TestThisMachine reads the real thing.
func TestThisMachine(t *testing.T) {
	runner := programs.New()
	defer runner.Close()
	s, err := New(Options{Path: os.Getenv("PATH"), Home: t.TempDir(), Programs: runner}).Read(t.Context(), "../../..")
	fstest.Must(t, err)
	i := slices.IndexFunc(s.Programs, func(p Program) bool { return p.Name == "go" })
	if i < 0 || !strings.HasPrefix(s.Programs[i].Version, "1.") || len(s.Dependencies) != 1 {
		t.Errorf("got\n%s", s.JSON())
	}
	t.Logf("%s", s.JSON())
}

func FuzzManifests(f *testing.F) {
	for _, text := range []string{`{"dependencies": {"a": "1"}}`, "require (\n a v1\n)\nreplace a => ./b\n", "[project]\ndependencies = [\"a>1\"]\n", "[dependencies]\na = {path = \"..\"}\n", "GEM\n  specs:\n    a (1)\nDEPENDENCIES\n  a\n", "a==1; x\n"} {
		f.Add(text)
	}
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"package.json", "go.mod", "pyproject.toml", "Cargo.toml", "Cargo.lock", "Gemfile.lock", "composer.json", "requirements.txt", ".tool-versions", "global.json"} {
			fstest.Must(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
		}
		r := New(Options{Home: root})
		s, err := r.Read(t.Context(), root)
		fstest.Must(t, err)
		if !json.Valid(s.JSON()) {
			t.Errorf("not JSON: %s", s.JSON())
		}
	})
}
