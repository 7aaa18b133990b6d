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

// Options say what is recorded, and how.
type Options struct {
	// Folder holds the sockets of the user's servers: all of them are recorded,
	// also those that start later. "" records only those that are added. See
	// [Folder].
	Folder string
	// Program is tmux; "" finds it on the PATH.
	Program string
	// Record is what the recordings of all panes have in common: the folder of
	// the terminals, the nonce of marks, the clock, the masking and the limits.
	Record record.Options
	// Changed is called when Panes or Problems may have changed. It only enqueues.
	// May be nil.
	Changed func()
	// Log is told what keeps the folder from being watched; nil is slog.Default().
	Log *slog.Logger
}

// Folder is where tmux keeps the sockets of a user.
func Folder(lookupEnv func(string) (string, bool), uid int) string {
	root, _ := lookupEnv("TMUX_TMPDIR")
	return filepath.Join(cmp.Or(root, "/tmp"), "tmux-"+strconv.Itoa(uid))
}

// Pane is a pane that is recorded.
type Pane struct {
	Terminal string // the id of its terminal
	Name     string // session-window-pane, as it was when recording began
	Socket   string // of its server
	ID       string // in that server ("%1")
	Pid      int
	Command  string
}

// Adopter records the panes of tmux servers. It has a goroutine and, for each
// session, a process of tmux with a goroutine for each server. It is safe for
// concurrent use.
type Adopter struct {
	opts    Options
	can     features       // of the program
	spawner *spawn.Spawner // of clients: tmux does not always notice that one of them has lost us

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

// New begins to record. It returns at once; see [Adopter.Adopt]. The error says
// that there is no tmux here, or one that is too old.
func New(o Options) (*Adopter, error) {
	a := &Adopter{opts: o, servers: make(map[string]*server), news: make(chan struct{}), spawner: spawn.New()}
	a.opts.Program = cmp.Or(o.Program, "tmux")
	a.ctx, a.cancel = context.WithCancel(context.Background())
	version, err := exec.Command(a.opts.Program, "-V").Output()
	if err != nil {
		a.cancel()
		return nil, fmt.Errorf("tmux cannot be asked for its version: %w", err)
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

// Add records the server of a socket too, now or when it starts.
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
	if entries, err := os.ReadDir(a.opts.Folder); err == nil && ours(a.opts.Folder, os.ModeDir) {
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
	if !ours(socket, os.ModeSocket) {
		return
	}
	s := newServer(a, socket)
	a.servers[socket] = s
	a.running.Go(func() {
		s.run(a.ctx)
		a.ended(s)
	})
}

// ended forgets a server, and looks for another one where its socket was found
// once more while it was ending: nobody else tells of that one.
func (a *Adopter) ended(s *server) {
	a.mu.Lock()
	delete(a.servers, s.socket)
	if s.found.Load() && !a.closed {
		a.begin(s.socket)
	}
	a.mu.Unlock()
	a.changed()
}

// ours tells whether a path is of that type and the user's own: what somebody
// else put there is not believed.
func ours(path string, kind os.FileMode) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != kind {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// changed tells that something may have changed.
func (a *Adopter) changed() {
	a.mu.Lock()
	close(a.news)
	a.news = make(chan struct{})
	a.mu.Unlock()
	if a.opts.Changed != nil {
		a.opts.Changed()
	}
}

// Adopt waits until all panes there are now are recorded, or a problem tells why
// they are not. The error is that of the context.
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

// Panes are those that are recorded, by the name of their terminal.
func (a *Adopter) Panes() []Pane {
	panes, _ := a.state()
	return panes
}

// Problems tell in a sentence each what is not recorded, and why.
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

// Close ends all recordings, and leaves the servers. The panes' terminals have
// ended then, until recording begins again. It takes at most a few seconds, when
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
