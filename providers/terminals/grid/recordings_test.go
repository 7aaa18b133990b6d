package grid

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// recordings are what real programs wrote to a terminal of 80 by 24, as
// testdata/terminals/record.py made them.
func recordings(t testing.TB) map[string][]byte {
	files, err := filepath.Glob("../../../testdata/terminals/*.raw")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	all := make(map[string][]byte)
	for _, file := range files {
		stream, err := os.ReadFile(file)
		fstest.Must(t, err)
		all[strings.TrimSuffix(filepath.Base(file), ".raw")] = stream
	}
	return all
}

// TestRecordingsOnXterm compares the screen with xterm.js's at many places of
// each recording, and the log with its scrollback and last screen. The log may
// have more: what was on the screen before it was erased, and full-screen
// programs.
func TestRecordingsOnXterm(t *testing.T) {
	const places = 16
	all := recordings(t)
	names := sortedNames(all)
	var sessions []session
	for _, name := range names {
		for i := 1; i <= places; i++ {
			sessions = append(sessions, session{80, 24, []step{{Data: all[name][:len(all[name])*i/places]}}})
		}
	}
	answers := xterm(t, sessions...)
	for i, name := range names {
		for j := range places {
			if fault := differ(play(sessions[i*places+j]), answers[i*places+j]); fault != "" {
				t.Fatalf("%s, after %d/%d: %s", name, j+1, places, fault)
			}
		}
		g := play(sessions[i*places+places-1])
		g.Close()
		log := strings.Split(taken(g), "\n")
		lines := slices.DeleteFunc(slices.Clone(log), func(line string) bool { return line == FullScreenLine })
		got, want := trimmed(strings.Join(lines, "\n")), trimmed(strings.Join(answers[i*places+places-1].Lines, "\n"))
		switch name {
		case "vim", "less", "htop":
			if len(lines) == len(log) {
				t.Errorf("%s: a full-screen program has no line in the log:\n%s", name, got)
			}
		case "bash": // clears the screen; the log has more
			got = got[max(0, len(got)-len(want)):]
		}
		fstest.Equal(t, got, want, "xterm.js", name)
	}
}

// TestRecordingsInPieces checks on the recordings what holds for any stream.
func TestRecordingsInPieces(t *testing.T) {
	for name, stream := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			checkStream(t, stream, 80, 24, rand.New(rand.NewPCG(6, 7)))
		})
	}
}
