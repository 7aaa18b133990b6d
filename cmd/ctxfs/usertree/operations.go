package usertree

import (
	"context"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"ctxfs/cmd/ctxfs/call"
	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
	"ctxfs/providers"
	"ctxfs/providers/find"
	"ctxfs/providers/find/learned"
	"ctxfs/providers/hooks"
	"ctxfs/providers/prompt"
)

// The operations that concern the tree as a whole. Paths are those of the tree,
// with slashes; "" is the root. Each provider declares its own operations in its
// package; calls of tools are [OpAgentCall] and [call.Op].
var (
	// OpList lists a folder, or returns the one entry of a file.
	OpList = fs.Op[PathQuery, []Entry]{Name: "list", Effect: fs.Reads}
	// OpRead returns the size of a file, followed by the bytes of the file. It is
	// slow because the file may have to be rendered first.
	OpRead = fs.Talk[PathQuery, fs.None, Size]{Name: "read", Effect: fs.Reads}
	// OpFind searches the tree; the best matches come first.
	OpFind = fs.Op[FindQuery, []facts.Match]{Name: "find", Effect: fs.Reads}
	// OpLearned returns what searches have learned, and OpForget forgets what was
	// learned so far of something, the zero Used of everything; it returns how many
	// uses these were.
	OpLearned = fs.Op[fs.None, LearnedReport]{Name: "learned", Effect: fs.Reads}
	OpForget  = fs.Op[facts.Used, int]{Name: "forget"}
	// OpProviders returns the status of the configuration, if something is wrong
	// with it, and of each provider.
	OpProviders = fs.Op[fs.None, []ProviderStatus]{Name: "providers", Effect: fs.Reads}
	// OpFacts returns what a prompt may say: the items of each provider and, if
	// the question asks for it, what is inside them.
	OpFacts = fs.Op[FactsQuery, []prompt.Folder]{Name: "facts", Effect: fs.Reads}
)

// PathQuery names a file or a folder.
type PathQuery struct {
	Path string `json:"path"`
}

// Entry is a line of a listing.
type Entry struct {
	Name     string    `json:"name"`
	Type     string    `json:"type"` // "file", "dir" or "link"
	Mode     string    `json:"mode"` // as ls -l prints it
	Size     int64     `json:"size"` // in bytes
	Modified time.Time `json:"modified"`
	// Itself reports that this is the file named, not one in a folder named.
	Itself bool `json:"itself,omitempty"`
}

// Size is the size of a file in bytes, which follow.
type Size int64

// Follows implements the interface that [fs.Talk] describes.
func (s Size) Follows() int64 { return int64(s) }

// FindQuery is a search at and below a path from the folder Caller, which may be
// zero. Limit is the maximum number of matches, 0 for all.
type FindQuery struct {
	Query  string        `json:"query"`
	In     string        `json:"in,omitempty"`
	Limit  int           `json:"limit,omitempty"`
	Caller fs.Standpoint `json:"caller,omitzero"`
}

// LearnedReport is what searches have learned.
type LearnedReport struct {
	Topics []learned.Topic `json:"topics"`
	// Off reports that learning is switched off.
	Off bool `json:"off,omitempty"`
}

// ProviderStatus is the status of a provider, with its folder as the name.
type ProviderStatus struct {
	Name string `json:"name"`
	fs.Status
}

// FactsQuery asks for facts; with Inside, also for the things inside of items.
type FactsQuery struct {
	Inside bool `json:"inside,omitempty"`
}

