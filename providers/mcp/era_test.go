package mcp

import (
	"testing"

	"ctxfs/fs/fstest"
)

// TestServersThatAgreeToEverything answer the probe for the new era with a
// result that says nothing: they are spoken to as servers of the old era.
func TestServersThatAgreeToEverything(t *testing.T) {
	for _, c := range []struct{ discovery, protocol string }{
		{`{}`, "2025-06-18"},
		{`{"tools":[]}`, "2025-06-18"},
		{`[]`, "2025-06-18"},
		{`"ok"`, "2025-06-18"},
		{`null`, "2025-06-18"},
		{`true`, "2025-06-18"},
		{`{"supportedVersions":[],"capabilities":{}}`, "2025-06-18"},
		{`{"supportedVersions":["2025-06-18"],"capabilities":{}}`, "2025-06-18"},
		{`{"supportedVersions":["latest"],"capabilities":{}}`, "2025-06-18"},
		{`{"supportedVersions":"2026-07-28","capabilities":{}}`, "2025-06-18"},
		{`{"supportedVersions":["2026-07-28"]}`, "2025-06-18"},
		{`{"supportedVersions":["2026-07-28"],"capabilities":[]}`, "2025-06-18"},
		{`{"supportedVersions":["2025-11-25","2026-07-28"],"capabilities":{"tools":{}}}`, "2026-07-28"},
	} {
		era := ""
		if c.protocol == "2026-07-28" {
			era = "-modern"
		}
		t.Run("stdio "+c.discovery, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := newWorld(t)
				w.claude(map[string]any{"callee": stub("calls"+era, stubDiscovery, c.discovery)})
				agrees(w.open(), c.protocol)
			})
		})
		t.Run("http "+c.discovery, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := newWorld(t)
				w.claude(map[string]any{"callee": map[string]any{"url": w.serve(newCallee(remoteStub(stubDiscovery, c.discovery), era))}})
				agrees(w.open(), c.protocol)
			})
		})
	}
}

// agrees sees to it that the callee is spoken to by a version of the protocol.
func agrees(w *world, protocol string) {
	w.t.Helper()
	if r, err := w.call("echo", `{"text":"x"}`); err != nil || string(r.Text) != "x" {
		w.t.Errorf("%v, %v", r, err)
	}
	fstest.Contains(w.t, w.cat("callee/SERVER_METADATA.json"), `"`+protocol+`"`)
}
