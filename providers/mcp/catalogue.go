package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"time"

	"ctxfs/providers/mcp/config"
)

// kind is one of the lists that a server can have.
type kind int

const (
	tools kind = iota
	resources
	templates
	prompts
	kinds
)

// lists says how each kind is asked for.
var lists = [kinds]struct{ method, key, plural string }{
	tools:     {"tools/list", "tools", "tools"},
	resources: {"resources/list", "resources", "resources"},
	templates: {"resources/templates/list", "resourceTemplates", "resource templates"},
	prompts:   {"prompts/list", "prompts", "prompts"},
}

// catalogue is what a server has said of itself. Its lists are in memory only
// while they are fetched and shown; then they are in the cache file.
type catalogue struct {
	about
	Lists [kinds]list
}

// about is a catalogue without its lists.
type about struct {
	// Name, Source (its file), Scope, Project and Client are those of the
	// definition.
	Name    string `json:"name"`
	Source  string `json:"source"`
	Scope   string `json:"scope"`
	Project string `json:"project,omitempty"`
	Client  string `json:"client"`
	// Command is the definition's hash when the server said this.
	Command   string `json:"command"`
	Transport string `json:"transport"`
	// Settings stands for the rest of the definition then; "" is not known.
	Settings string `json:"settings,omitempty"`

	Server       serverInfo `json:"server"`
	Protocol     string     `json:"protocol"`
	Legacy       bool       `json:"legacy"` // it wants initialize and no probe
	Instructions string     `json:"instructions,omitempty"`

	// Described is when what the server says of itself last changed.
	Described time.Time `json:"described"`
	// Time is when the lists were last fetched.
	Time time.Time `json:"time"`
	// Notes are remarks on the lists for STATUS.md.
	Notes []string `json:"notes,omitempty"`
}

// origin is that of the definition.
func (a about) origin() string {
	return config.Source{Scope: a.Scope, Project: a.Project, File: a.Source}.Origin()
}

// serverInfo is what a server calls itself.
type serverInfo struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

// list is one list of definitions.
type list struct {
	// Changed is when its content last changed.
	Changed time.Time    `json:"changed,omitzero"`
	Items   []definedRaw `json:"items,omitempty"`
}

// definedRaw is one definition as it came.
type definedRaw struct {
	// Since is when it was first seen like this.
	Since time.Time       `json:"since"`
	Raw   json.RawMessage `json:"raw"`
}

// key names a definition within its list.
func (d definedRaw) key() string {
	var id struct{ Name, URI, URITemplate string }
	_ = json.Unmarshal(d.Raw, &id) // what has no name is told apart by its content alone
	return id.Name + "\x00" + id.URI + "\x00" + id.URITemplate
}

// sum stands for the content. It is of compact JSON, as lists are kept.
func (d definedRaw) sum() [sha256.Size]byte { return sha256.Sum256(d.Raw) }

// succeed completes a list that was fetched at t with what is known from the
// one before: a definition that is as it was keeps its time, and a list that
// holds what it held keeps its own.
func (l *list) succeed(before list, t time.Time) {
	type seen struct {
		sum   [sha256.Size]byte
		since time.Time
	}
	known := make(map[string]seen, len(before.Items))
	for _, d := range before.Items {
		known[d.key()] = seen{d.sum(), d.Since}
	}
	same := len(l.Items) == len(before.Items)
	for i := range l.Items {
		d := &l.Items[i]
		if k, ok := known[d.key()]; ok && k.sum == d.sum() {
			d.Since = k.since
		} else {
			d.Since = t
			same = false
		}
	}
	l.Changed = t
	if same && !before.Changed.IsZero() {
		l.Changed = before.Changed
	}
}

// add adds definitions as they came. One that is there already is not added
// again, as where a server gives a page twice; what is no object is counted.
func (l *list) add(items []json.RawMessage, seen map[[sha256.Size]byte]bool) (odd int) {
	for _, raw := range items {
		var compact bytes.Buffer
		if json.Compact(&compact, raw) != nil || !bytes.HasPrefix(compact.Bytes(), []byte("{")) {
			odd++
			continue
		}
		d := definedRaw{Raw: bytes.Clone(compact.Bytes())}
		if sum := d.sum(); !seen[sum] {
			seen[sum] = true
			l.Items = append(l.Items, d)
		}
	}
	return odd
}
