package call

import (
	"bufio"
	"io"
	"os"
	"time"
	"unicode/utf8"

	"ctxfs/mounts/control"
)

// inputTime is how long to wait for the first byte of standard input. A pipe that
// stays silent for so long is treated as empty: programs that run agents' commands
// often leave one open forever.
const inputTime = time.Second

// piped reports whether standard input may hold something: it is a pipe, a socket or
// a file, and neither a terminal nor /dev/null.
func piped(stdin io.Reader) bool {
	f, ok := stdin.(*os.File)
	if !ok {
		return stdin != nil
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// readInput reads standard input to its end. It returns "" if nothing comes within
// inputTime.
func readInput(stdin io.Reader) (string, error) {
	lines := bufio.NewReader(stdin)
	first := make(chan error, 1)
	go func() {
		_, err := lines.Peek(1)
		first <- err
	}()
	err := io.ErrNoProgress
	select {
	case err = <-first:
	case <-time.After(inputTime):
		if len(first) > 0 { // this process may just have stood still
			err = <-first
		}
	}
	if err != nil {
		return "", nil // it is empty, cannot be read, or is silent
	}
	body, err := io.ReadAll(lines)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(body) {
		return "", &control.Fault{Message: "standard input is not text (UTF-8)", Hint: "it must be a JSON object"}
	}
	return string(body), nil
}
