package main

// costs are what is assumed of a client and of its model.
type costs struct {
	name string
	// client is the tokens of the client's own prompt and tools.
	client int
	// window is the context above which the history is made into a summary, once
	// that has at least leastHistory tokens.
	window int
	// read, write and output are prices of a token: from the cache, into it, and of
	// the model; a token of input without a cache costs 1.
	read, write, output float64
	// warm says that the prompt is in the cache before the session begins.
	warm bool
	// routed says that tools are looked for with the words that the recorded agent
	// gave to its own search, where it searched.
	routed bool
	// chain is how many trajectories follow each other in one session; 0 is one.
	chain int
}

// usualCosts are the prices of Claude models; see BENCHMARKS.md for the rest.
func usualCosts() costs {
	return costs{name: "as above", client: 25_000, window: 160_000, read: 0.1, write: 1.25, output: 5}
}

const (
	// summary is the tokens of what a compaction leaves of the history.
	summary      = 2_000
	leastHistory = 20_000
)

// bill is what a session costs.
type bill struct {
	tokens, priced                  float64
	requests, failures, compactions float64
	needs                           float64           // first uses of tools
	found                           [maxTries]float64 // of these, at each try
	told                            float64           // needed no look-up, since a hook or an earlier one had shown it
}

func (b bill) plus(other bill, weight float64) bill {
	b.tokens += weight * other.tokens
	b.priced += weight * other.priced
	b.requests += weight * other.requests
	b.failures += weight * other.failures
	b.compactions += weight * other.compactions
	b.needs += weight * other.needs
	b.told += weight * other.told
	for i, n := range other.found {
		b.found[i] += weight * n
	}
	return b
}

// meter counts what requests cost. A request sends the prompt and the history; of
// these the cache has what the request before it sent.
type meter struct {
	costs
	bill
	prompt, history, cached int
	forget                  func() // called when the history is lost
}

func newMeter(c costs, prompt int, forget func()) *meter {
	m := &meter{costs: c, prompt: c.client + prompt, forget: forget}
	if c.warm {
		m.cached = m.prompt
	}
	return m
}

// receives adds to the history.
func (m *meter) receives(tokens int) { m.history += tokens }

// asks makes a request that the model answers with some tokens, which the history has
// from then on.
func (m *meter) asks(output int) {
	if m.prompt+m.history > m.window && m.history >= leastHistory {
		m.sends(summary)
		m.compactions++
		m.history, m.cached = summary, m.prompt
		m.forget()
	}
	m.sends(output)
	m.history += output
}

func (m *meter) sends(output int) {
	context := m.prompt + m.history
	m.requests++
	m.tokens += float64(context + output)
	m.priced += m.read*float64(m.cached) + m.write*float64(context-m.cached) + m.output*float64(output)
	m.cached = context
}

// allCosts are the usual ones, and others that say what depends on an assumption.
func allCosts() []costs {
	vary := func(name string, change func(*costs)) costs {
		c := usualCosts()
		c.name = name
		change(&c)
		return c
	}
	return []costs{
		usualCosts(),
		vary("no prompt of the client's own", func(c *costs) { c.client = 0 }),
		vary("prompt in the cache at the start", func(c *costs) { c.warm = true }),
		vary("output at the price of input", func(c *costs) { c.output = 1 }),
		vary("asked with the recorded agent's own queries", func(c *costs) { c.routed = true }),
		vary("ten trajectories in one session", func(c *costs) { c.chain = 10 }),
		vary("the same, without compactions", func(c *costs) { c.chain, c.window = 10, 1_000_000 }),
	}
}
