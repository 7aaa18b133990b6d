package find

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/find/learned"
	"ctxfs/providers/internal/settings"
)

// Table is the name of the table of config.toml with the settings of searches.
const Table = "find"

// learnPause is how long what was used may wait to be learned: a session that is being
// written has news all the time.
const learnPause = 30 * time.Second

// Learning says how a Finder learns from what was used.
type Learning struct {
	// Cache and State are the folders for what was learned and what was forgotten,
	// Settings is the path of config.toml.
	Cache, State, Settings string
	// Pause is how long the learner waits after it has learned; 0 is the usual time.
	Pause time.Duration
	// Offline only uses what another process has learned.
	Offline bool
	// Changed is called when LEARNED.md has changed; it only enqueues.
	Changed func()
	Log     *slog.Logger
}

// learner learns from what was used, and teaches the index of documents.
type learner struct {
	Learning
	finder *Finder
	ctx    context.Context
	cancel context.CancelFunc

	mu       sync.Mutex
	problems []fs.Problem
	off      bool
	book     *learned.Book // nil while off
	topics   []learned.Topic
	page     fs.Node // LEARNED.md, of text
	text     []byte
	news     bool // since a worker last learned
	working  bool
	started  bool
	closed   bool
	work     sync.WaitGroup
}

// Learn makes the Finder learn. It is called once, before Start.
func (f *Finder) Learn(how Learning) {
	if how.Pause == 0 {
		how.Pause = learnPause
	}
	l := &learner{Learning: how, finder: f}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	f.learner = l
	l.reload()
}

// ReloadSettings reads the table of settings again. What was learned is deleted when
// learning is switched off.
func (f *Finder) ReloadSettings() { f.learner.reload() }

// Problems returns what is wrong with the settings, and with what was learned.
func (f *Finder) Problems() []fs.Problem {
	f.learner.mu.Lock()
	defer f.learner.mu.Unlock()
	return f.learner.problems
}

func (l *learner) reload() {
	given := struct {
		Learn bool `toml:"learn"`
	}{Learn: true}
	table := settings.ReadTable(l.Settings, Table, &given)
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.book
	l.off, l.problems = !given.Learn, table.Problems()
	switch {
	case l.off:
		if was == nil {
			was, _ = learned.Open(l.Cache, l.State) // only to be erased
		}
		if err := was.Erase(); err != nil && !l.Offline {
			l.problems = append(l.problems, fs.Problem{What: "what was learned cannot be deleted: " + err.Error(), Mend: "delete " + l.Cache})
		}
		l.book, l.topics = nil, nil
		l.teach()
	case was == nil:
		var err error
		if l.book, err = learned.Open(l.Cache, l.State); err != nil {
			l.problems = append(l.problems, fs.Problem{
				What: "it is not known what was to be forgotten, so nothing is learned: " + err.Error(), Mend: "correct or delete the file in " + l.State,
			})
			l.book = nil
		} else {
			l.topics = l.book.Topics(l.finder.now())
		}
		l.teach()
		l.wake()
	}
}

// teach tells the index what was learned, of things that exist, and makes the page.
// The caller holds mu.
func (l *learner) teach() {
	of := l.finder.documents.named()
	wants := make(map[string][]Want) // by path; agents may have several names for one
	for _, t := range l.topics {
		if path := of.path(t.Used); path != "" {
			for _, w := range t.Wants {
				wants[path] = append(wants[path], Want{w.Text, w.Weight, w.Session})
			}
		}
	}
	var lessons []Lesson
	for _, path := range slices.Sorted(maps.Keys(wants)) {
		lessons = append(lessons, Lesson{path, wants[path]})
	}
	l.finder.documents.Teach(lessons)
	text := []byte(learned.Off)
	if l.book != nil {
		text = learned.Page(l.topics, of.title)
	}
	if bytes.Equal(text, l.text) {
		return
	}
	l.text, l.page = text, fs.NewText(l.finder.now(), text)
	if l.Changed != nil {
		l.Changed()
	}
}

// learnedPage returns LEARNED.md; nil where nothing is learned.
func (f *Finder) learnedPage() fs.Node {
	if f.learner == nil {
		return nil
	}
	f.learner.mu.Lock()
	defer f.learner.mu.Unlock()
	return f.learner.page
}

