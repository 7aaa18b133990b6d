package opencode

import (
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/historytest"
)

// The tables of version 2, as packages/core/src/session/sql.ts has them.
const (
	opencodeNextSession = `CREATE TABLE session_v2 (id text PRIMARY KEY, project_id text NOT NULL, workspace_id text, parent_id text, fork_session_id text,
		fork_boundary text, slug text NOT NULL, directory text NOT NULL, path text, title text, version text NOT NULL, revert text, agent text, model text,
		time_created integer NOT NULL, time_updated integer NOT NULL, time_compacting integer, time_archived integer, time_idle integer)`
	opencodeNextMessage = `CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, seq integer NOT NULL,
		time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL)`
	opencodeNextInsert = `INSERT INTO session_v2 (id, project_id, slug, directory, title, version, model, parent_id, fork_session_id, revert, time_created, time_updated)
		VALUES (?, 'p', 's', '/src/app', ?, '2.0.5', '{"providerID":"x","id":"model-x"}', ?, ?, ?, 1770091506000, 1770091600000)`
)

func TestOpencodeNext(t *testing.T) {
	store, path := newStore(t)
	db := historytest.MakeDatabase(t, path, opencodeNextSession, opencodeNextMessage)
	historytest.Execute(t, db, opencodeNextInsert, "ses_a", "Tidy up", nil, nil, nil)
	historytest.Execute(t, db, opencodeNextInsert, "ses_b", nil, "ses_a", nil, nil)
	historytest.Execute(t, db, opencodeNextInsert, "ses_c", "Again", nil, "ses_a", `{"messageID":"msg_c2"}`)
	n := 0
	message := func(session, id, kind, data string) {
		n++
		historytest.Execute(t, db, "INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)", id, session, kind, n, 1770091506000+n, 1770091506000+n, data)
	}
	message("ses_a", "msg_1", "user", `{"text":"why?","time":{"created":1770091507000},"files":[{"uri":"data:image/png;base64,AAAA","mime":"image/png","name":"a.png"}]}`)
	message("ses_a", "msg_2", "model-switched", `{"model":{"id":"model-y","providerID":"x"},"time":{"created":1}}`)
	message("ses_a", "msg_3", "assistant", `{"agent":"build","model":{"id":"model-y","providerID":"x"},"time":{"created":1770091508000,"completed":1770091509000},"finish":"stop","content":[
		{"type":"reasoning","text":"hm"},{"type":"text","text":"I look."},
		{"type":"tool","id":"c1","name":"bash","state":{"status":"completed","input":{"command":"ls"},"content":[{"type":"text","text":"a b"},{"type":"file","uri":"file:///x.png","mime":"image/png","name":"x.png"}]},"time":{"created":1770091508100,"completed":1770091508900}},
		{"type":"tool","id":"c2","name":"task","state":{"status":"error","input":{},"error":{"type":"unknown","message":"no"},"metadata":{"sessionID":"ses_b"}},"time":{"created":1}},
		{"type":"novel","x":1}]}`)
	message("ses_a", "msg_4", "synthetic", `{"text":"the file has changed"}`)
	message("ses_a", "msg_5", "shell", `{"shellID":"s","command":"pwd","status":"exited","output":{"text":"/src/app"}}`)
	message("ses_a", "msg_6", "compaction", `{"status":"completed","reason":"auto","summary":"all of it","recent":""}`)
	message("ses_a", "msg_7", "idle", `{"outcome":"interrupted"}`)
	message("ses_a", "msg_8", "hologram", `{"x":1}`)
	message("ses_a", "msg_9", "assistant", `{"model":{"id":"model-y"},"time":{"created":1},"content":[{"type":"text","text":"whole"},
		{"type":"tool","id":"c3","name":"bash","state":{"status":"running","input":{"command":"sleep"}}},{"type":"tool","id":"c4","name":"bash","state":{"status":"streaming","input":"{\"co"}},{"type":"text","text":"half a sen"}]}`)
	message("ses_c", "msg_c1", "user", `{"text":"one"}`)
	message("ses_c", "msg_c2", "user", `{"text":"two"}`)
	c := historytest.ReadStore(t, store, path, "ses_a")
	historytest.CheckOutline(t, c.Events, "user why?", "user (injected) [file] a.png [image/png 3 bytes]", "thinking hm", "assistant I look.",
		`tool-call bash c1 {"command":"ls"}`, "tool-result bash c1 a b\n[file] x.png file:///x.png", "tool-call task c2 {} -> ses_b", "tool-result task c2 unknown: no FAILED",
		"unknown novel", "user (injected) the file has changed", "user $ pwd\n/src/app", "compaction autoall of it", "system interrupted", "unknown hologram",
		"assistant whole", `tool-call bash c3 {"command":"sleep"}`)
	if c.Of.CWD != "/src/app" || c.Of.Title != "Tidy up" || c.Of.Model != "model-y" || c.Of.Program != "2.0.5" || c.Of.Start.IsZero() {
		t.Errorf("%+v", c.Of)
	}
	if b := historytest.ReadStore(t, store, path, "ses_b").Of; b.Parent != "ses_a" {
		t.Errorf("child %+v", b)
	}
	fork := historytest.ReadStore(t, store, path, "ses_c")
	historytest.CheckOutline(t, fork.Events, "user one", "user two", "rewind to 1, 1")
	fstest.Equal(t, fork.Of.ForkOf, "ses_a", "fork", fork.Of)
	before := historytest.ListStore(t, store, path)
	historytest.Execute(t, db, `UPDATE session_message SET data = replace(data, 'half a sen', 'half a sentence.'), time_updated = time_updated + 1 WHERE id = 'msg_9'`)
	after := historytest.ListStore(t, store, path)
	if len(after) != 3 || before[0].Stamp == after[0].Stamp || before[1].Stamp != after[1].Stamp {
		t.Errorf("stamps %+v, %+v", before, after)
	}
}

