package tmux

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/terminals/record"
)

// patience is how long tmux and its shells may take on a busy machine.
const patience = 2 * time.Minute

// rig is a folder for sockets and one for terminals, with operations on real
// servers.
type rig struct {
	*testing.T
	folder string // of the sockets
	dir    string // of the terminals
}

func newRig(t *testing.T) *rig {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("no tmux here")
	}
	root, err := os.MkdirTemp("", "tm") // a socket's path is short
	fstest.Must(t, err)
	t.Cleanup(func() { os.RemoveAll(root) })
	t.Setenv("TMUX_TMPDIR", root)
	t.Setenv("TMUX", "")
	t.Setenv("ENV", "")
	r := &rig{T: t, folder: Folder(os.LookupEnv, os.Getuid()), dir: filepath.Join(root, "terminals")}
	return r
}

// tmux runs a command of tmux in the server with that name.
func (r *rig) tmux(server string, args ...string) string {
	r.Helper()
	out, err := exec.Command("tmux", append([]string{"-L", server, "-f", "/dev/null"}, args...)...).CombinedOutput()
	if err != nil {
		r.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// start starts a server with one session of one shell.
func (r *rig) start(server, session string, size ...int) {
	r.Helper()
	if size == nil {
		size = []int{60, 8}
	}
	r.tmux(server, "new-session", "-d", "-s", session, "-x", fmt.Sprint(size[0]), "-y", fmt.Sprint(size[1]), "PS1='$ ' sh")
	r.Cleanup(func() { _ = exec.Command("tmux", "-L", server, "kill-server").Run() })
	r.prompt(server, session)
}

// prompt waits until a pane's shell is idle. What is typed before that is shown
// above the prompt, and not behind it; and as long as there is no prompt, the
// program that has ended may still be the one in the foreground.
func (r *rig) prompt(server, pane string) {
	r.Helper()
	r.until("there is a prompt", func() bool {
		return strings.HasSuffix("\n"+r.tmux(server, "capture-pane", "-p", "-t", pane), "\n$")
	})
}

// keys types a line at a pane's prompt, and waits until a text is shown there.
func (r *rig) keys(server, pane, line, shown string) {
	r.Helper()
	r.prompt(server, pane)
	r.tmux(server, "send-keys", "-t", pane, "-l", line)
	r.tmux(server, "send-keys", "-t", pane, "Enter")
	r.until("the pane shows "+shown, func() bool {
		return strings.Contains("\n"+r.tmux(server, "capture-pane", "-p", "-J", "-S", "-", "-t", pane)+"\n", shown)
	})
}

// adopt begins to record, and waits until all panes are recorded.
func (r *rig) adopt() *Adopter {
	r.Helper()
	a, err := New(Options{Folder: r.folder, Record: record.Options{Dir: r.dir, Nonce: "n0nce", Mask: func() record.Masker { return mask.New() }}})
	fstest.Must(r, err)
	r.Cleanup(func() { a.Close() })
	r.wait(a)
	return a
}

func (r *rig) wait(a *Adopter) {
	r.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := a.Adopt(ctx); err != nil {
		r.Fatal(err, problems(a))
	}
}

// until waits for a condition.
func (r *rig) until(what string, ok func() bool) {
	r.Helper()
	// Neither tmux nor its shells tell a program that is no client what they show.
	if !fstest.Becomes(ok) {
		r.Fatalf("not within %v: %s\nlogs:%s", fstest.Patience, what, r.logs())
	}
}

// log returns the text of a terminal, of all its parts.
func (r *rig) log(id string) string {
	r.Helper()
	t, err := record.Load(filepath.Join(r.dir, id))
	if err != nil {
		return ""
	}
	var text strings.Builder
	for _, part := range t.Parts {
		b, err := os.ReadFile(t.Path(part.Number))
		if err == nil && int64(len(b)) >= t.HeaderLen {
			text.Write(b[t.HeaderLen:])
		}
	}
	return text.String()
}

func (r *rig) logs() string {
	entries, _ := os.ReadDir(r.dir)
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "\n--- %s\n%s", e.Name(), r.log(e.Name()))
	}
	return b.String()
}

// shows waits until a log has a text.
func (r *rig) shows(id, text string) {
	r.Helper()
	r.until(id+" has "+text, func() bool { return strings.Contains("\n"+r.log(id), text) })
}

func (r *rig) screen(id string) string {
	b, _ := os.ReadFile(filepath.Join(r.dir, id, "screen.txt"))
	return string(b)
}

func (r *rig) load(id string) *record.Terminal {
	r.Helper()
	t, err := record.Load(filepath.Join(r.dir, id))
	fstest.Must(r, err)
	return t
}

// ended waits until a terminal has ended.
func (r *rig) ended(id string) {
	r.Helper()
	r.until(id+" has ended", func() bool {
		t, err := record.Load(filepath.Join(r.dir, id))
		return err == nil && !t.Running()
	})
}

func names(a *Adopter) string {
	var all []string
	panes, _ := a.State()
	for _, p := range panes {
		all = append(all, p.Terminal)
	}
	return strings.Join(all, " ")
}

func problems(a *Adopter) []string {
	_, all := a.State()
	return all
}
