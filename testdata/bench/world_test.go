package bench

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/oauthtest"
	"ctxfs/providers/terminals/record"
)

// How much there is in the world of the questions.
const (
	worldSessions = 300
	worldResults  = 100
)

// world is a tree in which questions are asked: 25 servers of which five are broken, 50
// skills, 300 sessions, 20 terminals and 100 results. Texts are those of finding/world,
// between others that share their words. All times are counted back from now.
type world struct {
	*user
	*chance
	shown    *usertree.Tree
	now      time.Time
	sessions map[string]string // the session's ID by the name of its story
	results  map[string]string // the path in the tree by the result's name
}

func newWorld(tb testing.TB) *world {
	w := &world{
		user: newUser(tb), chance: newChance(tb), now: time.Now().Truncate(time.Minute),
		sessions: make(map[string]string), results: make(map[string]string),
	}
	tools := w.writeServers()
	for _, s := range sections(tb, "skills.txt") {
		description, body, _ := strings.Cut(s.text, "\n--\n")
		w.write(".claude/skills/"+s.name+"/SKILL.md", fmt.Sprintf("---\nname: %s\ndescription: %q\n---\n\n%s", s.name, description, body))
	}
	w.writeSessions()
	w.writeTerminals()
	w.writeResults()
	w.shown = w.tree(tools)
	fstest.Eventually(tb, "all sessions are rendered and indexed", func() bool {
		for _, p := range providers(tb, w.shown) {
			n := 0
			for _, i := range p.Items {
				n += i.Count
			}
			if p.Name == "transcripts" {
				return p.State == "ready" && n == worldSessions
			}
		}
		return false
	})
	return w
}

func (w *world) project(name string) string { return filepath.Join(w.home, "work", name) }

func (w *world) daysAgo(n int) time.Time {
	return w.now.Add(-time.Duration(n)*24*time.Hour - time.Hour)
}

// worldFile reads a file of finding/world.
func worldFile(tb testing.TB, name string) []byte {
	tb.Helper()
	text, err := os.ReadFile("finding/world/" + name)
	must(tb, err)
	return text
}

// section is a part of a file of the world: a line "== name fields…", and what follows.
type section struct {
	name   string
	fields []string
	text   string
}

func sections(tb testing.TB, file string) (all []section) {
	tb.Helper()
	for _, part := range strings.Split("\n"+string(worldFile(tb, file)), "\n== ")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		fields := strings.Fields(head)
		all = append(all, section{fields[0], fields[1:], body})
	}
	return all
}

// brokenServers are those that do not work, with their entries in the configuration. Linear
// wants a login.
var brokenServers = map[string]map[string]any{
	"linear":       nil, // its address is known later
	"warehouse":    {"command": "snowflake-mcp", "args": []string{"--account", "example"}},
	"legacy-crm":   {"command": "/bin/sh", "args": []string{"-c", "echo 'fatal: licence file /etc/crm.lic has expired' >&2; exit 3"}},
	"translations": {"url": "http://127.0.0.1:1/mcp", "headers": map[string]string{"Authorization": "Bearer ${env:DEEPL_API_KEY}"}},
	"intranet":     {"url": "http://127.0.0.1:1/mcp"},
}

// writeServers configures the 25 servers: twelve with the recorded tools of real ones, eight
// of the world, and five that do not work. It returns how many tools there are.
func (w *world) writeServers() (tools int) {
	offers := worldOffers(w)
	maps.Copy(offers, recordedTools(w.TB))
	entries := serve(w, offers)
	for name, entry := range brokenServers {
		entries[name] = entry
	}
	entries["linear"] = map[string]any{"url": oauthtest.New(w.TB).URL}
	w.configure(entries)
	for _, o := range offers {
		tools += len(o.Tools)
	}
	return tools
}

func worldOffers(tb testing.TB) (offers map[string]*offer) {
	must(tb, json.Unmarshal(worldFile(tb, "servers.json"), &offers))
	return offers
}

