package mcp

import (
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestLog has logging messages of a server kept in log.txt, clean and without
// secrets, over either transport and in both eras; the file is there as soon as
// there is a message, and stays.
func TestLog(t *testing.T) {
	eachCallee(t, func(t *testing.T, w *world, count func(string) int) {
		w.opts.State = filepath.Join(w.dir, "state")
		w.reopen()
		if _, err := w.read("callee/log.txt"); err == nil {
			t.Error("there is a file before there is a message")
		}
		if _, err := w.call("logs", `{"text":"one\u001b[2J\ntoken ghp_0123456789abcdefghijABCDEFGHIJ012345"}`); err != nil {
			t.Fatal(err)
		}
		var text string
		w.await("the messages are kept", func() bool {
			text, _ = w.read("callee/log.txt")
			return strings.HasSuffix(text, " error: {\"code\":[7,8]}\n")
		})
		fstest.Contains(t, text, "Z info callee: one\n  token [REDACTED:github]\n")
		fstest.ContainsNot(t, text, "\x1b", "ghp_")
		if is := w.stat("callee/log.txt"); !is.Live || is.Size != int64(len(text)) {
			t.Errorf("%+v", is)
		}
		w.reopen()
		if again := w.cat("callee/log.txt"); again != text {
			t.Errorf("%q, not %q", again, text)
		}
	})
}

// TestLogLevel has the level of a running server changed without a restart.
func TestLogLevel(t *testing.T) {
	eachCallee(t, func(t *testing.T, w *world, count func(string) int) {
		level := func(is string) {
			w.settings("[mcp.servers.callee]\nlog_level = \"" + is + "\"\n")
			w.p.Reload()
		}
		w.settings("")
		w.reopen()
		modern := strings.HasSuffix(t.Name(), "modern")
		if _, err := w.call("logs", ""); err != nil {
			t.Fatal(err)
		}
		if n := count("level info"); modern != (n > 0) { // its servers log nothing unless asked
			t.Errorf("asked for info %d times", n)
		}
		starts := count("start")
		level("warning")
		w.await("the level is changed", func() bool {
			if _, err := w.call("logs", ""); err != nil { // in the new era each request says it
				t.Fatal(err)
			}
			return count("level warning") > 0
		})
		if count("start") != starts {
			t.Error("the server was restarted")
		}
		level("loud")
		fstest.Contains(t, w.cat("callee/STATUS.md"), `log_level is "loud"; it is one of debug, info, notice, warning, error, critical, alert, emergency`)
	})
}