// ownOperations returns the operations that no provider has.
func (t *Tree) ownOperations() fs.Operations {
	return fs.Operations{
		OpList.Handle(func(ctx context.Context, q PathQuery) ([]Entry, error) {
			entries, err := t.list(ctx, q.Path)
			return entries, t.pathFault(ctx, q.Path, err)
		}),
		OpRead.Handle(t.read),
		OpFind.Handle(func(ctx context.Context, q FindQuery) ([]facts.Match, error) {
			if _, err := t.Resolve(ctx, q.In); err != nil {
				return nil, t.pathFault(ctx, q.In, err)
			}
			return t.providers.Finder().Find(ctx, q.Query, find.Options{In: q.In, Limit: q.Limit, Caller: q.Caller})
		}),
		OpLearned.Handle(func(context.Context, fs.None) (LearnedReport, error) {
			topics, on := t.providers.Finder().Learned()
			return LearnedReport{Topics: topics, Off: !on}, nil
		}),
		OpForget.Handle(func(_ context.Context, used facts.Used) (int, error) { return t.providers.Finder().Forget(used) }),
		OpProviders.Handle(func(context.Context, fs.None) ([]ProviderStatus, error) { return t.statuses(), nil }),
		OpFacts.Handle(func(_ context.Context, q FactsQuery) ([]prompt.Folder, error) {
			folders := foldersOf(t.statuses())
			if q.Inside {
				t.fillInside(folders)
			}
			return folders, nil
		}),
		OpHook.Handle(t.answerHook),
		hooks.OpCosts.Handle(t.providers.Hooks().Costs),
		call.Op.Handle(t.answerCall),
		call.OpAnswer.Handle(t.answerQuestion),
		OpAgentCall.Handle(t.answerAgentCall),
		OpAnswered.Handle(t.awaitAnswer),
	}
}

// configuration is the name of the configuration among the providers, if its files
// have faults.
const configuration = "configuration"

func (t *Tree) statuses() (all []ProviderStatus) {
	if problems := t.providers.Problems(); len(problems) > 0 {
		all = append(all, ProviderStatus{Name: configuration, Status: fs.Status{
			State: "degraded", Summary: wording.Count(len(problems), "problems"), Problems: problems,
		}})
	}
	for _, p := range t.providers.All() {
		all = append(all, ProviderStatus{Name: p.Folder, Status: p.Status()})
	}
	sayOnce(all)
	return all
}

// sayOnce leaves a problem that several have to the first.
func sayOnce(all []ProviderStatus) {
	said := make(map[fs.Problem]bool)
	for i := range all {
		all[i].Problems = slices.DeleteFunc(slices.Clone(all[i].Problems), func(p fs.Problem) (again bool) {
			again, said[p] = said[p], true
			return again
		})
	}
}

// foldersOf returns what AGENTS.md is made of.
func foldersOf(statuses []ProviderStatus) (folders []prompt.Folder) {
	for _, p := range statuses {
		if p.Name != configuration {
			folders = append(folders, prompt.Folder{Name: p.Name, Status: p.Status})
		}
	}
	return folders
}

// fillInside adds what is inside the items of folders.
func (t *Tree) fillInside(folders []prompt.Folder) {
	for _, p := range t.providers.All() {
		itemized, ok := p.Provider.(fs.Itemized)
		if !ok {
			continue
		}
		inside := make(map[string][]prompt.Thing)
		for name, items := range itemized.Inside() {
			for _, i := range items {
				inside[name] = append(inside[name], prompt.Thing{Name: i.Name, About: i.About})
			}
		}
		for i := range folders {
			if folders[i].Name == p.Folder {
				folders[i].Inside = inside
			}
		}
	}
}

