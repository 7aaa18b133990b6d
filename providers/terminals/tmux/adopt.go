package tmux

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"ctxfs/providers/internal/spawn"

	"ctxfs/providers/internal/watch"
	"ctxfs/providers/terminals/record"
)

// Options are the settings of an [Adopter].
type Options struct {
	// Folder holds the sockets of the user's servers: all of them are recorded,
	// also those that start later. If it is "", only servers that are added are
	// recorded. See the function [Folder].
	Folder string
	// Program is the path of tmux; "" searches the PATH.
	Program string
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
	Name     string // session-window-pane, as it was when recording began
	Socket   string // of its server
	ID       string // in that server ("%1")
	Pid      int
	Command  string
}

// Adopter records the panes of tmux servers. It has a goroutine, another one
// for each server, and for each session a process of tmux. It is safe for
// concurrent use.
type Adopter struct {
	opts    Options
	can     features       // of the program
	spawner *spawn.Spawner // of clients: tmux does not always notice that a client has lost us

	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
	watcher *watch.Watcher

	mu      sync.Mutex
	servers map[string]*server
	added   []string
	news    chan struct{} // closed when something has changed
	problem string        // of the folder
	closed  bool
}

// New starts recording. It returns at once; see [Adopter.Adopt]. An error means
// that tmux is missing, or too old.
func New(o Options) (*Adopter, error) {
	a := &Adopter{opts: o, servers: make(map[string]*server), news: make(chan struct{}), spawner: spawn.New()}
	a.opts.Program = cmp.Or(o.Program, "tmux")
	a.ctx, a.cancel = context.WithCancel(context.Background())
	version, err := exec.Command(a.opts.Program, "-V").Output()
	if err != nil {
		a.cancel()
		return nil, fmt.Errorf("cannot read the version of tmux: %w", err)
	}
	text := strings.TrimSpace(string(version))
	if a.can, err = featuresOf(strings.TrimPrefix(text, "tmux ")); err != nil {
		a.cancel()
		return nil, err
	}
	a.watcher, err = watch.New(watch.Options{Changed: func([]string) { a.scan() }, Log: o.Log})
	switch {
	case err != nil:
		a.problem = "tmux servers that start later are not noticed: " + err.Error()
	case o.Folder != "":
		a.watcher.Add(o.Folder)
	}
	a.scan()
	return a, nil
}

// Add also records the server of a socket, now or when it starts.
func (a *Adopter) Add(socket string) error {
	socket, err := filepath.Abs(socket)
	if err != nil {
		return err
	}
	a.mu.Lock()
	a.added = append(a.added, socket)
	a.mu.Unlock()
	if a.watcher != nil {
		a.watcher.AddFile(socket)
	}
	a.scan()
	return nil
}

// scan looks for servers.
func (a *Adopter) scan() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	sockets := slices.Clone(a.added)
	if entries, err := os.ReadDir(a.opts.Folder); err == nil && ownedByUser(a.opts.Folder, os.ModeDir) {
		for _, e := range entries {
			sockets = append(sockets, filepath.Join(a.opts.Folder, e.Name()))
		}
	}
	for _, socket := range sockets {
		if s := a.servers[socket]; s != nil {
			s.found.Store(true)
			s.poke()
			continue
		}
		a.begin(socket)
	}
}

// begin records the server of a socket. The caller holds mu.
func (a *Adopter) begin(socket string) {
	if !ownedByUser(socket, os.ModeSocket) {
		return
	}
	s := newServer(a, socket)
	a.servers[socket] = s
	a.running.Go(func() {
		s.run(a.ctx)
		a.ended(s)
	})
}

// ended removes a server. If its socket was found again while it was ending,
// ended looks for a new server there: nothing else reports that.
func (a *Adopter) ended(s *server) {
	a.mu.Lock()
	delete(a.servers, s.socket)
	if s.found.Load() && !a.closed {
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

// Adopt waits until all present panes are recorded, or a problem says why they
// are not. Its error is that of the context.
func (a *Adopter) Adopt(ctx context.Context) error {
	a.mu.Lock()
	for _, s := range a.servers {
		s.unsettled.Store(true)
	}
	a.mu.Unlock()
	a.scan()
	for {
		a.mu.Lock()
		news := a.news
		servers := make([]*server, 0, len(a.servers))
		for _, s := range a.servers {
			servers = append(servers, s)
		}
		closed := a.closed
		a.mu.Unlock()
		waits := false
		for _, s := range servers {
			waits = waits || s.unsettled.Load()
		}
		if !waits || closed {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-news:
		}
	}
}

// Panes returns the recorded panes, by the name of their terminal.
func (a *Adopter) Panes() []Pane {
	panes, _ := a.state()
	return panes
}

// Problems returns a sentence for each thing that is not recorded, with the
// reason.
func (a *Adopter) Problems() []string {
	_, problems := a.state()
	return problems
}

func (a *Adopter) state() (panes []Pane, problems []string) {
	a.mu.Lock()
	servers := make([]*server, 0, len(a.servers))
	for _, s := range a.servers {
		servers = append(servers, s)
	}
	if a.problem != "" {
		problems = append(problems, a.problem)
	}
	a.mu.Unlock()
	for _, s := range servers {
		more, wrong := s.recorded()
		panes, problems = append(panes, more...), append(problems, wrong...)
	}
	slices.SortFunc(panes, func(x, y Pane) int { return strings.Compare(x.Terminal, y.Terminal) })
	slices.Sort(problems)
	return panes, problems
}

// Close ends all recordings, and leaves the servers running. The panes' terminals
// are then ended, until recording starts again. It takes a few seconds at most, if
// a server hangs.
func (a *Adopter) Close() error {
	a.mu.Lock()
	already := a.closed
	a.closed = true
	a.mu.Unlock()
	if already {
		return nil
	}
	a.cancel()
	var err error
	if a.watcher != nil {
		err = a.watcher.Close()
	}
	a.running.Wait()
	a.spawner.Close()
	a.changed()
	return err
}
