// Package served knows the skills that MCP servers serve (SEP-2640, the extension
// io.modelcontextprotocol/skills): what a server lists, what was fetched of it, and the
// folder that shows both.
//
// A skill is listed with its front matter and, for each file, size and digest. Its files
// are there only after somebody has asked for them (package mcp, FetchSkill): nothing is
// fetched because it is listed, and nothing that differs from the list is kept. Fetched
// files lie in the cache, outside of all folders in which agents look for skills, are
// checked again when they are read, and go with their server. They are never executable,
// and never among the user's own skills.
package served

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/frontmatter"
	"ctxfs/providers/internal/names"
)

// The limits that every host accepts (SEP-2640).
const (
	MaxFiles = 512
	MaxBytes = 16 << 20
)

// skillFile ends the URI of a skill.
const skillFile = "SKILL.md"

// Resource is a file of a skill.
type Resource struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
	Size   int64  `json:"size"`
}

// Entry is a skill as its server lists it.
type Entry struct {
	URI         string
	Frontmatter map[string]any
	Resources   []Resource
	// Dynamic is set if the server does not say which files there are.
	Dynamic bool
	// Fault is why it cannot be fetched; "" if it can.
	Fault string

	raw json.RawMessage
}

var digest = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// Parse reads an entry of skills/list or the result of skills/get. One that offends
// against the specification has a Fault; the error says that it cannot even be named.
func Parse(raw json.RawMessage) (*Entry, error) {
	var is struct {
		URI         string          `json:"uri"`
		Frontmatter map[string]any  `json:"frontmatter"`
		Resources   json.RawMessage `json:"resources"`
	}
	if err := json.Unmarshal(raw, &is); err != nil {
		return nil, fmt.Errorf("an entry has a wrong form: %w", err)
	}
	e := &Entry{URI: is.URI, Frontmatter: is.Frontmatter, raw: slices.Clone(raw)}
	u, err := url.Parse(is.URI)
	if err != nil || u.Scheme == "" || len(is.URI) > 2000 {
		return nil, errors.New("an entry has no URI")
	}
	switch err := json.Unmarshal(is.Resources, &e.Resources); {
	case string(bytes.TrimSpace(is.Resources)) == `"dynamic"`:
		e.Dynamic = true
		e.Fault = "the server does not say which files it has (dynamic), so that they could be checked"
	case err != nil || len(e.Resources) == 0:
		e.Fault = "the server lists no files of it"
	}
	if e.Fault == "" {
		e.Fault = e.judge(u)
	}
	return e, nil
}

// judge returns what is wrong with an entry that lists its files.
func (e *Entry) judge(u *url.URL) string {
	name, _ := e.Frontmatter["name"].(string)
	about, _ := e.Frontmatter["description"].(string)
	sum, hasSelf := int64(0), false
	for _, r := range e.Resources {
		rel, ok := e.relative(r.URI)
		switch {
		case !ok:
			return "it names a file outside of itself: " + clean.Cut(clean.Line(r.URI), 100)
		case !digest.MatchString(r.Digest) || r.Size < 0:
			return "it names a file without a digest and a size: " + clean.Cut(clean.Line(r.URI), 100)
		}
		hasSelf = hasSelf || rel == skillFile
		sum += min(r.Size, MaxBytes+1)
	}
	switch {
	case path.Base(u.Path) != skillFile:
		return "its URI does not end with " + skillFile
	case !hasSelf:
		return "its files are without " + skillFile
	case name == "" || strings.TrimSpace(about) == "":
		return "it has no name, or no description"
	case name != e.segments()[len(e.segments())-1]:
		return "its name is not the last part of its URI"
	case len(e.Resources) > MaxFiles || sum > MaxBytes:
		return fmt.Sprintf("it is larger than %d files or %d MiB", MaxFiles, MaxBytes>>20)
	}
	return ""
}

