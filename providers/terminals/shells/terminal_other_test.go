//go:build !linux

package shells

import (
	"os"
	"testing"
)

func openTerminal(t testing.TB) (master, slave *os.File) {
	t.Skip("only Linux opens a terminal by its number in /dev/pts")
	return nil, nil
}
