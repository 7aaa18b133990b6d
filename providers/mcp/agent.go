package mcp

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/syntax"
)

// agent is an agent that keeps MCP servers in a file of its own.
type agent struct {
	name  string
	scope string
	// file is where it keeps them, in a home folder.
	file func(home string) string
	// servers is the key below which they are.
	servers string
	dialect dialect
	// entry reads one server's entry into d; x expands its variables.
	entry func(e *entry, d *definition, x *expander)
}

// agents are the agents that are looked at, in the order in which they give
// names to servers.
func agents() []agent { return []agent{claudeCode(), cursor()} }

// surroundings are what reading a configuration depends on besides the file.
type surroundings struct {
	home   string
	lookup func(string) (string, bool)
}

// configuration is what a file says of servers.
type configuration struct {
	path string
	defs []*definition
	// problems are faults in it that belong to no server.
	problems []fs.Problem
	// bad says why the file cannot be used, so that nothing is known of the
	// servers in it.
	bad *fs.Problem
}

// read reads a client's file. One that does not exist configures nothing.
func (a agent) read(s surroundings) configuration {
	path := a.file(s.home)
	bad := func(format string, args ...any) configuration {
		return configuration{path: path, bad: &fs.Problem{
			What: clean.Line(fmt.Sprintf(format, args...)),
			Mend: "correct " + path + ", the configuration of " + a.name + "; it is read again at once",
		}}
	}
	info, err := os.Stat(path)
	var text []byte
	if err == nil {
		text, err = os.ReadFile(path)
	}
	switch {
	case errors.Is(err, iofs.ErrNotExist), err == nil && len(strings.TrimSpace(string(text))) == 0:
		return configuration{path: path}
	case err != nil:
		return bad("%s cannot be read: %v", path, errors.Unwrap(err))
	}
	found, err := a.parse(text, s, path, info.ModTime())
	if err != nil {
		return bad("%s is not valid: %v", path, err)
	}
	return configuration{path: path, defs: found}
}

// parse reads the text of a client's file.
func (a agent) parse(text []byte, s surroundings, path string, changed time.Time) ([]*definition, error) {
	doc, err := jsonc.Parse(text)
	if err != nil {
		return nil, err
	}
	if doc.Kind != syntax.Object {
		return nil, doc.Errorf("the file is %s, not an object", doc.Kind)
	}
	servers, ok := doc.Get(a.servers)
	if !ok {
		return nil, nil
	}
	if servers.Kind != syntax.Object {
		return nil, servers.Errorf("%q is %s, not an object", a.servers, servers.Kind)
	}
	var found []*definition
	place := make(map[string]int, len(servers.Members))
	for _, m := range servers.Members {
		d := &definition{source: source{client: a.name, scope: a.scope, file: path, name: m.Name, time: changed}}
		a.read1(m.Value, d, s)
		if i, ok := place[m.Name]; ok { // as in all JSON, the last one counts
			found[i] = d
			continue
		}
		place[m.Name] = len(found)
		found = append(found, d)
	}
	return found, nil
}

// read1 reads one server's entry.
func (a agent) read1(v syntax.Value, d *definition, s surroundings) {
	e := &entry{value: v}
	x := &expander{dialect: a.dialect, lookup: s.lookup, home: s.home}
	if v.Kind != syntax.Object {
		e.fail(v, "the entry is %s, not an object", v.Kind)
	} else {
		a.entry(e, d, x)
	}
	d.finish(e.fault, x)
}

// finish brings a definition that was read into its final state. Wrong is what
// was wrong with the entry, or "".
func (d *definition) finish(wrong string, x *expander) {
	d.keepSecret(x.secrets...)
	d.keepSecrets()
	if d.dir != "" && !filepath.IsAbs(d.dir) {
		d.dir = filepath.Join(x.home, d.dir)
	}
	correct := "correct the entry " + d.quotedName() + " in " + d.file + "; it is read again at once"
	switch {
	case wrong != "":
		d.fault = &fault{state: stateError, what: "the entry is not valid: " + wrong, mend: correct}
	case x.unset != "":
		d.fault = &fault{
			state: stateUnresolved,
			what:  "the variable " + clean.Line(x.unset) + " in its configuration has no value",
			mend:  correct,
		}
		if x.missing != "" {
			d.fault.mend = "export " + clean.Line(x.missing) + " and start ctxfs anew with it (ctxfs unmount, ctxfs mount), or " + correct
		}
	case d.command == "" && d.url == "":
		d.fault = &fault{state: stateError, what: "the entry has neither a command nor a url", mend: correct}
	}
}