// writeResults writes the results that have something to find, each among lines of its kind,
// and others of the same tools.
func (w *world) writeResults() {
	told := sections(w, "results.txt")
	w.seed("results")
	must(w, os.MkdirAll(filepath.Join(w.state, "results"), 0o700))
	for i := range worldResults {
		s, fact := told[i%len(told)], ""
		name := fmt.Sprintf("%s.%s.%s.%05d.txt", w.now.UTC().Format("2006-01-02T15-04-05Z"), s.fields[0], s.fields[1], i)
		if i < len(told) {
			fact = strings.TrimSpace(s.text)
			w.results[s.name] = "results/" + name
		}
		must(w, os.WriteFile(filepath.Join(w.state, "results", name), []byte(w.result(s.fields[2], s.fields[3], fact)), 0o600))
	}
}

// turn is one thing in a session: what the user or the agent says, or a command with its
// output.
type turn struct {
	who          byte // U, A or T
	text, output string
}

// writeSessions writes the history of Claude Code: the recorded sessions, the stories of the
// world, and others of the same projects.
func (w *world) writeSessions() {
	w.Helper()
	for _, dir := range slices.Sorted(maps.Keys(w.Projects)) {
		w.write(filepath.Join("work", dir, ".git/HEAD"), "ref: refs/heads/main\n")
	}
	n := 0
	for ; n < len(recordedSessions(w.TB)); n++ {
		log := recordedSessions(w.TB)[n]
		text, err := os.ReadFile(log)
		must(w, err)
		w.history("-work/"+filepath.Base(log), string(text), w.daysAgo(3+4*n))
	}
	for _, file := range []string{"sessions-1.txt", "sessions-2.txt"} {
		for _, s := range sections(w, file) {
			days, err := strconv.Atoi(s.fields[2])
			must(w, err)
			w.session(s.name, s.fields[1], w.daysAgo(days), turnsOf(s.text))
			n++
		}
	}
	for w.seed("sessions"); n < worldSessions; n++ {
		project, turns := w.story()
		w.session(fmt.Sprint("other-", n), project, w.daysAgo(w.IntN(95)), turns)
	}
}

// turnsOf reads lines "U: …", "A: …" and "T: command => output".
func turnsOf(text string) (turns []turn) {
	for line := range strings.Lines(text) {
		if who, said, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); ok {
			said, output, _ := strings.Cut(said, " => ")
			turns = append(turns, turn{who[0], said, strings.ReplaceAll(output, `\n`, "\n")})
		}
	}
	return turns
}

// history writes a log that was last written to at a time.
func (w *world) history(path, text string, at time.Time) {
	w.Helper()
	path = ".claude/projects/" + path
	w.write(path, text)
	must(w, os.Chtimes(filepath.Join(w.home, path), at, at))
}

// session writes a session as its agent does.
func (w *world) session(name, project string, at time.Time, turns []turn) {
	w.Helper()
	id := stableID(name)
	w.sessions[name] = id
	var log strings.Builder
	last, n := any(nil), 0
	record := func(kind string, content any) {
		n++
		next := stableID(fmt.Sprint(id, n))
		line, err := json.Marshal(map[string]any{
			"type": kind, "uuid": next, "parentUuid": last, "sessionId": id, "cwd": w.project(project), "version": "2.1.42", "gitBranch": "main",
			"timestamp": at.Add(time.Duration(n) * 20 * time.Second).UTC().Format("2006-01-02T15:04:05.000Z"),
			"message":   map[string]any{"id": fmt.Sprint("msg_", next), "role": kind, "model": "model-x", "content": content},
		})
		must(w, err)
		log.Write(append(line, '\n'))
		last = next
	}
	for _, t := range turns {
		call := fmt.Sprint("toolu_", id[:8], n)
		switch t.who {
		case 'U':
			record("user", t.text)
		case 'A':
			record("assistant", []any{map[string]any{"type": "text", "text": t.text}})
		case 'T':
			lower := strings.ToLower(t.output)
			record("assistant", []any{map[string]any{"type": "tool_use", "id": call, "name": "Bash", "input": map[string]any{"command": t.text}}})
			record("user", []any{map[string]any{"type": "tool_result", "tool_use_id": call, "content": t.output, "is_error": strings.Contains(lower, "error") || strings.Contains(lower, "failed")}})
		}
	}
	w.history("-work-"+project+"/"+id+".jsonl", log.String(), at.Add(time.Hour))
}

