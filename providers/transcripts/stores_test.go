package transcripts

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/sqlite"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/event"
)

// databaseAt makes a database, or opens it again.
func databaseAt(t testing.TB, path string, statements ...string) *sql.DB {
	t.Helper()
	fstest.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	db, err := sqlite.Own(path)
	fstest.Must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	for _, s := range statements {
		execute(t, db, s)
	}
	return db
}

func execute(t testing.TB, db *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

const crushSchema = `CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL,
	message_count INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL, summary_message_id TEXT, todos TEXT);
	CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts TEXT NOT NULL DEFAULT '[]', model TEXT,
	created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, finished_at INTEGER, provider TEXT, is_summary_message INTEGER DEFAULT 0 NOT NULL);
	CREATE INDEX idx_messages_session_id ON messages (session_id)`

// crush is a database of Crush's.
type crush struct {
	t    testing.TB
	db   *sql.DB
	path string
	n    int
}

func crushAt(t testing.TB, dir string) *crush {
	path := filepath.Join(dir, "crush.db")
	return &crush{t: t, path: path, db: databaseAt(t, path, crushSchema)}
}

func (c *crush) session(id, title string) {
	c.t.Helper()
	execute(c.t, c.db, "INSERT INTO sessions (id, title, updated_at, created_at) VALUES (?, ?, 1770091600, 1770091506)", id, title)
}

// say adds a message and returns its id.
func (c *crush) say(session, text string) string {
	c.t.Helper()
	c.n++
	id := fmt.Sprintf("m%d", c.n)
	execute(c.t, c.db, "INSERT INTO messages (id, session_id, role, parts, created_at, updated_at) VALUES (?, ?, 'user', ?, ?, ?)",
		id, session, fmt.Sprintf(`[{"type":"text","data":{"text":%q}}]`, text), 1770091506+c.n, 1770091506+c.n)
	return id
}

func (c *crush) change(message, text string) {
	c.t.Helper()
	execute(c.t, c.db, "UPDATE messages SET parts = ?, updated_at = updated_at + 1 WHERE id = ?", fmt.Sprintf(`[{"type":"text","data":{"text":%q}}]`, text), message)
}

func TestASessionInADatabase(t *testing.T) {
	home := tempHome(t)
	c := crushAt(t, filepath.Join(home, ".local", "share", "crush"))
	c.session("s-one", "First")
	c.session("s-two", "Second")
	c.say("s-one", "hello")
	c.say("s-two", "another")
	f := start(t, home)
	has := func(id, text string) func() bool {
		return func() bool { return f.exists(catalogue.ByID+"/"+id) && count(f.transcript(id), "\n"+text+"\n") == 1 }
	}
	f.await("it is there", has("s-one", "hello"))
	before := f.transcript("s-one")
	last := c.say("s-one", "it gr")
	f.await("a message is added", has("s-one", "it gr"))
	if got := f.transcript("s-one"); !strings.HasPrefix(got, before) || f.publishedOf("s-one").Generation != 1 {
		t.Errorf("it did not only grow: %s", got)
	}
	c.change(last, "it grew")
	f.await("the message is another", has("s-one", "it grew"))
	if got := f.transcript("s-one"); strings.Contains(got, "it gr\n") || f.publishedOf("s-one").Generation != 2 {
		t.Errorf("the message that was replaced: %s", got)
	}
	fstest.Equal(t, f.publishedOf("s-two").Generation, 1, "the other session was rendered again")
	execute(t, c.db, "DELETE FROM messages WHERE session_id = 's-two'")
	execute(t, c.db, "DELETE FROM sessions WHERE id = 's-two'")
	f.await("the other is gone", func() bool { return !f.exists(catalogue.ByID + "/s-two") })

	// Somebody holds the database, and writes half of something.
	conn, err := c.db.Conn(t.Context())
	fstest.Must(t, err)
	_, err = conn.ExecContext(t.Context(), "BEGIN EXCLUSIVE")
	fstest.Must(t, err)
	_, err = conn.ExecContext(t.Context(), "DELETE FROM messages")
	fstest.Must(t, err)
	f.scanner.Changed([]string{c.path})
	fstest.Contains(t, f.transcript("s-one"), "\nit grew\n")
	_, err = conn.ExecContext(t.Context(), "ROLLBACK")
	fstest.Must(t, err)
	fstest.Must(t, conn.Close())

	// It is damaged: what was found still stands. It is replaced: there is another.
	fstest.Must(t, c.db.Close())
	fstest.Must(t, os.WriteFile(c.path, []byte("SQLite format 3\x00 and no more"), 0o600))
	f.scanner.Inspect(t.Context(), "crush", c.path, f.scanner.Format(c.path), true)
	fstest.Contains(t, f.transcript("s-one"), "\nit grew\n")
	fstest.Must(t, os.Remove(c.path))
	f.await("all is gone", func() bool { return !f.exists(catalogue.ByID + "/s-one") })
	other := crushAt(t, filepath.Dir(c.path))
	other.session("s-one", "First")
	other.say("s-one", "from the beginning")
	f.await("another database", has("s-one", "from the beginning"))
	fstest.ContainsNot(t, f.transcript("s-one"), "hello")
	fstest.Must(t, f.Close())
	other.say("s-one", "while nobody looked")
	again := start(t, home, offline)
	if got := again.transcript("s-one"); count(got, "\nfrom the beginning\n") != 1 || count(got, "\nwhile nobody looked\n") != 1 {
		t.Errorf("after a restart: %s", got)
	}
}

// TestAThousandSessionsInADatabase: only the session that changes is read.
func TestAThousandSessionsInADatabase(t *testing.T) {
	home := tempHome(t)
	c := crushAt(t, filepath.Join(home, ".local", "share", "crush"))
	n := fstest.Rounds(1000)
	execute(t, c.db, "BEGIN")
	for i := range n {
		id := fmt.Sprintf("session-%04d", i)
		c.session(id, "Title")
		c.say(id, "hello")
	}
	execute(t, c.db, "COMMIT")
	f := start(t, home)
	f.await("all are rendered", func() bool { return f.Status().State == "ready" })
	state := func(id string) os.FileInfo {
		t.Helper()
		info, err := os.Stat(filepath.Join(f.cache.EntryDir("crush", id), "state.json"))
		fstest.Must(t, err)
		return info
	}
	before := state("session-0050")
	news := f.news.Load()
	c.say("session-0007", "more")
	f.await("the message is told", func() bool { return strings.Contains(f.transcript("session-0007"), "\nmore\n") })
	if after := state("session-0050"); !os.SameFile(before, after) {
		t.Error("a session that did not change was rendered again")
	}
	if n := f.news.Load() - news; n > 20 {
		t.Errorf("%d changes are told of one message", n)
	}
}

// TestProjectsOfCrush: Crush's list of projects names the folders of its databases.
func TestProjectsOfCrush(t *testing.T) {
	home := tempHome(t)
	list := filepath.Join(home, ".local", "share", "crush", "projects.json")
	fstest.Must(t, os.MkdirAll(filepath.Dir(list), 0o755))
	write := func(projects ...string) {
		t.Helper()
		var all []string
		for _, p := range projects {
			all = append(all, fmt.Sprintf(`{"path":%q,"data_dir":".crush"}`, p))
		}
		fstest.Must(t, os.WriteFile(list+".new", []byte(`{"projects":[`+strings.Join(all, ",")+`]}`), 0o644))
		fstest.Must(t, os.Rename(list+".new", list))
	}
	one, two := filepath.Join(home, "one"), filepath.Join(home, "two")
	a, b := crushAt(t, filepath.Join(one, ".crush")), crushAt(t, filepath.Join(two, ".crush"))
	a.session("s-one", "First")
	a.say("s-one", "in the first project")
	b.session("s-two", "Second")
	b.say("s-two", "in the second project")
	write(one)
	f := start(t, home)
	f.await("the first is there", func() bool { return f.exists(catalogue.ByID + "/s-one") })
	if f.exists(catalogue.ByID + "/s-two") {
		t.Fatal("the second is there before it is listed")
	}
	write(one, two)
	f.await("the second is listed", func() bool { return f.exists(catalogue.ByID + "/s-two") })
	b.say("s-two", "later")
	f.await("it is watched", func() bool { return strings.Contains(f.transcript("s-two"), "\nlater\n") })
	write(two)
	f.await("the first is listed no more", func() bool { return !f.exists(catalogue.ByID + "/s-one") })
	fstest.EqualSlices(t, f.names("crush"), []string{"INDEX.tsv", "two"}, "projects")
}

// TestATranscriptBesideADatabase: what only Cursor's transcript has is joined with what
// its database has.
func TestATranscriptBesideADatabase(t *testing.T) {
	home := tempHome(t)
	dir := filepath.Join(home, ".cursor", "chats", "36e6", oneID)
	db := databaseAt(t, filepath.Join(dir, "store.db"), "CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)", "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
	fstest.Must(t, os.WriteFile(filepath.Join(dir, "meta.json"), []byte(`{"schemaVersion":1,"createdAtMs":1780000000000,"updatedAtMs":1780000001000,"cwd":"/src/app"}`), 0o644))
	key := make([]byte, 32)
	key[0] = 1
	execute(t, db, "INSERT INTO blobs VALUES (?, ?)", fmt.Sprintf("%x", key), []byte(`{"role":"user","content":"<user_query>\nfrom the database\n</user_query>"}`))
	root := strings.Repeat("ff", 32)
	execute(t, db, "INSERT INTO blobs VALUES (?, ?)", root, append([]byte{0x0a, 32}, key...))
	execute(t, db, "INSERT INTO meta VALUES ('0', ?)", fmt.Sprintf("%x", fmt.Sprintf(`{"agentId":%q,"latestRootBlobId":%q,"name":"A chat","createdAt":1780000000000}`, oneID, root)))
	f := start(t, home)
	f.await("the database is read", func() bool { return strings.Contains(f.transcript(oneID), "from the database") })
	path := filepath.Join(home, ".cursor", "projects", "src-app", "agent-transcripts", oneID, oneID+".jsonl")
	fstest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	said := func(text string) string {
		return fmt.Sprintf(`{"role":"user","message":{"content":[{"type":"text","text":"<user_query>\n%s\n</user_query>"}]}}`+"\n", text)
	}
	fstest.Must(t, os.WriteFile(path, []byte(said("from the database")+said("from the transcript")), 0o644))
	f.await("the transcript is joined", func() bool { return strings.Contains(f.transcript(oneID), "from the transcript") })
	fstest.Must(t, os.WriteFile(path, []byte(said("from the database")+said("from the transcript")+said("and more")), 0o644))
	f.await("the transcript goes on", func() bool { return strings.Contains(f.transcript(oneID), "and more") })
	if got := f.transcript(oneID); count(got, "\nfrom the database\n") != 1 || count(got, "\nfrom the transcript\n") != 1 {
		t.Errorf("twice: %s", got)
	}
}

// TestACommitThatIsSeenLate: a commit in a database's write-ahead log is found though
// it becomes visible without any event.
func TestACommitThatIsSeenLate(t *testing.T) {
	home := tempHome(t)
	dir := filepath.Join(home, "store")
	path := filepath.Join(dir, "store.db")
	fstest.Must(t, os.MkdirAll(dir, 0o755))
	var looks, said atomic.Int64
	var once sync.Once
	read := make(chan struct{})
	store := history.Store{
		Sessions: func(context.Context, string) ([]history.Entry, error) {
			if looks.Add(1) == 3 { // after the start, and the first look at what was written
				said.Store(1)
			}
			return []history.Entry{{Session: event.Session{ID: oneID, CWD: "/w"}, Key: oneID, Stamp: fmt.Sprint(said.Load())}}, nil
		},
		Read: func(_ context.Context, _, _ string, out event.Sink) error {
			for n := range said.Load() + 1 {
				out.Emit(event.Event{Kind: event.User, Text: fmt.Sprint("message ", n)})
				if n > 0 {
					once.Do(func() { close(read) })
				}
			}
			return nil
		},
	}
	for _, suffix := range []string{"", "-wal"} {
		fstest.Must(t, os.WriteFile(path+suffix, []byte("x"), 0o644))
	}
	f := start(t, home, func(o *Options) {
		o.Agents = []history.Agent{{Name: "goose", Places: func(history.Machine) []history.Place {
			return []history.Place{{Dir: dir, File: func(rel string) history.Format {
				if rel == "store.db" {
					return store
				}
				return nil
			}}}
		}}}
	})
	f.await("it is there", func() bool { return strings.Contains(f.transcript(oneID), "message 0") })
	fstest.Must(t, os.WriteFile(path+"-wal", []byte("more"), 0o644))
	<-read // after a while, without another word of the database
	f.await("what is said is told", func() bool { return strings.Contains(f.transcript(oneID), "message 1") })
}
