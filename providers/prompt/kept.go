package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"time"

	"ctxfs/providers/internal/atomicfile"
)

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
