package clients

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
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
	Exists  bool // the file exists
	Entries []*Entry
	// projects are folders that the file knows as projects.
	projects []string
	refused  []refusal
	settings Settings // of ctxfs's own
	// sum stands for the entries as they are written: approval of the servers
	// of a project is that of a sum.
	sum string
	// problems are faults in it that belong to no server.
	problems []fs.Problem
	// bad says why the file cannot be used, so that nothing is known of the
	// servers in it.
	Bad *fs.Problem
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

// refusal says that a client's user does not want a server of a project.
type refusal struct{ project, name, enable string }

// readFile reads a client's file. One that does not exist configures nothing.
func (p clientPlace) readFile(m machine) File {
	c := File{Path: p.path, Client: p.agent.ID, Scope: p.scope, Project: p.place.project}
	bad := func(format string, args ...any) File {
		c.Bad = &fs.Problem{
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
	// An empty file is what a program leaves for a moment that does not replace
	// files in one step: where the syntax does not allow it, it is no news.
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

// readRegular reads a file that another program or a foreign project may have
// put there: nothing that could block, and nothing endless.
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

// read reads the entries of an object, which stands below a key.
func (r *reader) read(servers syntax.Value, key string) error {
	return r.readIn(servers, key, r.scope, r.place.project)
}

// readIn reads the entries of an object, of a scope and project that are not
// those of the file.
func (r *reader) readIn(servers syntax.Value, key, scope, project string) error {
	if servers.Kind != syntax.Object {
		return servers.Errorf("%q is %s, not an object", key, servers.Kind)
	}
	begin := len(r.entries)
	for _, m := range servers.Members {
		fmt.Fprintf(&r.written, "%q:%s\n", m.Name, m.Value.Canonical())
		if m.Value.Kind == syntax.Null {
			continue
		}
		d := &Entry{Server: config.Server{Source: config.Source{
			Client: r.agent.ID, Scope: scope, Project: project, File: r.path, Line: m.Value.Line, Name: m.Name, Time: r.changed,
		}}}
		r.define(m.Value, d)
		again := false
		for i, other := range r.entries[begin:] { // as in all JSON, the last one counts
			if again = other.Name == d.Name; again {
				r.entries[begin+i] = d
				break
			}
		}
		if !again {
			r.entries = append(r.entries, d)
		}
	}
	return nil
}

// define reads one server's entry.
func (r *reader) define(v syntax.Value, d *Entry) {
	k := &keys{value: v}
	x := &expander{
		dialect: r.dialect, machine: r.machine, project: d.Project,
		folder: filepath.Dir(r.path), extra: r.plugin.variables(),
	}
	if v.Kind != syntax.Object {
		k.fail(v, "the entry is %s, not an object", v.Kind)
	} else {
		r.readEntry(k, d, x)
	}
	d.base, d.wrong, d.unset, d.reads = x.base(), k.fault, x.unset, x.reads
	d.AddSecrets(x.secrets...)
}
