package processes

import (
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		argv []string
		want string
	}{
		{[]string{"/usr/bin/zsh", "-l", "-i"}, "/usr/bin/zsh -l -i"},
		{[]string{"sh", "-c", "npm run dev"}, "sh -c 'npm run dev'"},
		{[]string{"node", "server.js", "--token", "hunter2hunter2"}, "node server.js --token '[REDACTED:token]'"},
		{[]string{"x", "two\nlines\x1b[1m"}, "x 'two lines'"},
		{nil, ""},
	} {
		fstest.Equal(t, commandLine(c.argv), c.want, "shown as", c.argv)
	}
}

func TestSift(t *testing.T) {
	at := func(s int64) time.Time { return time.Unix(s, 0).UTC() }
	of := func(pid, parent int, command, listens string) Process {
		program, _, _ := strings.Cut(command, " ")
		p := Process{PID: pid, Command: command, Since: at(int64(pid)), parent: parent, shell: isShell(program)}
		if listens != "" {
			p.Listens = []string{listens}
		}
		return p
	}
	all := []Process{
		of(1, 0, "-bash", ""),
		of(2, 1, "npm run dev", ""),
		of(3, 2, "sh -c vite", ""),
		of(4, 3, "node vite", "tcp 127.0.0.1:5173"),
		of(5, 3, "esbuild", ""), // of npm
		of(6, 77, "tail -f x", ""),
		of(7, 78, "bash /dev/fd/3", ""), // of an agent
		of(8, 7, "go test ./...", ""),
		of(9, 8, "x.test", ""),
		of(10, 79, "bash watch.sh", ""),
		of(11, 80, "zsh -i", ""),
		of(12, 81, "bash dev.sh", ""),
		of(13, 12, "python3 app.py", ""),
	}
	want := []int{4, 2, 6, 8, 13}
	var got []int
	for _, p := range sift(all) {
		got = append(got, p.PID)
	}
	fstest.EqualSlices(t, got, want, "listed")
	text := TSV([]Process{{PID: 4, Command: "node vite", Listens: []string{"tcp *:1", "unix /a"}, Terminal: "t1", Since: at(4)}})
	fstest.Equal(t, text, "pid\tcommand\tlistens\tterminal\tsince\n4\tnode vite\ttcp *:1, unix /a\tt1\t1970-01-01T00:00:04Z\n")
	many := make([]Process, 2*most)
	for i := range many {
		many[i] = of(i+1, 0, "x", "")
	}
	fstest.Equal(t, len(sift(many)), most, "processes are listed")
}
