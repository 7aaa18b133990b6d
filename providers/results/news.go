package results

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/excerpt"
	"ctxfs/providers/internal/regexps"
	"ctxfs/providers/results/shape"
)

var _ facts.HookSource = (*Provider)(nil)

const (
	// shownText is how much of a long text an agent is shown, in bytes: its beginning and
	// its end. Of data it is shown the shape.
	shownText = 3 << 10
	// wholeLines is the number of lines of a file up to which an agent that reads it gets
	// the whole.
	wholeLines = 2000
	// wholeBytes is the size up to which it does: data may be one long line.
	wholeBytes = 100 << 10
	// mostPreface is the number of lines before a JSON text that are told apart from it, as
	// Codex writes the exit code and the time.
	mostPreface = 8
	// mostReplaced is how many outputs are remembered: a hook may be run twice for one.
	mostReplaced = 64
)

// replaced are the outputs that were replaced last.
type replaced struct {
	mu  sync.Mutex
	all []replacement
}

type replacement struct{ key, instead string }

func (r *replaced) of(key string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.IndexFunc(r.all, func(one replacement) bool { return one.key == key }); i >= 0 {
		return r.all[i].instead
	}
	return ""
}

func (r *replaced) add(key, instead string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, replacement{key, instead})
	r.all = r.all[max(0, len(r.all)-mostReplaced):]
}

// News implements facts.HookSource: a long output of a command or of an MCP server is stored, and
// the agent is shown what is in it, and where. Its own readings of files stay whole, and so
// does what cannot be stored.
func (p *Provider) News(ctx context.Context, m facts.Moment) []facts.News {
	c := m.Call
	if m.Kind != facts.AfterTool || c == nil || !c.MayReplace || len(c.Output) <= p.store.Limit() || isReading(c, m.Root) {
		return nil
	}
	sum := sha256.Sum256([]byte(m.Agent + "\x00" + m.Session + "\x00" + c.ID + "\x00" + c.Output))
	key := hex.EncodeToString(sum[:8])
	instead := p.replaced.of(key)
	if instead == "" {
		if instead = p.replace(ctx, m); instead == "" {
			return nil
		}
		p.replaced.add(key, instead)
	}
	if c.ID == "" { // the same output of the same command is another one
		key += m.Time.Format(".150405.000000000")
	}
	return []facts.News{{Kind: facts.NewsResults, Key: key, Rank: facts.Helpful, Instead: instead}}
}

// replace stores an output, and returns what is shown of it; "" where that is not shorter or
// it cannot be stored.
func (p *Provider) replace(ctx context.Context, m facts.Moment) string {
	preface, body := cutPreface([]byte(m.Call.Output))
	body = masked(body)
	of := shape.Of(body)
	if of.Kind == shape.Text {
		preface, body = nil, masked([]byte(m.Call.Output))
	}
	if ctx.Err() != nil {
		return ""
	}
	o := Origin{Source: "hook", Server: m.Call.Server, Tool: m.Call.Tool}
	o.Server = cmp.Or(o.Server, m.Agent)
	saved, err := p.store.Save(o, "", body)
	if err != nil {
		return ""
	}
	file := saved.Path
	if m.Root != "" {
		file = m.Path("results/" + saved.Name)
	}
	text := shown(m.Call, preface, body, of, file, saved)
	if len(text) >= len(m.Call.Output) {
		return ""
	}
	return text
}

// shown is what an agent reads of an output that is in a file.
func shown(c *facts.AgentCall, preface, body []byte, of shape.Shape, file string, saved Saved) string {
	var b strings.Builder
	if c.Failed {
		b.WriteString("The call failed.\n")
	}
	word := wording.ShellWord(file)
	notice := excerpt.Notice(file, saved.Bytes, saved.Lines)
	if of.Kind == shape.Text {
		b.Write(excerpt.Of([]byte(clean.Text(string(body))), shownText, notice))
		b.WriteString(of.Lines)
		fmt.Fprintf(&b, "Look into it: rg -n WORD %s\n", word)
		return b.String()
	}
	b.WriteString(clean.Text(string(preface)))
	fmt.Fprintf(&b, "%s, put into a file by ctxfs. What is in it:\n%s", of.Kind, of.Lines)
	if of.Kind == shape.Table {
		fmt.Fprintf(&b, "Look into it: rg WORD %s\n", word)
	} else {
		fmt.Fprintf(&b, "Look into it: jq '%s' %s\n", cmp.Or(of.Filter, "."), word)
	}
	b.WriteString(notice + "\n")
	return b.String()
}

// cutPreface parts what stands before a JSON text in an output, a few lines, from it.
func cutPreface(output []byte) (preface, body []byte) {
	at := 0
	for n := 0; n <= mostPreface && at < len(output); n++ {
		line := bytes.TrimLeft(output[at:], " \t")
		if len(line) > 0 && (line[0] == '{' || line[0] == '[') {
			return output[:at], output[at:]
		}
		end := bytes.IndexByte(output[at:], '\n')
		if end < 0 {
			break
		}
		at += end + 1
	}
	return nil, output
}

var (
	// reads is a command that shows a text as it was written: the agent wants to read all
	// of what it asked for.
	reads = regexps.Lazy(`^\s*(?:\w+=\S*\s+)*(?:cat|head|tail|nl|bat|batcat|less|more|sed\s+(?:-E\s+|-r\s+)?-n|git\s+(?:--no-pager\s+)?(?:-C\s+\S+\s+)?(?:diff|show|blame)|ctxfs\s+(?:cat|here|prompt|history))\b`)
	// moves are parts of a command line that print nothing.
	moves = regexps.Lazy(`^\s*(?:cd|pushd|popd|set|export|true|:)(?:\s|$)`)
	// parts is where a command line goes on with another command.
	parts = regexps.Lazy(`&&|\|\||;|\||\n`)
	// quoted is an argument in quotes.
	quoted = regexps.Lazy(`'[^']*'|"[^"]*"`)
)

// isReading reports whether a call reads files that the agent must have as they are, and not
// the output of a program: tools for files, commands that print files, as long as they are
// not very long, and files of the tree, which are files already.
func isReading(c *facts.AgentCall, root string) bool {
	if c.Server != "" {
		return false
	}
	if c.Command == "" || strings.Contains(c.Output[max(0, len(c.Output)-1<<10):], "Large output has been written to: ") {
		return true
	}
	if root != "" && (strings.Contains(c.Command, root) || strings.Contains(c.Command, "~/"+filepath.Base(root))) {
		return true
	}
	all := true
	some := false
	for _, part := range parts().Split(quoted().ReplaceAllString(c.Command, "x"), -1) {
		switch {
		case strings.TrimSpace(part) == "" || moves().MatchString(part):
		case reads().MatchString(part):
			some = true
		default:
			all = false
		}
	}
	return all && some && len(c.Output) <= wholeBytes && strings.Count(c.Output, "\n") < wholeLines
}