// relative returns the path of a file within the skill.
func (e *Entry) relative(uri string) (string, bool) {
	rel, ok := strings.CutPrefix(uri, strings.TrimSuffix(e.URI, skillFile))
	if !ok || rel == "" || strings.ContainsAny(rel, "?#\\\x00") || strings.Contains(rel, "%") || path.Clean(rel) != rel || !filepath.IsLocal(rel) || len(rel) > 1000 {
		return "", false
	}
	for part := range strings.SplitSeq(rel, "/") {
		if len(part) > 200 || part != clean.Line(part) {
			return "", false
		}
	}
	return rel, true
}

// segments returns the parts of the path under which it is shown: those of its URI without
// SKILL.md, after the scheme if that is another than "skill".
func (e *Entry) segments() []string {
	scheme, rest, _ := strings.Cut(e.URI, "://")
	if rest == "" {
		scheme, rest, _ = strings.Cut(e.URI, ":")
	}
	rest, _, _ = strings.Cut(rest, "?")
	parts := strings.FieldsFunc(strings.TrimSuffix(rest, skillFile), func(r rune) bool { return r == '/' })
	if scheme != "skill" {
		parts = append([]string{scheme}, parts...)
	}
	if len(parts) == 0 {
		parts = []string{"_"}
	}
	return parts
}

// folder returns the path under which it is shown.
func (e *Entry) folder() string {
	var parts []string
	for _, s := range e.segments()[:min(len(e.segments()), 16)] {
		parts = append(parts, names.File(s))
	}
	return path.Join(parts...)
}

// Name returns its name, cleaned; the last part of its URI if it has none.
func (e *Entry) Name() string {
	name, _ := e.Frontmatter["name"].(string)
	return clean.Cut(cmp.Or(clean.Line(name), clean.Line(e.segments()[len(e.segments())-1])), 100)
}

// About returns its description, cleaned.
func (e *Entry) About() string {
	about, _ := e.Frontmatter["description"].(string)
	return clean.Cut(clean.Line(about), 1024)
}

// same reports whether two entries describe the same files.
func (e *Entry) same(o *Entry) bool {
	byURI := func(a, b Resource) int { return strings.Compare(a.URI, b.URI) }
	return e.URI == o.URI && slices.Equal(slices.SortedFunc(slices.Values(e.Resources), byURI), slices.SortedFunc(slices.Values(o.Resources), byURI))
}

// check reports why bytes are not those of a resource.
func (r Resource) check(body []byte) error {
	sum := sha256.Sum256(body)
	switch {
	case int64(len(body)) != r.Size:
		return fmt.Errorf("%s has %d bytes, and its entry says %d", clean.Line(r.URI), len(body), r.Size)
	case "sha256:"+hex.EncodeToString(sum[:]) != r.Digest:
		return fmt.Errorf("%s is not what its entry says: its digest differs", clean.Line(r.URI))
	}
	return nil
}

// Verify reports why files, by their paths in the skill, are not those of an entry: a file
// is missing, differs in size or digest, or the front matter is another one.
func (e *Entry) Verify(files map[string][]byte) error {
	if e.Fault != "" {
		return errors.New(e.Fault)
	}
	for _, r := range e.Resources {
		rel, _ := e.relative(r.URI)
		body, ok := files[rel]
		if !ok {
			return fmt.Errorf("%s is missing", clean.Line(r.URI))
		}
		if err := r.check(body); err != nil {
			return err
		}
	}
	if len(files) != len(e.Resources) {
		return errors.New("it has files that its entry does not name")
	}
	matter, err := frontmatter.Parse(files[skillFile])
	if err != nil {
		return fmt.Errorf("%s: %w", skillFile, err)
	}
	for key, value := range e.Frontmatter {
		if text, ok := value.(string); ok && strings.TrimSpace(text) != matter.String(key) {
			return fmt.Errorf("the front matter of %s differs from that of its entry: %s", skillFile, clean.Line(key))
		}
	}
	for key := range matter.Fields {
		if _, ok := e.Frontmatter[key]; !ok {
			return fmt.Errorf("the front matter of %s has what that of its entry has not: %s", skillFile, clean.Line(key))
		}
	}
	return nil
}