// writeTerminals records terminals: those of the world, and what real programs wrote, with
// the screens that they drew.
func (w *world) writeTerminals() {
	for _, s := range sections(w, "terminals.txt") {
		days, err := strconv.Atoi(s.fields[1])
		must(w, err)
		w.seed(s.name)
		command := w.tape(s.name, s.fields[0], w.daysAgo(days))
		for _, part := range strings.Split("\n"+s.text, "\n$ ")[1:] {
			line, output, _ := strings.Cut(part, "\n")
			output, exit, _ := strings.Cut("\n"+output, "\n=> ")
			command(line, w.noise(strings.TrimPrefix(output+"\n", "\n")), strings.TrimSpace(exit))
		}
	}
	for i, raw := range []struct{ name, command string }{
		{"cargo", "cargo build --offline && cargo test --offline"}, {"git", "git --no-pager log --graph --stat"},
		{"clone", "git clone --progress repo copy"}, {"vim", "vim text.txt"}, {"less", "less text.txt"}, {"top", "top -d 0.5"},
	} {
		text, err := os.ReadFile("../terminals/" + raw.name + ".raw")
		must(w, err)
		w.tape("real-"+raw.name, "pulsed", w.daysAgo(i))(raw.command, string(text), "0")
	}
}

// tape begins a recording with a clock of its own, and returns what records a command as our
// shell integration reports it.
func (w *world) tape(name, project string, now time.Time) (command func(line, output, exit string)) {
	w.Helper()
	cwd := w.project(project)
	r, err := record.New(record.Options{
		Dir: filepath.Join(w.state, "terminals"), Name: name, Source: record.Term, Argv: []string{"/bin/bash"}, Pid: 4711,
		Cwd: cwd, Nonce: "nonce", Cols: 120, Rows: 40, Now: func() time.Time { return now },
	})
	must(w, err)
	w.Cleanup(func() { must(w, r.Close(0, "")) })
	where := ";ctx=nonce;cwd=" + url.PathEscape(cwd)
	return func(line, output, exit string) {
		r.Write([]byte("\x1b]133;A" + where + "\a$ " + line + "\r\n\x1b]133;C" + where + ";cmdline_url=" + url.PathEscape(line) + "\a"))
		for text := range strings.Lines(output) {
			r.Write([]byte(strings.TrimSuffix(text, "\n") + "\r\n"))
			now = now.Add(50 * time.Millisecond)
		}
		r.Write([]byte("\x1b]133;D;" + exit + ";ctx=nonce\a"))
		now = now.Add(time.Minute)
		r.Settle(now)
	}
}

// stableID returns a UUID that depends on nothing but the name.
func stableID(name string) string {
	h := fmt.Sprintf("%x", sha256.Sum256([]byte(name)))
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-8" + h[17:20] + "-" + h[20:32]
}

// chance makes up texts that say nothing anybody asks for, in the words of the same projects:
// those of noise.json, with %s for a part of the program, %f for a file and %n for a number.
type chance struct {
	*rand.Rand
	Speech   map[string]struct{ Asks, Finds, Fixes, Replies []string }
	Projects map[string]struct {
		Speech                 string
		Parts, Files, Commands []string
	}
}

func newChance(tb testing.TB) *chance {
	c := new(chance)
	must(tb, json.Unmarshal(worldFile(tb, "noise.json"), c))
	return c
}

// seed makes the texts that follow depend on a name alone.
func (c *chance) seed(name string) {
	h := fnv.New64a()
	h.Write([]byte(name))
	c.Rand = rand.New(rand.NewPCG(h.Sum64(), 14))
}

func (c *chance) of(words ...string) string { return words[c.IntN(len(words))] }

