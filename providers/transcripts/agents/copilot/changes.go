package copilot

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/records"
)

// The kinds of changes in a log of changes.
const (
	changeInitial = 0 // the whole object
	changeSet     = 1 // v at the path k
	changePush    = 2 // the elements v at the end of the list at k, which is first truncated to i
	changeDelete  = 3 // nothing at the path k
)

// jsonTree is a JSON value that can be changed. It is text until a part of it is
// needed, then its parts. A missing part is nil; all methods work on nil.
type jsonTree struct {
	text   string
	keys   []string
	fields map[string]*jsonTree
	list   []*jsonTree
}

// maxTreeDepth is the longest path of a change. The paths of VS Code have a
// handful of steps.
const maxTreeDepth = 32

// readChanges returns the state at the end of a log of changes. The log may end in
// a line that is being written. With an error the state is that before the faulty
// change, or nil.
func readChanges(path string) (*jsonTree, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := records.CheckSize(path, st.Size()); err != nil {
		return nil, err
	}
	state, err := applyChanges(f)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return state, err
}

// applyChanges is readChanges for an open log.
func applyChanges(log io.Reader) (*jsonTree, error) {
	var state *jsonTree
	lines := bufio.NewReaderSize(log, 1<<16)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		torn := errors.Is(err, io.EOF)
		if err != nil && !torn {
			return state, err
		}
		line = bytes.TrimSpace(line)
		switch valid := lazyjson.Valid(line); {
		case len(line) == 0 || !valid && torn:
		case !valid:
			return state, fmt.Errorf("line %d is not JSON", n)
		default:
			if err := applyChange(&state, lazyjson.Parse(line)); err != nil {
				return state, fmt.Errorf("line %d: %w", n, err)
			}
		}
		if torn {
			return state, nil
		}
	}
}

// applyChange applies one change.
func applyChange(state **jsonTree, c lazyjson.Value) error {
	kind := c.Get("kind")
	if kind.Type == lazyjson.Number && kind.Int() == changeInitial {
		*state = &jsonTree{text: c.Get("v").Raw}
		return nil
	}
	path := c.Get("k").Array()
	switch {
	case *state == nil:
		return errors.New("a change before the first object")
	case kind.Type != lazyjson.Number || kind.Int() > changeDelete || kind.Int() < 0:
		return fmt.Errorf("unknown kind of change %s", kind.Raw)
	case len(path) == 0 || len(path) > maxTreeDepth:
		return fmt.Errorf("a change at a path of %d steps", len(path))
	}
	if kind.Int() == changePush {
		at, err := (*state).reach(path)
		if err != nil {
			return err
		}
		return at.push(c.Get("v"), c.Get("i"))
	}
	at, err := (*state).reach(path[:len(path)-1])
	if err != nil {
		return err
	}
	var v *jsonTree
	if kind.Int() == changeSet {
		v = &jsonTree{text: c.Get("v").Raw}
	}
	return at.set(path[len(path)-1], v)
}

// open parses a value whose parts are needed.
func (t *jsonTree) open() {
	v := lazyjson.ParseString(t.text)
	switch {
	case v.IsObject():
		t.fields = make(map[string]*jsonTree)
		for k, v := range lazyjson.All(v) {
			t.put(k.Str, &jsonTree{text: v.Raw})
		}
	case v.IsArray():
		t.list = []*jsonTree{}
		for _, v := range lazyjson.All(v) {
			t.list = append(t.list, &jsonTree{text: v.Raw})
		}
	default:
		return
	}
	t.text = ""
}

// put sets a field of an object.
func (t *jsonTree) put(key string, v *jsonTree) {
	if _, ok := t.fields[key]; !ok {
		t.keys = append(t.keys, key)
	}
	t.fields[key] = v
}

// set replaces a part; nil removes a field.
func (t *jsonTree) set(key lazyjson.Value, v *jsonTree) error {
	t.open()
	switch {
	case t.fields != nil && key.Type == lazyjson.String:
		t.put(key.Str, v)
	case t.list != nil && key.Type == lazyjson.Number && key.Int() >= 0 && key.Int() < int64(len(t.list)):
		t.list[key.Int()] = v
	case t.list != nil && key.Type == lazyjson.Number && key.Int() == int64(len(t.list)):
		t.list = append(t.list, v)
	default:
		return fmt.Errorf("nothing can be set at %s", key.Raw)
	}
	return nil
}

// push truncates a list and appends to it.
func (t *jsonTree) push(v, cut lazyjson.Value) error {
	if t.text == "" && t.fields == nil && t.list == nil || t.text == "null" {
		t.text = "[]"
	}
	t.open()
	if t.list == nil {
		return errors.New("elements for a value that is not a list")
	}
	if cut.Type == lazyjson.Number && cut.Int() >= 0 && cut.Int() < int64(len(t.list)) {
		t.list = t.list[:cut.Int()]
	}
	for _, v := range lazyjson.All(v) {
		t.list = append(t.list, &jsonTree{text: v.Raw})
	}
	return nil
}

// reach returns the part at a path. Only the last step may lead to a part that
// does not exist yet.
func (t *jsonTree) reach(path []lazyjson.Value) (*jsonTree, error) {
	for n, key := range path {
		t.open()
		next := (*jsonTree)(nil)
		switch {
		case key.Type == lazyjson.String && t.fields != nil:
			if next = t.fields[key.Str]; next == nil && n == len(path)-1 {
				next = &jsonTree{}
				t.put(key.Str, next)
			}
		case key.Type == lazyjson.Number && key.Int() >= 0 && key.Int() < int64(len(t.list)):
			next = t.list[key.Int()]
		}
		if next == nil {
			return nil, fmt.Errorf("a change of %s, which does not exist", key.Raw)
		}
		t = next
	}
	return t, nil
}

// get returns the part at a path of fields, or nil.
func (t *jsonTree) get(path ...string) *jsonTree {
	for _, key := range path {
		if t == nil {
			return nil
		}
		t.open()
		t = t.fields[key]
	}
	return t
}

// items returns the elements of a list.
func (t *jsonTree) items() []*jsonTree {
	if t == nil {
		return nil
	}
	t.open()
	return t.list
}

// value returns the current value of the part.
func (t *jsonTree) value() lazyjson.Value {
	var b strings.Builder
	t.write(&b)
	return lazyjson.ParseString(b.String())
}

func (t *jsonTree) write(b *strings.Builder) {
	switch {
	case t == nil || t.text == "" && t.fields == nil && t.list == nil:
		b.WriteString("null")
	case t.fields != nil:
		sep := "{"
		for _, key := range t.keys {
			if t.fields[key] == nil {
				continue
			}
			name, _ := json.Marshal(key) // strings can always be encoded
			b.WriteString(sep)
			b.Write(name)
			b.WriteByte(':')
			t.fields[key].write(b)
			sep = ","
		}
		if sep == "{" {
			b.WriteString(sep)
		}
		b.WriteByte('}')
	case t.list != nil:
		b.WriteByte('[')
		for i, v := range t.list {
			if i > 0 {
				b.WriteByte(',')
			}
			v.write(b)
		}
		b.WriteByte(']')
	default:
		b.WriteString(t.text)
	}
}