// documentsChanged teaches again: there may be other things by the same names.
func (l *learner) documentsChanged() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.teach()
}

// Used reports that a provider knows of new uses. It only enqueues.
func (f *Finder) Used() {
	if f.learner != nil {
		f.learner.mu.Lock()
		defer f.learner.mu.Unlock()
		f.learner.wake()
	}
}

// start lets the learner read what providers know.
func (l *learner) start() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.started = true
	l.wake()
}

// wake has the worker learn, soon. The caller holds mu.
func (l *learner) wake() {
	l.news = true
	if l.started && !l.Offline && !l.working && !l.closed && l.book != nil {
		l.working = true
		l.work.Go(l.run)
	}
}

// run is the worker: it ends when there is no news.
func (l *learner) run() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.news && l.book != nil && !l.closed {
		l.news = false
		book := l.book
		l.mu.Unlock()
		changed := l.learn(book)
		l.mu.Lock()
		if changed && book == l.book {
			l.topics = book.Topics(l.finder.now())
			l.teach()
		}
		l.mu.Unlock()
		select {
		case <-l.ctx.Done():
		case <-time.After(l.Pause):
		}
		l.mu.Lock()
	}
	l.working = false
}

// learn reads what is new, and reports whether anything is.
func (l *learner) learn(book *learned.Book) bool {
	var all []fs.UsePart
	for _, s := range l.finder.sources {
		t, ok := s.Provider.(fs.Taught)
		if !ok {
			continue
		}
		for part := range t.Uses(l.ctx, book.Version) {
			if part.Path != "" {
				part.Path = s.Folder + "/" + part.Path
			}
			all = append(all, part)
		}
	}
	if l.ctx.Err() != nil {
		return false
	}
	changed := book.Learn(all)
	if err := book.Save(); err != nil {
		l.Log.Warn("what was learned is not kept", "error", err)
	}
	return changed
}

// close ends the worker and waits for it.
func (l *learner) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.cancel()
	l.work.Wait()
}

// Learned returns what was learned, and whether learning is switched on.
func (f *Finder) Learned() (topics []learned.Topic, on bool) {
	l := f.learner
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.topics, !l.off
}

// Forget forgets what was learned so far of something, or of everything if used is
// zero, and returns how many uses that were.
func (f *Finder) Forget(used fs.Used) (n int, err error) {
	l := f.learner
	l.mu.Lock()
	defer l.mu.Unlock()
	book := l.book
	if book == nil {
		if book, err = learned.Open(l.Cache, l.State); err != nil {
			return 0, err
		}
	}
	if n, err = book.Forget(used, f.now()); err != nil {
		return n, err
	}
	if l.book != nil {
		l.topics = book.Topics(f.now())
		l.teach()
	}
	return n, nil
}

// named are documents by their titles, as agents write them.
type named map[fs.Used][]string // titles and paths by turns

// named returns the documents of an index by their titles.
func (x *index) named() named {
	x.mu.RLock()
	defer x.mu.RUnlock()
	all := make(named, len(x.ids))
	for path, id := range x.ids {
		doc := &x.docs[id]
		k := fs.Used{Kind: doc.kind, Name: learned.Fold(doc.title)}
		all[k] = append(all[k], doc.title, path)
	}
	return all
}

// find returns the title and the path of what a name stands for: of exactly that name
// if there is such a thing, or else of the only one that an agent may have to call
// so. Two of that kind could take what was learned of each other.
func (n named) find(used fs.Used) (title, path string) {
	full := used.Name
	if used.Server != "" {
		full = used.Server + "/" + used.Name
	}
	found := n[fs.Used{Kind: used.Kind, Name: learned.Fold(full)}]
	for i := 0; i < len(found); i += 2 {
		if found[i] == full {
			return found[i], found[i+1]
		}
	}
	if len(found) == 2 {
		return found[0], found[1]
	}
	return "", ""
}

func (n named) path(used fs.Used) string {
	_, path := n.find(used)
	return path
}

func (n named) title(used fs.Used) string {
	title, _ := n.find(used)
	return title
}