// quotedName is the server's name for a text.
func (d *definition) quotedName() string {
	return fmt.Sprintf("%q", clean.Cut(clean.Line(d.name), 120))
}

// entry reads the keys of one server's entry. A key of a wrong type is a
// fault, of which the first is kept.
type entry struct {
	value syntax.Value
	fault string
}

func (e *entry) fail(at syntax.Value, format string, args ...any) {
	if e.fault == "" {
		e.fault = at.Errorf(format, args...).Error()
	}
}

func (e *entry) text(key string) string {
	v, ok := e.value.Get(key)
	if ok && v.Kind != syntax.Text {
		e.fail(v, "%q is not a text", key)
		return ""
	}
	return v.Text
}

func (e *entry) texts(key string) (texts []string) {
	v, ok := e.value.Get(key)
	if !ok {
		return nil
	}
	fits := v.Kind == syntax.Array
	for _, item := range v.Items {
		fits = fits && item.Kind == syntax.Text
		texts = append(texts, item.Text)
	}
	if !fits {
		e.fail(v, "%q is not an array of texts", key)
		return nil
	}
	return texts
}

func (e *entry) flag(key string) bool {
	v, ok := e.value.Get(key)
	if ok && v.Kind != syntax.Bool {
		e.fail(v, "%q is not true or false", key)
	}
	return ok && v.Text == "true"
}

// table is an object of texts; numbers and truth values in it are taken as
// they are written, since that is what their writer meant.
func (e *entry) table(key string) map[string]string {
	v, ok := e.value.Get(key)
	if !ok {
		return nil
	}
	if v.Kind != syntax.Object {
		e.fail(v, "%q is %s, not an object", key, v.Kind)
		return nil
	}
	table := make(map[string]string, len(v.Members))
	for _, m := range v.Members {
		switch m.Value.Kind {
		case syntax.Text, syntax.Number, syntax.Bool:
			table[m.Name] = m.Value.Text
		default:
			e.fail(m.Value, "%q in %q is %s, not a text", m.Name, key, m.Value.Kind)
		}
	}
	return table
}

// common reads the keys on which the clients agree, and expands them.
func (e *entry) common(d *definition, x *expander) {
	d.command = x.expand(e.text("command"))
	d.args = x.expandAll(e.texts("args"))
	d.env = x.expandTable(e.table("env"))
	d.url = x.expand(e.text("url"))
	d.headers = x.expandTable(e.table("headers"))
	d.disabled = e.flag("disabled")
}

func (x *expander) expandAll(texts []string) []string {
	for i := range texts {
		texts[i] = x.expand(texts[i])
	}
	return texts
}

func (x *expander) expandTable(table map[string]string) map[string]string {
	for name, text := range table {
		table[name] = x.expand(text)
	}
	return table
}

// choose sets the transport from what is configured: a command, or else an
// address.
func (d *definition) choose(kind string) (wrong string) {
	switch kind {
	case "":
		d.transport = stdio
		if d.command == "" {
			d.transport = streamableHTTP
		}
	case "stdio":
		d.transport = stdio
		if d.command == "" {
			return `"type" is "stdio", but there is no "command"`
		}
	case "http", "streamable-http", "streamableHttp", "streamable_http":
		d.transport = streamableHTTP
		if d.url == "" {
			return fmt.Sprintf(`"type" is %q, but there is no "url"`, kind)
		}
	case "sse":
		return `the transport "sse" is not supported; if the server also has an address for streamable HTTP (often /mcp instead of /sse), give that, with the type "http"`
	default:
		return fmt.Sprintf(`"type" is %q, and not "stdio" or "http"`, clean.Line(kind))
	}
	if d.transport == stdio {
		d.url, d.headers = "", nil
	} else {
		d.command, d.args, d.env, d.dir = "", nil, nil, ""
	}
	return ""
}
