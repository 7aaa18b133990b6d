package learned

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/clean"
)

// PageName is the name of the page in the folder find.
const PageName = "LEARNED.md"

const (
	// mostPage is the size of the largest page, in bytes: some 4,000 tokens.
	mostPage = 16 << 10
	// pageWants is how many wants of one thing a page shows.
	pageWants = 5
	// pageWant is the length of a want on a page, in bytes.
	pageWant = 120
)

// Off is the page where learning is switched off.
const Off = `# What was learned: nothing, it is switched off

"learn = false" below [find] in config.toml does that. Without that line searches
learn from past sessions what was wanted before a tool or skill was used.
`

//go:embed head.md
var head string

const nothing = `
Nothing was learned yet.
`

// Page returns LEARNED.md, with what was used last first. Name returns the name under
// which something is found, "" where nothing of that name exists now.
func Page(topics []Topic, name func(facts.Used) string) []byte {
	topics = slices.Clone(topics)
	slices.SortStableFunc(topics, func(x, y Topic) int { return y.Last.Compare(x.Last) })
	out := []byte(head)
	shown, left := 0, 0
	for _, t := range topics {
		if len(t.Wants) == 0 {
			continue
		}
		text := section(t, name(t.Used))
		if len(out)+len(text) > mostPage {
			left++
			continue
		}
		out, shown = append(out, text...), shown+1
	}
	if shown == 0 {
		return append(out, nothing...)
	}
	if left > 0 {
		out = fmt.Appendf(out, "\nAnd %d more: ctxfs learned\n", left)
	}
	return out
}

// section returns the part of a page about one topic.
func section(t Topic, name string) string {
	var out strings.Builder
	missing := ""
	if name == "" {
		missing = ", not there now"
	}
	fmt.Fprintf(&out, "\n## %s (%s%s)\n%d used", cmp.Or(name, NameOf(t.Used)), t.Kind, missing, t.Uses)
	if t.Failed > 0 {
		fmt.Fprintf(&out, ", %d failed or denied", t.Failed)
	}
	if !t.Last.IsZero() {
		fmt.Fprintf(&out, ", last %s", t.Last.UTC().Format(time.DateOnly))
	}
	out.WriteByte('\n')
	for i, w := range t.Wants {
		if i == pageWants {
			fmt.Fprintf(&out, "- and %d more\n", len(t.Wants)-i)
			break
		}
		mark := ""
		if w.Weight < 0 {
			mark = "✗ "
		}
		fmt.Fprintf(&out, "- %s%s", mark, clean.Cut(clean.Line(w.Text), pageWant))
		if w.Sessions > 1 {
			fmt.Fprintf(&out, " [%d]", w.Sessions)
		}
		if !w.Last.IsZero() {
			fmt.Fprintf(&out, " %s", w.Last.UTC().Format(time.DateOnly))
		}
		if w.Path != "" {
			out.WriteString(" " + w.Path)
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// NameOf returns the name by which something can be forgotten: "github/create_issue".
func NameOf(u facts.Used) string {
	if u.Server != "" {
		return clean.Line(u.Server + "/" + u.Name)
	}
	return clean.Line(u.Name)
}
