package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// conformant are the client scenarios of the official conformance suite of MCP
// (npm @modelcontextprotocol/conformance), and why one does not pass; "" is a
// pass.
var conformant = []struct{ scenario, why string }{
	{"initialize", ""},
	{"tools_call", ""},
	{"elicitation-sep1034-client-defaults", ""},
	{"sse-retry", ""},
	{"auth/metadata-default", ""},
	{"auth/metadata-var1", ""},
	{"auth/metadata-var2", ""},
	{"auth/metadata-var3", ""},
	{"auth/basic-cimd", ""},
	{"auth/scope-from-www-authenticate", ""},
	{"auth/scope-from-scopes-supported", ""},
	{"auth/scope-omitted-when-undefined", ""},
	{"auth/scope-step-up", ""},
	{"auth/scope-retry-limit", ""},
	{"auth/token-endpoint-auth-basic", ""},
	{"auth/token-endpoint-auth-post", ""},
	{"auth/token-endpoint-auth-none", ""},
	{"auth/pre-registration", ""},
	{"auth/2025-03-26-oauth-metadata-backcompat", "its metadata names another issuer than the one asked, which RFC 8414 (3.3) has a client refuse"},
	{"auth/2025-03-26-oauth-endpoint-fallback", "without metadata nothing says that logins are protected by PKCE, which ctxfs insists on; no later version of MCP has guessed endpoints"},
	{"auth/resource-mismatch", ""},
	{"auth/offline-access-scope", ""},
	{"auth/offline-access-not-supported", ""},
	{"auth/client-credentials-jwt", "an extension for machines without a user: ctxfs logs its user in, by a browser"},
	{"auth/client-credentials-basic", "an extension for machines without a user: ctxfs logs its user in, by a browser"},
	{"auth/cross-app-access-complete-flow", "an extension that needs the identity provider of a company: ctxfs logs its user in, by a browser"},
}

// TestConformance runs the client scenarios of the suite against the real
// binary.
func TestConformance(t *testing.T) {
	t.Parallel()
	const conformance = "@modelcontextprotocol/conformance"
	suite := filepath.Join(fstest.NodeModules(t, conformance), conformance, "dist/index.js")
	shim, err := filepath.Abs("../../testdata/conformance/node20.mjs")
	must(t, err)
	for _, c := range conformant {
		t.Run(c.scenario, func(t *testing.T) {
			t.Parallel()
			faults, late := "", true
			for tries := 0; late && tries < 5; tries++ { // a busy machine misses moments
				faults, late = runScenario(t, c.scenario, "--import", shim, suite)
			}
			switch {
			case c.why == "" && faults != "":
				t.Error(faults)
			case c.why != "" && faults == "":
				t.Errorf("it passes now, although %s", c.why)
			}
		})
	}
}

// check is what the suite has found.
type check struct{ ID, Status, Description, ErrorMessage string }

// timing is the check that measures when something was done.
const timing = "client-sse-retry-timing"

// runScenario runs a scenario, and says what failed; late reports whether that
// is nothing but a moment that was missed. Node is what begins its command line.
func runScenario(t *testing.T, scenario string, node ...string) (faults string, late bool) {
	t.Helper()
	b := newBox(t)
	out := filepath.Join(b.dir, "out")
	cmd := b.command(t.Context(), "node", append(node, "client", "--command", stubPath(), "--scenario", scenario, "--output-dir", out, "--timeout", "120000")...)
	cmd.Env = append(cmd.Env, conformanceMode+"=1")
	said, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(out, "*", "checks.json"))
	if scenario, rest, ok := strings.Cut(scenario, "/"); ok && len(files) == 0 {
		files, _ = filepath.Glob(filepath.Join(out, scenario, rest+"*", "checks.json"))
	}
	if len(files) != 1 {
		t.Fatalf("the suite left no checks: %v\n%s", err, said)
	}
	text, err := os.ReadFile(files[0])
	must(t, err)
	var checks []check
	must(t, json.Unmarshal(text, &checks))
	passed, missed := 0, 0
	for _, c := range checks {
		switch c.Status {
		case "SUCCESS":
			passed++
		case "FAILURE", "WARNING":
			if c.ID == timing {
				missed++
			}
			faults += fmt.Sprintf("%s: %s: %s: %s\n", c.Status, c.ID, c.Description, c.ErrorMessage)
		}
	}
	if faults == "" && (passed == 0 || cmd.ProcessState.ExitCode() != 0) {
		faults = fmt.Sprintf("%d checks passed, exit %d\n", passed, cmd.ProcessState.ExitCode())
	}
	late = missed > 0 && strings.Count(faults, "\n") == missed
	if faults != "" {
		faults += string(said)
	}
	return faults, late
}

