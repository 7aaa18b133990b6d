// Package catalogue holds what a server offers, as it is fetched, shown and stored.
//
// A definition passes through it in this order: the lists of a server are collected
// as raw JSON, so that nothing is lost to the types of a library ([List.Add]), and
// completed with the times of those before ([List.Succeed]); a [Snapshot] renders
// them into the texts of files (snapshot.go, render.go), and the [Cache] stores
// both, so that the texts need not be rendered again (cache.go, cachefile.go).
// Resources that a user wants to keep are stored beside them (kept.go).
//
// Definitions are not decoded into mcp-go's Tool: it drops $schema of 230 of 489 real
// tools, and all unknown keys. A file has one line for each member and each argument:
// indenting takes a third more tokens (50,942 against 38,159 for 177 tools), and
// minified text would make rg print a whole tool for one word.
package catalogue

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/internal/tokens"
	"ctxfs/providers/mcp/config"
)

// Kind is the kind of a list that a server can have.
type Kind int

// The kinds of lists.
const (
	Tools Kind = iota
	Resources
	Templates
	Prompts
	Kinds
)

// lists says how each kind is requested: the method, the member of its result
// that holds the list, and the plural for people.
var lists = [Kinds]struct{ method, member, plural string }{
	Tools:     {"tools/list", "tools", "tools"},
	Resources: {"resources/list", "resources", "resources"},
	Templates: {"resources/templates/list", "resourceTemplates", "resource templates"},
	Prompts:   {"prompts/list", "prompts", "prompts"},
}

// Method returns the method that requests the list.
func (k Kind) Method() string { return lists[k].method }

// Member returns the member of the method's result that holds the list.
func (k Kind) Member() string { return lists[k].member }

// String returns the plural for people: "resource templates".
func (k Kind) String() string { return lists[k].plural }

// Catalogue is what a server has reported about itself. Its lists are in memory
// only while they are fetched and rendered; then they are in the cache file.
type Catalogue struct {
	About
	Lists [Kinds]List
}

// About is a catalogue without its lists. It is the header of the cache file.
type About struct {
	// Name, Source (the file), Scope, Project and Client are those of the entry
	// that configures the server.
	Name    string `json:"name"`
	Source  string `json:"source"`
	Scope   string `json:"scope"`
	Project string `json:"project,omitempty"`
	Client  string `json:"client"`
	// Command is the hash of the command or address that the catalogue was
	// fetched with.
	Command   string `json:"command"`
	Transport string `json:"transport"`
	// Settings is a salted hash of the rest of the configuration; "" if unknown.
	Settings string `json:"settings,omitempty"`

	Server       ServerInfo `json:"server"`
	Protocol     string     `json:"protocol"`
	Legacy       bool       `json:"legacy"` // the server speaks the era of initialize
	Instructions string     `json:"instructions,omitempty"`
	// Samples reports that the server was told that it may ask a language model, on
	// which the tools that it lists may depend.
	Samples bool `json:"samples,omitempty"`

	// Described is when the server's description of itself last changed.
	Described time.Time `json:"described"`
	// Time is when the lists were last fetched.
	Time time.Time `json:"time"`
	// Notes are remarks about the lists, for STATUS.md.
	Notes []string `json:"notes,omitempty"`
}

// NewAbout returns what a definition says of its catalogue.
func NewAbout(d *config.Server) About {
	return About{
		Name: d.Name, Source: d.File, Scope: d.Scope, Project: d.Project, Client: d.Client,
		Command: d.CommandHash(), Settings: settingsSum(d, rand.Text()),
	}
}

// Fits reports whether the catalogue belongs to the server as it is defined now.
func (a *About) Fits(d *config.Server) bool {
	salt, _, _ := strings.Cut(a.Settings, " ")
	return a.Command == d.CommandHash() && (a.Settings == "" || a.Settings == settingsSum(d, salt))
}

