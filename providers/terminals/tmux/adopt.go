package tmux

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"ctxfs/fs/cell"
	"ctxfs/providers/internal/procs"
	"ctxfs/providers/internal/watch"
	"ctxfs/providers/terminals/record"
)

// Options are the settings of an [Adopter].
type Options struct {
	// Folder holds the sockets of the user's servers: all of them are recorded,
	// also those that start later. See the function [Folder].
	Folder string
	// Record are the common options of the recordings of all panes: the folder
	// of the terminals, the nonce of marks, the clock, the masking and the
	// limits.
	Record record.Options
	// Changed is called when Panes or Problems may have changed. It must only
	// enqueue. It may be nil.
	Changed func()
	// Log receives errors of watching the folder; nil means slog.Default().
	Log *slog.Logger
}

// Folder returns the folder where tmux keeps the sockets of a user.
func Folder(lookupEnv func(string) (string, bool), uid int) string {
	root, _ := lookupEnv("TMUX_TMPDIR")
	return filepath.Join(cmp.Or(root, "/tmp"), "tmux-"+strconv.Itoa(uid))
}

// Pane is a recorded pane.
type Pane struct {
	Terminal string // the ID of its terminal
	ID       string // in its server ("%1")
}

// Adopter records the panes of tmux servers. It has a goroutine, one for each
// server, and for each session a process of tmux. It is safe for concurrent use.
type Adopter struct {
	opts    Options
	spawner *procs.Spawner // of clients: tmux does not always notice that a client has lost us

	ctx     context.Context
	cancel  context.CancelFunc
	running cell.Group
	watcher *watch.Watcher

	mu      sync.Mutex
	servers map[string]*server
	news    chan struct{} // closed when something has changed
}

// New starts recording. It returns at once; see [Adopter.Adopt]. An error means
// that tmux is missing, or too old.
func New(o Options) (*Adopter, error) {
	version, err := exec.Command("tmux", "-V").Output()
	if err != nil {
		return nil, fmt.Errorf("cannot read the version of tmux: %w", err)
	}
	if err := supported(strings.TrimPrefix(strings.TrimSpace(string(version)), "tmux ")); err != nil {
		return nil, err
	}
	a := &Adopter{opts: o, servers: make(map[string]*server), news: make(chan struct{}), spawner: procs.NewSpawner()}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	a.watcher = watch.New(watch.Options{Changed: func([]string) { a.scan() }, Log: o.Log})
	a.watcher.Add(o.Folder)
	a.scan()
	return a, nil
}

// scan looks for servers.
func (a *Adopter) scan() {
	a.mu.Lock()
	defer a.mu.Unlock()
	entries, err := os.ReadDir(a.opts.Folder)
	if err != nil || !ownedByUser(a.opts.Folder, os.ModeDir) {
		return
	}
	for _, e := range entries {
		socket := filepath.Join(a.opts.Folder, e.Name())
		if s := a.servers[socket]; s != nil {
			s.found.Store(true)
			s.poke()
		} else {
			a.begin(socket)
		}
	}
}

// begin records the server of a socket. The caller holds mu.
func (a *Adopter) begin(socket string) {
	if a.ctx.Err() != nil || !ownedByUser(socket, os.ModeSocket) {
		return
	}
	s := newServer(a, socket)
	a.servers[socket] = s
	a.running.Go(func() {
		defer a.ended(s)
		s.run(a.ctx)
	})
}

// ended removes a server. If its socket was found again while it was ending,
// ended looks for a new server there: nothing else reports that.
func (a *Adopter) ended(s *server) {
	a.mu.Lock()
	delete(a.servers, s.socket)
	if s.found.Load() {
		a.begin(s.socket)
	}
	a.mu.Unlock()
	a.changed()
}

// ownedByUser reports whether a path has a type and belongs to the user: what others
// put there is ignored.
func ownedByUser(path string, kind os.FileMode) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != kind {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// changed announces that something may have changed.
func (a *Adopter) changed() {
	a.mu.Lock()
	close(a.news)
	a.news = make(chan struct{})
	a.mu.Unlock()
	if a.opts.Changed != nil {
		a.opts.Changed()
	}
}

// all returns the servers, and a channel that is closed when something has changed.
func (a *Adopter) all() (servers []*server, news chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Collect(maps.Values(a.servers)), a.news
}

// Adopt waits until all present panes are recorded, or a problem says why they
// are not. Its error is that of the context.
func (a *Adopter) Adopt(ctx context.Context) error {
	servers, _ := a.all()
	for _, s := range servers {
		s.unsettled.Store(true)
	}
	a.scan()
	for {
		servers, news := a.all()
		if a.ctx.Err() != nil || !slices.ContainsFunc(servers, func(s *server) bool { return s.unsettled.Load() }) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-news:
		}
	}
}

// State returns the recorded panes, by the name of their terminal, and a sentence for
// each thing that is not recorded, with the reason.
func (a *Adopter) State() (panes []Pane, problems []string) {
	servers, _ := a.all()
	for _, s := range servers {
		more, wrong := s.recorded()
		panes, problems = append(panes, more...), append(problems, wrong...)
	}
	slices.SortFunc(panes, func(x, y Pane) int { return strings.Compare(x.Terminal, y.Terminal) })
	slices.Sort(problems)
	return panes, problems
}

// Close ends all recordings, and leaves the servers running. It takes a few seconds at
// most, if a server hangs.
func (a *Adopter) Close() error {
	a.mu.Lock() // nothing is started any more
	a.cancel()
	a.mu.Unlock()
	err := a.watcher.Close()
	a.running.Wait()
	a.spawner.Close()
	return err
}
