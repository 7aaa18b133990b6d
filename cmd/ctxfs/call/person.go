package call

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
)

// Person is somebody at a terminal who can be asked. One question is asked at a time.
type Person struct {
	in      *os.File
	lines   *bufio.Reader
	out     io.Writer
	pending chan typed // the line that is being read, nil if none is
}

// typed is a line as it was typed, or the end of the input.
type typed struct {
	text string
	err  error
}

// AtTerminal returns the person at a terminal; nil if in or out is none, so that
// nobody can be asked.
func AtTerminal(in io.Reader, out io.Writer) *Person {
	if !console.IsTerminal(in) || !console.IsTerminal(out) {
		return nil
	}
	keyboard := in.(*os.File)
	return &Person{in: keyboard, lines: bufio.NewReader(keyboard), out: out}
}

// errDeclined is the end of the input, with which a person declines.
var errDeclined = errors.New("declined")

// line reads a line. If ctx ends first, the line that is then typed is that of the
// next call.
func (p *Person) line(ctx context.Context) (string, error) {
	if p.pending == nil {
		read := make(chan typed, 1)
		p.pending = read
		go func() {
			text, err := p.lines.ReadString('\n')
			read <- typed{strings.TrimSpace(text), err}
		}()
	}
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case t := <-p.pending:
		p.pending = nil
		if t.err != nil && t.text == "" {
			fmt.Fprintln(p.out) // Ctrl-D moves no cursor
			return "", errDeclined
		}
		return t.text, nil
	}
}

func (p *Person) sayf(format string, args ...any) { fmt.Fprintf(p.out, format, args...) }

// Ask asks a question until send has taken the answer, before which it gets each value
// of a form as a draft. It returns nil then, the error of ctx if that ends first, and
// any error of send but that an answer does not fit, about which it asks again.
func (p *Person) Ask(ctx context.Context, q Question, send func(Answer) error) error {
	p.introduce(q)
	given := make(map[string]json.RawMessage)
	ask := q.Fields
	for {
		a, err := p.answer(ctx, q, ask, given, send)
		if err != nil {
			return err
		}
		err = send(a)
		if err == nil || a.Action != Accept || q.Kind != AskForm {
			return err
		}
		why, ok := misfit(err)
		if !ok {
			return err
		}
		p.sayf("%s\n", why)
		ask = concerned(q.Fields, why)
	}
}

// misfit returns in a line why an answer does not fit, if that is what err says.
func misfit(err error) (why string, ok bool) {
	fault := (*control.Fault)(nil)
	if !errors.As(err, &fault) || fault.Missing {
		return "", false
	}
	why, _, _ = strings.Cut(fault.Message, "\n")
	return why, true
}

// introduce says who asks what.
func (p *Person) introduce(q Question) {
	if q.Opened { // it was introduced before
		return
	}
	what := "asks you"
	if q.Kind == AskSampling {
		what = "wants a language model to answer"
	}
	p.sayf("\n%s %s, for its tool %s (question %s, until %s):\n\n%s\n\n", q.Server, what, q.Tool, q.ID, wording.Time(q.Until), indent(q.Message))
	if q.Warning != "" {
		p.sayf("Careful: %s.\n", q.Warning)
	}
	switch {
	case q.Kind == AskURL:
		p.sayf("  host:    %s\n  address: %s\n\n", q.Host, q.URL)
	case len(q.Fields) > 0:
		p.sayf("Enter leaves a field as it is; Ctrl-D declines, Ctrl-C cancels the call.\n")
	}
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")
}

// answer gets one answer to a question. Given are the values so far, which it adds to;
// send checks them.
func (p *Person) answer(ctx context.Context, q Question, fields []Field, given map[string]json.RawMessage, send func(Answer) error) (Answer, error) {
	accepted := Answer{ID: q.ID, Action: Accept}
	var err error
	switch {
	case q.Kind == AskForm && len(q.Fields) > 0:
		for _, f := range fields {
			fits := func(value json.RawMessage) error {
				content, err := contentOf([]Field{f}, map[string]json.RawMessage{f.Name: value})
				if err != nil {
					return err
				}
				return send(Answer{ID: q.ID, Action: Accept, Content: content, Draft: true})
			}
			if err = p.field(ctx, f, given, fits); err != nil {
				break
			}
		}
		if err == nil {
			accepted.Content, err = contentOf(q.Fields, given)
		}
	case q.Kind == AskURL && q.Opened:
		p.sayf("Waiting until %s says that it is done; if it does not, press Enter when you are done. ", q.Server)
		_, err = p.line(ctx)
	case q.Kind == AskURL:
		err = p.agree(ctx, "Open this address in a browser, then press Enter; d and Enter declines: ", "", "d")
	case q.Kind == AskSampling:
		err = p.agree(ctx, "Let your command answer this? y or n: ", "y", "n")
	default:
		err = p.agree(ctx, "Agree? y or n: ", "y", "n")
	}
	if errors.Is(err, errDeclined) {
		return Answer{ID: q.ID, Action: Decline}, nil
	}
	return accepted, err
}

// agree asks until the person types yes or no; no is errDeclined.
func (p *Person) agree(ctx context.Context, prompt, yes, no string) error {
	for {
		p.sayf("%s", prompt)
		text, err := p.line(ctx)
		switch text = strings.ToLower(text); {
		case err != nil:
			return err
		case text == yes || yes != "" && text == "yes":
			return nil
		case text == no || text == "no" || text == "decline":
			return errDeclined
		}
	}
}

// field asks for the value of a field until it fits. A field that is left as it is
// gets no value.
func (p *Person) field(ctx context.Context, f Field, given map[string]json.RawMessage, fits func(json.RawMessage) error) error {
	p.sayf("\n%s\n", f.heading())
	for i, c := range f.Choices {
		p.sayf("  %*d  %s\n", len(fmt.Sprint(len(f.Choices))), i+1, c.shown())
	}
	standing := given[f.Name]
	if standing == nil {
		standing = f.Default
	}
	for {
		p.sayf("%s", f.prompt(standing))
		text, err := p.secretly(ctx, f.Secret)
		if err != nil {
			return err
		}
		if text == "" {
			if standing == nil && f.Required {
				p.sayf("  a value is required; Ctrl-D declines\n")
				continue
			}
			return nil
		}
		value, err := f.parse(text)
		if err != nil {
			p.sayf("  %v\n", err)
			continue
		}
		err = fits(value)
		why, ok := misfit(err)
		if !ok {
			given[f.Name] = value
			return err
		}
		if f.Secret {
			why, _, _ = strings.Cut(why, ", not ") // the value follows
		}
		p.sayf("  %s\n", why)
	}
}

// secretly reads a line, without showing it if it is a secret.
func (p *Person) secretly(ctx context.Context, secret bool) (string, error) {
	if !secret {
		return p.line(ctx)
	}
	show, err := hideInput(p.in)
	if err != nil {
		return "", fmt.Errorf("the terminal would show a secret: %w", err)
	}
	defer func() {
		show()
		fmt.Fprintln(p.out)
	}()
	return p.line(ctx)
}