// settingsSum covers what the hash of the command leaves out because it may be
// secret. The salt keeps equal values from being recognized.
func settingsSum(d *config.Server, salt string) string {
	what, err := json.Marshal([]any{salt, d.Dir, d.Env, d.Headers}) // maps are sorted
	if err != nil {
		panic(err) // strings always encode
	}
	sum := sha256.Sum256(what)
	return salt + " " + hex.EncodeToString(sum[:16])
}

// key returns the key of the entry that the catalogue is of.
func (a *About) key() Key {
	return KeyOf(config.Source{Scope: a.Scope, Project: a.Project, File: a.Source, Name: a.Name})
}

// ServerInfo is how a server names itself.
type ServerInfo struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

// List is one list of definitions, in the order of the server.
type List struct {
	// Changed is when its content last changed.
	Changed time.Time    `json:"changed,omitzero"`
	Items   []Definition `json:"items,omitempty"`
}

// Definition is one definition as the server sent it, without spaces.
type Definition struct {
	// Since is when this content was first seen.
	Since time.Time       `json:"since"`
	Raw   json.RawMessage `json:"raw"`

	members rawjson.Object // of Raw, or nil where that came from the cache
}

// object returns the members of the definition.
func (d Definition) object() (rawjson.Object, error) {
	if d.members != nil {
		return d.members, nil
	}
	return rawjson.ParseObject(d.Raw)
}

// key identifies a definition within its list.
func (d Definition) key() string {
	o, _ := d.object() // without a name only the content distinguishes it
	return o.Text("name") + "\x00" + o.Text("uri") + "\x00" + o.Text("uriTemplate")
}

// sum returns the hash of the content.
func (d Definition) sum() [sha256.Size]byte { return sha256.Sum256(d.Raw) }

// Succeed completes a list that was fetched at time t with the times of the list
// before: an unchanged definition keeps its time, and an unchanged list its own.
func (l *List) Succeed(before List, t time.Time) {
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

// Add adds definitions as a server sent them, and returns how many of them are not
// JSON objects, which are left out. Duplicates, as of a page that is sent twice,
// are left out too; seen holds the hashes of those added so far. This is the only
// place where a definition is parsed on its way to being shown.
func (l *List) Add(items []json.RawMessage, seen map[[sha256.Size]byte]bool) (odd int) {
	for _, raw := range items {
		var compact bytes.Buffer
		if json.Compact(&compact, raw) != nil || !bytes.HasPrefix(compact.Bytes(), []byte("{")) {
			odd++
			continue
		}
		d := Definition{Raw: bytes.Clone(compact.Bytes())}
		if sum := d.sum(); !seen[sum] {
			d.members, _ = rawjson.ParseObject(d.Raw) // it is an object
			seen[sum] = true
			l.Items = append(l.Items, d)
		}
	}
	return odd
}

// Tokens returns how many tokens the definitions of tools take in a request of an agent
// that is given them: name, description and schema of the arguments of each, as compact
// JSON. Shown reports whether a tool is one of them, by its own name.
func (c *Catalogue) Tokens(shown func(name string) bool) int {
	n := 0
	for _, d := range c.Lists[Tools].Items {
		o, err := rawjson.ParseObject(d.Raw)
		if err != nil || !shown(o.Text("name")) {
			continue
		}
		var sent bytes.Buffer
		sent.WriteByte('{')
		for _, m := range [...]struct{ is, sent string }{{"name", "name"}, {"description", "description"}, {"inputSchema", "input_schema"}} {
			value := o.Get(m.is)
			if value == nil {
				continue
			}
			if sent.Len() > 1 {
				sent.WriteByte(',')
			}
			sent.WriteString(`"` + m.sent + `":`)
			if json.Compact(&sent, value) != nil {
				sent.Write(value)
			}
		}
		sent.WriteByte('}')
		n += tokens.Count(sent.String())
	}
	return n
}
