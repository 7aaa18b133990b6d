package fs

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// Op declares an operation: a question that the command line, a gateway or any
// other client asks by its name, with the types of the question and the answer,
// which are encoded as JSON on their way. It is declared once, in the package
// that answers it:
//
//	var Tools = fs.Op[ToolsQuery, []Toolbox]{Name: "tools"}
//
// The provider binds it to a method ([Op.Handle]) and returns that from
// [Operator]; a client calls [Op.Ask].
type Op[Q, A any] struct {
	Name string
	// Slow reports that the answer may take as long as a server, or the rendering of a
	// file, takes. Any other answer is expected at once, and a process that does
	// not give it in time is reported as hanging.
	Slow bool
	// Local reports that only the process that has the provider may ask, and no client
	// of the background process.
	Local bool
	// Effect says what the operation may change.
	Effect Effect
}

// Effect says what an operation may change; [Confined] programs may ask those that change
// nothing.
type Effect uint8

const (
	// Writes is the effect of an operation that declares none.
	Writes Effect = iota
	// Reads reports that an operation changes nothing but what this program remembers of
	// having been asked.
	Reads
	// Depends reports that the effect depends on the question: the operation itself refuses
	// what writes, for the reason that [ConfinedIn] returns.
	Depends
)

// Handle binds the operation to the function that answers it.
func (o Op[Q, A]) Handle(answer func(ctx context.Context, question Q) (A, error)) Operation {
	return Operation{Name: o.Name, Local: o.Local, Effect: o.Effect, Answer: func(ctx context.Context, c Conversation) error {
		var q Q
		if err := c.Args(&q); err != nil {
			return err
		}
		a, err := answer(ctx, q)
		if err != nil {
			return err
		}
		return c.Reply(a)
	}}
}

// Ask asks for the operation.
func (o Op[Q, A]) Ask(ctx context.Context, of Asker, question Q) (answer A, err error) {
	err = of.Ask(ctx, Request{Name: o.Name, Slow: o.Slow, Question: question, Answer: &answer})
	return answer, err
}

// None is the question or the answer of an operation without one.
type None struct{}

// Talk declares an operation with replies before the last, of type N: progress. If
// the answer has a method Follows() int64, that many bytes follow it. Otherwise it
// is like [Op].
type Talk[Q, N, A any] struct {
	Name   string
	Local  bool   // see [Op]
	Effect Effect // see [Op]
}

// Handle binds the operation to the function that answers it. The function calls
// tell any number of times, then reply once, and writes the bytes that follow to
// the Writer that reply returns.
func (o Talk[Q, N, A]) Handle(answer func(ctx context.Context, question Q, tell func(N) error, reply func(A) (io.Writer, error)) error) Operation {
	return Operation{Name: o.Name, Local: o.Local, Effect: o.Effect, Answer: func(ctx context.Context, c Conversation) error {
		var q Q
		if err := c.Args(&q); err != nil {
			return err
		}
		tell := func(news N) error { return c.Progress(news) }
		return answer(ctx, q, tell, func(a A) (io.Writer, error) { return c, c.Reply(a) })
	}}
}

// Ask asks for the operation. Tell is called with the replies before the last;
// body takes the bytes that follow the answer. Either may be nil.
func (o Talk[Q, N, A]) Ask(ctx context.Context, of Asker, question Q, tell func(N), body io.Writer) (answer A, err error) {
	r := Request{Name: o.Name, Slow: true, Question: question, Answer: &answer, Body: body, Progress: func(reply json.RawMessage) {
		var news N
		if tell != nil && json.Unmarshal(reply, &news) == nil {
			tell(news)
		}
	}}
	err = of.Ask(ctx, r)
	return answer, err
}

// Follows returns how many bytes follow an answer.
func Follows(answer any) int64 {
	if a, ok := answer.(interface{ Follows() int64 }); ok {
		return a.Follows()
	}
	return 0
}

// Asker answers operations: the background process by its socket, or [Operations]
// in this process. An error with a method Fix() string says what to do about it;
// message and fix are the same over both ways.
type Asker interface {
	Ask(ctx context.Context, r Request) error
}

// Request is a question on its way to an [Asker].
type Request struct {
	Name     string // of the operation
	Slow     bool   // see [Op]
	Question any    // encoded as JSON
	Answer   any    // a pointer, into which the last reply is decoded
	// Progress takes the replies before the last; nil drops them.
	Progress func(reply json.RawMessage)
	// Body takes the bytes that follow the last reply; nil drops them.
	Body io.Writer
}

// Conversation is one question and its replies, on the side that answers.
type Conversation interface {
	// Args decodes the question.
	Args(into any) error
	// Progress sends a reply that is not the last.
	Progress(value any) error
	// Reply sends the last reply. Write may follow it.
	Reply(value any) error
	// Write sends bytes that follow the last reply.
	Write(p []byte) (int, error)
}

// Operation is an operation bound to what answers it.
type Operation struct {
	Name string
	// Local and Effect are those of the declaration.
	Local  bool
	Effect Effect
	// Answer answers one question, by one Reply or by an error. The context ends
	// when the client leaves.
	Answer func(ctx context.Context, c Conversation) error
}

// Admit returns the context in which an operation is answered to a program that is
// confined, or not if it is nil. The error is the Confined if the operation is not
// for such a program.
func (o Operation) Admit(ctx context.Context, by *Confined) (context.Context, error) {
	if by != nil && o.Effect == Writes {
		return ctx, by
	}
	return Confine(ctx, by), nil
}

// Operations are the operations of one process, in any order.
type Operations []Operation

// Find returns the operation of that name.
func (all Operations) Find(name string) (o Operation, found bool) {
	for _, o := range all {
		if o.Name == name {
			return o, true
		}
	}
	return Operation{}, false
}

// Ask implements Asker.
func (all Operations) Ask(ctx context.Context, r Request) error {
	o, found := all.Find(r.Name)
	if !found {
		return fmt.Errorf("%w: no operation is called %q", ErrNotExist, r.Name)
	}
	ctx, err := o.Admit(ctx, ConfinedIn(ctx))
	if err != nil {
		return err
	}
	return o.Answer(ctx, &localConversation{r})
}

// localConversation is a Conversation within this process. Questions and answers
// are encoded here as well, so that both ways behave the same.
type localConversation struct{ Request }

// Args implements Conversation.
func (c *localConversation) Args(into any) error { return recode(c.Question, into) }

// Progress implements Conversation.
func (c *localConversation) Progress(value any) error {
	reply, err := json.Marshal(value)
	if err == nil && c.Request.Progress != nil {
		c.Request.Progress(reply)
	}
	return err
}

// Reply implements Conversation.
func (c *localConversation) Reply(value any) error {
	if c.Answer == nil {
		return nil
	}
	return recode(value, c.Answer)
}

// Write implements Conversation.
func (c *localConversation) Write(p []byte) (int, error) {
	if c.Body == nil {
		return len(p), nil
	}
	return c.Body.Write(p)
}

func recode(from, into any) error {
	body, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}
