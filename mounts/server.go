// Package mounts shows a tree, as a FUSE mount or in a plain folder, and keeps
// it current.
//
// One background process per home ([Server]) owns the tree; a mount or a synced
// folder is a view of it, so any number of views share one set of providers.
// Commands reach the process over a socket in the state folder (package
// control). The process ends with its last view.
//
// The kernel's mount table ([Points]), not a record, says what is mounted; the
// mount of a process that was killed is found there and unmounted before a new
// one takes its place ([Point.Mend]).
//
// In order: [Server] answers requests and ends the process, views.go has mounts and
// folders as its views, target.go, hint.go and obstacles.go what a mount point
// needs, points.go, owner.go and hung_linux.go existing mounts, [Folder] the synced
// folder.
package mounts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/cell"
	"ctxfs/fs/rounds"
	"ctxfs/mounts/control"
	"ctxfs/mounts/guard"
)

// Options are the settings of a [Server].
type Options struct {
	// Seat is where the server listens; it frees the seat at its end.
	Seat *control.Seat
	Tree *fs.Tree
	// Sources returns the folders on disk that the tree passes through. No view
	// may lie in one of them.
	Sources func() []string
	// Begin is called once, when there is a first view or gateway.
	Begin func()
	// Confined returns what confines the program at the other end of a connection: it may
	// ask only for operations that change nothing. It may be nil, and return nil.
	Confined func(*net.UnixConn) *fs.Confined
	// Operations are answered beyond those of this package.
	Operations fs.Operations
	// Guardian returns the command of a process that runs guard.Main, which is
	// started to guard the mounts of this one. If it is nil, they are not guarded.
	Guardian func() *exec.Cmd
	// Idle is how long the process stays alive without a view or a conversation; 0
	// means forever.
	Idle time.Duration
	// Talked is called after every conversation; it may be nil.
	Talked func()
	// Busy reports whether an unused process should not exit now; it may be nil.
	Busy func() bool
	Log  *slog.Logger
}

// Server is the one background process of a home.
type Server struct {
	opts   Options
	left   []string      // folders that earlier processes have left mounted
	handed *Handed       // what is yet to be shown again, or what the next process shall show
	keeper *guard.Keeper // nil without Options.Guardian

	operations fs.Operations

	mounting sync.Mutex // held while a view is made

	retiring atomic.Bool   // another process takes over, or a client has asked for that
	retired  chan struct{} // closed when the client of OpRetire has its reply

	mu       sync.Mutex
	sealed   bool // the views and the record are the next process's
	views    []*view
	making   string        // the folder on which a mount is being made
	fading   []*view       // unmounted lazily, and still in use
	talks    int           // conversations under way
	gateways int           // those that keep the process: gateways
	quiet    *time.Timer   // ends the process; runs while there is neither view nor conversation
	ended    chan struct{} // closed when the server should end
	once     sync.Once
	wg       cell.Group     // goroutines
	last     sync.WaitGroup // conversations whose last replies should be sent
	begin    sync.Once
	ctx      context.Context
	stop     context.CancelFunc
}

// NewServer returns a server. The caller must call Serve.
func NewServer(opts Options) *Server {
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{
		opts: opts, ended: make(chan struct{}), retired: make(chan struct{}), ctx: ctx, stop: stop,
		left: leftBehind(opts.Seat.Home()), handed: handedOver(opts.Seat.Home()),
	}
	if opts.Guardian != nil {
		s.keeper = guard.NewKeeper(opts.Guardian, opts.Log)
	}
	s.operations = append(s.ownOperations(), opts.Operations...)
	s.saveTable()
	return s
}

// Serve answers requests until End is called, the last view ends, or nothing
// has happened for Options.Idle. It then ends all views and returns.
func (s *Server) Serve() {
	s.mu.Lock()
	s.resetIdle()
	s.mu.Unlock()
	accepting := make(chan struct{})
	go func() {
		s.accept()
		close(accepting)
	}()
	<-s.ended
	s.opts.Seat.Listener.Close()
	<-accepting        // no conversation begins from here on
	if s.isRetired() { // its folders may be the next process's already
		awaitAtMost(time.Second, s.retired)
		s.opts.Seat.Free(true) // the next process begins, while this one still serves who uses its mounts
		s.stop()
		s.serveFading()
		s.wg.Wait()
		return
	}
	s.closeViews()
	s.serveFading()
	s.finishTalks()
	s.stop()
	s.wg.Wait()
	left := len(s.Info().Left) > 0
	if left {
		s.saveTable()
	}
	s.opts.Seat.Free(left) // new processes may start from here on
}

