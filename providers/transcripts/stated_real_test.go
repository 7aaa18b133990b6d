package transcripts

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/statements"
)

// TestJudgedStatements: of what is found in the real sessions and trajectories at least
// 70 % is worth proposing, as a person has judged each (testdata/judged.tsv of package
// statements). What was not judged yet has to be.
func TestJudgedStatements(t *testing.T) {
	judged := make(map[string]string) // by the first words
	f, err := os.Open(filepath.Join("statements", "testdata", "judged.tsv"))
	fstest.Must(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if cells := strings.Split(lines.Text(), "\t"); len(cells) == 6 && cells[0] != "judged" {
			judged[cells[4]] = cells[0]
		}
	}
	fstest.Must(t, lines.Err())
	good, all := 0, 0
	seen := make(map[string]bool)
	judge := func(found []facts.Statement) {
		for _, s := range found {
			key := strings.ToLower(s.Text)
			if seen[key] { // in a session that goes on with another
				continue
			}
			seen[key] = true
			words := strings.Fields(s.Text)
			switch judged[strings.Join(words[:min(len(words), 6)], " ")] {
			case "yes":
				good++
				all++
			case "no":
				all++
			default:
				t.Errorf("nobody has judged the %s %q of [%s]", s.Kind, s.Text, s.Anchor)
			}
		}
	}
	home := realHome(t)
	moreReal(t, home)
	h := start(t, home, offline)
	h.scanner.First()
	for _, s := range sample(h.catalogue.All()) {
		fstest.Must(t, h.cache.Current(t.Context(), s, false))
		if v, _ := h.catalogue.View(s); v.Parent == nil {
			var part facts.Part[facts.Statement]
			h.statementsOf(t.Context(), s, &v, "", &part)
			judge(part.Facts)
		}
	}
	for _, name := range []string{"livemcpbench", "mcpproxy", "tau-airline"} {
		judge(statedInTrajectories(t, name))
	}
	t.Logf("%d of %d are worth proposing", good, all)
	if all == 0 || !fstest.Race() && float64(good) < .7*float64(all) { // those of a sample are few
		t.Errorf("%d of %d are worth proposing", good, all)
	}
}

// statedInTrajectories returns the statements in a file of trajectories, with its lines
// as anchors.
func statedInTrajectories(t *testing.T, name string) (all []facts.Statement) {
	t.Helper()
	file, err := os.Open(filepath.Join(fstest.Data(t, "trajectories"), name+".jsonl"))
	fstest.Must(t, err)
	defer file.Close()
	of := make(map[string]*strings.Builder)
	var order []*strings.Builder
	decoder := json.NewDecoder(file)
	for line := 1; decoder.More(); line++ {
		var e struct{ Trajectory, Role, Text string }
		fstest.Must(t, decoder.Decode(&e))
		if of[e.Trajectory] == nil {
			of[e.Trajectory] = new(strings.Builder)
			order = append(order, of[e.Trajectory])
		}
		if kind := event.Kind(e.Role); kind == event.User || kind == event.Assistant {
			fmt.Fprintf(of[e.Trajectory], "### [%s/%05d] - %s\n%s\n\n", name, line, kind, e.Text)
		}
	}
	for _, text := range order {
		found, err := statements.Read(strings.NewReader("\n" + text.String()))
		fstest.Must(t, err)
		all = append(all, found...)
	}
	return all
}