// conformanceMode has this program be the client that the suite runs.
const conformanceMode = "CTXFS_TEST_CONFORMANCE"

// runConformance is a client for one scenario, with the address of the server
// as its argument. It uses ctxfs as its user would.
func runConformance(address string) int {
	var context struct {
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
	}
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &context); err != nil {
			panic(err)
		}
	}
	settings := "[mcp]\ntoken_store = \"file\"\n"
	if os.Getenv("MCP_CONFORMANCE_SCENARIO") == "auth/basic-cimd" { // the address is the suite's
		settings += "client_id_document = \"https://conformance-test.local/client-metadata.json\"\n"
	}
	settings += fmt.Sprintf("\n[mcp.servers.suite]\nurl = %q\n", address)
	if context.ClientID != "" {
		settings += fmt.Sprintf("oauth = { client_id = %q, client_secret = %q }\n", context.ClientID, context.ClientSecret)
	}
	dir := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "ctxfs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(settings), 0o600); err != nil {
		panic(err)
	}
	call := []string{"test-tool"}
	switch scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO"); scenario {
	case "initialize":
		call = []string{"none"}
	case "tools_call":
		call = []string{"add_numbers", "--a", "5", "--b", "3"}
	case "elicitation-sep1034-client-defaults":
		call = []string{"test_client_elicitation_defaults"}
	case "sse-retry":
		call = []string{"test_reconnection"}
	}
	if err := suiteCommand("mount").Run(); err != nil {
		panic(err)
	}
	// The suite ends when all connections to its server have ended.
	// If this fails, the test ends it.
	defer func() { _ = suiteCommand("unmount").Run() }()
	const logins = 3 // a server that always wants another one is left in peace
	for range logins + 1 {
		cmd := suiteCommand(append([]string{"call", "suite"}, call...)...)
		var said bytes.Buffer
		cmd.Stderr = io.MultiWriter(os.Stderr, &said)
		err := cmd.Run()
		switch code := cmd.ProcessState.ExitCode(); {
		case code == 9: // it asks something
			return suiteAnswer(said.String())
		case err == nil, code == 2 && call[0] == "none": // there is no such tool
			return 0
		case code != 6:
			return code
		}
		if !suiteLogin() {
			return 6
		}
	}
	return 6
}

// suiteAnswer answers a form without giving any value, as its user would by what a
// call has said on standard error, and fetches the result of the call.
func suiteAnswer(said string) int {
	question := regexp.MustCompile(`ctxfs answer (\w+)`).FindStringSubmatch(said)
	task := regexp.MustCompile(`ctxfs call --continue (\w+)`).FindStringSubmatch(said)
	if question == nil || task == nil {
		fmt.Fprintln(os.Stderr, "the call does not say how it is answered")
		return 1
	}
	for _, args := range [][]string{{"answer", question[1], "--accept"}, {"call", "--continue", task[1]}} {
		if cmd := suiteCommand(args...); cmd.Run() != nil {
			return cmd.ProcessState.ExitCode()
		}
	}
	return 0
}

func suiteCommand(args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(filepath.Join(filepath.Dir(self), "ctxfs"), args...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, conformanceMode+"=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd
}

// suiteLogin logs in, with a browser that agrees to everything.
func suiteLogin() bool {
	cmd := suiteCommand("auth", "--no-browser", "suite")
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		fmt.Println(lines.Text())
		if address := strings.TrimSpace(lines.Text()); strings.HasPrefix(address, "http") {
			if res, err := http.Get(address); err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		}
	}
	return cmd.Wait() == nil
}