// TestOpencodeMigrated: of a session in both forms the one that continued is
// read, and none appears twice.
func TestOpencodeMigrated(t *testing.T) {
	store, path := newStore(t)
	db := historytest.MakeDatabase(t, path, tables, opencodeNextSession, opencodeNextMessage)
	for _, id := range []string{"both", "old", "oldgoeson"} {
		historytest.Execute(t, db, `INSERT INTO session (id, project_id, directory, title, time_created, time_updated) VALUES (?, 'p', '/old', 'old title', 1770091506000, 1770091506000)`, id)
		historytest.Execute(t, db, messageRow, "m_"+id, id, 1770091506000, 1770091506000, `{"role":"user"}`)
		historytest.Execute(t, db, partRow, "p_"+id, "m_"+id, id, 1770091506000, 1770091506000, `{"type":"text","text":"said in one"}`)
	}
	for _, id := range []string{"both", "new", "oldgoeson"} {
		historytest.Execute(t, db, opencodeNextInsert, id, "new title", nil, nil, nil)
		historytest.Execute(t, db, "INSERT INTO session_message VALUES (?, ?, 'user', 1, 1770091506000, 1770091506000, ?)", "n_"+id, id, `{"text":"said in one"}`)
	}
	historytest.Execute(t, db, "INSERT INTO session_message VALUES ('n2', 'both', 'user', 2, 1770091509000, 1, '{\"text\":\"and in two\"}')")
	historytest.Execute(t, db, messageRow, "m2", "oldgoeson", 1770091509000, 1, `{"role":"user"}`)
	historytest.Execute(t, db, partRow, "p2", "m2", "oldgoeson", 1, 1, `{"type":"text","text":"and in one again"}`)
	list := historytest.ListStore(t, store, path)
	fstest.Equal(t, len(list), 4, "sessions", list)
	for id, want := range map[string][]string{
		"both": {"user said in one", "user and in two"}, "old": {"user said in one"}, "new": {"user said in one"}, "oldgoeson": {"user said in one", "user and in one again"},
	} {
		historytest.CheckOutline(t, historytest.ReadStore(t, store, path, id).Events, want...)
	}
}

// TestOpencodeShapes reads schemas that other versions may have.
func TestOpencodeShapes(t *testing.T) {
	for name, c := range map[string]struct {
		tables []string
		lacks  string // what the error says is missing
		want   string
	}{
		"no table of sessions": {[]string{`CREATE TABLE message (id, session_id, data)`, `CREATE TABLE part (id, message_id, session_id, data)`,
			`INSERT INTO message VALUES ('m', 'a', '{"role":"user"}')`, `INSERT INTO part VALUES ('p', 'm', 'a', '{"type":"text","text":"hello"}')`}, `no table "session"`, "user hello"},
		"no table of parts": {[]string{`CREATE TABLE session (id, title, directory, time_created)`, `CREATE TABLE message (id, session_id, time_created, data)`,
			`INSERT INTO session VALUES ('a', 't', '/w', 1)`, `INSERT INTO message VALUES ('m', 'a', 1, '{"role":"user","error":{"name":"Broken"}}')`}, `no table "part"`, "system Broken"},
		"a later version": {[]string{`CREATE TABLE session_v3 (id, title, directory, time_created, color)`, `CREATE TABLE session_message (id, session_id, data, mood)`,
			`INSERT INTO session_v3 VALUES ('a', 't', '/w', 1, 'red')`, `INSERT INTO session_message VALUES ('m', 'a', '{"type":"user","text":"hello"}', 'glad')`}, `(there is "session_v3")`, "user hello"},
		"more columns and tables": {[]string{opencodeNextSession, opencodeNextMessage, `ALTER TABLE session_v2 ADD COLUMN color`, `CREATE TABLE mood (x)`,
			`INSERT INTO session_v2 (id, project_id, slug, directory, title, version, time_created, time_updated) VALUES ('a', 'p', 's', '/w', 't', '9', 1, 1)`,
			`INSERT INTO session_message VALUES ('m', 'a', 'user', 1, 1, 1, '{"text":"hello"}')`}, "", "user hello"},
	} {
		t.Run(name, func(t *testing.T) {
			store, path := newStore(t)
			historytest.MakeDatabase(t, path, c.tables...)
			out := historytest.CheckSchema(t, store, path, "a", c.lacks)
			historytest.CheckOutline(t, out.Events, c.want)
		})
	}
}
