package clients

import (
	"strings"
	"testing"

	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/mcp/config"
)

// FuzzAgentFiles reads any text as the file of one client: every server that it makes
// has something to run or a fault, and a folder name of its own.
func FuzzAgentFiles(f *testing.F) {
	home := f.TempDir() // there is nothing in it
	m := machine{Machine: agents.Machine{Home: home, LookupEnv: func(string) (string, bool) { return "", false }}}
	places := append(userPlaces(m), projectPlaces(home, nil)...)
	for i, place := range places {
		for _, text := range []string{
			`{"mcpServers":{"a":{"command":"x","args":["${A}"],"env":{"B":1}},"b":{"type":"http","url":"http://u:p@h/?k=v","headers":{"A":"Bearer ${T:-x}"}}}}`,
			`{"mcpServers":[1]}`,
			`{"mcpServers":{"":null,"..":{"url":5},"A/b":{"command":"x"},"a.B":{"command":"y"}}}`,
			`{"projects":{"/":{"mcpServers":{"a":{"command":"x"}},"disabledMcpjsonServers":["a"]}}}`,
			`{"servers":{"a":{"command":"x","env":{"A":"${input:t}"}}},"mcp":{"b":{"type":"local","command":["{env:A}","$B"]},"excluded":["a"]}}`,
			`{"amp.mcpServers":{"a":{"url":"x"}},"context_servers":{"b":{"command":{"path":"x"}}}}`,
			"[mcp_servers.a]\ncommand = 'x'\nenv_vars = ['A', {name = 'B', source = 'remote'}]\nstartup_timeout_sec = 1e300\n",
			"extensions:\n  a:\n    type: stdio\n    cmd: x\n    env_keys: [A]\n    timeout: 300\n",
		} {
			if _, err := place.parse([]byte(text)); err == nil {
				f.Add(uint8(i), []byte(text))
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		place := places[int(which)%len(places)]
		file, err := place.parse(text)
		if err != nil {
			return
		}
		all := new(Discovery)
		var found []*Entry
		r := &reader{clientPlace: place, machine: m}
		if file.Kind == syntax.Object && place.servers(r, file) == nil {
			found = newLayers(all).add(place.client, r.entries)
		}
		all.add(nil, found)
		seen := map[string]bool{}
		for i, file := range FolderNames(all.Servers) {
			d := all.Servers[i]
			if d.Fault == nil && d.Transport == config.Stdio && d.Command == "" {
				t.Errorf("%q has no command and no fault", d.Name)
			}
			if d.Fault == nil && d.Transport != config.Stdio && d.URL == "" {
				t.Errorf("%q has no address and no fault", d.Name)
			}
			if in := d.In("/w/${workspaceFolder}"); in.Fault == nil && in.Transport == config.Stdio && in.Command == "" || in.In("/other") != in && d.InProject != nil {
				t.Errorf("%q in a project: %+v", d.Name, in)
			}
			if seen[strings.ToLower(file)] || strings.ContainsAny(file, "/\x00\n.") {
				t.Errorf("the folder %q", file)
			}
			seen[strings.ToLower(file)] = true
		}
	})
}

// FuzzApprovals reads any text as the file of approvals: a damaged one approves
// nothing, and no text approves a project that it does not name.
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
