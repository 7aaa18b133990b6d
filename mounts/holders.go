package mounts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// maxHolders is how many users of a mount are named.
const maxHolders = 5

// holders names the processes that work in a folder or have a file in it open,
// as "name (pid)". It only reads links in /proc, never the folder itself.
func holders(dir string) []string {
	procs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	var users []string
	for _, proc := range procs {
		if len(users) == maxHolders {
			break
		}
		if holds(proc, dir) {
			name, _ := os.ReadFile(filepath.Join(proc, "comm"))
			users = append(users, fmt.Sprintf("%s (%s)", strings.TrimSpace(string(name)), filepath.Base(proc)))
		}
	}
	return users
}

func holds(proc, dir string) bool {
	links := []string{filepath.Join(proc, "cwd"), filepath.Join(proc, "root"), filepath.Join(proc, "exe")}
	if fds, err := os.ReadDir(filepath.Join(proc, "fd")); err == nil {
		for _, fd := range fds {
			links = append(links, filepath.Join(proc, "fd", fd.Name()))
		}
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && filepath.IsAbs(target) && within(target, dir) {
			return true
		}
	}
	return false
}
