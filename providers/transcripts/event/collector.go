package event

// Collector is a Sink that keeps all events. It is for tests, and for looking at
// a single record again.
type Collector struct {
	Of     Session
	Events []Event
	// Parent are the ids that the session inherits.
	Parent map[string]bool

	noted map[string]int
}

// Session implements Sink.
func (c *Collector) Session() *Session { return &c.Of }

// Emit implements Sink.
func (c *Collector) Emit(e Event) int {
	e.Seq = len(c.Events) + 1
	c.Of.Saw(e.Time)
	c.Events = append(c.Events, e)
	return e.Seq
}

// Note implements Sink.
func (c *Collector) Note(id string) {
	if c.noted == nil {
		c.noted = make(map[string]int)
	}
	c.noted[id] = len(c.Events)
}

// Known implements Sink.
func (c *Collector) Known(id string) (seq int, ok bool) {
	seq, ok = c.noted[id]
	return seq, ok
}

// Inherited implements Sink.
func (c *Collector) Inherited(id string) bool { return c.Parent[id] }
