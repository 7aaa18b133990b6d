package cli

import (
	"errors"
	"os"
	"path/filepath"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
)

// Standpoint returns where a program stands in the folder that a user names; with "" it is
// where this program stands. Its error says what is wrong with the name.
func (a *App) Standpoint(dir string) (fs.Standpoint, error) {
	if dir == "" || dir == "." {
		return a.Here(), nil
	}
	abs, err := a.Abs(wording.ExpandTilde(dir, a.Home)) // no shell expands it behind "="
	if err != nil {
		return fs.Standpoint{}, err
	}
	const fix = "name the folder of a project, or leave it out and cd there"
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		what := "the folder " + a.Tilde(dir) + " cannot be used: " + wording.Cause(err).Error()
		if errors.Is(err, os.ErrNotExist) {
			what = "there is no folder " + a.Tilde(dir)
		}
		return fs.Standpoint{}, &control.Fault{Message: what, Hint: fix}
	}
	if info, err := os.Stat(real); err == nil && !info.IsDir() {
		return fs.Standpoint{}, &control.Fault{Message: a.Tilde(dir) + " is not a folder", Hint: fix}
	}
	return fs.StandpointAt(real), nil
}
