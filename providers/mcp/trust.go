package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/atomicfile"
)

// trust is whether the servers of a project's file may be started.
type trust int

const (
	trusted      trust = iota
	neverTrusted       // nobody has said so
	trustLapsed        // the file has changed since
)

// fault says why a server of a project is not started.
func (t trust) fault(s source) *fault {
	f := &fault{
		state: stateUntrusted,
		what:  "it is configured by the project file " + s.file + ", which is not trusted",
		mend:  "see what it would start in " + s.file + ", then: ctxfs trust " + wording.ShellWord(s.project),
	}
	if t == trustLapsed {
		f.what = "the servers of the project file " + s.file + " have changed since it was trusted"
		f.lapsed = true
	}
	return f
}

// approvals are the projects whose servers the user has allowed: by the path
// of each of their files the sum of its entries. They are kept in one file.
type approvals struct {
	Format   int                 `json:"format"`
	Projects map[string]approval `json:"projects"`
}

// approval is that of one project.
type approval struct {
	Time  time.Time         `json:"time"`
	Files map[string]string `json:"files"` // by path in the project
}

const approvalsFormat = 1

// readApprovals reads the file of approvals. Without one there are none.
func readApprovals(path string) (approvals, error) {
	text, _, err := readRegular(path)
	if errors.Is(err, iofs.ErrNotExist) {
		return noApprovals(), nil
	}
	if err != nil {
		return noApprovals(), fmt.Errorf("%s cannot be read: %w", path, reason(err))
	}
	a, err := parseApprovals(text)
	if err != nil {
		err = fmt.Errorf("%s is damaged: no project is trusted", path)
	}
	return a, err
}

func noApprovals() approvals {
	return approvals{Format: approvalsFormat, Projects: make(map[string]approval)}
}

// parseApprovals reads the text of the file. With an error nothing is approved.
func parseApprovals(text []byte) (approvals, error) {
	var a approvals
	if err := json.Unmarshal(text, &a); err != nil || a.Format != approvalsFormat {
		return noApprovals(), errDamaged
	}
	if a.Projects == nil {
		a.Projects = noApprovals().Projects
	}
	return a, nil
}

func (a approvals) write(path string) error {
	text, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(path, append(text, '\n'))
}

// of tells whether the entries of a project's file are allowed.
func (a approvals) of(project, file, sum string) trust {
	rel, err := filepath.Rel(project, file)
	if err != nil {
		return neverTrusted
	}
	switch known, ok := a.Projects[project].Files[rel]; {
	case !ok:
		return neverTrusted
	case known != sum:
		return trustLapsed
	}
	return trusted
}

// projectFolder is the path by which a project is known: absolute and without
// links. One that does not exist is no project, and nor is a view of ours,
// which is not touched.
func (s surroundings) projectFolder(path string) (string, bool) {
	if !filepath.IsAbs(path) || s.hidden(path) {
		return "", false
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", false
	}
	info, err := os.Stat(real)
	return real, err == nil && info.IsDir() && !s.hidden(real)
}
