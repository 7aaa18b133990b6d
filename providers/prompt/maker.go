package prompt

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"ctxfs/fs/rounds"
	"ctxfs/providers/internal/atomicfile"
)

// MakerOptions are the settings of a [Maker].
type MakerOptions struct {
	// Count returns the counted page for some facts. No reader waits for it, so it
	// may be slow.
	Count func(ctx context.Context, folders []Folder) (string, error)
	// Cache is the path of the file in which counted pages are saved.
	Cache string
	// Show publishes a page. It is called by one goroutine at a time, each time
	// with another text and a later time.
	Show func(t time.Time, text []byte)
	Now  func() time.Time
	Log  *slog.Logger
}

// Maker makes the pages of AGENTS.md before they are read: Make takes the facts,
// and a worker gets the page counted. Until that is done the previous page stays;
// the first one is estimated, unless it was counted by an earlier process. Nothing
// is counted if all names are sure to fit: then the estimated page equals the
// counted one, and counting requires a program that loads a vocabulary.
type Maker struct {
	opts   MakerOptions
	worker *rounds.Worker
	retry  time.Duration // the pause before counting is tried again; 0 if it did not fail

	mu      sync.Mutex
	wanted  facts
	counted string // key of the facts whose counted page is shown, or was last
	text    []byte // as shown; nil before the first
	time    time.Time
	saved   []savedPage
}

// facts are what a page is made of.
type facts struct {
	key     string
	folders []Folder
	time    time.Time
}

// NewMaker returns a Maker with a running worker.
func NewMaker(opts MakerOptions) *Maker {
	m := &Maker{opts: opts, saved: readSaved(opts.Cache)}
	m.worker = rounds.NewWorker(rounds.Options{
		Round: m.round,
		Most:  func() time.Duration { return cmp.Or(m.retry, pauseTo) },
	})
	m.worker.Start()
	return m
}

// Settled returns when the page for what was requested before the call is shown, or counting
// it has failed.
func (m *Maker) Settled(ctx context.Context) error { return m.worker.Settled(ctx) }

// Close ends the worker, and what it counts, and waits for it.
func (m *Maker) Close() { m.worker.Close() }

// Make requests the page for these facts; t is the time of the newest of them. It
// does not wait.
func (m *Maker) Make(folders []Folder, t time.Time) {
	key := keyOf(folders)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.wanted.key == key {
		return
	}
	m.wanted = facts{key, folders, t}
	if saved := m.savedFor(key); saved != nil {
		m.show(saved.Time, []byte(saved.Text))
		m.counted = key
		m.save(key) // with the time as it is shown
		return
	}
	if page, err := complete(folders); err == nil {
		m.show(t, []byte(page))
		m.counted = key
		m.save(key)
		return
	}
	if m.text == nil {
		m.estimate()
	}
	m.worker.Poke()
}

// estimate shows a page that was not counted. Its time is just before that of the
// facts, which the counted page will have. The caller holds mu.
func (m *Maker) estimate() {
	m.show(m.wanted.time.Add(-time.Microsecond), []byte(estimatedPage(m.wanted.folders)))
}

// show publishes a page unless it is shown already. The caller holds mu.
func (m *Maker) show(t time.Time, text []byte) {
	if m.text != nil {
		if bytes.Equal(m.text, text) {
			return
		}
		if !t.After(m.time) { // something was removed, which has no time of its own
			t = m.opts.Now()
		}
		if !t.After(m.time) {
			t = m.time.Add(time.Microsecond)
		}
	}
	m.text, m.time = text, t
	m.opts.Show(t, text)
}

const (
	// countTime bounds counting.
	countTime = time.Minute
	// pauseFrom and pauseTo are the shortest and the longest pause after counting
	// has failed; it doubles with each failure.
	pauseFrom, pauseTo = time.Minute, time.Hour
)

// round counts the page for the newest facts.
func (m *Maker) round(ctx context.Context) {
	if m.count(ctx) {
		m.retry = 0
		return
	}
	m.retry = min(max(pauseFrom, 2*m.retry), pauseTo)
}

// count counts until the page for the newest facts is shown, and reports whether
// that succeeded.
func (m *Maker) count(ctx context.Context) bool {
	for ctx.Err() == nil {
		m.mu.Lock()
		wanted, have := m.wanted, m.counted
		m.mu.Unlock()
		if wanted.key == have {
			return true
		}
		limited, cancel := context.WithTimeout(ctx, countTime)
		text, err := m.opts.Count(limited, wanted.folders)
		cancel()
		if ctx.Err() != nil {
			return true
		}
		if !m.accept(wanted, text, err) {
			m.opts.Log.Warn("the tokens of AGENTS.md cannot be counted: it names as many things as are sure to fit", "error", err)
			return false
		}
	}
	return true
}

// accept takes the result of counting, and reports whether it was a page.
func (m *Maker) accept(of facts, text string, err error) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counted == m.wanted.key {
		return true // the facts are again those of the page that is shown
	}
	if err != nil {
		m.estimate()
		return false
	}
	m.show(of.time, []byte(text))
	m.counted = of.key
	m.save(of.key)
	return true
}

// savedPage is a counted page that a new process need not count again.
type savedPage struct {
	Facts string    `json:"facts"` // key of its facts
	Time  time.Time `json:"time"`
	Text  string    `json:"text"`
}

// maxSaved is how many pages are saved: the facts change while a process starts.
const maxSaved = 16

// pageVersion is the version of the page; saved pages of older ones are counted
// again.
const pageVersion = "3\n"

// keyOf returns a hash of everything that a page says about the facts.
func keyOf(folders []Folder) string {
	sum := sha256.Sum256([]byte(pageVersion + Unlimited(folders)))
	return hex.EncodeToString(sum[:16])
}

// readSaved reads the saved pages. If it cannot, all are counted again.
func readSaved(path string) (saved []savedPage) {
	body, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(body, &saved) != nil {
		return nil
	}
	return saved[:min(len(saved), maxSaved)]
}

// savedFor returns the saved page for some facts, or nil. The caller holds mu.
func (m *Maker) savedFor(key string) *savedPage {
	i := slices.IndexFunc(m.saved, func(s savedPage) bool { return s.Facts == key })
	if i < 0 {
		return nil
	}
	return &m.saved[i]
}

// save saves the page that is shown as that of some facts; the newest is the first.
// The caller holds mu.
func (m *Maker) save(key string) {
	page := savedPage{key, m.time, string(m.text)}
	if len(m.saved) > 0 && m.saved[0].Facts == key && m.saved[0].Time.Equal(page.Time) && m.saved[0].Text == page.Text {
		return
	}
	m.saved = slices.DeleteFunc(m.saved, func(s savedPage) bool { return s.Facts == key })
	m.saved = slices.Insert(m.saved, 0, page)
	m.saved = m.saved[:min(len(m.saved), maxSaved)]
	body, err := json.Marshal(m.saved)
	if err == nil {
		err = atomicfile.Write(m.opts.Cache, body)
	}
	if err != nil {
		m.opts.Log.Warn("the page AGENTS.md cannot be saved", "error", err)
	}
}
