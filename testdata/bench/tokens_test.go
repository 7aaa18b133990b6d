package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/prompt"
)

// BenchmarkTokens prints the table of tokens in BENCHMARKS.md: what the definitions of real
// servers cost in a prompt, beside what an agent reads to find one of their tools and to use
// it. For each tool the words that are looked for are the first of its description, and the
// cost is the mean over some tools of each server.
func BenchmarkTokens(b *testing.B) {
	servers := recordedTools(b)
	for b.Loop() {
		table := "| servers | tools | static | file: prompt | file: all | gateway: prompt | gateway: all |\n| --- | --- | --- | --- | --- | --- | --- |\n"
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			table += tokensOf(b, name, map[string]*offer{name: servers[name]})
		}
		b.Log("\n" + table + tokensOf(b, "all twelve", servers))
	}
}

func tokensOf(b *testing.B, name string, servers map[string]*offer) (row string) {
	u := newUser(b)
	u.configure(serve(b, servers))
	u.run(program(), "mount")
	var all []tool
	for _, o := range servers {
		all = append(all, o.Tools...)
	}
	u.ready(len(servers))
	fstest.Eventually(b, "AGENTS.md names all tools", func() bool { return !strings.Contains(u.run("cat", u.mnt+"/AGENTS.md"), "not ready") })
	ask := u.gateway()
	var hello struct{ Instructions string }
	must(b, json.Unmarshal(ask("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "bench", "version": "1"}}), &hello))
	var gateway offer
	must(b, json.Unmarshal(ask("tools/list", map[string]any{}), &gateway))
	byFile, byGateway := prompt.Tokens(u.run("cat", u.mnt+"/AGENTS.md")), tokens(b, gateway.Tools)+prompt.Tokens(hello.Instructions)
	file, answer, n := 0, 0, 0
	for server, o := range servers {
		for i := 0; i < len(o.Tools); i += 1 + len(o.Tools)/10 {
			n++
			words := strings.Fields(o.Tools[i].Description)
			want := strings.Join(words[:min(12, len(words))], " ")
			listed := u.run(program(), "find", "--", want)
			file += prompt.Tokens(listed)
			if !strings.Contains("\n"+listed, "\n"+server+"/"+o.Tools[i].Name+"(") { // else the list says what it takes
				file += prompt.Tokens(u.run("cat", u.mnt+"/mcps/"+server+"/tools/"+o.Tools[i].Name+".json"))
			}
			var found struct{ Content []struct{ Text string } }
			must(b, json.Unmarshal(ask("tools/call", map[string]any{"name": "find", "arguments": map[string]any{"query": want}}), &found))
			answer += prompt.Tokens(found.Content[0].Text)
		}
	}
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d |\n", name, len(all), tokens(b, all), byFile, byFile+file/n, byGateway, byGateway+answer/n)
}

// gateway starts `ctxfs serve`, and returns how it is asked.
func (u *user) gateway() (ask func(method string, params any) json.RawMessage) {
	u.Helper()
	cmd := exec.Command(program(), "serve")
	cmd.Env, cmd.Dir = u.env, u.home
	in, err := cmd.StdinPipe()
	must(u, err)
	out, err := cmd.StdoutPipe()
	must(u, err)
	must(u, cmd.Start())
	u.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	lines := bufio.NewReader(out)
	n := 0
	return func(method string, params any) json.RawMessage {
		u.Helper()
		n++
		must(u, json.NewEncoder(in).Encode(map[string]any{"jsonrpc": "2.0", "id": n, "method": method, "params": params}))
		for { // what it tells unasked is passed over
			line, err := lines.ReadBytes('\n')
			must(u, err)
			var answer struct {
				ID     int
				Result json.RawMessage
			}
			if json.Unmarshal(line, &answer) == nil && answer.ID == n {
				return answer.Result
			}
		}
	}
}
