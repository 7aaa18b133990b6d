package call

import (
	"os"

	"golang.org/x/sys/unix"
)

// hideInput makes a terminal not show what is typed, until the function that is
// returned is called.
func hideInput(f *os.File) (show func(), err error) {
	was, err := attributes(f)
	if err != nil {
		return nil, err
	}
	hidden := *was
	hidden.Lflag &^= unix.ECHO
	if err := setAttributes(f, &hidden); err != nil {
		return nil, err
	}
	return func() { _ = setAttributes(f, was) }, nil // the terminal may be gone
}

func attributes(f *os.File) (is *unix.Termios, err error) {
	err = withDescriptor(f, func(fd int) (err error) { is, err = unix.IoctlGetTermios(fd, getTermios); return err })
	return is, err
}

func setAttributes(f *os.File, to *unix.Termios) error {
	return withDescriptor(f, func(fd int) error { return unix.IoctlSetTermios(fd, setTermios, to) })
}

// withDescriptor calls do with the descriptor of a file, without making it blocking,
// as Fd would.
func withDescriptor(f *os.File, do func(fd int) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	if e := raw.Control(func(fd uintptr) { err = do(int(fd)) }); e != nil {
		return e
	}
	return err
}
