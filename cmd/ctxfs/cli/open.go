package cli

import (
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
)

// LookPath finds a program in PATH.
func (a *App) LookPath(name string) (string, error) {
	list, _ := a.LookupEnv("PATH")
	for _, dir := range filepath.SplitList(list) {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(path) {
			return path, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// Command prepares a program, found in PATH, which gets the environment of this one.
func (a *App) Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	path, err := name, error(nil)
	if !filepath.IsAbs(name) {
		path, err = a.LookPath(name)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Err, cmd.Env = err, a.Environ()
	return cmd
}

// Open opens an address or a file in the user's browser, which outlives this process. It
// reports whether there is a browser.
func (a *App) Open(address string) bool {
	opener := "xdg-open"
	if runtime.GOOS == "darwin" {
		opener = "open"
	} else {
		_, x11 := a.LookupEnv("DISPLAY")
		if _, wayland := a.LookupEnv("WAYLAND_DISPLAY"); !x11 && !wayland {
			return false
		}
	}
	cmd := a.Command(context.Background(), opener, address)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if cmd.Start() != nil {
		return false
	}
	go func() { _ = cmd.Wait() }() // so that no zombie is left while we wait
	return true
}