// finishTalks waits briefly for replies that are being sent.
func (s *Server) finishTalks() {
	finished := make(chan struct{})
	go func() {
		s.last.Wait()
		close(finished)
	}()
	awaitAtMost(time.Second, finished)
}

func awaitAtMost(d time.Duration, done <-chan struct{}) {
	select {
	case <-done:
	case <-time.After(d):
	}
}

// ending reports whether another process should be asked instead.
func (s *Server) ending() bool {
	return rounds.IsClosed(s.ended) || s.retiring.Load()
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

// resetIdle starts or stops the timer that ends an idle server. The caller holds mu.
func (s *Server) resetIdle() {
	if s.quiet != nil {
		s.quiet.Stop()
		s.quiet = nil
	}
	if s.opts.Idle > 0 && s.talks == 0 && len(s.views) == 0 {
		s.quiet = time.AfterFunc(s.opts.Idle, s.endIdle)
	}
}

// endIdle ends a server that has been idle, unless work is under way.
func (s *Server) endIdle() {
	if s.opts.Busy == nil || !s.opts.Busy() {
		s.End()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resetIdle()
}

func (s *Server) talk(conn net.Conn) {
	s.mu.Lock()
	s.talks++
	s.resetIdle()
	s.mu.Unlock()
	defer func() {
		conn.Close()
		s.mu.Lock()
		s.talks--
		s.resetIdle()
		s.mu.Unlock()
		if s.opts.Talked != nil {
			s.opts.Talked()
		}
	}()
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	stop := context.AfterFunc(s.ctx, func() { conn.Close() })
	defer stop()

	if s.ending() {
		return // without a reply: the client asks the next server
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
		return // without a reply: the client asks the next server
	}
	operation, known := s.operations.Find(c.Op())
	if !known || operation.Local {
		err = &control.Fault{
			Message: fmt.Sprintf("the background process (version %s) does not know %q", s.opts.Seat.Record.Version, c.Op()),
			Hint:    "replace it, if it is of an older build than this command: ctxfs mount",
		}
	} else if ctx, err = s.admit(ctx, operation, conn, c); err == nil {
		err = operation.Answer(ctx, c)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, errEnding) {
		_ = c.Fail(err)
	}
}

// admit returns the context in which an operation is answered to a client, or why it is not.
func (s *Server) admit(ctx context.Context, o fs.Operation, conn net.Conn, c *control.Conn) (context.Context, error) {
	socket, ok := conn.(*net.UnixConn)
	if s.opts.Confined == nil || o.Effect == fs.Reads || !ok {
		return ctx, nil
	}
	by := s.opts.Confined(socket)
	if by == nil {
		by = c.Confined()
	}
	ctx, err := o.Admit(ctx, by)
	if err == nil && c.HasLeft() {
		// It may have been killed because its run has ended, and nothing be left of that
		// which would have confined it.
		err = errClientGone
	}
	return ctx, err
}

var errClientGone = errors.New("the client has left")

// gateway answers [OpHold]: confirm is called when the process is held.
func (s *Server) gateway(ctx context.Context, confirm func() error) error {
	s.mu.Lock()
	if s.ending() {
		s.mu.Unlock()
		return errEnding
	}
	s.gateways++
	s.mu.Unlock()
	defer s.leaveGateway()
	s.start()
	if err := confirm(); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
	case <-s.ended:
	}
	return errEnding
}

// leaveGateway ends what gateway began. After the last gateway, a process without
// views waits for the next one like a new process, or exits if it would wait
// forever.
func (s *Server) leaveGateway() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gateways--
	if s.gateways == 0 && len(s.views) == 0 && s.opts.Idle == 0 {
		s.End()
	}
}
