package questions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs/form"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/nearest"
)

// The bounds of questions.
const (
	maxOpen    = 100 // questions of a server
	maxOfCall  = 20  // open questions of a call
	maxInCall  = 200 // questions of a call altogether
	maxAnswers = 200 // values that a server was answered with
	maxClosed  = 1000
)

// Options are what a store needs.
type Options struct {
	Now func() time.Time
	// Changed is called after the questions of an owner have changed. It is called
	// without locks, and may be called concurrently.
	Changed func(owner any)
}

// Store has the open questions of all servers. It is safe for concurrent use.
type Store struct {
	opts Options

	version atomic.Int64

	mu      sync.Mutex
	closed  bool
	open    map[string]*openQuestion // by ID
	ended   map[string]closing       // how those ended that are not open any more
	order   []string                 // of ended
	answers map[any][]value          // what was answered, by owner, the last ones
}

// openQuestion is a question that waits.
type openQuestion struct {
	Question
	asker  *Asker
	done   <-chan struct{}  // closed when what is to be done at an address is done; may be nil
	answer chan form.Answer // receives the answer; closed when the question is withdrawn
	ending bool             // it is withdrawn because its server is being ended
}

// value is a text or a number that a question was answered with.
type value struct {
	text   string
	secret bool
}

// closing is how a question ended.
type closing struct {
	how  string // such as "has been answered"
	task string
}

// NewStore returns a store without questions.
func NewStore(o Options) *Store {
	return &Store{opts: o, open: make(map[string]*openQuestion), ended: make(map[string]closing), answers: make(map[any][]value)}
}

// Error says why a question cannot be answered so, and what to do.
type Error struct {
	What string // one sentence
	Mend string // a command, or what the answer may be
}

func (e *Error) Error() string { return e.What }

// Fix returns what to do.
func (e *Error) Fix() string { return e.Mend }

// Version returns a number that changes whenever a question does; it is never 0.
func (s *Store) Version() int64 { return s.version.Load() + 1 }

// List returns the open questions of an owner, or of all if it is nil, the oldest
// first.
func (s *Store) List(owner any) []Question {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Question
	for _, q := range s.open {
		if owner == nil || q.asker.opts.Owner == owner {
			all = append(all, q.Question)
		}
	}
	slices.SortFunc(all, func(a, b Question) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID)) })
	return all
}

// Find returns an open question by its ID. A question that has ended, and an ID that
// there never was, are an [*Error].
func (s *Store) Find(id string) (Question, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q, err := s.find(id)
	if err != nil {
		return Question{}, err
	}
	return q.Question, nil
}

func (s *Store) find(id string) (*openQuestion, error) {
	if q := s.open[id]; q != nil {
		return q, nil
	}
	if end, known := s.ended[id]; known {
		e := &Error{What: fmt.Sprintf("question %s %s", id, end.how), Mend: "list those that wait: ctxfs answer"}
		if end.task != "" {
			e.Mend = "the result of its call: ctxfs call --continue " + end.task
		}
		return nil, e
	}
	e := &Error{What: fmt.Sprintf("no question has the ID %q", clean.Cut(clean.Line(id), 40)), Mend: "list those that wait: ctxfs answer"}
	if len(id) <= 2*idLength {
		if meant := nearest.Of(id, slices.Collect(maps.Keys(s.open))); meant != "" {
			e.What += fmt.Sprintf("; did you mean %s?", meant)
		}
	}
	return nil, e
}

// TaskOf returns the task of the call that has asked a question, open or not, or
// "".
func (s *Store) TaskOf(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q := s.open[id]; q != nil {
		return q.Task
	}
	return s.ended[id].task
}

// Answer answers a question, once. Of a question that is answered already, or not
// so, the error is an [*Error], and the question stays as it is, as it does with a
// draft. The answer of a form is checked against its schema.
func (s *Store) Answer(id string, r form.Answer) (Question, error) {
	is, err := s.Find(id)
	if err != nil {
		return Question{}, err
	}
	if r.Draft {
		return is, is.checkFields(r.Content)
	}
	a, err := is.answer(r)
	if err != nil {
		return is, err
	}
	is, asker, err := s.deliver(id, a)
	if err != nil {
		return is, err
	}
	s.opts.Changed(asker.opts.Owner)
	_, closed := s.Find(id)
	asker.opts.Told(is, closed == nil)
	return is, nil
}

// answer returns the answer that a reply gives.
func (q *Question) answer(r form.Answer) (a form.Answer, err error) {
	given := len(r.Words) > 0 || len(r.Content) > 0
	a.Action = r.Action
	switch {
	case !slices.Contains([]string{form.Accept, form.Decline, form.Cancel}, r.Action):
		return a, &Error{What: fmt.Sprintf("%q is no answer", clean.Cut(clean.Line(r.Action), 40)), Mend: "it may be accept, decline or cancel"}
	case given && r.Action != form.Accept:
		return a, &Error{What: "to " + r.Action + " a question takes no values", Mend: "leave them out"}
	case q.Kind == form.AskSampling && len(r.Content) > 0:
		a.Content = r.Content
	case given && q.Kind != form.AskForm:
		return a, &Error{What: "the question takes no values: it is accepted or declined", Mend: q.Answer}
	case r.Action == form.Accept && q.Kind == form.AskForm:
		a.Content, err = q.fill(r.Words, r.Content)
	}
	return a, err
}

