package holder

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ctxfs/providers/internal/excerpt"
	"ctxfs/providers/internal/procs"
	"ctxfs/providers/terminals/record"
)

// pipe is one stream of a command, or several that go to one place.
type pipe struct {
	from, far *os.File
	to        *os.File // nil discards it
}

// pipes returns the pipes of a command whose output goes to these streams. If
// output and errors go to the same place they share one pipe, so that they keep
// their order; which of two pipes was written to first cannot be known.
func (s *Streams) pipes() (out, errs *pipe, err error) {
	if out, err = newPipe(s.Out); err != nil {
		return nil, nil, err
	}
	switch {
	case s.Quiet:
		out.to = nil
		return out, out, nil
	case samePlace(s.Out, s.Err):
		return out, out, nil
	}
	if errs, err = newPipe(s.Err); err != nil {
		out.close()
	}
	return out, errs, err
}

func newPipe(to *os.File) (*pipe, error) {
	r, w, err := os.Pipe()
	return &pipe{r, w, to}, err
}

func (p *pipe) close() {
	p.from.Close()
	p.far.Close()
}

// runInPipes runs a command whose output and errors are read through pipes.
func runInPipes(spec Spec, streams Streams) (o Outcome, err error) {
	shown := excerpt.NewWriter(streams.Limit)
	text := io.Discard
	if streams.Quiet {
		text = shown
	}
	p, err := spec.prepare(record.Run, 0, 0, text)
	if err != nil {
		return o, err
	}
	defer p.cleanup()
	out, errs, err := streams.pipes()
	if err != nil {
		p.discard()
		return o, unrecorded(err)
	}
	all := []*pipe{out}
	if errs != out {
		all = append(all, errs)
	}
	for _, one := range all {
		defer one.close()
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = streams.In, out.far, errs.far
	stop := keepSignals()
	// The command learns of a closed pipe when this process closes the command's
	// own pipe. If the signal were ignored, the command would ignore it, too.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	if err := p.start(); err != nil {
		stop(nil)
		return o, err
	}
	o.ID, o.Dir = p.rec.ID(), p.rec.Dir()
	stop(passTo(p.cmd))
	settle := newSettler(p.rec)
	var order sync.Mutex
	var from []*os.File
	var readers sync.WaitGroup
	for _, one := range all {
		one.far.Close()
		from = append(from, one.from)
		readers.Go(func() { one.relay(&order, settle) })
	}
	o.Exit, o.Signal = await(p.cmd, readers.Wait, from...)
	settle.stop()
	_ = p.rec.Close(o.Exit, o.Signal) // the files show it
	if streams.Quiet {
		sum := shown.Tally()
		o.Shown = shown.Excerpt(excerpt.Notice(fullLogPath(o.Dir), sum.Bytes, sum.Lines()))
	}
	return o, nil
}

// fullLogPath returns where the whole text of a terminal is.
func fullLogPath(dir string) string {
	t, err := record.LoadState(dir)
	if err != nil || len(t.Parts) != 1 {
		return filepath.Join(dir, "part-*.txt")
	}
	return t.Path(t.LastPart())
}

// await waits for a command's exit, and for the readers of its output.
func await(cmd *exec.Cmd, read func(), from ...*os.File) (exit int, signal string) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
		for _, f := range from {
			_ = f.SetReadDeadline(time.Now())
		}
	}()
	read()
	<-ended
	return outcome(cmd.ProcessState)
}

// passTo passes signals on to a command, except those from keys of the terminal,
// which have reached it already.
func passTo(cmd *exec.Cmd) func(syscall.Signal) {
	return func(sig syscall.Signal) {
		if typed := sig == syscall.SIGINT || sig == syscall.SIGQUIT; !typed || !haveTerminal() {
			_ = cmd.Process.Signal(sig)
		}
	}
}

// relay records and shows the output. It records first: a slow reader of one stream
// must not put it behind the other.
func (p *pipe) relay(order *sync.Mutex, settle *settler) {
	procs.Relay(p.from, func(text []byte) {
		order.Lock()
		next := settle.rec.Write(text)
		order.Unlock()
		settle.scheduleAt(next)
		if p.to == nil {
			return
		}
		if _, err := p.to.Write(text); errors.Is(err, syscall.EPIPE) {
			p.from.Close() // so that the command notices
			p.to = nil
		}
	})
}

// samePlace reports whether what is written to two files arrives in one place
// in the order of writing: a pipe, a terminal or another device, and a regular
// file if both write at the same position, for instance its end.
func samePlace(a, b *os.File) bool {
	var first, second syscall.Stat_t
	if withFD(a, func(fd int) error { return syscall.Fstat(fd, &first) }) != nil ||
		withFD(b, func(fd int) error { return syscall.Fstat(fd, &second) }) != nil {
		return false
	}
	if first.Dev != second.Dev || first.Ino != second.Ino {
		return false
	}
	return first.Mode&syscall.S_IFMT != syscall.S_IFREG || samePosition(a, b)
}

// samePosition reports whether two descriptors of one file write at the same
// position: both at the end, or because they are one open file.
func samePosition(a, b *os.File) (same bool) {
	if appends(a) && appends(b) {
		return true
	}
	_ = withFD(a, func(first int) error {
		return withFD(b, func(second int) error {
			same = sameOpenFile(first, second)
			return nil
		})
	})
	return same
}

func appends(f *os.File) (yes bool) {
	_ = withFD(f, func(fd int) error {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		yes = err == nil && flags&syscall.O_APPEND != 0
		return err
	})
	return yes
}

// sharesOffset reports whether two descriptors share their position, by moving
// one of them for a moment.
func sharesOffset(first, second int) bool {
	at, err := syscall.Seek(first, 0, 1)
	if err != nil {
		return false
	}
	other, err := syscall.Seek(second, 0, 1)
	if err != nil || at != other {
		return false
	}
	if _, err := syscall.Seek(first, at+1, 0); err != nil {
		return false
	}
	moved, err := syscall.Seek(second, 0, 1)
	_, _ = syscall.Seek(first, at, 0) // back to where it was
	return err == nil && moved == at+1
}
