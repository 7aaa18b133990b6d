package clients

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/mcp/config"
)

// File is a configuration file and what it says of servers.
type File struct {
	Path    string
	Client  string
	Scope   string
	Project string
	Exists  bool
	Entries []*Entry
	// projects are the folders of projects that the file names.
	projects []string
	refused  []refusal
	settings Settings // of ctxfs's own file
	// sum is a hash of the entries as they are written: what is approved of a
	// project is a sum.
	sum string
	// problems are faults that belong to no server.
	problems []fs.Problem
	// Fault is why the file cannot be used, so that its servers are not known; nil
	// if it can.
	Fault *fs.Problem
}

// reader reads the entries of one client's file.
type reader struct {
	clientPlace
	machine
	changed time.Time

	entries  []*Entry
	projects []string
	refused  []refusal
	written  strings.Builder
}

// refusal is a server of a project that the user has rejected in the client; enable
// says how to undo that.
type refusal struct{ project, name, enable string }

// readFile reads a client's file. One that does not exist configures nothing, and
// has no fault.
func (p clientPlace) readFile(m machine) File {
	c := File{Path: p.path, Client: p.agent.ID, Scope: p.scope, Project: p.place.project}
	bad := func(format string, args ...any) File {
		c.Fault = &fs.Problem{
			What: clean.Line(fmt.Sprintf(format, args...)),
			Mend: "correct " + c.Path + ", the configuration of " + c.Client + "; it is read again at once",
		}
		return c
	}
	text, changed, err := readRegular(p.path)
	c.Exists = !errors.Is(err, iofs.ErrNotExist)
	switch {
	case !c.Exists:
		return c
	case err != nil:
		return bad("%s cannot be read: %v", p.path, wording.Cause(err))
	}
	// A program that does not replace its file in one step leaves it empty for a
	// moment: if the syntax does not allow that, it is a fault, and what the file
	// configured before stays.
	parsed, err := p.parse(text)
	if err != nil {
		return bad("%s is not valid: %v", p.path, err)
	}
	if strings.TrimSpace(string(text)) == "" {
		return c
	}
	r := &reader{clientPlace: p, machine: m, changed: changed}
	if parsed.Kind != syntax.Object {
		err = parsed.Errorf("the file is %s, not an object", parsed.Kind)
	} else {
		err = p.servers(r, parsed)
	}
	if err != nil {
		return bad("%s is not valid: %v", p.path, err)
	}
	c.Entries, c.projects, c.refused = r.entries, r.projects, r.refused
	sum := sha256.Sum256([]byte(r.written.String()))
	c.sum = hex.EncodeToString(sum[:])
	return c
}

// maxFile is the size of the largest configuration file that is read.
const maxFile = 64 << 20

// readRegular reads a file that another program or an untrusted project may have
// written: it opens nothing that could block, and reads nothing endless.
func readRegular(path string) (text []byte, changed time.Time, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, changed, err
	case !info.Mode().IsRegular():
		return nil, changed, errors.New("it is not a file")
	case info.Size() > maxFile:
		return nil, changed, fmt.Errorf("it is larger than %d MiB", maxFile>>20)
	}
	text, err = os.ReadFile(path)
	return text, info.ModTime(), err
}

// read reads the entries of an object; key is where the object is.
func (r *reader) read(servers syntax.Value, key string) error {
	return r.readIn(servers, key, r.scope, r.place.project)
}

// readIn reads the entries of an object with a scope and project other than the
// file's.
func (r *reader) readIn(servers syntax.Value, key, scope, project string) error {
	if servers.Kind != syntax.Object {
		return servers.Errorf("%q is %s, not an object", key, servers.Kind)
	}
	begin := len(r.entries)
	for _, m := range servers.Members {
		fmt.Fprintf(&r.written, "%q:%s\n", m.Name, m.Value.JSON())
		if m.Value.Kind == syntax.Null {
			continue
		}
		e := &Entry{Server: config.Server{Source: config.Source{
			Client: r.agent.ID, Scope: scope, Project: project, File: r.path, Line: m.Value.Line, Name: m.Name, Time: r.changed,
		}}}
		r.define(m.Value, e, project)
		e.in = func(workspace string) *Entry {
			run := &Entry{Server: config.Server{Source: e.Source}}
			r.define(m.Value, run, workspace)
			return run
		}
		// As in all JSON, the last one of a name counts.
		if i := slices.IndexFunc(r.entries[begin:], func(other *Entry) bool { return other.Name == e.Name }); i >= 0 {
			r.entries[begin+i] = e
		} else {
			r.entries = append(r.entries, e)
		}
	}
	return nil
}

// define fills in one server's entry, as it is run for the project in the folder
// workspace, or for none.
func (r *reader) define(v syntax.Value, e *Entry, workspace string) {
	k := &keys{value: v}
	x := &expander{
		dialect: r.dialect, machine: r.machine, workspace: workspace,
		folder: filepath.Dir(r.path), extra: r.plugin.variables(),
	}
	if v.Kind != syntax.Object {
		k.fail(v, "the entry is %s, not an object", v.Kind)
	} else {
		r.readEntry(k, e, x)
	}
	e.base, e.invalid, e.unset, e.filesRead = x.base(), k.fault, x.unset, x.filesRead
	e.workspace, e.placed, e.ofHome = workspace, x.placed, r.isHome(e.Project)
	e.AddSecrets(x.secrets...)
}
