package call

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs/form"
	"ctxfs/fs/rounds"
)

// questioner puts questions to a person, one after the other, while a call goes on. A
// nil questioner asks no questions.
type questioner struct {
	person *Person
	line   *progress // hidden meanwhile
	send   func(context.Context, form.Answer) error

	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}

	mu      sync.Mutex
	waiting []form.Question
	added   chan struct{} // has room for one
	asked   form.Question // what the person is asked now, if it has an ID
	give    context.CancelCauseFunc
}

// errNeedless is why a question is not asked any more.
var errNeedless = errors.New("the question needs no answer any more")

// newQuestioner returns a questioner, which ends with ctx, or with close. Send
// delivers an answer. Without a person it returns nil.
func newQuestioner(ctx context.Context, person *Person, line *progress, send func(context.Context, form.Answer) error) *questioner {
	if person == nil {
		return nil
	}
	q := &questioner{person: person, line: line, send: send, done: make(chan struct{}), added: make(chan struct{}, 1)}
	q.ctx, q.cancel = context.WithCancel(ctx)
	go q.run()
	return q
}

// open adds a question, or replaces it with what it has become.
func (q *questioner) open(is form.Question) {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.asked.ID == is.ID && q.asked.Opened == is.Opened {
		return // nothing has changed for the person
	}
	if q.remove(is.ID); is.Opened && !is.Again {
		return // nothing to say
	}
	q.waiting = append(q.waiting, is)
	rounds.Tell(q.added)
}

// closed drops a question.
func (q *questioner) closed(id string) {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.remove(id); q.asked.ID == id {
		q.give(errNeedless)
	}
}

// remove drops a question that is not asked yet. The caller holds mu.
func (q *questioner) remove(id string) {
	q.waiting = slices.DeleteFunc(q.waiting, func(one form.Question) bool { return one.ID == id })
}

// close asks nothing more and returns the terminal to its state. It may be called
// more than once.
func (q *questioner) close() {
	if q == nil {
		return
	}
	q.mu.Lock()
	if q.asked.ID != "" {
		q.give(errNeedless)
	}
	q.mu.Unlock()
	q.cancel()
	<-q.done
}

func (q *questioner) run() {
	defer close(q.done)
	for {
		select {
		case <-q.ctx.Done():
			return
		case <-q.added:
		}
		for q.next() {
		}
	}
}

// next asks the question that waits longest; it reports whether there was one.
func (q *questioner) next() bool {
	q.mu.Lock()
	if len(q.waiting) == 0 || q.ctx.Err() != nil {
		q.mu.Unlock()
		return false
	}
	is := q.waiting[0]
	q.waiting = q.waiting[1:]
	ctx, give := context.WithCancelCause(q.ctx)
	q.asked, q.give = is, give
	q.mu.Unlock()
	defer give(nil)

	q.line.hide()
	defer q.line.show()
	err := q.person.Ask(ctx, is, func(a form.Answer) error { return q.send(q.ctx, a) })
	q.mu.Lock()
	q.asked = form.Question{}
	q.mu.Unlock()
	switch {
	case errors.Is(err, errNeedless) && is.Opened:
		q.person.sayf("\n")
	case errors.Is(err, errNeedless) && !time.Now().Before(is.Until):
		q.person.sayf("\nNobody has answered in time, so the server was told that there is no answer.\n")
	case errors.Is(err, errNeedless):
		q.person.sayf("\nThe question needs no answer any more: it was answered elsewhere or withdrawn, or its call has ended.\n")
	case q.ctx.Err() != nil:
		q.person.sayf("\n")
	case err != nil:
		console.Complain(q.person.out, err)
	}
	return true
}