// deliver hands an answer to the call that waits for it.
func (s *Store) deliver(id string, a form.Answer) (Question, *Asker, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q, err := s.find(id)
	if err != nil { // another answer was first
		return Question{}, nil, err
	}
	accepted := a.Action == form.Accept
	if q.Opened && accepted && !q.Again {
		return q.Question, nil, &Error{What: "question " + id + " has been accepted; it waits for the server to say that it is done", Mend: "to give up waiting: " + q.Decline}
	}
	s.keep(q.asker.opts.Owner, q.asker.remember(a.Content, &q.Question))
	if q.Kind == form.AskURL && accepted && !q.Opened && q.done != nil {
		s.version.Add(1)
		q.opened()
		q.Until = s.opts.Now().UTC().Truncate(time.Millisecond).Add(q.asker.opts.Limit)
	} else {
		s.remove(q, "has been answered: "+a.Action)
	}
	select {
	case q.answer <- a:
	default: // there is room for two, and a question has no more answers
	}
	return q.Question, q.asker, nil
}

// opened records that the user opens the address.
func (q *openQuestion) opened() {
	q.Opened = true
	note := "it waits for the server to say that it is done"
	if q.Again {
		note += "; if that has been done and the server does not say so: " + q.Answer
	}
	q.Warning = strings.TrimPrefix(q.Warning+"; "+note, "; ")
}

// remove closes a question. The caller holds mu.
func (s *Store) remove(q *openQuestion, how string) {
	s.version.Add(1)
	delete(s.open, q.ID)
	s.ended[q.ID] = closing{how, q.Task}
	s.order = append(s.order, q.ID)
	if len(s.order) > maxClosed {
		delete(s.ended, s.order[0])
		s.order = s.order[1:]
	}
}

// keep remembers what was answered. The caller holds mu.
func (s *Store) keep(owner any, values []value) {
	all := append(s.answers[owner], values...)
	if len(all) > 0 {
		s.answers[owner] = all[max(0, len(all)-maxAnswers):]
	}
}

// Redact removes from a text, which is to be written to a file, what an owner's
// questions were answered with.
func (s *Store) Redact(owner any, text string) string {
	return withoutAnswers(text, s.answersOf(owner), false)
}

// HideSecrets removes from a text the secrets that an owner's questions were answered
// with.
func (s *Store) HideSecrets(owner any, text string) string {
	return withoutAnswers(text, s.answersOf(owner), true)
}

func (s *Store) answersOf(owner any) []value {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.answers[owner])
}

// Withdraw ends all questions of an owner, whose requests are about to end: those who have
// asked wait for that.
func (s *Store) Withdraw(owner any) {
	s.end("has been withdrawn", func(q *openQuestion) bool {
		q.ending = q.asker.opts.Owner == owner
		return q.ending
	})
	s.mu.Lock()
	delete(s.answers, owner)
	s.mu.Unlock()
}

// Close ends all questions. Nothing can be asked from then on.
func (s *Store) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end("has been withdrawn", func(*openQuestion) bool { return true })
}

// end closes the questions that match.
func (s *Store) end(how string, matches func(*openQuestion) bool) {
	s.mu.Lock()
	var ended []*openQuestion
	for _, q := range s.open {
		if matches(q) {
			s.remove(q, how)
			close(q.answer)
			ended = append(ended, q)
		}
	}
	s.mu.Unlock()
	for _, q := range ended {
		s.opts.Changed(q.asker.opts.Owner)
		q.asker.opts.Told(q.Question, false)
	}
}

var errNobody = errors.New("questions cannot be asked: ctxfs is stopping")

func (s *Store) add(a *Asker, q *openQuestion, until time.Duration) (Question, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ofServer, ofCall := 0, 0
	for _, other := range s.open {
		if other.asker.opts.Owner == a.opts.Owner {
			ofServer++
		}
		if other.asker == a {
			ofCall++
		}
	}
	switch {
	case s.closed:
		return Question{}, errNobody
	case ofServer >= maxOpen:
		return Question{}, fmt.Errorf("%s of this server wait already", wording.Count(maxOpen, "questions"))
	case ofCall >= maxOfCall:
		return Question{}, fmt.Errorf("%s of this call wait already", wording.Count(maxOfCall, "questions"))
	}
	q.ID = NewID("q", func(id string) bool {
		_, ended := s.ended[id]
		return ended || s.open[id] != nil
	})
	q.Since = s.opts.Now().UTC().Truncate(time.Millisecond)
	q.Until = q.Since.Add(until)
	q.Answer, q.Decline = q.answerCommand(), "ctxfs answer "+q.ID+" --decline"
	s.open[q.ID] = q
	s.version.Add(1)
	return q.Question, nil
}

// wait waits for the next answer of a question. That what was to be done at an
// address is done accepts it.
func (s *Store) wait(ctx context.Context, q *openQuestion) (form.Answer, error) {
	itself := func(other *openQuestion) bool { return other == q }
	select {
	case a, answered := <-q.answer:
		if !answered {
			return form.Answer{}, errWithdrawn
		}
		return a, nil
	case <-q.done:
		s.end("is done, as the server says", itself)
		return form.Answer{Action: form.Accept}, nil
	case <-time.After(q.asker.opts.Limit):
		s.end("was not answered in time", itself)
		if len(q.answer) > 0 { // just in time, as the user was told
			return <-q.answer, nil
		}
		return form.Answer{}, errUnanswered
	case <-ctx.Done():
		s.end("has been withdrawn: its call has ended", itself)
		return form.Answer{}, ctx.Err()
	}
}

var (
	errWithdrawn  = errors.New("the question has been withdrawn")
	errUnanswered = errors.New("not answered in time")
)
