package cli

import (
	"os/exec"
	"runtime"
	"syscall"
)

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
	cmd := exec.Command(opener, address)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if cmd.Start() != nil {
		return false
	}
	go func() { _ = cmd.Wait() }() // so that no zombie is left while we wait
	return true
}
