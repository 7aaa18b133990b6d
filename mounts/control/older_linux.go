package control

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// connectOlder connects to a background process of an older version, found by its
// environment, if one serves this home, and returns its process ID. The
// conversation begins without a greeting. It searches the environments of all
// processes of this home: ours may differ.
func (h Home) connectOlder(ctx context.Context) (net.Conn, int, error) {
	for _, folder := range h.OlderFolders() {
		if c, err := connect(ctx, folder); err == nil {
			if pid := peer(c); pid > 0 && Same(HomeOf(pid).State, h.State) {
				return c, pid, nil
			}
			c.Close()
		}
	}
	return nil, 0, ErrNotRunning
}

// OlderFolders returns the folders where older versions keep their sockets. It
// searches the processes of the user.
func (h Home) OlderFolders() (folders []string) {
	// Not of "/proc/[0-9]*/environ": Glob would list every folder it goes through,
	// which takes 60 times as long.
	procs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	here := make(map[string]bool) // whether a state folder is that of this home
	for _, proc := range procs {
		env := readEnviron(filepath.Join(proc, "environ"))
		if env == nil {
			continue
		}
		state := homeOf(env).State
		if _, known := here[state]; !known {
			here[state] = Same(state, h.State)
		}
		if !here[state] {
			continue
		}
		folder := fmt.Sprintf("/tmp/ctxfs-%d", os.Getuid())
		if base := env["XDG_RUNTIME_DIR"]; filepath.IsAbs(base) {
			folder = filepath.Join(base, "ctxfs")
		} else if base := env["TMPDIR"]; base != "" {
			folder = filepath.Join(base, filepath.Base(folder))
		}
		if !slices.Contains(folders, folder) && checkOwn(folder) == nil {
			folders = append(folders, folder)
		}
	}
	return folders
}

// HomeOf returns the home of a process as its environment names it, the zero
// value if that cannot be seen.
func HomeOf(pid int) Home {
	if env := readEnviron(fmt.Sprintf("/proc/%d/environ", pid)); env != nil {
		return homeOf(env)
	}
	return Home{}
}

func homeOf(env map[string]string) Home {
	state := env["XDG_STATE_HOME"]
	if !filepath.IsAbs(state) {
		state = filepath.Join(env["HOME"], ".local", "state")
	}
	return Home{Dir: env["HOME"], State: filepath.Join(state, "ctxfs")}
}

// readEnviron returns the variables of a process that locate its folders, nil
// if they cannot be seen.
func readEnviron(path string) map[string]string {
	text, err := os.ReadFile(path)
	if err != nil || len(text) == 0 {
		return nil
	}
	env := make(map[string]string)
	for entry := range strings.SplitSeq(string(text), "\x00") {
		switch name, value, _ := strings.Cut(entry, "="); name {
		case "HOME", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME":
			env[name] = value
		}
	}
	return env
}
