package holder

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tty is a descriptor of our own of a terminal that other programs use too.
type tty struct {
	file *os.File
	was  *unix.Termios // nil as long as we have not changed it
}

// isTerminal reports whether a file is a terminal.
func isTerminal(f *os.File) bool {
	_, err := getTermios(f)
	return err == nil
}

// openTerminal reopens the terminal behind a file in non-blocking mode, which would
// otherwise apply to all who share that file.
func openTerminal(f *os.File) (*os.File, error) {
	if !isTerminal(f) {
		return nil, errNoTerminal
	}
	const flags = unix.O_RDWR | unix.O_NOCTTY | unix.O_NONBLOCK
	for _, path := range []string{selfPath(f), "/dev/tty"} {
		if path == "" {
			continue
		}
		if own, err := os.OpenFile(path, flags, 0); err == nil {
			return own, nil
		}
	}
	return nil, errNoTerminal
}

var errNoTerminal = errors.New("not a terminal that can be opened")

// setRaw makes the terminal pass on every byte as it is typed and shown.
func (t *tty) setRaw() error {
	was, err := getTermios(t.file)
	if err != nil {
		return err
	}
	raw := *was
	raw.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	raw.Oflag &^= unix.OPOST
	raw.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	raw.Cflag &^= unix.CSIZE | unix.PARENB
	raw.Cflag |= unix.CS8
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 1, 0
	if err := setTermios(t.file, &raw); err != nil {
		return err
	}
	t.was = was
	return nil
}

// restore restores the terminal; calling it again does nothing.
func (t *tty) restore() {
	if t.was != nil {
		_ = setTermios(t.file, t.was) // it may be gone
		t.was = nil
	}
}

// size returns the size of a terminal, or 80 by 24 if it reports no size.
func size(f *os.File) (cols, rows int) {
	var w *unix.Winsize
	_ = withFD(f, func(fd int) (err error) { w, err = unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ); return err })
	if w == nil || w.Col == 0 || w.Row == 0 {
		return 80, 24
	}
	return int(w.Col), int(w.Row)
}

// setSize sets the size of a terminal, which signals its program if that
// changed.
func setSize(f *os.File, cols, rows int) {
	_ = withFD(f, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(min(cols, 0xffff)), Row: uint16(min(rows, 0xffff))})
	})
}

func getTermios(f *os.File) (t *unix.Termios, err error) {
	err = withFD(f, func(fd int) (err error) { t, err = unix.IoctlGetTermios(fd, getAttributes); return err })
	return t, err
}

func setTermios(f *os.File, t *unix.Termios) error {
	return withFD(f, func(fd int) error { return unix.IoctlSetTermios(fd, setAttributes, t) })
}

// foreground returns the process group that has the terminal, 0 if unknown.
func foreground(f *os.File) (group int) {
	_ = withFD(f, func(fd int) (err error) { group, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP); return err })
	return group
}

// inBackground reports whether another job has the terminal now.
func inBackground(f *os.File) bool {
	group := foreground(f)
	return group > 0 && group != unix.Getpgrp()
}

// withFD calls do with the descriptor of a file, without making it blocking, as
// Fd would.
func withFD(f *os.File, do func(fd int) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	if e := raw.Control(func(fd uintptr) { err = do(int(fd)) }); e != nil {
		return e
	}
	return err
}

// waking returns the same file, with reads and writes that can be interrupted.
func waking(f *os.File) (*os.File, error) {
	var own int
	if err := withFD(f, func(fd int) (err error) {
		if own, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3); err != nil {
			return err
		}
		return unix.SetNonblock(own, true)
	}); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(own), f.Name()), nil
}
