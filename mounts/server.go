package mounts

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"ctxfs/fs"
)

// Handler answers one kind of request. Its error becomes the reply, unless it
// replied already. The context ends with the conversation.
type Handler func(ctx context.Context, c *Conn) error

// Options are what a server shows and who it is.
type Options struct {
	// Runtime is the folder for the socket and the mount table.
	Runtime string
	Tree    *fs.Tree
	// Sources are the folders on disk that the tree passes through. No view
	// may lie in one of them.
	Sources func() []string
	// Begin is called once, when the first view is there.
	Begin func()
	// Handlers answer requests beyond those of this package.
	Handlers map[string]Handler
	// Idle is how long the process stays without a view or a conversation; 0
	// means for ever.
	Idle time.Duration
	// Version is the program's.
	Version string
	Log     *slog.Logger
}

// Server is the one background process of a user.
type Server struct {
	opts    Options
	listen  net.Listener
	lock    *os.File
	started time.Time
	left    []string // folders that earlier processes have left mounted

	mounting sync.Mutex // held while a view is made

	mu     sync.Mutex
	views  []*view
	fading []*view       // have lost their names but not their users
	talks  int           // conversations under way
	quiet  *time.Timer   // runs while there is neither view nor conversation
	ended  chan struct{} // closed when the server should end
	once   sync.Once
	wg     sync.WaitGroup // goroutines
	last   sync.WaitGroup // conversations, whose last replies should go out
	begin  sync.Once
	ctx    context.Context
	stop   context.CancelFunc
}

// ErrRunning says that this user's background process is there already.
var ErrRunning = errors.New("ctxfs is already running")

// lockTime is how long a new server waits for one that is ending.
const lockTime = 15 * time.Second

// takeLock takes the user's lock; ErrRunning if a process that answers has it.
func takeLock(runtime string) (*os.File, error) {
	deadline := time.Now().Add(lockTime)
	for {
		held, err := lock(lockPath(runtime), false)
		if !errors.Is(err, errLocked) {
			return held, err
		}
		if c, err := Dial(runtime); err == nil {
			c.Close()
			return nil, ErrRunning
		}
		if time.Now().After(deadline) {
			pid := LockHolder(runtime)
			return nil, &Fault{
				Message: fmt.Sprintf("process %s has the lock of ctxfs but does not answer", pid),
				Hint:    "end it: kill -9 " + pid,
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// NewServer takes the user's lock and opens the socket; ErrRunning if another
// process serves already. One that is ending is waited for. Serve must be
// called next.
func NewServer(opts Options) (*Server, error) {
	held, err := takeLock(opts.Runtime)
	if err != nil {
		return nil, err
	}
	if err := held.Truncate(0); err == nil {
		_, err = held.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
		if err != nil {
			opts.Log.Warn("cannot write the lock file", "error", err)
		}
	}
	// A socket that is there was left by a process that was killed.
	path := socketPath(opts.Runtime)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		held.Close()
		return nil, err
	}
	name, done, err := shortSocket(path)
	if err != nil {
		held.Close()
		return nil, err
	}
	defer done()
	listen, err := net.Listen("unix", name)
	if err != nil {
		held.Close()
		return nil, err
	}
	listen.(*net.UnixListener).SetUnlinkOnClose(false) // by its short name, which is gone
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{
		opts: opts, listen: listen, lock: held, started: time.Now(),
		ended: make(chan struct{}), ctx: ctx, stop: stop, left: leftBehind(opts.Runtime),
	}
	s.saveTable()
	return s, nil
}

// Serve answers requests until End is called, the last view is gone, or
// nothing has happened for Options.Idle; then it takes away what is shown and
// returns.
func (s *Server) Serve() {
	s.mu.Lock()
	s.rest()
	s.mu.Unlock()
	go s.accept()
	<-s.ended
	s.listen.Close()
	s.closeViews()
	s.finishTalks()
	s.stop()
	s.wg.Wait()
	// New processes may start from here on.
	os.Remove(socketPath(s.opts.Runtime))
	if len(s.Info().Left) > 0 {
		s.saveTable()
	} else {
		os.Remove(MountTable(s.opts.Runtime))
	}
	s.lock.Close()
}

// finishTalks waits a moment for replies that are on their way.
func (s *Server) finishTalks() {
	finished := make(chan struct{})
	go func() {
		s.last.Wait()
		close(finished)
	}()
	select {
	case <-finished:
	case <-time.After(time.Second):
	}
}

func (s *Server) ending() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// End makes Serve return.
func (s *Server) End() { s.once.Do(func() { close(s.ended) }) }

func (s *Server) accept() {
	for {
		conn, err := s.listen.Accept()
		if err != nil {
			return
		}
		s.last.Add(1)
		s.wg.Go(func() {
			defer s.last.Done()
			s.talk(conn)
		})
	}
}

// rest starts or stops the timer that ends an idle server. The caller holds mu.
func (s *Server) rest() {
	if s.quiet != nil {
		s.quiet.Stop()
		s.quiet = nil
	}
	if s.opts.Idle > 0 && s.talks == 0 && len(s.views) == 0 {
		s.quiet = time.AfterFunc(s.opts.Idle, s.End)
	}
}

func (s *Server) talk(conn net.Conn) {
	s.mu.Lock()
	s.talks++
	s.rest()
	s.mu.Unlock()
	defer func() {
		conn.Close()
		s.mu.Lock()
		s.talks--
		s.rest()
		s.mu.Unlock()
	}()
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	stop := context.AfterFunc(s.ctx, func() { conn.Close() })
	defer stop()

	lines := bufio.NewReader(conn)
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return
	}
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		s.opts.Log.Warn("not a request", "error", err)
		return
	}
	go func() { // nothing more is expected: an end means that the caller left
		_, _ = lines.ReadByte()
		cancel()
	}()
	if s.ending() {
		return // without a reply: the caller asks the next server
	}
	c := &Conn{conn: conn, args: r.Args}
	handler := s.handler(r.Op)
	if handler == nil {
		err = &Fault{
			Message: fmt.Sprintf("the background process (version %s) does not know %q", s.opts.Version, r.Op),
			Hint:    "start it anew: ctxfs unmount --all; ctxfs mount",
		}
	} else {
		err = handler(ctx, c)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, errEnding) {
		_ = c.line(reply{Fault: fault(err)})
	}
}

func (s *Server) handler(op string) Handler {
	switch op {
	case "mount":
		return s.handleMount
	case "unmount":
		return s.handleUnmount
	case "sync":
		return s.handleSync
	case "wait":
		return s.handleWait
	case "status":
		return s.handleStatus
	}
	return s.opts.Handlers[op]
}
