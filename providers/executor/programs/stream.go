package programs

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"ctxfs/providers/executor/request"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/excerpt"
)

// stream reads the events that an agent prints, each a JSON object on a line. An event that
// it does not know means nothing.
type stream interface {
	// event takes one event into out, and returns what of it is shown in the terminal.
	event(line []byte, out *Output) (shown string)
	// end completes out when the agent has ended.
	end(o Options, out *Output)
}

// maxEvent is how long an event may be, in bytes. A longer one, such as a tool's result, is
// passed over.
const maxEvent = 32 << 20

// readStream reads events to the end. What is no event, such as an older version's complaint
// about an unknown flag, is shown as it is, and is the answer if there is no other.
func readStream(stdout io.Reader, s stream, o Options, live Live, out *Output) error {
	lines := bufio.NewReaderSize(stdout, 64<<10)
	other := excerpt.NewWriter(MaxText)
	told := false
	for {
		line, err := readLine(lines)
		switch {
		case len(line) == 0:
		case line[0] != '{' || !json.Valid(line):
			_, _ = other.Write(append(line, '\n'))
			live.Show(string(line))
		default:
			if shown := s.event(line, out); shown != "" {
				live.Show(shown)
			}
			if out.Session != "" && !told {
				told = true
				live.Session(out.Session)
			}
		}
		if err != nil {
			s.end(o, out)
			if strings.TrimSpace(out.Text) == "" {
				out.Text = string(other.Excerpt(""))
			}
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
	}
}

// readLine returns the next line, without its end; an empty one for one that is too long.
func readLine(r *bufio.Reader) (line []byte, err error) {
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxEvent; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), err
		}
	}
}

// parse reads an event; what of it has another form is left empty.
func parse[T any](line []byte) (e T) {
	_ = json.Unmarshal(line, &e)
	return e
}

// answer is the text that an agent has written since it last acted: in the end, its answer.
type answer struct {
	now    strings.Builder
	before string
	error  string // the last one, after which it may have tried again
}

// says adds text, or a piece of it.
func (a *answer) says(text string) {
	if a.now.Len() < 2*MaxText {
		a.now.WriteString(text)
	}
}

// acts ends what it has said so far: it calls a tool, or says something else.
func (a *answer) acts() {
	if a.now.Len() > 0 {
		a.before = a.now.String()
		a.now.Reset()
	}
}

func (a *answer) String() string {
	if strings.TrimSpace(a.now.String()) != "" {
		return a.now.String()
	}
	return a.before
}

// end is that of a [stream] whose events have no answer of their own.
func (a *answer) end(_ Options, out *Output) {
	if out.Text = a.String(); out.Text == "" {
		out.failed(a.error)
	}
}

// shownText returns an agent's text as it is shown.
func shownText(text string) string { return strings.TrimRight(clean.Text(text), "\n") }

// maxCall is how much of a call is shown, in bytes.
const maxCall = 200

// shownCall returns the call of a tool as it is shown, with its most telling argument.
func shownCall(tool string, arguments json.RawMessage) string {
	what := ""
	given := parse[map[string]json.RawMessage](arguments)
	for _, name := range []string{"command", "cmd", "file_path", "filePath", "path", "absolute_path", "pattern", "query", "url", "description", "prompt"} {
		if what = wordsOf(given[name]); what != "" {
			break
		}
	}
	return clean.Cut(clean.Line(strings.TrimSpace("* "+tool+" "+what)), maxCall)
}

// wordsOf returns a string, or a list of them, on a line.
func wordsOf(value json.RawMessage) string {
	if text := parse[string](value); text != "" {
		return text
	}
	return strings.Join(parse[[]string](value), " ")
}

// adds adds tokens to those that were used.
func (out *Output) adds(u request.Usage) {
	if u == (request.Usage{}) {
		return
	}
	if out.Usage == nil {
		out.Usage = new(request.Usage)
	}
	sum := out.Usage
	sum.InputTokens += u.InputTokens
	sum.CacheReadTokens += u.CacheReadTokens
	sum.CacheWriteTokens += u.CacheWriteTokens
	sum.OutputTokens += u.OutputTokens
	sum.CostUSD += u.CostUSD
}

// failed notes why an agent says that it failed, the first reason only.
func (out *Output) failed(why string) {
	out.Failed = cmp.Or(out.Failed, clean.Cut(clean.Line(why), 1<<10))
}
