package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/terminals/record"
)

// hardship is an environment where nothing can be recorded. Its script, of a root
// shell with mounts of its own, ends by becoming ctxfs, with the arguments that
// follow.
type hardship struct {
	name, script string
	cause        string // of the line that is said
}

var hardships = []hardship{
	{"no HOME", `exec env -i PATH="$PATH" ctxfs "$@"`, "the home folder is not known"},
	{"no environment at all", `exec env -i "$(command -v ctxfs)" "$@"`, "the home folder is not known"},
	{"a full disk", `unset XDG_STATE_HOME; mount -t tmpfs -o size=64k full ~; cat /dev/zero >~/zero 2>/dev/null; exec ctxfs "$@"`, "no space left on device"},
	{"a read-only file system", `mount -t tmpfs -o ro none "$XDG_STATE_HOME"; exec ctxfs "$@"`, "read-only file system"},
	{"a home of somebody else", `unset XDG_STATE_HOME; chmod 0500 ~; exec setpriv --reuid 65534 --regid 65534 --clear-groups ctxfs "$@"`, "permission denied"},
	{"a home that is missing", `unset XDG_STATE_HOME; HOME=/proc/none exec ctxfs "$@"`, "the home folder /proc/none does not exist"},
	{"a file in the place of the state folder", `rm -r "$XDG_STATE_HOME/ctxfs" 2>/dev/null; touch "$XDG_STATE_HOME/ctxfs"; exec ctxfs "$@"`, "not a directory"},
}

// world prepares a command of ctxfs in the hardship.
func (h hardship) world(b *box) []string {
	b.Helper()
	need(b.T, "unshare", "setpriv")
	if os.Getuid() != 0 {
		b.Skip("only root can mount in a namespace of its own")
	}
	must(b.T, os.Chmod(b.dir, 0o711))
	must(b.T, os.Chown(b.home, nobody, nobody))
	return []string{"unshare", "-m", "bash", "-c", "cd /; " + h.script, "bash"}
}

// TestRunAlways: the command runs, with its own streams, signals and exit code,
// and one line says why it is not recorded.
func TestRunAlways(t *testing.T) {
	t.Parallel()
	for _, h := range hardships {
		t.Run(h.name, func(t *testing.T) {
			b := realBox(t) // for namespaces
			in := func(args ...string) result {
				b.Helper()
				argv := append(h.world(b), args...)
				return b.do(argv[0], argv[1:]...)
			}
			check := func(r result, code int, out, errs string) {
				t.Helper()
				said, rest, _ := strings.Cut(r.err, "\n")
				if r.code != code || r.out != out || rest != errs || !strings.HasPrefix(said, "ctxfs: this is not recorded: ") || !strings.Contains(said, h.cause) {
					t.Errorf("exit %d, %v", r.code, r)
				}
			}
			check(in("run", "--", "sh", "-c", "echo out; echo err >&2; exit 5"), 5, "out\n", "err\n")
			check(in("run", "--", "sh", "-c", "kill -TERM $$"), -1, "", "") // killed by it, as without us
			check(in("run", "--", "nosuch"), 127, "", "ctxfs: nosuch: there is no such command\n")
			check(in("run", "--max-bytes", "20", "--", "sh", "-c", "echo first; echo second >&2; seq 1000; exit 4"), 4, "first\n... 999 lines (3.9 KB) left out ...\n999\n1000\n", "")
			argv := append(h.world(b), "run", "--", "sh", "-c", "stty size; read x; echo got $x; exit 6")
			w := b.openProgram(nil, argv...)
			w.sees(h.cause)
			w.sees("24 80\r\n")
			w.types("this\r")
			w.sees("got this\r\n")
			w.ends(6)
		})
	}
}

