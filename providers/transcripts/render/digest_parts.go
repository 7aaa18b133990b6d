package render

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"ctxfs/providers/internal/clean"
)

// request appends the first and the last request.
func (d *digest) request(size int) {
	said := &d.summary.Said
	if len(said.Notes) == 0 {
		if first := d.summary.First; first != nil {
			d.line(clean.Cut(first.Text, max(size, 120)), first.Seq)
		}
		return
	}
	first, last := said.Notes[0], said.last()
	if len(said.Notes) == 1 {
		d.line(clean.Cut(first.Text, max(size, 120)), first.Seq)
		return
	}
	d.line("first: "+clean.Cut(first.Text, max(size*2/3, 80)), first.Seq)
	d.line("last: "+clean.Cut(last.Text, max(size/3, 80)), last.Seq)
}

// messages appends the messages of the user; the first and the last ones have
// precedence.
func (d *digest) messages(size int) {
	said := &d.summary.Said
	left := d.noteList(said, size, 100, 300)
	d.omitted(left, "messages", "rg -A 5 '^### .* user$' transcript.md")
}

// conclusions appends the model's conclusions and the marks of the transcript.
func (d *digest) conclusions(size int) {
	marks, points := &d.summary.Marks, &d.summary.Points
	if n := len(marks.Notes); n > 0 {
		from := max(n-4, 0)
		for _, mark := range marks.Notes[from:] {
			d.line(clean.Cut(mark.Text, 120), mark.Seq)
		}
		d.omitted(from+marks.Left, "marks", "rg '^=====' transcript.md")
		size -= 80 * (n - from)
	}
	left := d.noteList(points, size, 120, 400)
	d.omitted(left, "answers", "rg -A 5 '^### .* assistant' transcript.md")
}

// noteList appends the first and the last of some notes, as many as size has room
// for with at least so many bytes of each, and returns how many it leaves out. The
// others get the room that short ones do not need.
func (d *digest) noteList(n *notes, size, least, most int) (left int) {
	if len(n.Notes) == 0 {
		return n.Left
	}
	cost := func(i, each int) int { return min(len(n.Notes[i].Text), each) + lineCost }
	from, used := len(n.Notes), cost(0, least)
	for from > 1 && used+cost(from-1, least) <= size {
		from--
		used += cost(from, least)
	}
	each := least
	for ; each < most; each += 20 {
		used = cost(0, each+20)
		for i := from; i < len(n.Notes); i++ {
			used += cost(i, each+20)
		}
		if used > size {
			break
		}
	}
	for i, one := range n.Notes {
		if i > 0 && i < from {
			continue
		}
		text := clean.Cut(one.Text, each)
		if one.How != "" {
			text = one.How + ": " + text
		}
		d.line(text, one.Seq)
	}
	return from - 1 + n.Left
}

// tools appends the tools and programs that were used, the most used first.
func (d *digest) tools(size int) {
	for _, kind := range []struct {
		name string
		of   map[string]*toolUse
	}{{"tools", d.summary.Tools}, {"programs", d.summary.Programs}} {
		names := slices.SortedFunc(maps.Keys(kind.of), func(a, b string) int {
			return cmp.Or(cmp.Compare(kind.of[b].Calls, kind.of[a].Calls), cmp.Compare(a, b))
		})
		var line strings.Builder
		last, left := 0, 0
		for i, name := range names {
			u := kind.of[name]
			word := fmt.Sprintf("%s %d", name, u.Calls)
			if u.Errors > 0 {
				word += fmt.Sprintf(" (%d failed)", u.Errors)
			}
			if i > 0 && line.Len()+len(word) > size/2 {
				left = len(names) - i
				break
			}
			if i > 0 {
				line.WriteString(", ")
			}
			line.WriteString(word)
			last = max(last, u.Seq)
		}
		if len(names) > 0 {
			d.line(kind.name+": "+line.String()+"; last", last)
			d.omitted(left, kind.name, "rg '^### .* tool-call' transcript.md")
		}
	}
	if line := d.extensions(); line != "" {
		d.line(line, d.summary.Paths.List[len(d.summary.Paths.List)-1].Seq)
	}
}

