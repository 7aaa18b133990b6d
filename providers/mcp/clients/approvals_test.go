package clients

import "testing"

func FuzzApprovals(f *testing.F) {
	f.Add([]byte(`{"format":1,"projects":{"/a":{"files":{".mcp.json":"0"}}}}`))
	f.Add([]byte(`{"format":1,"projects":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := parseApprovals(text)
		if err != nil && len(a.Projects) > 0 {
			t.Error("a damaged file approves")
		}
		if _, named := a.Projects["/nowhere"]; !named && a.of("/nowhere", "/nowhere/.mcp.json", "") == trusted {
			t.Error("a project is trusted that nobody named")
		}
		a.Projects["/x"] = approval{}
	})
}
