package prompt

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"ctxfs/providers/internal/atomicfile"
)

// MakerOptions are what a Maker needs.
type MakerOptions struct {
	// Count makes the counted page of some facts. It may take as long as it likes:
	// no reader waits for it.
	Count func(ctx context.Context, folders []Folder) (string, error)
	// Cache is the path of the file that keeps counted pages.
	Cache string
	// Show publishes a page. It is called by one at a time, with another text and
	// a later time each.
	Show func(t time.Time, text []byte)
	Now  func() time.Time
	Log  *slog.Logger
}

// Maker makes the pages of AGENTS.md ahead of their readers: Make takes the
// facts, and a worker has them counted. Until a page is counted the one before
// it stays; the first of all is an estimated one, unless it was counted before.
// Nothing is counted where all names surely fit: the estimated page is the counted
// one then, and counting is a program that loads a vocabulary.
type Maker struct {
	opts MakerOptions
	wake chan struct{}
	end  context.CancelFunc
	done sync.WaitGroup

	mu      sync.Mutex
	wanted  facts
	counted string // key of the facts whose counted page is, or was, the last shown
	text    []byte // as shown; nil before the first
	time    time.Time
	kept    []keptPage
}

// facts are what a page is made of.
type facts struct {
	key     string
	folders []Folder
	time    time.Time
}

// NewMaker returns a Maker with a running worker.
func NewMaker(opts MakerOptions) *Maker {
	m := &Maker{opts: opts, wake: make(chan struct{}, 1), kept: readKept(opts.Cache)}
	ctx, end := context.WithCancel(context.Background())
	m.end = end
	m.done.Go(func() { m.work(ctx) })
	return m
}

// Close ends the worker, and what it has counted, and waits for it.
func (m *Maker) Close() {
	m.end()
	m.done.Wait()
}

// Make sees to the page of these facts, of which the newest is of time t. It
// waits for nothing.
func (m *Maker) Make(folders []Folder, t time.Time) {
	key := keyOf(folders)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.wanted.key == key {
		return
	}
	m.wanted = facts{key, folders, t}
	if kept := m.keptOf(key); kept != nil {
		m.show(kept.Time, []byte(kept.Text))
		m.counted = key
		m.keep(key) // with the time as it is shown
		return
	}
	if page, err := whole(folders); err == nil {
		m.show(t, []byte(page))
		m.counted = key
		m.keep(key)
		return
	}
	if m.text == nil {
		m.estimate()
	}
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// estimate shows a page that nobody has counted. Its time is just before that of
// the facts, which the counted one will have. The caller holds mu.
func (m *Maker) estimate() {
	m.show(m.wanted.time.Add(-time.Microsecond), []byte(Estimated(m.wanted.folders)))
}

// show publishes a page, unless it is there already. The caller holds mu.
func (m *Maker) show(t time.Time, text []byte) {
	if m.text != nil {
		if bytes.Equal(m.text, text) {
			return
		}
		if !t.After(m.time) { // something has gone, which has no time of its own
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
	// countTime is how long counting may take before it is taken for hung.
	countTime = time.Minute
	// pauseFrom and pauseTo are how long counting rests after it has failed: ever
	// longer.
	pauseFrom, pauseTo = time.Minute, time.Hour
)

// work counts pages: the one that is wanted, until it is there.
func (m *Maker) work(ctx context.Context) {
	var pause time.Duration
	rest := time.NewTimer(pauseTo)
	defer rest.Stop()
	for {
		select {
		case <-m.wake:
		case <-rest.C:
		case <-ctx.Done():
			return
		}
		if m.count(ctx) {
			pause = 0
			continue
		}
		pause = min(max(pauseFrom, 2*pause), pauseTo)
		rest.Reset(pause)
	}
}

// count counts until the page of the newest facts is shown, and reports whether
// that was possible.
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
		if !m.put(wanted, text, err) {
			m.opts.Log.Warn("the tokens of AGENTS.md cannot be counted: it names as many as surely fit", "error", err)
			return false
		}
	}
	return true
}

// put takes over what counting has given.
func (m *Maker) put(of facts, text string, err error) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counted == m.wanted.key {
		return true // the facts are as before again, and their page is there
	}
	if err != nil {
		m.estimate()
		return false
	}
	m.show(of.time, []byte(text))
	m.counted = of.key
	m.keep(of.key)
	return true
}

// keptPage is a counted page that a new process need not count again.
type keptPage struct {
	Facts string    `json:"facts"` // key of what it is made of
	Time  time.Time `json:"time"`
	Text  string    `json:"text"`
}

// maxKept is how many pages are kept: the facts change while a process starts.
const maxKept = 16

// rules moves when the same names are to give another page.
const rules = "1\n"

// keyOf names the facts by all that a page says of them.
func keyOf(folders []Folder) string {
	sum := sha256.Sum256([]byte(rules + Names(folders)))
	return hex.EncodeToString(sum[:16])
}

// readKept reads the pages that are kept. Without them all are made again.
func readKept(path string) (kept []keptPage) {
	body, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(body, &kept) != nil {
		return nil
	}
	return kept[:min(len(kept), maxKept)]
}

// keptOf is the page of some facts, or nil. The caller holds mu.
func (m *Maker) keptOf(key string) *keptPage {
	i := slices.IndexFunc(m.kept, func(k keptPage) bool { return k.Facts == key })
	if i < 0 {
		return nil
	}
	return &m.kept[i]
}

// keep keeps the page that is shown, which is that of the facts, the newest
// first. The caller holds mu.
func (m *Maker) keep(key string) {
	page := keptPage{key, m.time, string(m.text)}
	if len(m.kept) > 0 && m.kept[0].Facts == key && m.kept[0].Time.Equal(page.Time) && m.kept[0].Text == page.Text {
		return
	}
	m.kept = slices.DeleteFunc(m.kept, func(k keptPage) bool { return k.Facts == key })
	m.kept = slices.Insert(m.kept, 0, page)
	m.kept = m.kept[:min(len(m.kept), maxKept)]
	body, err := json.Marshal(m.kept)
	if err == nil {
		err = atomicfile.Write(m.opts.Cache, body)
	}
	if err != nil {
		m.opts.Log.Warn("the page AGENTS.md cannot be kept", "error", err)
	}
}
