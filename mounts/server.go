// Package mounts shows a tree somewhere and keeps what is shown alive: as a
// FUSE mount or in a plain folder.
//
// One background process per home ([Server]) owns the tree; a mount or a
// synced folder is a view of it, so any number of views share one set of
// providers. Commands reach the process over a socket in the state folder
// (package control); the last view that ends, ends it.
//
// Nothing here trusts the past. What is mounted is read from the kernel's
// mount table ([Points]); a mount whose process was killed is found there and
// taken away before a new one takes its place ([Mend]).
package mounts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/mounts/control"
	"ctxfs/mounts/guard"
)

// Handler answers one kind of request. Its error becomes the reply, unless it
// replied already. The context ends with the conversation.
type Handler func(ctx context.Context, c *control.Conn) error

// Options are what a server shows and who it is.
type Options struct {
	// Seat is where the server serves; it gives it back.
	Seat *control.Seat
	Tree *fs.Tree
	// Sources are the folders on disk that the tree passes through. No view
	// may lie in one of them.
	Sources func() []string
	// Begin is called once, when the first view is there, or the first gateway.
	Begin func()
	// Handlers answer requests beyond those of this package.
	Handlers map[string]Handler
	// Guardian makes the command of a process that runs guard.Main, as it is
	// started for the mounts of this one. Without it they are not guarded.
	Guardian func() *exec.Cmd
	// Idle is how long the process stays without a view or a conversation; 0
	// means for ever.
	Idle time.Duration
	// Busy reports whether the process should not end for want of use just now;
	// may be nil.
	Busy func() bool
	Log  *slog.Logger
}

// Server is the one background process of a home.
type Server struct {
	opts   Options
	left   []string      // folders that earlier processes have left mounted
	keeper *guard.Keeper // nil without Options.Guardian

	mounting sync.Mutex // held while a view is made

	mu     sync.Mutex
	views  []*view
	fading []*view       // have lost their names but not their users
	talks  int           // conversations under way
	holds  int           // those of them that keep the process
	quiet  *time.Timer   // runs while there is neither view nor conversation
	ended  chan struct{} // closed when the server should end
	once   sync.Once
	wg     sync.WaitGroup // goroutines
	last   sync.WaitGroup // conversations, whose last replies should go out
	begin  sync.Once
	ctx    context.Context
	stop   context.CancelFunc
}

// NewServer returns a server. Serve must be called next.
func NewServer(opts Options) *Server {
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{
		opts: opts, ended: make(chan struct{}), ctx: ctx, stop: stop, left: leftBehind(opts.Seat.Home()),
	}
	if opts.Guardian != nil {
		s.keeper = guard.NewKeeper(opts.Guardian, opts.Log)
	}
	s.saveTable()
	return s
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
	s.opts.Seat.Listener.Close()
	s.closeViews()
	s.finishTalks()
	s.stop()
	s.wg.Wait()
	left := len(s.Info().Left) > 0
	if left {
		s.saveTable()
	}
	s.opts.Seat.Free(left) // new processes may start from here on
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
		conn, err := s.opts.Seat.Listener.Accept()
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
		s.quiet = time.AfterFunc(s.opts.Idle, s.unused)
	}
}

// unused ends a server that has been idle, unless there is work under way.
func (s *Server) unused() {
	if s.opts.Busy == nil || !s.opts.Busy() {
		s.End()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rest()
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

	if s.ending() {
		return // without a word: the caller asks the next server
	}
	c, err := s.opts.Seat.Receive(conn)
	if err != nil {
		if !errors.Is(err, io.EOF) {
			s.opts.Log.Warn("not a request", "error", err)
		}
		return
	}
	go func() {
		c.AwaitEnd()
		cancel()
	}()
	if s.ending() {
		return // without a reply: the caller asks the next server
	}
	handler := s.handler(c.Op())
	if handler == nil {
		err = &control.Fault{
			Message: fmt.Sprintf("the background process (version %s) does not know %q", s.opts.Seat.Record.Version, c.Op()),
			Hint:    fmt.Sprintf("start it anew: kill %d; ctxfs mount", os.Getpid()),
		}
	} else {
		err = handler(ctx, c)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, errEnding) {
		_ = c.Fail(err)
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
	case "hold":
		return s.handleHold
	case "status":
		return s.handleStatus
	}
	return s.opts.Handlers[op]
}

// handleHold keeps the process as long as the conversation lasts, as a view
// does, and runs what runs for a view: gateways need both, and are no views,
// so that taking every mount away leaves them what they need. The first reply
// tells that it holds. When the process ends otherwise, the conversation ends
// without a last reply: its caller holds the next process when it needs one.
func (s *Server) handleHold(ctx context.Context, c *control.Conn) error {
	s.mu.Lock()
	if s.ending() {
		s.mu.Unlock()
		return errEnding
	}
	s.holds++
	s.mu.Unlock()
	defer s.release()
	s.start()
	if err := c.Progress(struct{}{}); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
	case <-s.ended:
	}
	return errEnding
}

// release ends what handleHold began. With the last gateway, a process that
// has no view either waits for the next as a new one does, or ends where it
// would wait for ever.
func (s *Server) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds--
	if s.holds == 0 && len(s.views) == 0 && s.opts.Idle == 0 {
		s.End()
	}
}
