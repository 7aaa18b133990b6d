package holder

import (
	"os"
	"os/signal"
	"syscall"

	"ctxfs/providers/terminals/record"
)

// Streams are the streams of the program that runs a command. Quiet ones print
// nothing: what the command has printed is in the Outcome, in at most Limit
// bytes.
type Streams struct {
	In, Out, Err *os.File
	Quiet        bool
	Limit        int
}

// Run runs the command of a Spec, records it, and returns how it ended. If standard
// output and error are terminals that this process may use (a background job may
// not) the command has a terminal too; otherwise its output and its errors go where
// those of this process go, and the recording has both in order of arrival. Signals
// are passed on. An error means that the command was not started: [Unrecorded]
// means that it could be started without being recorded; for any other, NotStarted
// has the exit code.
func Run(spec Spec, streams Streams) (Outcome, error) {
	if !streams.Quiet && isTerminal(streams.Out) && isTerminal(streams.Err) && !inBackground(streams.Out) {
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
	p, err := spec.prepare(record.Run, cols, rows, nil)
	if err != nil {
		file.Close()
		return o, err
	}
	defer p.cleanup()
	var stdin *os.File
	if !isTerminal(streams.In) {
		stdin = streams.In
	}
	stop := keepSignals()
	s, err := p.begin(stdin, cols, rows)
	if err != nil {
		stop(nil)
		file.Close()
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

// passedOn are the signals that are passed on to a command.
var passedOn = []os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2,
}

// keepSignals keeps signals from ending this process from now on, and later passes
// them to a function; nil restores their default. A signal that was ignored when
// this process started stays ignored, here and in the command.
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

// haveTerminal reports whether keys of a terminal send their signals to this
// process.
func haveTerminal() bool {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return foreground(f) == syscall.Getpgrp()
}
