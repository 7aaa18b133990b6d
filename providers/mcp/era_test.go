package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ctxfs/providers/mcp/calls"
)

// TestServersThatAgreeToEverything answer the probe for the new era with a
// result that says nothing: they are spoken to as servers of the old era.
func TestServersThatAgreeToEverything(t *testing.T) {
	cases := []struct{ discovery, protocol string }{
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
	}
	for _, way := range []string{"stdio", "http"} {
		t.Run(way, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				servers := make(map[string]any)
				for i, c := range cases {
					era := ""
					if c.protocol == "2026-07-28" {
						era = "-modern"
					}
					name := fmt.Sprint("s", i)
					servers[name] = stub("calls"+era, stubDiscovery, c.discovery)
					if way == "http" {
						servers[name] = map[string]any{"url": w.serve(newCallee(remoteStub(stubDiscovery, c.discovery), era))}
					}
				}
				w.claude(servers)
				w.open()
				for i, c := range cases {
					name := fmt.Sprint("s", i)
					r, err := w.p.Call(t.Context(), calls.Call{Server: name, Tool: "echo", Arguments: json.RawMessage(`{"text":"x"}`)})
					if err != nil || string(r.Text) != "x" {
						t.Errorf("%s: %v, %v", c.discovery, r, err)
					}
					if text := w.cat(name + "/SERVER_METADATA.json"); !strings.Contains(text, `"`+c.protocol+`"`) {
						t.Errorf("%s: %s", c.discovery, text)
					}
				}
			})
		})
	}
}