// story makes up a session of a project.
func (c *chance) story() (project string, turns []turn) {
	project = c.of("webshop", "webshop", "webshop", "pulsed", "pulsed", "harvest", "harvest", "infra", "infra", "kite", "kite", "schulportal", "kakeibo", "handbook")
	p := c.Projects[project]
	speech := c.Speech[p.Speech]
	for range 1 + c.IntN(4) {
		part := c.of(p.Parts...)
		says := func(who byte, sentences []string) {
			turns = append(turns, turn{who: who, text: c.fill(project, part, sentences)})
		}
		says('U', speech.Asks)
		says('A', speech.Finds)
		for range c.IntN(3) {
			output := ""
			for range 2 + c.IntN(30) {
				output += fmt.Sprintf("%s:%d: %s %dms\n", c.of(p.Files...), 1+c.IntN(300), c.of("ok", "passed", "unchanged", "checked", "skipped"), c.IntN(900))
			}
			turns = append(turns, turn{'T', c.of(p.Commands...), output})
		}
		says('A', speech.Fixes)
		says('U', speech.Replies)
	}
	return project, turns
}

func (c *chance) fill(project, part string, sentences []string) string {
	return strings.NewReplacer("%s", part, "%f", c.of(c.Projects[project].Files...), "%n", fmt.Sprint(10+c.IntN(900))).Replace(c.of(sentences...))
}

// noise replaces each line "@log n kind" by n lines of a log of that kind.
func (c *chance) noise(output string) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		var n int
		var kind string
		if _, err := fmt.Sscanf(line, "@log %d %s", &n, &kind); err != nil {
			b.WriteString(line)
		}
		for range n {
			b.WriteString(c.logLine(kind) + "\n")
		}
	}
	return b.String()
}

func (c *chance) logLine(kind string) string {
	switch kind {
	case "access":
		return fmt.Sprintf("GET /%s/%d %d %d ms", c.of("cart", "products", "images", "orders", "search"), c.IntN(9999), []int{200, 200, 304, 404}[c.IntN(4)], c.IntN(300))
	case "etl":
		return fmt.Sprintf("2026-09-%02d loaded partition %d of %d, %d rows", 1+c.IntN(30), c.IntN(24), 24, c.IntN(99999))
	case "refresh":
		return fmt.Sprintf("module.%s[%d]: Refreshing state... [id=%x]", c.of("network.aws_subnet.private", "db.aws_db_subnet_group.main", "dns.aws_route53_record.alias"), c.IntN(9), c.Uint32())
	case "gradle":
		return "> Task :" + c.of("app", "maps", "reanimated", "svg") + ":" + c.of("preBuild UP-TO-DATE", "compileReleaseKotlin", "generateReleaseAssets", "bundleReleaseAar")
	case "apt":
		return fmt.Sprintf("Get:%d http://archive.ubuntu.com/ubuntu noble/main amd64 %s amd64 [%d kB]", c.IntN(40), c.of("libssl-dev", "libc6-dev", "gcc-13", "make"), c.IntN(900))
	}
	project := map[bool]string{true: "pulsed", false: "webshop"}[kind == "test"]
	return fmt.Sprintf("ts=2026-11-%02dT%02d:%02d:%02dZ level=info msg=%q file=%s took=%dms", 1+c.IntN(21), c.IntN(24), c.IntN(60), c.IntN(60),
		c.of("request done", "cache hit", "connection reused", "page rendered", "job finished"), c.of(c.Projects[project].Files...), c.IntN(900))
}

// result is a long result of a shape, with a line that somebody looks for, if any.
func (c *chance) result(shape, topic, fact string) string {
	lines := 120 + c.IntN(200)
	at := c.IntN(lines)
	var b strings.Builder
	for i := range lines {
		project := c.of("webshop", "pulsed", "kite")
		part, english := c.of(c.Projects[project].Parts...), c.Speech["english"]
		switch {
		case i == at && fact != "":
			b.WriteString(fact)
		case shape == "log":
			b.WriteString(c.logLine(topic))
		case shape == "markdown":
			b.WriteString(c.fill(project, part, english.Finds))
		case shape == "issues", shape == "commits":
			fmt.Fprintf(&b, `{"number": %d, "title": %q, "comments": %d}`, c.IntN(9999), c.fill(project, part, english.Asks), c.IntN(30))
		default:
			fmt.Fprintf(&b, `{"id": %d, "kind": %q, "name": "%s-%d", "value": %d, "state": %q}`, c.IntN(99999), topic,
				c.of("alpha", "north", "blue", "main", "edge"), c.IntN(99), c.IntN(9999), c.of("ok", "open", "closed", "waiting"))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
