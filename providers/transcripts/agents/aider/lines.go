package aider

import (
	"strings"
	"time"

	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// reader makes events of the lines of a run. Lines that a person typed begin with
// "#### ", those of the program with "> ". Aider ends both with two spaces,
// unlike headings and quotations of the model.
type reader struct {
	out event.Sink
	// start is when the run began: the only time there is.
	start time.Time
	kind  event.Kind
	lines []string
}

func (r *reader) line(line string) {
	if strings.HasPrefix(line, runHead) {
		r.out.Emit(event.Event{Kind: event.System, Time: r.start, Text: line, Quiet: true})
		return
	}
	kind := event.Assistant
	if typed, ok := typedText(line); ok {
		kind, line = event.User, typed
	} else if said, ok := r.programText(line); ok {
		kind, line = event.System, said
	}
	if kind != r.kind {
		r.flush()
		r.kind = kind
	}
	r.lines = append(r.lines, line)
}

// typedText returns what a person typed in a line; ok is false for other lines.
func typedText(line string) (string, bool) {
	rest, ok := strings.CutPrefix(line, "#### ")
	if !ok || !strings.HasSuffix(line, "  ") && !strings.HasPrefix(rest, "/") {
		return "", false
	}
	return strings.TrimSuffix(rest, "  "), true
}

// programText returns what the program said in a line; ok is false for other
// lines.
func (r *reader) programText(line string) (string, bool) {
	rest, ok := strings.CutPrefix(line, ">")
	if !ok || rest != "" && rest[0] != ' ' {
		return "", false
	}
	within := r.kind == event.Assistant && len(r.lines) > 0 && r.lines[len(r.lines)-1] != ""
	if within && !strings.HasSuffix(line, "  ") {
		return "", false // a quotation
	}
	return strings.TrimRight(strings.TrimPrefix(rest, " "), " "), true
}

// flush emits the consecutive lines of one kind.
func (r *reader) flush() {
	lines := r.lines
	r.lines = nil
	if r.kind == event.System {
		r.emitProgram(lines)
		return
	}
	text := strings.Trim(strings.Join(lines, "\n"), "\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	s := r.out.Session()
	e := event.Event{Kind: r.kind, Text: text}
	if r.kind == event.Assistant {
		e.Model = s.Model
	} else {
		s.Name(event.FromPrompt, records.Prompt(text))
	}
	r.out.Emit(e)
}

// emitProgram emits what the program said, with counts of tokens as events of
// their own.
func (r *reader) emitProgram(lines []string) {
	var said []string
	tell := func() {
		if text := strings.Trim(strings.Join(said, "\n"), "\n"); strings.TrimSpace(text) != "" {
			r.out.Emit(event.Event{Kind: event.System, Text: text})
		}
		said = nil
	}
	s := r.out.Session()
	for _, line := range lines {
		if strings.HasPrefix(line, "Tokens: ") || strings.HasPrefix(line, "Cost: ") {
			tell()
			r.out.Emit(event.Event{Kind: event.System, Text: line, Quiet: true})
			continue
		}
		if version, ok := strings.CutPrefix(line, "Aider v"); ok && s.Program == "" {
			s.Program = version
		}
		for _, head := range []string{"Model: ", "Models: ", "Main model: "} {
			if rest, ok := strings.CutPrefix(line, head); ok {
				s.Model, _, _ = strings.Cut(rest, " with ")
			}
		}
		said = append(said, line)
	}
	tell()
}