// list answers [OpList].
func (t *Tree) list(ctx context.Context, name string) ([]Entry, error) {
	n, err := t.Resolve(ctx, name)
	if err != nil {
		return nil, err
	}
	d, ok := n.(fs.Dir)
	if !ok {
		e, err := t.entry(ctx, path.Base(name), n)
		e.Itself = true
		return []Entry{e}, err
	}
	listed, err := t.List(ctx, d)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(listed))
	for _, l := range listed {
		child, err := t.Lookup(ctx, d, l.Name)
		var e Entry
		if err == nil {
			e, err = t.entry(ctx, l.Name, child)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed since it was listed
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// entry describes a node for a listing.
func (t *Tree) entry(ctx context.Context, name string, n fs.Node) (Entry, error) {
	a, err := t.Stat(ctx, n)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Name: name, Type: "file", Mode: a.Mode.String(), Size: a.Size, Modified: a.ModTime.UTC()}
	switch a.Mode.Type() {
	case iofs.ModeDir:
		e.Type = "dir"
	case iofs.ModeSymlink:
		e.Type = "link"
	}
	return e, nil
}

// file returns a file and its size.
func (t *Tree) file(ctx context.Context, name string) (fs.File, int64, error) {
	n, err := t.Resolve(ctx, name)
	if l, ok := n.(fs.Link); ok && err == nil {
		n, err = t.follow(ctx, name, l)
	}
	if err != nil {
		return nil, 0, err
	}
	f, ok := n.(fs.File)
	if !ok {
		return nil, 0, fs.ErrIsDir
	}
	a, err := t.Stat(ctx, f)
	return f, a.Size, err
}

// follow returns what a link to another place in the tree leads to, which is no link. Others
// are not followed: they lead to anywhere on disk.
func (t *Tree) follow(ctx context.Context, name string, l fs.Link) (fs.Node, error) {
	target, err := t.Target(ctx, l)
	if err != nil {
		return nil, err
	}
	to := path.Join(path.Dir(name), target)
	if path.IsAbs(target) || to == ".." || strings.HasPrefix(to, "../") {
		return nil, fmt.Errorf("it is a link to %s, outside of the tree", target)
	}
	n, err := t.Resolve(ctx, to)
	if _, ok := n.(fs.Link); ok && err == nil {
		return nil, fmt.Errorf("it is a link to %s, which is one, too", target)
	}
	return n, err
}

// copy writes size bytes of a file, the size it had when it was asked for.
func (t *Tree) copy(ctx context.Context, f fs.File, size int64, w io.Writer) error {
	buf := make([]byte, min(size, 1<<17))
	for off := int64(0); off < size; {
		n, err := t.ReadAt(ctx, f, buf[:min(int64(len(buf)), size-off)], off)
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return err
			}
			off += int64(n)
		}
		if err != nil && !(errors.Is(err, io.EOF) && off == size) {
			return err
		}
	}
	return nil
}

// read answers [OpRead].
func (t *Tree) read(ctx context.Context, q PathQuery, _ func(fs.None) error, reply func(Size) (io.Writer, error)) error {
	f, size, err := t.file(ctx, q.Path)
	if err != nil {
		return t.pathFault(ctx, q.Path, err)
	}
	w, err := reply(Size(size))
	if err != nil {
		return err
	}
	return t.copy(ctx, f, size, w)
}

// pathFault returns an error of the tree as a fault for people; nil stays nil. A
// path that does not exist may be misspelt.
func (t *Tree) pathFault(ctx context.Context, name string, err error) error {
	if err == nil {
		return nil
	}
	fault := &control.Fault{Message: fmt.Sprintf("%s: %s", name, fs.Cause(err)), Missing: errors.Is(err, fs.ErrNotExist)}
	if fault.Missing {
		if nearest := t.nearest(ctx, name); nearest != "" {
			fault.Hint = "did you mean: " + nearest
		}
	}
	return fault
}

// nearest returns the path that a misspelt one may mean: its first name that does
// not exist is replaced by the most similar one that the folder lists. It returns
// "" if that path does not exist either.
func (t *Tree) nearest(ctx context.Context, name string) string {
	parts := strings.Split(name, "/")
	for i := range parts {
		if _, err := t.Resolve(ctx, path.Join(parts[:i+1]...)); err == nil {
			continue
		}
		n, err := t.Resolve(ctx, path.Join(parts[:i]...))
		d, ok := n.(fs.Dir)
		if err != nil || !ok {
			return ""
		}
		listed, err := t.List(ctx, d)
		if err != nil {
			return ""
		}
		names := make([]string, len(listed))
		for j, l := range listed {
			names[j] = l.Name
		}
		similar := providers.Nearest(parts[i], names)
		if similar == "" {
			return ""
		}
		meant := path.Join(append(append(slices.Clone(parts[:i]), similar), parts[i+1:]...)...)
		if _, err := t.Resolve(ctx, meant); err != nil {
			return path.Join(append(slices.Clone(parts[:i]), similar)...)
		}
		return meant
	}
	return ""
}
