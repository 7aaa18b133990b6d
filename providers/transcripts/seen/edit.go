package seen

import (
	"strings"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/toolcall"
)

// edit replaces a piece of a file.
type edit struct {
	old, new string
	all      bool // every occurrence
	hunk     bool // of a patch, where no old text does not stand for a new file
}

// written records that the session has written a file.
func (t *Tracker) written(f *file, o *open) {
	edits, known := editsOf(o.call)
	for _, r := range o.recorded {
		t.set(f, []facts.ReadPart{{Line: 1, Text: r.Text}}, r.Whole)
		if !r.Before {
			return // as it is now
		}
	}
	content, whole := contentOf(o.call)
	switch {
	case strings.HasPrefix(toolcall.Plain(o.call.Tool), "delete"):
		t.set(f, nil, false)
		f.Gone = true
	case whole:
		t.set(f, []facts.ReadPart{{Line: 1, Text: content}}, true)
	case !known:
		t.set(f, nil, false)
	default:
		for _, e := range edits {
			t.edit(f, e)
		}
	}
}

// contentOf returns the whole text that a call writes into a file.
func contentOf(call *toolcall.Call) (text string, ok bool) {
	switch toolcall.Plain(call.Tool) {
	case "write", "writefile", "writetofile", "createfile", "create", "newfile", "fswrite", "copilotcreatefile", "strreplaceeditor", "strreplacebasededittool", "strreplacebasededit", "texteditor":
	default:
		return "", false
	}
	if command := call.Input.Get("command"); command.Exists() && command.Str != "create" && command.Str != "write" {
		return "", false
	}
	for _, name := range []string{"content", "contents", "file_text", "text"} {
		if v := call.Input.Get(name); v.Type == lazyjson.String {
			return v.Str, true
		}
	}
	return "", false
}

// editsOf returns the edits of a call; known is false if it is not known what it does.
func editsOf(call *toolcall.Call) (edits []edit, known bool) {
	if diff := call.Input.Get("diff"); diff.Type == lazyjson.String {
		edits = searchReplace(diff.Str)
		return edits, len(edits) > 0
	}
	if e, ok := editIn(call.Input); ok {
		return []edit{e}, true
	}
	for _, name := range []string{"edits", "replacements"} {
		for _, v := range lazyjson.All(call.Input.Get(name)) {
			var e edit
			e, known = editIn(v)
			edits = append(edits, e)
			if !known {
				break
			}
		}
	}
	return edits, known
}

// editIn returns the edit that some arguments describe.
func editIn(v lazyjson.Value) (e edit, ok bool) {
	var from, to bool
	for key, v := range lazyjson.All(v) {
		switch toolcall.Plain(key.Str) {
		case "oldstring", "oldstr", "oldtext", "search":
			e.old, from = v.String(), v.Type == lazyjson.String
		case "newstring", "newstr", "newtext", "replace":
			e.new, to = v.String(), v.Type == lazyjson.String
		case "replaceall", "allowmultiple":
			e.all = v.Bool()
		case "expectedreplacements":
			e.all = e.all || v.Int() > 1
		}
	}
	return e, from && to
}

// searchReplace reads the blocks of Cline and Roo Code: "<<<<<<< SEARCH", the old lines,
// "=======", the new ones, ">>>>>>> REPLACE".
func searchReplace(diff string) (edits []edit) {
	for diff != "" {
		_, rest, ok := strings.Cut(diff, "SEARCH")
		if !ok {
			return edits
		}
		_, rest, _ = strings.Cut(rest, "\n")
		old, rest, ok1 := cutLine(rest, "=======")
		replaced, rest, ok2 := cutLine(rest, ">>>>>>> REPLACE", "+++++++ REPLACE")
		if !ok1 || !ok2 {
			return nil
		}
		if head, text, ok := strings.Cut(old, "-------\n"); ok && strings.HasPrefix(head, ":start_line:") {
			old = text
		}
		edits = append(edits, edit{old: old, new: replaced})
		diff = rest
	}
	return edits
}

// cutLine cuts a text around the first line that is one of some.
func cutLine(text string, some ...string) (before, after string, found bool) {
	at := 0
	for line := range strings.Lines(text) {
		for _, one := range some {
			if strings.TrimSpace(line) == one {
				return text[:at], text[at+len(line):], true
			}
		}
		at += len(line)
	}
	return text, "", false
}

