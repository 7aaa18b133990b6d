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
	"ctxfs/fs/form"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
)

// Person is a user at a terminal who can be asked. One question is asked at a time.
type Person struct {
	in      *os.File
	lines   *bufio.Reader
	out     io.Writer
	pending chan typed // the line that is being read, or nil
}

// typed is a line as it was typed, or the end of the input.
type typed struct {
	text string
	err  error
}

// AtTerminal returns the person at a terminal, or nil if in or out is not one.
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
func (p *Person) Ask(ctx context.Context, q form.Question, send func(form.Answer) error) error {
	p.introduce(q)
	values := make(map[string]json.RawMessage)
	for fields := q.Fields; ; {
		a := form.Answer{ID: q.ID, Action: form.Accept}
		err := p.agrees(ctx, q, fields, values, send)
		switch {
		case errors.Is(err, errDeclined):
			a.Action = form.Decline
		case err != nil:
			return err
		case len(q.Fields) > 0:
			a.Content = form.Content(q.Fields, values)
		}
		err = send(a)
		why := misfit(err)
		if why == "" || a.Action != form.Accept || q.Kind != form.AskForm {
			return err
		}
		p.sayf("%s\n", why)
		fields = form.Named(q.Fields, why)
	}
}

// misfit returns in a line why an answer does not fit, or "" if that is not what err says.
func misfit(err error) string {
	fault := (*control.Fault)(nil)
	if !errors.As(err, &fault) || fault.Missing {
		return ""
	}
	why, _, _ := strings.Cut(fault.Message, "\n")
	return why
}

// introduce says which server asks what.
func (p *Person) introduce(q form.Question) {
	if q.Opened { // it was introduced before
		return
	}
	what := "asks you"
	if q.Kind == form.AskSampling {
		what = "wants a language model to answer"
	}
	message := "  " + strings.ReplaceAll(strings.TrimSpace(q.Message), "\n", "\n  ")
	p.sayf("\n%s %s, for its tool %s (question %s, until %s):\n\n%s\n\n", q.Server, what, q.Tool, q.ID, wording.Time(q.Until), message)
	if q.Warning != "" {
		p.sayf("Careful: %s.\n", q.Warning)
	}
	switch {
	case q.Kind == form.AskURL:
		p.sayf("  host:    %s\n  address: %s\n\n", q.Host, q.URL)
	case len(q.Fields) > 0:
		p.sayf("Enter leaves a field as it is; Ctrl-D declines, Ctrl-C cancels the call.\n")
	}
}

// agrees asks once; nil is that the person accepts, errDeclined that they do not. What is
// typed for fields it adds to values, after send has checked it.
func (p *Person) agrees(ctx context.Context, q form.Question, fields []form.Field, values map[string]json.RawMessage, send func(form.Answer) error) error {
	prompt, yes, no := "Agree? y or n: ", "y", "n"
	switch {
	case len(q.Fields) > 0:
		for _, f := range fields {
			fits := func(value json.RawMessage) error {
				content := form.Content(fields, map[string]json.RawMessage{f.Name: value})
				return send(form.Answer{ID: q.ID, Action: form.Accept, Content: content, Draft: true})
			}
			if err := p.field(ctx, f, values, fits); err != nil {
				return err
			}
		}
		return nil
	case q.Kind == form.AskURL && q.Opened:
		p.sayf("Waiting until %s says that it is done; if it does not, press Enter when you are done. ", q.Server)
		_, err := p.line(ctx)
		return err
	case q.Kind == form.AskURL:
		prompt, yes, no = "Open this address in a browser, then press Enter; d and Enter declines: ", "", "d"
	case q.Kind == form.AskSampling:
		prompt = "Let your command answer this? y or n: "
	}
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
func (p *Person) field(ctx context.Context, f form.Field, values map[string]json.RawMessage, fits func(json.RawMessage) error) error {
	p.sayf("\n%s\n", heading(f))
	standing := values[f.Name]
	if standing == nil {
		standing = f.Default
	}
	for {
		text, err := p.ask(ctx, prompt(f, standing), f.Secret)
		switch {
		case err != nil:
			return err
		case text == "" && standing == nil && f.Required:
			p.sayf("  a value is required; Ctrl-D declines\n")
			continue
		case text == "":
			return nil
		}
		value, err := f.Parse(text)
		if err != nil {
			p.sayf("  %v\n", err)
			continue
		}
		err = fits(value)
		why := misfit(err)
		if why == "" {
			values[f.Name] = value
			return err
		}
		if f.Secret {
			why, _, _ = strings.Cut(why, ", not ") // the value follows
		}
		p.sayf("  %s\n", why)
	}
}

// ask prints a prompt and reads a line. A secret is not shown, however soon after the prompt
// it is typed.
func (p *Person) ask(ctx context.Context, prompt string, secret bool) (string, error) {
	if secret {
		show, err := hideInput(p.in)
		if err != nil {
			return "", fmt.Errorf("the terminal would show a secret: %w", err)
		}
		defer func() {
			show()
			fmt.Fprintln(p.out)
		}()
	}
	p.sayf("%s", prompt)
	return p.line(ctx)
}