// extensions returns the most frequent extensions of the files.
func (d *digest) extensions() string {
	counts := make(map[string]int)
	for _, f := range d.summary.Paths.List {
		if ext := path.Ext(f.Path); ext != "" && len(ext) < 8 {
			counts[ext]++
		}
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var words []string
	for _, ext := range names[:min(len(names), 5)] {
		words = append(words, fmt.Sprintf("%s %d", clean.Line(ext), counts[ext]))
	}
	if len(words) == 0 {
		return ""
	}
	return "files: " + strings.Join(words, ", ") + "; last"
}

// files appends the files that were changed, then those that were only read, the
// latest first.
func (d *digest) files(size int) {
	all := d.summary.finalFiles()
	list := slices.Clone(all.List)
	slices.SortFunc(list, func(a, b *file) int {
		return cmp.Or(-cmp.Compare(min(a.Writes, 1), min(b.Writes, 1)), -cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Path, b.Path))
	})
	shown := 0
	for _, f := range list {
		name := clean.Line(f.Path)
		if len(name) > 120 {
			name = "…" + strings.ToValidUTF8(name[len(name)-117:], "")
		}
		text := name + ":"
		if f.Writes > 0 {
			text += fmt.Sprintf(" changed %d×", f.Writes)
		}
		if f.Reads > 0 {
			text += fmt.Sprintf(" read %d×", f.Reads)
		}
		if size -= len(text) + lineCost; size < 0 && shown > 0 {
			break
		}
		d.line(text, f.Seq)
		shown++
	}
	d.omitted(len(list)-shown+all.Left, "files", "files.tsv")
}

// failures appends the latest errors and what worked after them.
func (d *digest) failures(size int) {
	list := d.summary.Failures.List
	shown, each := budgetShare(len(list), size, 130, 400)
	for _, f := range list[len(list)-shown:] {
		text := f.Tool
		if f.What != "" {
			text += " `" + clean.Cut(f.What, each*3/10) + "`"
		}
		text += ": " + clean.Cut(f.Error, each*5/10)
		d.line(text, f.Seq)
		d.out = d.out[:len(d.out)-1]
		switch {
		case f.Fixed == 0:
			d.out = append(d.out, " → not seen to work since\n"...)
		case f.How == "":
			d.out = append(d.out, " → then without error"...)
			d.fixed(f.Fixed)
		default:
			d.out = append(d.out, " → then without error: `"...)
			d.out = append(d.out, clean.Cut(f.How, each*3/10)...)
			d.out = append(d.out, '`')
			d.fixed(f.Fixed)
		}
	}
	d.omitted(len(list)-shown+d.summary.Failures.Left, "errors", "rg -A 5 '^### .* tool-result .*error' transcript.md")
}

func (d *digest) fixed(seq int) {
	d.out = append(d.out, ' ')
	d.out = append((&Transcript{ID8: d.id8}).anchor(d.out, seq), '\n')
}

// tasks appends the tasks of the agent's own list that are still open.
func (d *digest) tasks(size int) {
	var list []task
	done := 0
	for _, t := range d.summary.Tasks.List {
		if t.isOpen() {
			list = append(list, t)
		} else {
			done++
		}
	}
	slices.SortStableFunc(list, func(a, b task) int { return cmp.Compare(rank(a), rank(b)) })
	shown, each := budgetShare(len(list), size, 40, longWhat)
	for _, t := range list[:shown] {
		d.line(strings.ReplaceAll(cmp.Or(t.Status, "pending"), "_", " ")+": "+clean.Cut(t.Text, each), t.Seq)
	}
	d.omitted(len(list)-shown+d.summary.Tasks.Left, "tasks", "rg -A 30 '^### .* tool-call .*([Tt]ask|[Tt]odo|plan)' transcript.md")
	if len(list) == 0 && done > 0 {
		d.line(fmt.Sprintf("none: all %d of the list are done", done), d.summary.Tasks.List[len(d.summary.Tasks.List)-1].Seq)
	}
}

func rank(t task) int {
	if t.Status == "in_progress" {
		return 0
	}
	return 1
}

// lastCalls appends the model's last calls.
func (d *digest) lastCalls(size int) {
	steps := d.summary.Steps
	shown, each := budgetShare(len(steps), size, 40, longWhat)
	for _, st := range steps[len(steps)-shown:] {
		text := st.Tool
		if st.What != "" {
			text += " `" + clean.Cut(st.What, each) + "`"
		}
		switch {
		case st.Error:
			text += ": failed"
		case !st.Done && d.summary.Results > 0:
			text += ": no result yet"
		}
		d.line(text, st.Seq)
	}
	d.omitted(len(steps)-shown, "steps", "tail -n 100 transcript.md")
}
