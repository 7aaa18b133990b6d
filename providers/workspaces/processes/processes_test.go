package processes

import (
	"slices"
	"testing"
	"time"
)

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		argv []string
		want string
		idle bool
	}{
		{[]string{"-bash"}, "-bash", true},
		{[]string{"/usr/bin/zsh", "-l", "-i"}, "/usr/bin/zsh -l -i", true},
		{[]string{"bash", "--rcfile", "/tmp/rc", "-i"}, "bash --rcfile /tmp/rc -i", true},
		{[]string{"bash", "run.sh"}, "bash run.sh", false},
		{[]string{"sh", "-c", "npm run dev"}, "sh -c 'npm run dev'", false},
		{[]string{"node", "server.js", "--token", "hunter2hunter2"}, "node server.js --token '[REDACTED:token]'", false},
		{[]string{"x", "two\nlines\x1b[1m"}, "x 'two lines'", false},
		{nil, "", false},
	} {
		if got := commandLine(c.argv); got != c.want {
			t.Errorf("%q is shown as %s, not %s", c.argv, got, c.want)
		}
		if got := isIdleShell(c.argv); got != c.idle {
			t.Errorf("%q is an idle shell: %v", c.argv, got)
		}
	}
}

func TestSift(t *testing.T) {
	at := func(s int64) time.Time { return time.Unix(s, 0).UTC() }
	all := []Process{
		{PID: 1, Command: "bash", Since: at(1)},
		{PID: 2, Command: "npm run dev", Since: at(2), parent: 1},
		{PID: 3, Command: "sh -c vite", Since: at(3), parent: 2},
		{PID: 4, Command: "node vite", Since: at(4), parent: 3, Listens: []string{"tcp 127.0.0.1:5173", "unix /tmp/a"}, Terminal: "t1"},
		{PID: 5, Command: "tail -f x", Since: at(1), parent: 77},
	}
	want := Header + "4\tnode vite\ttcp 127.0.0.1:5173, unix /tmp/a\tt1\t1970-01-01T00:00:04Z\n5\ttail -f x\t\t\t1970-01-01T00:00:01Z\n2\tnpm run dev\t\t\t1970-01-01T00:00:02Z\n"
	idle := func(p Process) bool { return p.PID == 1 }
	if got := TSV(sift(slices.Clone(all), idle)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	many := make([]Process, 2*Most)
	for i := range many {
		many[i] = Process{PID: i + 1}
	}
	if got := len(sift(many, func(Process) bool { return false })); got != Most {
		t.Errorf("%d processes are listed", got)
	}
}
