package questions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs/form"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/wire"
)

// AskerOptions describe a call in whose course its server may ask.
type AskerOptions struct {
	// Owner is whose questions they are: a server, as it is compared.
	Owner        any
	Server, Tool string
	// Limit is how long a question waits.
	Limit time.Duration
	// Clean removes secrets of the configuration from a text.
	Clean func(string) string
	// Told is called when a question of the call has opened, changed or closed. It
	// must not block. It may be nil.
	Told func(q Question, open bool)
	// Waiting is called with true when the call starts to wait for an answer, and
	// with false when it no longer does. It may be nil.
	Waiting func(bool)
	// Sample answers in place of a language model, when a person has agreed; nil
	// declines all such questions.
	Sample func(ctx context.Context, request json.RawMessage) (json.RawMessage, error)
	// Samples reports that the content of an answer may stand for that of a language
	// model, whatever Sample is.
	Samples bool
}

// Asker is a call in whose course its server may ask. It is safe for concurrent
// use.
type Asker struct {
	store *Store
	opts  AskerOptions

	mu      sync.Mutex
	task    string
	asked   int
	waiting int
	values  []value // of answers
	notes   []string
}

// NewAsker returns a call that may be asked. Close ends it.
func (s *Store) NewAsker(o AskerOptions) *Asker {
	if o.Told == nil {
		o.Told = func(Question, bool) {}
	}
	if o.Waiting == nil {
		o.Waiting = func(bool) {}
	}
	return &Asker{store: s, opts: o}
}

// wait counts the questions that wait for an answer.
func (a *Asker) wait(n int) {
	a.mu.Lock()
	defer a.mu.Unlock() // the calls of Waiting are in order
	was := a.waiting > 0
	a.waiting += n
	if is := a.waiting > 0; is != was {
		a.opts.Waiting(is)
	}
}

// Ask opens a question of the server and waits for its answer. The answer is
// [form.Cancel] if none arrives within the question's time, and [form.Decline] to a
// question for a language model that is not configured. Errors are for the server:
// that the question cannot be asked; and those of ctx.
func (a *Asker) Ask(ctx context.Context, q wire.Question) (form.Answer, error) {
	if q.Kind == form.AskSampling && a.opts.Sample == nil && !a.opts.Samples {
		a.note("the server wanted the answer of a language model, which was declined: no command answers; to name one: [mcp] sampler = [\"PROGRAM\", …] in config.toml")
		return form.Answer{Action: form.Decline}, nil
	}
	open := &openQuestion{Question: a.describe(q), asker: a, done: q.Done, answer: make(chan form.Answer, 2)}
	shown, err := a.open(open, q)
	if err != nil {
		a.note("the server asked something that could not be asked here: " + err.Error())
		return form.Answer{}, err
	}
	a.wait(1)
	a.store.opts.Changed(a.opts.Owner)
	a.opts.Told(shown, true)
	answer, err := a.store.wait(ctx, open)
	if errors.Is(err, errWithdrawn) && open.ending { // which the caller is told, and the server is not
		<-ctx.Done()
		err = ctx.Err()
	}
	accepted := err == nil && answer.Action == form.Accept
	switch {
	case accepted && open.Kind == form.AskURL && q.Done != nil && q.Again:
		answer, err = a.store.wait(ctx, open)
	case accepted && open.Kind == form.AskURL && q.Done != nil:
		go a.awaitDone(open)
		return answer, nil
	case accepted && open.Kind == form.AskSampling && answer.Content == nil && a.opts.Sample == nil:
		a.note("the server wanted the answer of a language model, but no command is configured")
		answer.Action = form.Decline
	case accepted && open.Kind == form.AskSampling && answer.Content == nil:
		if answer.Content, err = a.opts.Sample(ctx, q.Request); err != nil {
			a.note("the server wanted the answer of a language model, but none came: " + clean.Line(err.Error()))
			err = errors.New("there is no answer: the command that answers has failed")
		}
	}
	if errors.Is(err, errUnanswered) {
		a.note(fmt.Sprintf("the server asked something that was not answered within %s (%s): %s", wording.Seconds(a.opts.Limit), shown.ID, shortened(shown.Message)))
		answer, err = form.Answer{Action: form.Cancel}, nil
	}
	a.wait(-1)
	return answer, err
}

// awaitDone waits until the user is done at an address, or the call ends.
func (a *Asker) awaitDone(q *openQuestion) {
	defer a.wait(-1)
	if _, err := a.store.wait(context.Background(), q); errors.Is(err, errUnanswered) {
		a.note(fmt.Sprintf("the server has not said within %s that what was to be done at %s is done (%s)", wording.Seconds(a.opts.Limit), q.Host, q.ID))
	}
}

// open judges a question and adds it to the store.
func (a *Asker) open(q *openQuestion, as wire.Question) (Question, error) {
	a.mu.Lock()
	a.asked++
	asked, task := a.asked, a.task
	a.mu.Unlock()
	if asked > maxInCall {
		return Question{}, fmt.Errorf("the call has been asked %s already", wording.Count(maxInCall, "questions"))
	}
	if err := q.judge(as); err != nil {
		return Question{}, err
	}
	if as.Uncertain {
		q.Warning = strings.TrimPrefix(q.Warning+"; several calls of this server are under way, and it has not said which of them it asks for", "; ")
	}
	q.setTask(task)
	return a.store.add(a, q, a.opts.Limit)
}

