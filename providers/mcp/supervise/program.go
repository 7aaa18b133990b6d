package supervise

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/fs/wording"
)

// Fault reports why a process could not be started.
type Fault struct {
	What, Hint string
	Remark     string // more, for STATUS.md
}

func (f *Fault) Error() string { return f.What }

// findProgram looks up a command as its process would: in the PATH of the
// process's environment, which may differ from ours, and relative to its folder.
func findProgram(command string, env []string, dir string) (string, error) {
	if strings.ContainsRune(command, '/') {
		if !filepath.IsAbs(command) {
			command = filepath.Join(dir, command)
		}
		return command, nil // starting it reports what is wrong
	}
	search := variable(env, "PATH")
	for _, folder := range filepath.SplitList(search) {
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(dir, folder)
		}
		path := filepath.Join(folder, command)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", &Fault{
		What:   fmt.Sprintf("the command %q was not found in PATH", program(command)),
		Hint:   "install it, or give its full path",
		Remark: "the PATH in which ctxfs looks for it, that of the shell that started it: " + search,
	}
}

// variable returns the value of a variable in an environment, or "".
func variable(env []string, name string) (value string) {
	for _, v := range env {
		if is, ok := strings.CutPrefix(v, name+"="); ok {
			value = is
		}
	}
	return value
}

// program returns the part of a command that may be shown.
func program(command string) string {
	first, _, _ := strings.Cut(command, " ")
	return first
}

func startError(c Command, err error) error {
	if errors.Is(err, iofs.ErrNotExist) {
		if _, statErr := os.Stat(c.Dir); statErr != nil {
			return &Fault{What: fmt.Sprintf("its folder %s does not exist", c.Dir), Hint: "make it, or change `cwd`"}
		}
	}
	return &Fault{
		What: fmt.Sprintf("the command %q cannot be started: %v", program(c.Name), wording.Cause(err)),
		Hint: "correct the command",
	}
}
