package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/mcp/config"
)

// Trust reports whether the servers of a project's file may be started.
type Trust int

const (
	trusted      Trust = iota
	neverTrusted       // not decided by the user
	trustLapsed        // the file has changed since
)

// String returns "trusted", "untrusted", or "changed", the words of `ctxfs trust`.
func (t Trust) String() string {
	switch t {
	case trusted:
		return "trusted"
	case trustLapsed:
		return "changed"
	}
	return "untrusted"
}

// fault returns why a server of a project is not started.
func (t Trust) fault(s config.Source) *config.Fault {
	f := &config.Fault{
		State: config.StateUntrusted,
		What:  "it is configured by the project file " + s.File + ", which is not trusted",
		Fix:   "see what it would start in " + s.File + ", then: ctxfs trust " + wording.ShellWord(s.Project),
	}
	if t == trustLapsed {
		f.What = "the servers of the project file " + s.File + " have changed since it was trusted"
		f.Lapsed = true
	}
	return f
}

// approvals are the projects whose servers the user has approved, with a sum of
// the entries of each of their files. They are kept in one file, as JSON.
type approvals struct {
	Format   int                 `json:"format"`
	Projects map[string]approval `json:"projects"`
}

// approval is the approval of one project.
type approval struct {
	Time  time.Time         `json:"time"`
	Files map[string]string `json:"files"` // by path in the project
}

const approvalsFormat = 1

// readApprovals reads the file of approvals. A file that does not exist has no
// approvals.
func readApprovals(path string) (approvals, error) {
	text, _, err := readRegular(path)
	if errors.Is(err, iofs.ErrNotExist) {
		return noApprovals(), nil
	}
	if err != nil {
		return noApprovals(), fmt.Errorf("%s cannot be read: %w", path, wording.Cause(err))
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

// parseApprovals reads the text of the file. If it returns an error, nothing is
// approved.
func parseApprovals(text []byte) (approvals, error) {
	var a approvals
	if err := json.Unmarshal(text, &a); err != nil || a.Format != approvalsFormat {
		return noApprovals(), errors.New("the file is damaged")
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

// of returns whether the entries of a project's file may be started.
func (a approvals) of(project, file, sum string) Trust {
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

// Approve approves the servers that the files in a project's folder configure, as
// they are now, and reports whether there are any. It fails if one of the files cannot
// be used.
func (f *Finder) Approve(project string, now time.Time) (some bool, err error) {
	m := f.machine()
	files := make(map[string]string)
	for _, place := range projectPlaces(project, userPlaces(m)) {
		rel, err := filepath.Rel(project, place.path)
		if err != nil {
			continue
		}
		c := place.readFile(m)
		if c.Fault != nil {
			return false, fmt.Errorf("%s; correct it first", c.Fault.What)
		}
		if len(c.Entries) > 0 {
			files[rel] = c.sum
		}
	}
	if len(files) == 0 {
		return false, nil
	}
	return true, f.changeApprovals(func(a *approvals) error {
		a.Projects[project] = approval{Time: now.UTC().Truncate(time.Second), Files: files}
		return nil
	})
}

// ErrNotTrusted reports that a project is not approved.
var ErrNotTrusted = errors.New("not trusted")

// Revoke takes back the approval of a project. The error wraps [ErrNotTrusted] if the
// project was not trusted.
func (f *Finder) Revoke(project string) error {
	return f.changeApprovals(func(a *approvals) error {
		if _, ok := a.Projects[project]; !ok {
			return fmt.Errorf("%s is %w; ctxfs trust --list shows what is", project, ErrNotTrusted)
		}
		delete(a.Projects, project)
		return nil
	})
}

// changeApprovals modifies the file of approvals.
func (f *Finder) changeApprovals(change func(a *approvals) error) error {
	a, err := readApprovals(f.opts.Approvals)
	if err == nil || len(a.Projects) == 0 { // a damaged file is replaced
		err = change(&a)
	}
	if err == nil {
		err = a.write(f.opts.Approvals)
	}
	return err
}

// ProjectFolder returns the path by which a project is known: absolute and without
// symbolic links. It reports false for a folder that does not exist, and for one of
// our own mounts, which it does not touch.
func (f *Finder) ProjectFolder(path string) (string, bool) { return f.machine().projectFolder(path) }

// Configures returns the file in the folder of a project that has an entry for a
// server of that name, trusted or not, or "".
func (f *Finder) Configures(folder, name string) string {
	m := f.machine()
	if _, ok := m.projectFolder(folder); !ok || m.isHome(folder) {
		return ""
	}
	for _, place := range projectPlaces(folder, userPlaces(m)) {
		for _, e := range place.readFile(m).Entries {
			if e.Name == name {
				return e.File
			}
		}
	}
	return ""
}

// isHome reports whether a project's folder is the home folder, or that of all files:
// agents are started there too, but no call comes from such a project.
func (m machine) isHome(project string) bool {
	if project == "" {
		return false
	}
	home, err := filepath.EvalSymlinks(m.Home)
	return project == m.Home || err == nil && project == home || project == filepath.Dir(project)
}

func (m machine) projectFolder(path string) (string, bool) {
	if !filepath.IsAbs(path) {
		return "", false
	}
	real, err := fs.DiskOptions{Hide: m.hide}.Resolve(path)
	if err != nil {
		return "", false
	}
	info, err := os.Stat(real)
	return real, err == nil && info.IsDir()
}
