package render

// note is a text with its place in the transcript.
type note struct {
	Seq  int    `json:"n"`
	Text string `json:"t"`
	How  string `json:"h,omitempty"`
}

// notes are texts in their order. Where they grow too large the second one is
// forgotten: the first and the newest count most.
type notes struct {
	Notes []note `json:"notes,omitempty"`
	Left  int    `json:"left,omitempty"` // how many are forgotten
}

func (n *notes) add(one note, limit int) {
	n.Notes = append(n.Notes, one)
	size := 0
	for _, one := range n.Notes {
		size += len(one.Text) + 40
	}
	for size > limit && len(n.Notes) > 2 {
		size -= len(n.Notes[1].Text) + 40
		n.Notes = append(n.Notes[:1], n.Notes[2:]...)
		n.Left++
	}
}

func (n *notes) last() note { return n.Notes[len(n.Notes)-1] }

// failure is a call that failed, and what worked after it.
type failure struct {
	Seq   int    `json:"n"`
	Tool  string `json:"tool"`
	What  string `json:"what,omitempty"`
	Error string `json:"error,omitempty"`
	// Fixed is the number of the next call of the same tool that worked.
	Fixed int    `json:"fixed,omitempty"`
	How   string `json:"how,omitempty"`
}

type failures struct {
	List []failure `json:"list,omitempty"`
	Left int       `json:"left,omitempty"`
}

// maxFailures is how many are kept: the newest.
const maxFailures = 20
