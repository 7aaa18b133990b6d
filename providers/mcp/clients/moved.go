package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/internal/syntax"
)

// Moved is a server's entry that was moved from an agent's file into ctxfs's own, so
// that the agent does not load the server any more. It is read as if it stood where it
// was: in the dialect of that agent, with that scope, for that project, and trusted as
// it was.
type Moved struct {
	// Agent is the id of the agent, File its file, as it is named in a [File].
	Agent string `json:"agent"`
	File  string `json:"file"`
	// Project is the folder of the project, where the file is one of a project.
	Project string `json:"project,omitempty"`
	// Path are the keys on the way to the entry; the last is the server's name.
	Path []string `json:"path"`
	// Index is where it was among the entries, counted from 0.
	Index int `json:"index"`
	// Entry is the entry as it was written, in JSON whatever the syntax of the file.
	Entry json.RawMessage `json:"entry"`
}

// Name returns the name of the server.
func (m Moved) Name() string { return m.Path[len(m.Path)-1] }

// Secrets returns the strings of the entry, as they are written in JSON, that are in an
// object of variables, headers or logins, the arguments that package mask hides, and the
// values of queries in addresses. References to variables are none.
func (m Moved) Secrets() (all []string) {
	entry, err := jsonc.Parse(m.Entry)
	if err != nil {
		return nil
	}
	var find func(v syntax.Value, inside bool)
	add := func(text string) {
		if len(text) >= shortestSecret && !strings.ContainsAny(text, "${") {
			all = append(all, strings.Trim(string(syntax.Value{Kind: syntax.Text, Text: text}.JSON()), `"`))
		}
	}
	find = func(v syntax.Value, inside bool) {
		if _, query, ok := strings.Cut(v.Text, "?"); ok && strings.Contains(v.Text, "://") {
			for part := range strings.SplitSeq(query, "&") {
				_, value, _ := strings.Cut(part, "=")
				add(value)
			}
		}
		if inside && v.Kind == syntax.Text {
			add(v.Text)
		}
		args := []string{""} // the program's name, if it is not among them
		for _, item := range v.Items {
			args = append(args, item.Text)
		}
		for i, hidden := range mask.Args(args) {
			if hidden != args[i] {
				add(args[i])
			}
		}
		for _, member := range v.Members {
			find(member.Value, inside || hasSecrets(member.Name))
		}
		for _, item := range v.Items {
			find(item, inside)
		}
	}
	find(entry, false)
	return all
}

// shortestSecret is the length in bytes of the shortest value that is hidden: shorter ones
// would hide ordinary words.
const shortestSecret = 6

// hasSecrets reports whether a key of an entry, of any agent, has an object with secrets.
func hasSecrets(key string) bool {
	switch key {
	case "env", "environment", "envs", "headers", "http_headers", "auth", "oauth":
		return true
	}
	return false
}

// MovedKey is the key of the array of moved entries in their file, which may have
// comments.
const MovedKey = "servers"

// MovedFile returns the path of the file with moved entries, which is beside ctxfs's
// own configuration file; "" if there is none.
func MovedFile(settings string) string {
	if settings == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(settings), "servers.json")
}

// ReadMoved reads the entries that were moved into the file at path, in the order in
// which they were there. A file that does not exist has none.
func ReadMoved(path string) ([]Moved, error) {
	if path == "" {
		return nil, nil
	}
	text, _, err := readRegular(path)
	switch {
	case errors.Is(err, iofs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", path, wording.Cause(err))
	}
	all, err := parseMoved(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not valid: %w", path, err)
	}
	return all, nil
}

func parseMoved(text []byte) ([]Moved, error) {
	if strings.TrimSpace(string(text)) == "" {
		return nil, nil
	}
	root, err := jsonc.Parse(text)
	if err != nil {
		return nil, err
	}
	list, ok := root.Get(MovedKey)
	if !ok {
		return nil, nil
	}
	if list.Kind != syntax.Array {
		return nil, list.Errorf("%q is %s, not an array", MovedKey, list.Kind)
	}
	var all []Moved
	for _, item := range list.Items {
		var m Moved
		err := json.Unmarshal(item.JSON(), &m)
		switch {
		case err != nil:
			return nil, item.Errorf("it is no moved server: %v", err)
		case m.Agent == "" || m.File == "" || len(m.Path) == 0 || len(m.Entry) == 0 || m.Index < 0:
			return nil, item.Errorf("a moved server has an agent, a file, a path, an index and an entry")
		}
		all = append(all, m)
	}
	return all, nil
}

// movedInto returns the entries that were moved out of a file into the file at path.
func movedInto(path string, all []Moved, from string) (some moved) {
	some.path = path
	for _, m := range all {
		if m.File == from {
			some.entries = append(some.entries, m)
		}
	}
	slices.SortStableFunc(some.entries, func(a, b Moved) int { return a.Index - b.Index })
	return some
}

// moved are the entries that were moved out of one file, sorted by their places there.
type moved struct {
	path    string
	entries []Moved
}

// restore returns the values of the file with the entries where they were. One of a
// name that is there again stays out: the agent's own counts.
func (all moved) restore(file syntax.Value) syntax.Value {
	for _, m := range all.entries {
		entry, err := jsonc.Parse(m.Entry)
		if err == nil {
			file = put(file, m.Path, m.Index, unplaced(entry))
		}
	}
	return file
}

// has reports whether an entry of that name was moved.
func (all moved) has(name string) bool {
	return slices.ContainsFunc(all.entries, func(m Moved) bool { return m.Name() == name })
}

// put returns an object with a value at a path in it.
func put(in syntax.Value, path []string, index int, value syntax.Value) syntax.Value {
	if in.Kind != syntax.Object {
		return in // the file says something else by now
	}
	at := slices.IndexFunc(in.Members, func(m syntax.Member) bool { return m.Name == path[0] })
	in.Members = slices.Clone(in.Members)
	switch {
	case len(path) == 1 && at < 0:
		in.Members = slices.Insert(in.Members, min(index, len(in.Members)), syntax.Member{Name: path[0], Value: value})
	case len(path) == 1:
	case at < 0:
		in.Members = append(in.Members, syntax.Member{Name: path[0], Value: put(syntax.Value{Kind: syntax.Object}, path[1:], index, value)})
	default:
		in.Members[at].Value = put(in.Members[at].Value, path[1:], index, value)
	}
	return in
}

// unplaced returns a value without its lines: they are not those of the file.
func unplaced(v syntax.Value) syntax.Value {
	v.Line, v.Column = 0, 0
	v.Members, v.Items = slices.Clone(v.Members), slices.Clone(v.Items)
	for i := range v.Members {
		v.Members[i].Value = unplaced(v.Members[i].Value)
	}
	for i := range v.Items {
		v.Items[i] = unplaced(v.Items[i])
	}
	return v
}

// movedEntries returns the entries that were moved; where the file cannot be used,
// those that it had when it could.
func (f *Finder) movedEntries() (all []Moved, problems []fs.Problem) {
	all, err := ReadMoved(f.opts.Moved)
	if err != nil {
		return f.goodMoved, []fs.Problem{{
			What: clean.Line(err.Error()), Mend: "correct " + f.opts.Moved + ", which has the servers that were moved from agents' files; it is read again at once",
		}}
	}
	f.goodMoved = all
	return all, nil
}