// judge returns why a question cannot be asked, or nil.
func (q *Question) judge(as wire.Question) error {
	switch q.Kind {
	case form.AskForm:
		if err := checkForm(as.Schema); err != nil {
			return err
		}
		if q.Schema == nil {
			return errors.New("the schema of the form cannot be shown: it has secrets as its keys")
		}
		q.Secrets = secretFields(q.Message, q.FieldList())
		q.Warning = secretWarning(q.Secrets)
	case form.AskURL:
		return q.address(as.URL)
	case form.AskSampling:
		if len(as.Request) > maxPrompt || !json.Valid(as.Request) {
			return fmt.Errorf("the prompt is no JSON of at most %s", wording.Size(maxPrompt))
		}
	default:
		return fmt.Errorf("a question of the kind %q is not known", clean.Cut(clean.Line(q.Kind), 40))
	}
	return nil
}

// maxMessage is the length of the longest message in bytes.
const maxMessage = 8 << 10

// shortened returns a message as one short line.
func shortened(message string) string { return clean.Cut(clean.Line(message), 300) }

// describe returns a question as it is shown.
func (a *Asker) describe(q wire.Question) Question {
	is := Question{form.Question{Server: a.opts.Server, Tool: a.opts.Tool, Kind: q.Kind, Message: q.Message}}
	switch q.Kind {
	case form.AskForm:
		is.Schema = a.shown(q.Schema)
	case form.AskURL:
		is.Again = q.Again
	case form.AskSampling:
		is.Request = a.shown(q.Request)
		is.Message = promptText(q.Request)
	}
	is.Message = clean.Cut(clean.Text(a.hidden(a.opts.Clean(clean.Prefix(is.Message, 2*maxMessage)))), maxMessage)
	return is
}

// shown returns JSON of the server as it may be shown, or nil if it is no JSON
// without the secrets in it.
func (a *Asker) shown(raw json.RawMessage) json.RawMessage {
	text := []byte(a.hidden(a.opts.Clean(string(raw))))
	if !json.Valid(text) {
		return nil
	}
	return clean.JSON(text)
}

// address fills in what is to be opened.
func (q *Question) address(text string) error {
	u, err := wire.WebAddress(text)
	if err != nil {
		return err
	}
	q.Host, q.URL = u.Host, u.String()
	if u.User != nil {
		q.Warning = "the address has a user name before its host, which may mislead: the host is " + u.Host
	}
	return nil
}

func (q *Question) setTask(id string) {
	if q.Task = id; id != "" {
		q.Continue = "ctxfs call --continue " + id
	}
}

// SetTask reports that the call has become a task.
func (a *Asker) SetTask(id string) {
	a.mu.Lock()
	a.task = id
	a.mu.Unlock()
	a.store.mu.Lock()
	for _, q := range a.store.open {
		if q.asker == a {
			q.setTask(id)
		}
	}
	a.store.version.Add(1)
	a.store.mu.Unlock()
	a.store.opts.Changed(a.opts.Owner)
}

// Open returns the open questions of the call that wait for an answer, the oldest
// first.
func (a *Asker) Open() (all []Question) {
	for _, q := range a.store.List(a.opts.Owner) {
		a.store.mu.Lock()
		is := a.store.open[q.ID]
		a.store.mu.Unlock()
		if is != nil && is.asker == a && !q.Opened {
			all = append(all, q)
		}
	}
	return all
}

// Close ends the questions of the call.
func (a *Asker) Close() {
	a.store.end("has ended with its call", func(q *openQuestion) bool { return q.asker == a })
}

// note adds a sentence for the caller.
func (a *Asker) note(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.Contains(a.notes, text) && len(a.notes) < maxOfCall {
		a.notes = append(a.notes, text)
	}
}

// Notes returns sentences for the caller: which questions were not answered, and
// why.
func (a *Asker) Notes() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.notes)
}

// remember keeps the values of an answer, so that they can be taken out of texts,
// and returns them. Values of fields with choices are left out.
func (a *Asker) remember(content json.RawMessage, q *Question) (all []value) {
	for _, f := range q.FieldList() {
		if len(f.Choices) > 0 {
			continue
		}
		for _, text := range valuesOf(content, func(name string) bool { return name == f.Name }) {
			all = append(all, value{text, f.Secret})
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.values = append(a.values, all...)
	return all
}

func (a *Asker) answers() []value {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.values)
}

// Redact removes from a text, which is to be written to a file, what the questions
// of the call were answered with.
func (a *Asker) Redact(text string) string { return withoutAnswers(text, a.answers(), false) }

// hidden removes from a text the answers that are secrets.
func (a *Asker) hidden(text string) string { return withoutAnswers(text, a.answers(), true) }

// HideSecrets removes from a result the answers that are secrets: the reader of the
// result may not be the one who answered.
func (a *Asker) HideSecrets(raw json.RawMessage) json.RawMessage {
	if !slices.ContainsFunc(a.answers(), func(v value) bool { return v.secret }) {
		return raw
	}
	return json.RawMessage(a.hidden(string(raw)))
}

// Answered reports whether a question of the call was answered with values.
func (a *Asker) Answered() bool {
	return len(a.answers()) > 0
}
