package find

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/rounds"
	"ctxfs/fs/wording"
	"ctxfs/providers/find/learned"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/internal/settings"
)

// Table is the name of the table of config.toml with the settings of searches.
const Table = "find"

// A session that is being written has news all the time. So the learner waits before it
// learns again: firstPause, then ever longer, until learnPause.
const (
	firstPause = time.Second
	learnPause = 30 * time.Second
)

// Learning says how a Finder learns from what was used.
type Learning struct {
	// Cache and State are the folders for what was learned and what was forgotten,
	// Settings is the path of config.toml.
	Cache, State, Settings string
	// Uses are what is learned from; it may be nil.
	Uses facts.Source[facts.Use]
	// Pause is how long the learner waits at most before it learns again; 0 is the
	// usual time.
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
	worker *rounds.Worker

	mu        sync.Mutex
	problems  []fs.Problem
	off       bool
	book      *learned.Book // nil while off
	topics    []learned.Topic
	relearned bool      // topics have changed since they were taught
	taught    []string  // the paths of the topics that were taught
	text      []byte    // of LEARNED.md
	newest    time.Time // of the uses in it
	searches  []search  // the last one at the end
}

// Learn makes the Finder learn. It is called once, before Start.
func (f *Finder) Learn(how Learning) {
	how.Pause = cmp.Or(how.Pause, learnPause)
	l := &learner{Learning: how, finder: f}
	l.worker = rounds.NewWorker(rounds.Options{Round: l.round, Rest: min(firstPause, how.Pause), MostRest: how.Pause})
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
		l.book, l.topics, l.searches = nil, nil, nil
		l.relearned = true
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
			l.relearned = true
		}
		l.teach()
		l.worker.Poke()
	}
}

// teach tells the index what was learned, of things that exist, and makes the page.
// The caller holds mu.
func (l *learner) teach() {
	var of named
	if len(l.topics) > 0 {
		of = l.finder.documents.named()
	}
	paths := make([]string, len(l.topics))
	for i, t := range l.topics {
		paths[i] = of.path(t.Used)
	}
	if l.relearned || !slices.Equal(paths, l.taught) {
		l.finder.documents.Teach(lessonsOn(l.topics, paths))
		l.taught, l.relearned = paths, false
	}
	text := []byte(learned.Off)
	if l.book != nil {
		text = learned.Page(l.topics, of.title)
	}
	if bytes.Equal(text, l.text) {
		return
	}
	l.text = text
	for _, t := range l.topics {
		l.newest = wording.Later(l.newest, t.Last)
	}
	if l.Changed != nil {
		l.Changed()
	}
}

// lessonsOn makes lessons of topics on documents at some paths, "" for none. Agents may
// have several names for one thing.
func lessonsOn(topics []learned.Topic, paths []string) (lessons []Lesson) {
	wants := make(map[string][]Want)
	for i, t := range topics {
		for _, w := range t.Wants {
			wants[paths[i]] = append(wants[paths[i]], Want{w.Text, w.Weight, w.Session})
		}
	}
	delete(wants, "")
	for _, path := range slices.Sorted(maps.Keys(wants)) {
		lessons = append(lessons, Lesson{path, wants[path]})
	}
	return lessons
}

// learnedPage returns LEARNED.md, no older than born; nil where nothing is learned.
func (f *Finder) learnedPage(born time.Time) fs.Node {
	if f.learner == nil {
		return nil
	}
	f.learner.mu.Lock()
	defer f.learner.mu.Unlock()
	return fs.NewText(wording.Later(born, f.learner.newest), f.learner.text)
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
		f.learner.worker.Poke()
	}
}

// start lets the learner read what providers know.
func (l *learner) start() {
	if !l.Offline {
		l.worker.Poke()
		l.worker.Start()
	}
}

// round learns what is new.
func (l *learner) round(ctx context.Context) {
	l.mu.Lock()
	book := l.book
	l.mu.Unlock()
	if book == nil {
		return
	}
	changed := l.learn(ctx, book)
	l.mu.Lock()
	defer l.mu.Unlock()
	if changed && book == l.book {
		l.topics = book.Topics(l.finder.now())
		l.relearned = true
		l.teach()
	}
}

// learn reads what is new, and reports whether anything is.
func (l *learner) learn(ctx context.Context, book *learned.Book) bool {
	if l.Uses == nil {
		return false
	}
	changed := book.Refresh(ctx, l.Uses)
	book.Keep(l.Log)
	return changed
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
func (f *Finder) Forget(used facts.Used) (n int, err error) {
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
		l.relearned = true
		l.teach()
	}
	return n, nil
}

const (
	// wantedFor is for how long after a search calls are taken to follow from it.
	wantedFor = 10 * time.Minute
	// mostSearchers is how many programs are remembered that have searched last.
	mostSearchers = 64
)

// search is what a program searched for last.
type search struct {
	pid  int
	want string
	at   time.Time
}

// remember notes who searches for what, in memory only: a client of the gateway may
// have no session that tells.
func (f *Finder) remember(want string, who fs.Standpoint) {
	l := f.learner
	if l == nil || l.Offline || who.PID == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.searches = slices.DeleteFunc(l.searches, func(s search) bool { return s.pid == who.PID })
	if l.book != nil {
		l.searches = append(l.searches, search{who.PID, clean.Cut(clean.Line(mask.Text(clean.Prefix(want, 1<<10))), 200), f.now()})
		l.searches = l.searches[max(0, len(l.searches)-mostSearchers):]
	}
}

// Wanted returns what the program with that number has searched for lately, without
// secrets; "" if nothing, or if nothing is learned.
func (f *Finder) Wanted(pid int) string {
	l := f.learner
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.searches {
		if s.pid == pid && l.book != nil && f.now().Sub(s.at) < wantedFor {
			return s.want
		}
	}
	return ""
}
