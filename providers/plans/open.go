package plans

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
)

// openTask is a task that is still to be done.
type openTask struct {
	facts.Task
	entry *entry
	time  time.Time
}

// openTasks returns the open tasks of some lists, the newest first. A task in several
// lists is one, of the newest of them. It is not open if another list, written after the
// last time that this one was, has it as done: the same words up to case, punctuation and
// numbering. That is not said of few words, which mean another task each time, nor where a
// time is not known. No task of a plan is open that was not accepted, nor a box of one that
// is superseded.
func openTasks(entries []*entry) (open []openTask) {
	type done struct {
		at    time.Time
		entry *entry
	}
	keys := make(map[string]string) // by text
	keyOf := func(text string) string {
		key, ok := keys[text]
		if !ok {
			key = keyOf(text)
			keys[text] = key
		}
		return key
	}
	last := make(map[string]done)
	for _, e := range entries {
		for _, t := range e.plan.Tasks {
			at := cmp.Or(t.Time, e.plan.Time)
			if key := keyOf(t.Text); t.State == facts.TaskDone && key != "" && at.After(last[key].at) {
				last[key] = done{at, e}
			}
		}
	}
	for _, e := range entries {
		if e.plan.Kind == facts.Proposal && (e.plan.State != facts.PlanOpen && e.plan.State != facts.PlanAccepted || e.loose && superseded(e, entries)) {
			continue
		}
		for _, t := range e.plan.Tasks {
			if !t.IsOpen() {
				continue
			}
			written := wording.Later(e.plan.Time, t.Time)
			if d := last[keyOf(t.Text)]; d.entry != nil && d.entry != e && !written.IsZero() && d.at.After(written) {
				continue
			}
			at := cmp.Or(t.Time, e.time)
			open = append(open, openTask{t, e, at})
		}
	}
	slices.SortStableFunc(open, func(a, b openTask) int {
		return cmp.Or(b.entry.time.Compare(a.entry.time), b.time.Compare(a.time))
	})
	seen := make(map[string]*entry)
	return slices.DeleteFunc(open, func(t openTask) bool {
		key := cmp.Or(keyOf(t.Text), strings.ToLower(t.Text))
		if e, ok := seen[key]; ok {
			return e != t.entry
		}
		seen[key] = t.entry
		return false
	})
}

// superseded reports whether a plan was written before another one that was accepted, in
// the same session or of the same agent in the same project, or before its session has
// done all that is on its list.
func superseded(e *entry, entries []*entry) bool {
	return slices.ContainsFunc(entries, func(o *entry) bool {
		if o == e || o.agent != e.agent || !o.time.After(e.time) {
			return false
		}
		same := e.session != "" && o.session == e.session
		if o.plan.Kind == facts.Proposal {
			return o.plan.State == facts.PlanAccepted && (same || e.project.root != "")
		}
		return same && o.plan.State == facts.PlanDone
	})
}

const (
	// A key has at least so many words and letters.
	leastWords   = 2
	leastLetters = 8
)

// keyOf returns the words of a task, which are equal for the same task in other lists; ""
// if they are too few to tell.
func keyOf(text string) string {
	text = strings.ToLower(text)
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	words = words[numbering(text, words):]
	letters := 0
	wide := false
	for _, w := range words {
		for _, r := range w {
			letters++
			wide = wide || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
		}
	}
	if !wide && (len(words) < leastWords || letters < leastLetters) || wide && letters < leastLetters/2 {
		return ""
	}
	return strings.Join(words, " ")
}

// numbering returns how many words at the beginning of a text number it: "2.1) ", "#3 ",
// "Step 4: ".
func numbering(text string, words []string) int {
	n := 0
	if len(words) > 1 && slices.Contains([]string{"step", "task", "phase"}, words[0]) {
		n = 1
	}
	numbers := 0
	for n+numbers < len(words) && strings.Trim(words[n+numbers], "0123456789") == "" {
		numbers++
	}
	if numbers == 0 {
		return 0
	}
	rest := strings.TrimLeft(text, " \t")
	if n == 1 {
		rest = strings.TrimLeft(strings.TrimPrefix(rest, words[0]), " ")
	}
	hash := strings.HasPrefix(rest, "#")
	rest = strings.TrimLeft(rest, "#([")
	mark := strings.TrimLeft(rest, "0123456789")
	if n == 0 && !hash && (mark == "" || !strings.ContainsRune(".):]", rune(mark[0]))) {
		return 0 // "3 tests fail" is not numbered
	}
	return n + numbers
}
