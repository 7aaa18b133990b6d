package render

import (
	"maps"
	"testing"

	"ctxfs/fs/fstest"
)

func TestRunLine(t *testing.T) {
	for command, want := range map[string]string{
		"go test ./...": "go test ./...",
		"cd /src/shop && go test ./... 2>&1 | tail -20": "go test ./...",
		"cd a && cd b && make":                          "cd a/b && make",
		"cd /src/shop/api && make":                      "cd api && make",
		"cd /src/other && make":                         "",
		"cd .. && make":                                 "",
		"cd $X && make":                                 "",
		"cd /src/shop/api && cd .. && make":             "make",
		"CGO_ENABLED=0 go build -o x ./cmd/x":           "CGO_ENABLED=0 go build -o x ./cmd/x",
		"npm run test:unit -- --watch=false":            "npm run test:unit -- --watch=false",
		"npm install left-pad":                          "",
		"uv run pytest -q":                              "uv run pytest -q",
		"python -m pytest tests":                        "python -m pytest tests",
		"python3 script.py":                             "",
		".venv/bin/python -m unittest tests.test_cart":  ".venv/bin/python -m unittest tests.test_cart",
		"node --test services/api/test/":                "node --test services/api/test/",
		"node server.js":                                "",
		"npx tape test/equal.test.js":                   "npx tape test/equal.test.js",
		"cmake -B build":                                "cmake -B build",
		"./gradlew check":                               "./gradlew check",
		"timeout 60 cargo test":                         "timeout 60 cargo test",
		"git commit -m 'go test'":                       "",
		"ls -la":                                        "",
		"go version":                                    "",
		"cat Makefile":                                  "",
		"bundle exec rake spec":                         "bundle exec rake spec",
		"go vet ./... && go test ./...":                 "go vet ./... && go test ./...",
		"go test $(go list ./...)":                      "",
		"for i in 1 2; do\nmake\ndone":                  "",
		"":                                              "",
	} {
		if got, _ := runLine(command, "/src/shop"); got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}

func TestRuns(t *testing.T) {
	var r runs
	r.add("make", 1, 100, "boom: not found", true)
	r.add("go test", 2, 110, "", false)
	r.add("make", 3, 120, "", false)
	if len(r.List) != 2 || r.List[1].Line != "make" || r.List[1].OK != 1 || r.List[1].Bad != 1 || !r.List[1].Last || r.List[1].Error != "" || r.List[1].Failed != 100 {
		t.Errorf("%+v", r.List)
	}
	for i := range 2 * maxRuns {
		r.add(string(rune('a'+i)), 4+i, 0, "", false)
	}
	fstest.Equal(t, len(r.List), maxRuns, "kept")
}

// TestPiped: the exit code of grep says nothing about what it reads.
func TestPiped(t *testing.T) {
	for command, want := range map[string]bool{
		"go test ./...":                            false,
		"go test ./... 2>&1":                       false,
		"go test ./... 2>/dev/null":                false,
		"go test ./... 2>&1 | tail -5":             false,
		"go test ./... | tee log | tail -3":        false,
		"go test ./... 2>&1 | cat":                 false,
		"go test ./... | head -5":                  true,
		"go test ./... 2>&1 | grep error":          true,
		"go test ./... 2>&1 | tail -5 | grep ok":   true,
		"go test ./... 2>&1 | grep error | tail":   true,
		"go test ./...; echo done":                 true,
		"go test ./... 2>&1; echo \"exit code\"":   true,
		"cd api && go test ./... 2>&1 | grep -c x": true,
	} {
		if line, got := runLine(command, ""); got != want || line == "" {
			t.Errorf("%q: %t, want %t (%q)", command, got, want, line)
		}
	}
}

// TestRunsOfPipes: what is filtered counts only where it shows a failure.
func TestRunsOfPipes(t *testing.T) {
	s := new(story)
	run := func(command, result string, failed bool) {
		s.call("Bash", `{"command":"`+command+`"}`, result, failed)
	}
	run("make one 2>&1 | grep error", "", true)
	run("make two | head -3", "all is well", false)
	run("make three 2>&1 | grep -i error", "error: no such file", false)
	run("make four | tail -2", "done", false)
	run("make five", "=== a test of errors\\n    error: as it should be\\nok", false)
	got := map[string]bool{}
	for _, r := range s.summary("/home/u/shop").Brief().Runs {
		got[r.Line] = r.Last
	}
	if want := map[string]bool{"make three": false, "make four": true, "make five": true}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
