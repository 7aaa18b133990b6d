package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/exec/command"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/nearest"
)

// The operations of the provider.
var (
	// OpFolders describes the configured folders.
	OpFolders = fs.Op[fs.None, []Folder]{Name: "exec.folders", Effect: fs.Reads}
	// OpRefresh refreshes folders.
	OpRefresh = fs.Talk[RefreshQuery, Progress, []Refreshed]{Name: "exec.refresh"}
)

// Folder is a folder as it is configured, and what is cached of it.
type Folder struct {
	Name string `json:"name"`
	Dir  string `json:"dir"` // where its commands run
	// Paths are its paths with their commands.
	Paths []Path `json:"paths"`
	// Files is how many outputs it lists, Running how many commands run now, Waiting for how
	// many files a command waits for its turn.
	Files     int       `json:"files"`
	Running   int       `json:"running"`
	Waiting   int       `json:"waiting,omitempty"`
	Refreshed time.Time `json:"refreshed,omitzero"`
	Lifetime  string    `json:"lifetime"`
	Every     string    `json:"every,omitempty"`
	Watch     []string  `json:"watch,omitempty"`
	// When says when it is refreshed by itself; "" for never.
	When   string    `json:"when,omitempty"`
	Failed []Failure `json:"failed,omitempty"`
}

// Path is a path with its command.
type Path struct {
	Path string `json:"path"` // with a slash at its end if the command lists names
	// Command is the command without its secrets.
	Command string `json:"command"`
	Line    int    `json:"line"` // in config.toml
	// Means says in a sentence what runs the command; Placeholders what each accepts.
	Means        string   `json:"means"`
	Placeholders []string `json:"placeholders,omitempty"`
	// Fault is why the command cannot be started now; "" if it can.
	Fault string `json:"fault,omitempty"`
}

// RefreshQuery names the folder to refresh; "" stands for all.
type RefreshQuery struct {
	Folder string `json:"folder,omitempty"`
}

// Progress is how far the refresh of a folder has come.
type Progress struct {
	Folder string `json:"folder"`
	Done   int    `json:"done"`
	Of     int    `json:"of"`
}

// Operations implements fs.Operator.
func (p *Provider) Operations() []fs.Operation {
	return []fs.Operation{OpFolders.Handle(p.tell), OpRefresh.Handle(p.refresh)}
}

func (p *Provider) tell(context.Context, fs.None) ([]Folder, error) {
	all := []Folder{}
	for _, f := range p.all() {
		all = append(all, f.tell())
	}
	return all, nil
}

func (f *folder) tell() Folder {
	t := Folder{Name: f.name, Dir: f.dir, Lifetime: duration(f.lifetime), Watch: f.watch, When: f.refreshedBy(), Files: f.shown.Load().outputs}
	if f.every > 0 {
		t.Every = duration(f.every)
	}
	for _, r := range slices.Concat(f.files, f.listings) {
		t.Paths = append(t.Paths, f.explain(r))
	}
	slices.SortStableFunc(t.Paths, func(a, b Path) int { return a.Line - b.Line })
	f.mu.Lock()
	defer f.mu.Unlock()
	t.Running, t.Refreshed = len(f.slots), f.refreshed.Ran
	t.Waiting = max(0, len(f.flights)-t.Running)
	for dir, l := range f.refreshed.Listings {
		if l.Failed != "" {
			t.Failed = append(t.Failed, Failure{dir + "/", l.Failed})
		}
	}
	for name, o := range f.outputs {
		if o.Failed != "" {
			t.Failed = append(t.Failed, Failure{name, o.Failed})
		}
	}
	slices.SortFunc(t.Failed, func(a, b Failure) int { return strings.Compare(a.Path, b.Path) })
	return t
}

// explain says what a path means.
func (f *folder) explain(r rule) Path {
	p := Path{Path: r.key(), Command: commandLine(r.command), Line: (*f.places.Load())[r.key()], Placeholders: r.path.Explain()}
	if _, err := f.program(r.command[0], command.Environ(f.p.opts.Environ(), f.env)); err != nil {
		p.Fault = clean.Line(fs.Cause(err))
	}
	switch {
	case r.listing:
		p.Means = fmt.Sprintf("a refresh runs it for the names in exec/%s; at most %d of them are fetched", path.Join(f.name, p.Path), f.most)
	case r.fixed():
		p.Means = "one file; a refresh runs its command, or its first reader"
	default:
		p.Means = "a file for each name that fits; its first reader runs the command, and a refresh does for those that a listing names"
	}
	return p
}

// fault is an error with what to do about it.
type fault struct {
	error
	fix string
}

// Fix implements what [fs.Asker] asks of errors.
func (f fault) Fix() string { return f.fix }

// refresh answers OpRefresh. Folders follow each other.
func (p *Provider) refresh(ctx context.Context, q RefreshQuery, tell func(Progress) error, reply func([]Refreshed) (io.Writer, error)) error {
	all := p.all()
	var names []string
	for _, f := range all {
		names = append(names, f.name)
	}
	if q.Folder != "" {
		all = slices.DeleteFunc(all, func(f *folder) bool { return f.name != q.Folder })
	}
	if len(all) == 0 {
		fix := "see how to configure one: ctxfs exec --help"
		switch near := nearest.Of(q.Folder, names); {
		case near != "":
			fix = "did you mean: ctxfs exec refresh " + near
		case len(names) > 0:
			fix = "there is " + wording.Or(names)
		}
		what := "no command is configured as a folder"
		if len(names) > 0 {
			what = fmt.Sprintf("no folder of commands is called %q", q.Folder)
		}
		return fault{errors.New(what), fix}
	}
	done := []Refreshed{}
	for _, f := range all {
		one, err := f.refreshFor(ctx, tell)
		if err != nil {
			return err
		}
		done = append(done, one)
	}
	_, err := reply(done)
	return err
}

// refreshFor refreshes a folder for a caller who may leave, which ends it.
func (f *folder) refreshFor(ctx context.Context, tell func(Progress) error) (Refreshed, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(f.ctx, cancel)
	defer stop()
	var mu sync.Mutex
	return f.refresh(ctx, func(n, of int) {
		mu.Lock()
		defer mu.Unlock()
		_ = tell(Progress{f.name, n, of}) // a caller who has left is noticed by the context
	})
}
