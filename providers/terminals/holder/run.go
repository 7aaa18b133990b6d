package holder

import (
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"ctxfs/providers/terminals/record"
)

// Streams are those of who runs a command. Quiet ones print nothing.
type Streams struct {
	In, Out, Err *os.File
	Quiet        bool
}

// Run runs the command of a Spec, records it, and tells how it ended. Where
// standard output and error are terminals that we may use (as no background job
// may) the command has one too; otherwise its output and its errors go where ours go, and the recording has both as they
// come. Signals are passed on. An error says that the command was not started;
// NotStarted has its exit code.
func Run(spec Spec, streams Streams) (Outcome, error) {
	if !streams.Quiet && IsTerminal(streams.Out) && IsTerminal(streams.Err) && !inBackground(streams.Out) {
		return runInTerminal(spec, streams)
	}
	return runInPipes(spec, streams)
}

// runInTerminal gives the command a terminal, which is shown in ours.
func runInTerminal(spec Spec, streams Streams) (o Outcome, err error) {
	file, err := openTerminal(streams.Out)
	if err != nil {
		return runInPipes(spec, streams)
	}
	cols, rows := size(file)
	p, err := spec.prepare(record.Run, cols, rows, false)
	if err != nil {
		file.Close()
		return o, err
	}
	defer p.cleanup()
	var stdin *os.File
	if !IsTerminal(streams.In) {
		stdin = streams.In
	}
	stop := keepSignals()
	s, err := begin(p.rec, p.cmd, stdin, cols, rows)
	if err != nil {
		stop(nil)
		file.Close()
		p.abandon(err)
		return o, err
	}
	o.ID, o.Dir = p.rec.ID(), p.rec.Dir()
	v := newViewer(s, file, message{Cols: cols, Rows: rows}, func(message) {})
	if err := s.attach(v, true); err != nil {
		file.Close()
	}
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case <-resized:
				cols, rows := size(streams.Out)
				s.resize(v, cols, rows)
			case <-done:
				return
			}
		}
	}()
	stop(func(sig syscall.Signal) {
		if group := foreground(s.master); group > 1 {
			_ = syscall.Kill(-group, sig)
		}
	})
	o.Exit, o.Signal = s.serve()
	return o, nil
}

// passedOn are the signals that a command is sent when we get them.
var passedOn = []os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2,
}

// keepSignals keeps signals from ending us from now on, and later hands them to
// a function; nil lets them end us again. One that we were started to ignore
// stays ignored, here and in the command.
func keepSignals() (start func(pass func(syscall.Signal))) {
	signals := make(chan os.Signal, 8)
	for _, s := range passedOn {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	return func(pass func(syscall.Signal)) {
		if pass == nil {
			signal.Stop(signals)
			return
		}
		go func() {
			for s := range signals {
				if s, ok := s.(syscall.Signal); ok {
					pass(s)
				}
			}
		}()
	}
}

// runInPipes runs a command whose output and errors are read by pipes.
func runInPipes(spec Spec, streams Streams) (o Outcome, err error) {
	p, err := spec.prepare(record.Run, 0, 0, true)
	if err != nil {
		return o, err
	}
	defer p.cleanup()
	p.cmd.Stdin = streams.In
	var pipes [2]pipe
	for i, to := range []*os.File{streams.Out, streams.Err} {
		r, w, err := os.Pipe()
		if err != nil {
			p.abandon(err)
			return o, err
		}
		defer r.Close()
		defer w.Close()
		if pipes[i] = (pipe{from: r, far: w, to: to}); streams.Quiet {
			pipes[i].to = nil
		}
	}
	p.cmd.Stdout, p.cmd.Stderr = pipes[0].far, pipes[1].far
	stop := keepSignals()
	// The command hears of a closed pipe when we close its own. Ignoring the
	// signal would have the command ignore it, too.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	if err := p.cmd.Start(); err != nil {
		stop(nil)
		p.abandon(err)
		return o, err
	}
	p.rec.Started(p.cmd.Process.Pid)
	o.ID, o.Dir = p.rec.ID(), p.rec.Dir()
	stop(func(sig syscall.Signal) {
		// Keys of the terminal have reached the command already.
		if typed := sig == syscall.SIGINT || sig == syscall.SIGQUIT; !typed || !haveTerminal() {
			_ = p.cmd.Process.Signal(sig)
		}
	})
	settle := newSettler(p.rec)
	var order sync.Mutex
	var readers sync.WaitGroup
	for i := range pipes {
		pipes[i].far.Close()
		readers.Go(func() { pipes[i].relay(&order, settle) })
	}
	_ = p.cmd.Wait()
	for i := range pipes {
		_ = pipes[i].from.SetReadDeadline(time.Now())
	}
	readers.Wait()
	settle.stop()
	o.Exit, o.Signal = outcome(p.cmd.ProcessState)
	_ = p.rec.Close(o.Exit, o.Signal) // the files tell
	return o, nil
}

// haveTerminal tells whether keys of a terminal send their signals to us.
func haveTerminal() bool {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return foreground(f) == syscall.Getpgrp()
}

// pipe is one stream of a command.
type pipe struct {
	from, far *os.File
	to        *os.File // nil: nowhere
}

// relay shows and records what comes.
func (p *pipe) relay(order *sync.Mutex, settle *settler) {
	relay(p.from, func(text []byte) {
		if p.to != nil {
			if _, err := p.to.Write(text); errors.Is(err, syscall.EPIPE) {
				p.from.Close() // so that the command learns it
				p.to = nil
			}
		}
		order.Lock()
		defer order.Unlock()
		settle.at(settle.rec.Write(text))
	})
}
