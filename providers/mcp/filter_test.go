package mcp

import (
	"testing"

	"ctxfs/fs/fstest"
)

// TestToolsLeftOut limits the tools of a server; the whole list stays in the
// cache, so that a limit that goes shows them again without the server.
func TestToolsLeftOut(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.claude(map[string]any{"hello": stub("ok")})
		w.settings("[mcp.servers.hello]\ndeny_tools = [\"gr*\"]\n")
		w.open().start()
		status := w.untilState("hello", "ready")
		fstest.Contains(t, status, "1 tool left out by the configuration")
		fstest.Contains(t, status, "config.toml changes its deny_tools")
		fstest.ContainsNot(t, w.ls("hello/tools"), "greet")
		fstest.ContainsNot(t, w.cat("INDEX.md"), "hello/greet")
		w.opts.Watch = false
		w.reopen()
		fstest.ContainsNot(t, w.ls("hello/tools"), "greet")
		w.settings("")
		w.p.Reload()
		fstest.Contains(t, w.ls("hello/tools"), "greet.json")
	})
}
