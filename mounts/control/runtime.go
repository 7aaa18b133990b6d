package control

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// RuntimeDir returns the folder for the socket, the locks and the mount table,
// making it if need be: $XDG_RUNTIME_DIR/ctxfs, or, where that variable is not
// set or names a folder that is not ours, one of the user's own under the
// temporary folder. A folder that belongs to somebody else is an error.
func RuntimeDir(lookupEnv func(string) (string, bool)) (string, error) {
	if base, ok := lookupEnv("XDG_RUNTIME_DIR"); ok && filepath.IsAbs(base) {
		if dir, err := ownFolder(filepath.Join(base, "ctxfs")); err == nil {
			return dir, nil
		}
	}
	return ownFolder(filepath.Join(os.TempDir(), "ctxfs-"+strconv.Itoa(os.Getuid())))
}

func ownFolder(dir string) (string, error) {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || st.Uid != uint32(os.Getuid()) {
		return "", &Fault{
			Message: fmt.Sprintf("%s is not a folder of yours", dir),
			Hint:    "set XDG_RUNTIME_DIR to a folder that only you can write to",
		}
	}
	if info.Mode().Perm() != 0o700 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return "", err
		}
	}
	return dir, nil
}

func socketPath(runtime string) string { return filepath.Join(runtime, "daemon.sock") }
func lockPath(runtime string) string   { return filepath.Join(runtime, "daemon.lock") }
func startPath(runtime string) string  { return filepath.Join(runtime, "start.lock") }

// MountTable is where the server keeps the list of its views, for people and
// for scripts.
func MountTable(runtime string) string { return filepath.Join(runtime, "mounts.json") }

// LockHolder is the number of the process that last took the server's lock, as
// text; "unknown" if that is not known.
func LockHolder(runtime string) string {
	body, err := os.ReadFile(lockPath(runtime))
	if pid := strings.TrimSpace(string(body)); err == nil && pid != "" {
		return pid
	}
	return "unknown"
}
