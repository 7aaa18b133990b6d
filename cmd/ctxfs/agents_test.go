package main

import (
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/providers/modeltest"
)

// TestHooksInAgents sets agents up in a new home and runs them, offline, with a stand-in
// for their models: what their hooks say is in the requests that the stand-in gets. See
// [modeltest.Variable].
func TestHooksInAgents(t *testing.T) {
	const (
		prompt = "Take a screenshot of the current page, please."
		rows   = `seq 700 | sed 's/.*/{"row":&,"name":"quagga"}/' | jq -cs .`
		rowed  = `\"name\":\"quagga\"` // as JSON has it
	)
	for _, a := range modeltest.Agents() {
		t.Run(a.ID, func(t *testing.T) {
			b := newBox(t)
			model := modeltest.Start(t, prompt, "It is done.", modeltest.Step{Until: rowed, Calls: modeltest.Shell(rows)})
			a.Configure(t, b.home, model)
			cmd := a.Command(t, model, b.env...)
			b.write("tools.json", `[{"name":"take_screenshot","description":"Take a screenshot of the current page.","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}}]`)
			b.stub("browser", "tools", map[string]string{stubTools: filepath.Join(b.home, "tools.json")})
			b.write("src/shop/README.md", "# Shop\n")
			b.shell("cd src/shop && git init -q . && git add . && git -c user.name=a -c user.email=a@example.com commit -qm 'Begin the shop'")
			b.ok("setup", a.ID, "--yes")
			b.mount()
			b.ready("browser")
			b.shows("mcps/INDEX.md", "take_screenshot")

			cmd.Dir = filepath.Join(b.home, "src", "shop")
			said, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, said)
			}
			requests := strings.Join(model.Requests(), "\n")
			for what, words := range map[string]string{
				"the pointer in the instructions": "Context files are in ~/.agentctx",
				"the page of the workspace":       "Begin the shop, ",
				"the tool for the message":        "ctxfs call browser take_screenshot",
				"where the long output is":        "Large output has been written to: ",
			} {
				if (a.ID == "gemini" || a.ID == "codex") && strings.HasPrefix(words, "Large") {
					continue // hooks of Gemini CLI cannot replace an output, and Codex has cut it to 10,000 bytes before
				}
				if !strings.Contains(requests, words) {
					t.Errorf("%s is in no request: %s", what, words)
				}
			}
			if t.Failed() {
				t.Logf("it said:\n%s\nhooks:\n%s", said, b.ok("hook", "--log"))
			}
		})
	}
}
