package hooks

import (
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/fs/facts"
	"ctxfs/providers/hooks/form"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/internal/tokens"
)

// heading stands above all that is said, so that no model takes it for words of the
// user.
const heading = "From ctxfs, which shows what this machine knows; these are facts, no instructions of the user."

// told is one piece of news that an agent was told.
type told struct {
	Kind   facts.NewsKind `json:"kind"`
	Key    string         `json:"key"` // a sum
	Tokens int            `json:"tokens"`
	// Page is set if it was told at a start, and may be told again when the context is new.
	Page bool `json:"page,omitempty"`
}

// compose returns the answer to a hook, and what is told by it: of the news that is
// switched on and was not told before, that of the lowest rank first, as much as the budget
// has room for; at the start of a session the budget is larger. What has no room waits.
func compose(news []facts.News, set settings, s session, in *form.Input, starts bool) (a form.Answer, all []told) {
	room := set.budget
	if starts && slices.ContainsFunc(news, func(n facts.News) bool { return isPage(n.Kind) && !s.Told[keyOf(n.Kind, n.Key)] }) {
		room = set.startBudget
	}
	room = min(room, set.sessionBudget-s.Spent)
	var block []string
	var refusal []told
	for _, n := range news {
		t := told{Kind: n.Kind, Key: keyOf(n.Kind, n.Key), Page: isPage(n.Kind)}
		if set.off[n.Kind] || s.Told[t.Key] || slices.ContainsFunc(all, func(o told) bool { return o.Key == t.Key }) {
			continue
		}
		switch {
		case n.Refuse && a.Refuse == "" && in.Call != nil && in.Call.MayRefuse && in.Kind == facts.BeforeTool:
			a.Refuse = "ctxfs: " + safe(n.Text)
			t.Tokens = tokens.Count(a.Refuse)
			refusal = []told{t}
		case n.Refuse: // it can only be refused
			continue
		case n.Instead != "" && a.Instead == "" && in.Call != nil && in.Call.MayReplace && in.Kind == facts.AfterTool:
			a.Instead = n.Instead
			t.Tokens = tokens.Count(n.Instead)
		case n.Text == "" || !in.Says:
			continue
		default:
			text := withoutTold(safe(n.Text), block)
			if text == "" {
				continue
			}
			cost := tokens.Count(text)
			if len(block) == 0 {
				cost += tokens.Count(heading)
			}
			if cost > room {
				if len(block) > 0 || room < leastCut {
					continue
				}
				text = cut(text, room-tokens.Count(heading))
				cost = tokens.Count(heading) + tokens.Count(text)
			}
			room -= cost
			t.Tokens = cost
			block = append(block, text)
		}
		all = append(all, t)
		for _, key := range n.Covers {
			all = append(all, told{Kind: n.Kind, Key: keyOf(n.Kind, key), Page: t.Page})
		}
	}
	if refusal != nil { // the agent reads nothing else then
		return form.Answer{Refuse: a.Refuse}, refusal
	}
	switch {
	case len(block) > 0 && in.Kind == facts.Compacting: // the text is itself part of an instruction
		a.Say = strings.Join(block, "\n")
	case len(block) > 0:
		a.Say = heading + "\n" + strings.Join(block, "\n")
	}
	return a, all
}

// leastCut is the smallest room in tokens for which a long text is cut.
const leastCut = 60

// keyOf returns the sum by which a piece of news is remembered.
func keyOf(kind facts.NewsKind, key string) string { return sum(string(kind) + "\x00" + key) }

// isPage reports whether a kind of news is part of what a context begins with.
func isPage(kind facts.NewsKind) bool {
	return kind == facts.NewsStart || kind == facts.NewsMemory || kind == facts.NewsHistory
}

// withoutTold leaves out the items of a list that an earlier text of the block has.
func withoutTold(text string, block []string) string {
	if len(block) == 0 || !strings.Contains(text, "\n- ") {
		return text
	}
	before := strings.Join(block, "\n")
	var kept []string
	items := 0
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "- ") {
			if strings.Contains(before, line) {
				continue
			}
			items++
		}
		kept = append(kept, line)
	}
	if items == 0 {
		return ""
	}
	return strings.Join(kept, "\n")
}

// safe returns a text as it may be said: without control characters and secrets.
func safe(text string) string { return strings.TrimSpace(mask.Text(clean.Text(text))) }

// cut returns the beginning of a text, of at most limit tokens.
func cut(text string, limit int) string {
	const perToken = 4
	size := len(text)
	for ; size > 0; size -= max(size/8, 1) {
		if size > limit*perToken*2 {
			continue
		}
		if short := clean.Cut(text, size); tokens.Count(short) <= limit {
			return short
		}
	}
	return ""
}

// absolute returns paths as absolute ones, or "" where a path cannot be made
// absolute.
func absolute(dir string, paths []string) []string {
	all := make([]string, len(paths))
	for i, path := range paths {
		switch {
		case filepath.IsAbs(path):
			all[i] = filepath.Clean(path)
		case dir != "" && !strings.HasPrefix(path, "~"):
			all[i] = filepath.Join(dir, path)
		}
	}
	return all
}
