package tmux

import (
	"strconv"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/terminals/record"
)

// What was there before is recorded once, what comes after as it comes.
func TestPane(t *testing.T) {
	r := newRig(t)
	r.start("a", "main")
	r.keys("a", "main", "seq 20", "\n20\n")
	r.prompt("a", "main")
	a := r.adopt()
	if got := names(a); got != "main-0-0" {
		t.Fatalf("recorded: %s %q", got, problems(a))
	}
	r.keys("a", "main", "echo li''ve", "\nlive\n")
	r.shows("main-0-0", "\nlive\n")
	want := "$ seq 20\n"
	for i := range 20 {
		want += strconv.Itoa(i+1) + "\n"
	}
	want += "$ echo li''ve\nlive\n"
	fstest.Equal(t, r.log("main-0-0"), want, "log")
	r.prompt("a", "main")
	screen := r.tmux("a", "capture-pane", "-p", "-t", "main")
	r.until("the screen is that of tmux", func() bool { return strings.TrimSpace(r.screen("main-0-0")) == screen })
	term := r.load("main-0-0")
	fstest.Equal(t, r.tmux("a", "display-message", "-p", "-t", "main", "#{pane_pid}"), strconv.Itoa(term.Pid), "pid")
	if term.Source != record.Tmux || term.Argv[0] != "sh" || term.Cwd == "" || term.Cols != 60 || term.Rows != 8 {
		t.Errorf("%+v", term.Meta)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	fstest.Equal(t, r.tmux("a", "list-clients"), "", "clients are left")
}

// Panes, windows, sessions and servers come and go.
func TestComeAndGo(t *testing.T) {
	r := newRig(t)
	a := r.adopt()
	if got := names(a); got != "" {
		t.Fatal(got)
	}
	r.start("a", "one")
	r.until("a server that starts later is found", func() bool { return names(a) == "one-0-0" })
	r.tmux("a", "split-window", "-t", "one", "PS1='$ ' sh")
	r.tmux("a", "new-window", "-t", "one", "PS1='$ ' sh")
	r.tmux("a", "new-session", "-d", "-s", "two", "PS1='$ ' sh")
	r.start("b", "other")
	r.until("all are recorded", func() bool { return names(a) == "one-0-0 one-0-1 one-1-0 other-0-0 two-0-0" })
	for _, pane := range []string{"one:0.0", "one:0.1", "one:1.0", "two:0.0"} {
		r.keys("a", pane, "echo in-"+pane, "\nin-"+pane+"\n")
		r.shows(strings.NewReplacer(":", "-", ".", "-").Replace(pane), "\nin-"+pane+"\n")
	}
	// One client for each session, which affects no size.
	for client := range strings.Lines(r.tmux("a", "list-clients", "-F", "#{session_name} #{client_flags}")) {
		if !strings.Contains(client, "read-only") || !strings.Contains(client, "ignore-size") {
			t.Errorf("client: %s", client)
		}
	}
	if got := r.tmux("a", "list-clients", "-F", "#{session_name}"); got != "one\ntwo" && got != "two\none" {
		t.Errorf("clients: %s", got)
	}
	r.tmux("a", "send-keys", "-t", "one:0.1", "echo last; exit 3", "Enter")
	r.ended("one-0-1")
	r.tmux("a", "kill-session", "-t", "two")
	r.ended("two-0-0")
	r.tmux("b", "kill-server")
	r.ended("other-0-0")
	r.until("the others are recorded", func() bool { return names(a) == "one-0-0 one-1-0" })
	r.keys("a", "one:1.0", "echo still", "\nstill\n")
	r.shows("one-1-0", "\nstill\n")
}

// A pane that moves to another session is recorded there, in another terminal.
func TestMove(t *testing.T) {
	r := newRig(t)
	r.start("a", "one")
	r.tmux("a", "split-window", "-t", "one", "PS1='$ ' sh")
	r.tmux("a", "new-session", "-d", "-s", "two", "PS1='$ ' sh")
	r.adopt()
	r.keys("a", "one:0.1", "echo before", "\nbefore\n")
	r.shows("one-0-1", "\nbefore\n")
	r.tmux("a", "join-pane", "-s", "one:0.1", "-t", "two:0")
	r.shows("two-0-1", "\nbefore\n")
	r.ended("one-0-1")
	r.keys("a", "two:0.1", "echo after", "\nafter\n")
	r.shows("two-0-1", "\nafter\n")
}

// Recording that begins again has all that tmux holds.
func TestAgain(t *testing.T) {
	r := newRig(t)
	r.start("a", "main")
	a := r.adopt()
	r.keys("a", "main", "echo fir''st", "\nfirst\n")
	r.shows("main-0-0", "\nfirst\n")
	a.Close()
	if r.load("main-0-0").Running() {
		t.Error("it runs")
	}
	r.keys("a", "main", "echo mea''nwhile", "\nmeanwhile\n")
	a = r.adopt()
	if got := names(a); got != "main-0-0" {
		t.Fatalf("recorded: %s", got)
	}
	r.keys("a", "main", "echo seco''nd", "\nsecond\n")
	r.shows("main-0-0", "\nsecond\n")
	log := r.log("main-0-0")
	for _, line := range []string{"first", "meanwhile", "second"} {
		fstest.Equal(t, strings.Count(log, "\n"+line+"\n"), 1, "there", line, log)
	}
}

// What tmux drops because the client is late is said to be missing.
func TestPause(t *testing.T) {
	r := newRig(t)
	r.start("a", "main")
	r.adopt()
	r.keys("a", "main", "echo fir''st", "\nfirst\n")
	r.shows("main-0-0", "\nfirst\n")
	client := r.tmux("a", "list-clients", "-F", "#{client_name}")
	r.tmux("a", "refresh-client", "-t", client, "-A", "%0:pause") // as tmux does when we are late
	r.shows("main-0-0", Gap+"\n")
	r.keys("a", "main", "echo la''st", "\nlast\n")
	r.shows("main-0-0", "\nlast\n")
}
