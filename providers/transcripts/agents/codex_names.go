package agents

import (
	"bufio"
	"os"
	"sync"
	"time"

	"ctxfs/providers/internal/lazyjson"
)

// codexNames knows what the sessions of one Codex home are called: the lines
// {id, thread_name} of session_index.jsonl, of which the last one of an id
// counts. It is read again when it has changed.
type codexNames struct {
	path string

	mu    sync.Mutex
	size  int64
	mtime time.Time
	names map[string]string
}

// of returns the name of a session, "" where it has none.
func (n *codexNames) of(id string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	st, err := os.Stat(n.path)
	if err != nil {
		n.names = nil
		return ""
	}
	if n.names == nil || st.Size() != n.size || !st.ModTime().Equal(n.mtime) {
		n.size, n.mtime = st.Size(), st.ModTime()
		n.read()
	}
	return n.names[id]
}

// read reads the index. What is no entry is passed over: the index is Codex's
// own cache, and holds nothing that a session does not.
func (n *codexNames) read() {
	n.names = make(map[string]string)
	f, err := os.Open(n.path)
	if err != nil {
		return
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		v := lazyjson.Parse(lines.Bytes())
		if name := v.Get("thread_name").Str; name != "" {
			n.names[v.Get("id").Str] = name
		}
	}
}
