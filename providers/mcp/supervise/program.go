package supervise

import (
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/regexps"
	"ctxfs/providers/mcp/config"
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

// missing reports whether the program is not there, so that nothing will be started.
func (c Command) missing() bool {
	path, err := findProgram(c.Name, c.Env, c.Dir)
	if err == nil {
		_, err = os.Stat(path)
	}
	return err != nil
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

// npxFolder matches the folder of one installation by npx in a text. Only plain
// paths match: the text is written by a foreign program, and the folder goes into a
// command that removes it.
var npxFolder = regexps.Lazy(`(/[A-Za-z0-9._@+/ -]*/_npx/[0-9a-f]{16})(?:/|['"\s]|$)`)

// brokenInstall matches what Node and npm print where an installation is
// incomplete.
var brokenInstall = regexps.Lazy(`Cannot find module|Cannot find package|MODULE_NOT_FOUND|ENOTEMPTY|EEXIST|EINTEGRITY|` +
	`ENOENT[^\n]*_npx|Unexpected end of JSON input|ERR_INVALID_PACKAGE_CONFIG|Invalid package config|ERR_UNSUPPORTED_DIR_IMPORT|` +
	`ENOTDIR|does not provide an export named|Invalid or unexpected token|invalid ELF header|file too short`)

// notThere matches what shells and npx print where a program does not exist.
var notThere = regexps.Lazy(`could not determine executable to run|: not found|command not found`)

// BrokenNPX returns the folder of the incomplete installation by npx that made a
// process fail, or "" if that is not the cause. Text is the end of its standard
// error, env its environment. The folder exists; it can be removed, and npx will
// create it again.
func BrokenNPX(stderr string, env []string, pkg config.Package) string {
	if brokenInstall().MatchString(stderr) {
		for _, m := range npxFolder().FindAllStringSubmatch(stderr, -1) {
			if folder := m[1]; filepath.Clean(folder) == folder && installation(folder) {
				return folder
			}
		}
	}
	if !notThere().MatchString(stderr) {
		return ""
	}
	// The message names no folder: it is the one that npx uses for the package.
	runner, specs, ok := strings.Cut(pkg.Key, "\x00")
	if !ok || runner != "npx" && runner != "npm" {
		return ""
	}
	folder := filepath.Join(npmCache(env), "_npx", npxHash(strings.Split(specs, "\x00")))
	if !installation(folder) || strings.Contains(stderr, "npm error 404") {
		return ""
	}
	return folder
}

// npxHash returns the name of npx's folder for sorted packages.
func npxHash(specs []string) string {
	sum := sha512.Sum512([]byte(strings.Join(specs, "\n")))
	return hex.EncodeToString(sum[:])[:16]
}

// installation reports whether a folder looks like an installation by npx.
func installation(folder string) bool {
	for _, name := range []string{"node_modules", "package.json", "package-lock.json"} {
		if _, err := os.Lstat(filepath.Join(folder, name)); err == nil {
			return true
		}
	}
	return false
}
