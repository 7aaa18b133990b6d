package transcripts

// scratch is the memory that work on one session needs and that the next one uses
// again: most sessions are small, and what is new for each of them would be most
// of all that is allocated.
type scratch struct {
	read []byte // of the log

	// What a writer collects.
	transcript, index, ids, text, sums, messages []byte
}

// maxScratch is the largest piece that is kept, in bytes: what one very long
// record has needed is not.
const maxScratch = 4 << 20

// borrow returns memory to work in. Who is done gives it back.
func (p *Provider) borrow() *scratch {
	if s, ok := p.scratch.Get().(*scratch); ok {
		return s
	}
	return new(scratch)
}

func (p *Provider) giveBack(s *scratch) {
	for _, piece := range []*[]byte{&s.read, &s.transcript, &s.index, &s.ids, &s.text, &s.sums, &s.messages} {
		if *piece = (*piece)[:0]; cap(*piece) > maxScratch {
			*piece = nil
		}
	}
	p.scratch.Put(s)
}