// edit repeats an edit on what is known of a file. Where it is not known where the edit
// was made, what is known of the file is what was put there.
func (t *Tracker) edit(f *file, e edit) {
	e.old, e.new = strings.ReplaceAll(e.old, "\r\n", "\n"), strings.ReplaceAll(e.new, "\r\n", "\n")
	switch {
	case e.hunk:
	case e.old == "" && !f.Whole: // a new file
		t.set(f, []facts.ReadPart{{Line: 1, Text: e.new}}, len(f.Parts) == 0)
		return
	case e.old == "" && f.Whole && f.Parts[0].Text == "":
		t.set(f, []facts.ReadPart{{Line: 1, Text: e.new}}, true)
		return
	}
	var parts []facts.ReadPart
	found := false
	shift, from := 0, 0 // by how many lines what follows has moved, and after which line
	for _, p := range f.Parts {
		if shift != 0 && p.Line > from {
			p.Line += shift
		}
		if e.old == "" || !strings.Contains(p.Text, e.old) {
			if f.Whole || touches(p.Text, e.old) {
				continue // it may have been edited, too
			}
			parts = append(parts, p)
			continue
		}
		found = true
		n := 1
		if e.all {
			n = -1
		}
		before := strings.Count(p.Text, "\n")
		p.Text = strings.Replace(p.Text, e.old, e.new, n)
		if p.Line > 0 {
			shift, from = shift+strings.Count(p.Text, "\n")-before, p.Line
		}
		parts = append(parts, p)
	}
	if !found {
		whole := e.new
		if !e.hunk {
			whole = wholeLines(e.new)
		}
		if whole != "" {
			parts = append(parts, facts.ReadPart{Text: whole})
		}
		for i := range parts {
			parts[i].Line = 0
		}
	}
	t.set(f, parts, f.Whole && found)
}

// touches reports whether a text has one of the lines that an edit replaces: the edit may
// begin or end in it.
func touches(text, old string) bool {
	for line := range strings.Lines(old) {
		if strings.TrimSpace(line) != "" && strings.Contains(text, line) {
			return true
		}
	}
	return false
}

// wholeLines returns the lines of a text without the first and the last, which may be
// partial.
func wholeLines(text string) string {
	_, text, ok := strings.Cut(text, "\n")
	if !ok {
		return ""
	}
	return text[:strings.LastIndexByte(text, '\n')+1]
}

// patch repeats a patch in the form of apply_patch. Source: Codex, apply_patch's
// instructions.
func (t *Tracker) patch(patch string, at time.Time) {
	verb, name := "", ""
	var body []string
	finish := func() {
		if verb == "" {
			return
		}
		f := t.file(name, at)
		switch verb {
		case "Add File":
			var b strings.Builder
			for _, line := range body {
				b.WriteString(strings.TrimPrefix(line, "+"))
			}
			t.set(f, []facts.ReadPart{{Line: 1, Text: b.String()}}, true)
		case "Delete File":
			t.set(f, nil, false)
			f.Gone = true
		case "Update File":
			for _, e := range hunks(body) {
				e.hunk = true
				t.edit(f, e)
			}
		}
		body = nil
	}
	for line := range strings.Lines(patch) {
		is, path := toolcall.PatchVerb(line)
		if strings.TrimSpace(line) == "*** End Patch" {
			break // what follows is of the shell
		}
		switch {
		case is == "Move to" && verb == "Update File":
			finish()
			from, to := t.file(name, at), t.file(path, at)
			t.set(to, from.Parts, from.Whole)
			t.set(from, nil, false)
			from.Gone = true
			name = path
		case is != "":
			finish()
			verb, name = is, path
		case strings.HasPrefix(line, "*** "): // "End of File"
		case verb != "":
			body = append(body, line)
		}
	}
	finish()
}

// hunks returns the edits of an update.
func hunks(body []string) (edits []edit) {
	var e edit
	finish := func() {
		if e.old != e.new {
			edits = append(edits, e)
		}
		e = edit{}
	}
	for _, line := range body {
		switch {
		case strings.HasPrefix(line, "@@"):
			finish()
		case strings.HasPrefix(line, "-"):
			e.old += line[1:]
		case strings.HasPrefix(line, "+"):
			e.new += line[1:]
		default:
			line = strings.TrimPrefix(line, " ")
			e.old, e.new = e.old+line, e.new+line
		}
	}
	finish()
	return edits
}