// TestTermAlways: the shell starts in the window itself.
func TestTermAlways(t *testing.T) {
	t.Parallel()
	for _, h := range append(hardships[:len(hardships):len(hardships)], hardship{
		"no terminal to be had", `mount --bind /dev/null /dev/ptmx; exec ctxfs "$@"`, "no terminal is available",
	}) {
		t.Run(h.name, func(t *testing.T) {
			b := realBox(t) // for namespaces
			b.write(".bashrc", "PS1='ready> '\n")
			w := b.openProgram(nil, append(h.world(b), "term", "--shell", "bash")...)
			w.sees("ctxfs: this is not recorded: ")
			w.sees(h.cause)
			w.types("PS1='un''recorded> '\r")
			w.sees("unrecorded> ")
			w.types("sleep 1000\r\x03")
			w.sees("^C")
			w.reads()
			w.types("trap; echo $((40+2)) ${CTXFS_TERMINAL-none}; exit 7\r")
			w.sees("42 none\r\n")
			w.ends(7)
			w = b.openProgram(nil, append(h.world(b), "term", "--", "sh", "-c", "echo from $0 $1; exit 8", "x", "y")...)
			w.sees("from x y\r\n")
			w.ends(8)
			if left, _ := record.List(filepath.Join(b.state, "ctxfs/terminals")); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// TestRunWithoutOurFiles: what recording does not need keeps nothing from being
// recorded.
func TestRunWithoutOurFiles(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for the streams of its process
	b.write(".config/ctxfs/config.toml", "[terminals\nbroken")
	if r := b.run("run", "--name", "broken", "--", "sh", "-c", "echo out; exit 3"); r.code != 3 || r.out != "out\n" || r.err != "" {
		t.Errorf("a broken configuration: exit %d, %v", r.code, r)
	}
	for i, entry := range b.env {
		if strings.HasPrefix(entry, "XDG_RUNTIME_DIR=") {
			b.env[i] = "XDG_RUNTIME_DIR=/proc/none"
		}
	}
	if r := b.run("run", "--name", "none", "--", "sh", "-c", "echo out; exit 3"); r.code != 3 || r.out != "out\n" {
		t.Errorf("no runtime folder: exit %d, %v", r.code, r)
	}
	if text := b.logOf("broken"); text != "out\n" {
		t.Errorf("log: %q", text)
	}
}

// TestRunDiskFills: a disk that is full later ends nothing, and loses nothing of
// what is shown.
func TestRunDiskFills(t *testing.T) {
	t.Parallel()
	h := hardship{"", `mount -t tmpfs -o size=128k full "$XDG_STATE_HOME"; exec ctxfs "$@"`, ""}
	b := realBox(t) // for a full disk
	script := `cat /dev/zero >"$XDG_STATE_HOME/zero" 2>/dev/null; seq 200000; echo done >&2; exit 9`
	argv := append(h.world(b), "run", "--", "sh", "-c", script)
	if r := b.do(argv[0], argv[1:]...); r.code != 9 || r.err != "done\n" || strings.Count(r.out, "\n") != 200000 || !strings.HasSuffix(r.out, "\n200000\n") {
		t.Errorf("exit %d, %d bytes, %q", r.code, len(r.out), r.err)
	}
	argv = append(h.world(b), "run", "--max-bytes", "300", "--", "sh", "-c", script)
	if r := b.do(argv[0], argv[1:]...); r.code != 9 || !strings.HasPrefix(r.out, "1\n2\n") || !strings.Contains(r.out, "\n200000\ndone\nLarge output has been written to: ") {
		t.Errorf("exit %d, %v", r.code, r)
	}
	w := b.openProgram(nil, append(h.world(b), "term", "--", "sh", "-c", script)...)
	w.sees("\n200000\r\ndone\r\n")
	w.ends(9)
}

// TestRunOrder: what goes to one place keeps its order, whatever that is.
func TestRunOrder(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for the streams of its process
	lines := "for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done"
	want := "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\nout 4\nerr 4\nout 5\nerr 5\n"
	times := fstest.Rounds(100)
	r := b.shell(fmt.Sprintf(`for n in $(seq %d); do ctxfs run -- sh -c '%s' 2>&1 | cat; done`, times, lines))
	if r.out != strings.Repeat(want, times) {
		t.Errorf("a pipe: %d of %d", strings.Count(r.out, want), times)
	}
	if text := b.logOf(fmt.Sprint(times)); text != want {
		t.Errorf("its log: %q", text)
	}
	for _, c := range []struct{ name, to, want string }{
		{"one file", ">f 2>&1", want},
		{"a file at its end", ">>f 2>>f", want},
		{"after what is there", ">f; echo before >>f; exec 3<>f; cat <&3; $R >&3 2>&3; :", "before\n" + want},
		{"both nowhere", ">/dev/null 2>/dev/null", ""},
		{"output nowhere", "2>f >/dev/null", "err 1\nerr 2\nerr 3\nerr 4\nerr 5\n"},
		{"max-bytes", "--max-bytes", want},
	} {
		run := fmt.Sprintf("ctxfs run -- sh -c '%s'", lines)
		script := run + " " + c.to
		switch {
		case strings.Contains(c.to, "$R"):
			script = strings.ReplaceAll(c.to, "$R", run)
		case c.to == "--max-bytes":
			script = strings.Replace(run, "run", "run --max-bytes 1000", 1) + " >f 2>g"
		}
		for range fstest.Rounds(10) {
			if r := b.shell("rm -f f; touch f; " + strings.TrimPrefix(script, ">f; ") + "; cat f"); !strings.HasSuffix(r.out, c.want) || len(r.out) > len(c.want)+len("before\n") {
				t.Errorf("%s: %v", c.name, r)
			}
		}
	}
	// Opened twice, each writes where it is, as without us.
	twice := func(how string) string {
		return b.sh("rm -f f; " + how + ` sh -c 'printf 123; printf 4567 >&2' >f 2>f; cat f`)
	}
	if got, want := twice("ctxfs run --"), twice(""); got != want && got != "1237" {
		t.Errorf("a file opened twice: %q, without us %q", got, want)
	}
	w := b.openProgram(nil, "sh", "-c", "ctxfs run -- sh -c '"+lines+"' </dev/null & wait")
	w.sees(strings.ReplaceAll(want, "\n", "\r\n"))
	w.wait()
}
