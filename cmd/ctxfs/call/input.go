package call

import (
	"bufio"
	"io"
	"os"
	"time"
	"unicode/utf8"

	"ctxfs/mounts/control"
)

// inputTime is how long standard input may be silent before it is taken to
// have nothing to say. Programs that run agents' commands often leave a pipe
// open there for ever.
const inputTime = time.Second

// piped tells whether something may stand on standard input: a pipe, a socket
// or a file, but neither a terminal nor /dev/null.
func piped(stdin io.Reader) bool {
	f, ok := stdin.(*os.File)
	if !ok {
		return stdin != nil
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// readInput reads what stands on standard input, if it begins soon.
func readInput(stdin io.Reader) (string, error) {
	lines := bufio.NewReader(stdin)
	begun := make(chan error, 1)
	go func() {
		_, err := lines.Peek(1)
		begun <- err
	}()
	select {
	case err := <-begun:
		if err != nil {
			return "", nil // it has ended, or cannot be read: there is nothing
		}
	case <-time.After(inputTime):
		return "", nil
	}
	body, err := io.ReadAll(lines)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(body) {
		return "", &control.Fault{Message: "what stands on standard input is not text (UTF-8)", Hint: "it must be a JSON object"}
	}
	return string(body), nil
}
