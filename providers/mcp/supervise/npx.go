package supervise

import (
	"crypto/sha512"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// npxFolder is the folder of one installation of npx in a text. What is no
// plain path is not recognized: the text is a program's, and the folder goes
// into a command that removes it.
var npxFolder = regexp.MustCompile(`(/[A-Za-z0-9._@+/ -]*/_npx/[0-9a-f]{16})(?:/|['"\s]|$)`)

// brokenInstall is what Node and npm say where an installation is not whole.
var brokenInstall = regexp.MustCompile(`Cannot find module|Cannot find package|MODULE_NOT_FOUND|ENOTEMPTY|EEXIST|EINTEGRITY|` +
	`ENOENT[^\n]*_npx|Unexpected end of JSON input|ERR_INVALID_PACKAGE_CONFIG|Invalid package config|ERR_UNSUPPORTED_DIR_IMPORT|` +
	`ENOTDIR|does not provide an export named|Invalid or unexpected token|invalid ELF header|file too short`)

// notThere is what shells and npx say of a program that is not there.
var notThere = regexp.MustCompile(`could not determine executable to run|: not found|command not found`)

// BrokenNPX finds the installation of npx that a process of that package, with
// that environment, has failed by, according to the end of its standard error;
// "" if there is none. It is a folder that exists; it can be removed, and npx
// makes it anew.
func BrokenNPX(stderr string, env []string, pkg Package) string {
	if brokenInstall.MatchString(stderr) {
		for _, m := range npxFolder.FindAllStringSubmatch(stderr, -1) {
			if folder := m[1]; filepath.Clean(folder) == folder && installation(folder) {
				return folder
			}
		}
	}
	if !notThere.MatchString(stderr) {
		return ""
	}
	// The message names no folder: it is the one that npx takes for the package.
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

// npxHash is the name of npx's folder for packages, which are sorted.
func npxHash(specs []string) string {
	sum := sha512.Sum512([]byte(strings.Join(specs, "\n")))
	return hex.EncodeToString(sum[:])[:16]
}

// installation reports whether a folder looks like one of npx.
func installation(folder string) bool {
	for _, name := range []string{"node_modules", "package.json", "package-lock.json"} {
		if _, err := os.Lstat(filepath.Join(folder, name)); err == nil {
			return true
		}
	}
	return false
}
