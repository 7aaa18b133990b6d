package agents

import (
	"os"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

const readme = "../../../README.md"

// TestReadmeTable: the README's table of agents says what the descriptions say.
// With -update it is rewritten.
func TestReadmeTable(t *testing.T) {
	text, err := os.ReadFile(readme)
	fstest.Must(t, err)
	const head = "| agent | MCP servers in | skills in | rules in | sessions in |\n| --- | --- | --- | --- | --- |\n"
	before, rest, ok := strings.Cut(string(text), head)
	got, after, end := strings.Cut(rest, "\n\n")
	if !ok || !end {
		t.Fatal("the README has no table of agents")
	}
	var want strings.Builder
	for _, a := range All() {
		cells := []string{a.Name, first(a.MCP.User, a.MCP.Project), first(a.Skills.User, nil), first(a.Rules.User, a.Rules.Project), first(a.Sessions, nil)}
		want.WriteString(strings.Join(strings.Fields("| "+strings.Join(cells, " | ")+" |"), " ") + "\n")
	}
	if got+"\n" == want.String() {
		return
	}
	if *update {
		fstest.Must(t, os.WriteFile(readme, []byte(before+head+want.String()+"\n"+strings.TrimPrefix(after, "\n")), 0o644))
		return
	}
	t.Errorf("got:\n%s\nwant:\n%s", got, want.String())
}

// first returns the first place of the user, as most users have it, and the first
// one of a project.
func first(user []Path, project []string) string {
	var cells []string
	if paths := shortly(user...); len(paths) > 0 {
		cells = append(cells, "`"+paths[0]+"`")
	}
	if len(project) > 0 {
		cells = append(cells, "`"+project[0]+"`")
	}
	return strings.Join(cells, ", ")
}

// shortly returns the paths on Linux if no variable is set, with "~".
func shortly(paths ...Path) []string {
	all := Machine{Home: "/home/ada", OS: "linux", LookupEnv: lookup(nil)}.Paths(paths...)
	for i, path := range all {
		all[i] = strings.Replace(path, "/home/ada", "~", 1)
	}
	return all
}

// TestReadmeHooks: the README's table of hooks has a row for each agent that has
// events, with its file and these events.
func TestReadmeHooks(t *testing.T) {
	rows := readmeRows(t, "| agent | file | events |")
	for _, a := range All() {
		if row, ok := rows[a.Name]; ok != (len(a.Hooks.Events) > 0) {
			t.Errorf("%s: a row %v, events %q", a.Name, ok, a.Hooks.Events)
		} else if ok {
			for _, want := range append(shortly(a.Hooks.User...), a.Hooks.Events...) {
				if !strings.Contains(row, "`"+want+"`") {
					t.Errorf("%s: %q is not in the row %q", a.Name, want, row)
				}
			}
		}
	}
}

// TestReadmeRules: the README's table of where the line for agents goes names a
// file of rules that the agent reads.
func TestReadmeRules(t *testing.T) {
	rows := readmeRows(t, "| agent | where that goes | and, if it asks for permission |")
	delete(rows, "any other")
	for _, a := range All() {
		row, ok := rows[a.Name]
		delete(rows, a.Name)
		known := func(file string) bool { return strings.Contains(row, "`"+file+"`") }
		if ok && len(a.Rules.User) > 0 && a.ID != "vscode" && a.ID != "cline" && !slices.ContainsFunc(shortly(a.Rules.User...), known) {
			t.Errorf("%s reads none of the files in %q", a.Name, row)
		}
	}
	if len(rows) > 0 {
		t.Errorf("rows of agents that are not known: %q", rows)
	}
}

// readmeRows returns the rows of a table of the README, by their first cell.
func readmeRows(t *testing.T, head string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(readme)
	fstest.Must(t, err)
	_, rest, ok := strings.Cut(string(text), head+"\n")
	if !ok {
		t.Fatalf("the README has no table %q", head)
	}
	table, _, _ := strings.Cut(rest, "\n\n")
	rows := make(map[string]string)
	for _, line := range strings.Split(table, "\n")[1:] {
		name, row, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		rows[name] = row
	}
	return rows
}
