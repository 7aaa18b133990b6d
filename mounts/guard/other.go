//go:build !linux

package guard

import (
	"fmt"
	"io"
	"log/slog"
	"os/exec"
)

// Keeper does nothing: only Linux lets another process take over a connection.
type Keeper struct{}

// NewKeeper returns the keeper of a process.
func NewKeeper(func() *exec.Cmd, *slog.Logger) *Keeper { return &Keeper{} }

// Watch does nothing.
func (*Keeper) Watch(Connection) (ended func()) { return func() {} }

// Main reports that there is nothing to guard.
func Main(log io.Writer) int {
	fmt.Fprintln(log, "ctxfs: this system has no guardian of mounts")
	return 2
}
