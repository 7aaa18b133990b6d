package history

import (
	"encoding/binary"
	"hash/fnv"
	"iter"

	"ctxfs/providers/facts"
	"ctxfs/providers/internal/lazyjson"
)

// Spending is a log from which the requests to models are read.
type Spending struct {
	// Session is the id of the session.
	Session string
	// Root is the id of the session with which a line of forks begins; it is "" for one
	// that is no fork, or one of a session that is not there.
	Root string
	// Lines are those of the log, each valid until the next.
	Lines iter.Seq[[]byte]
}

// CallKey returns what identifies a request, of the values that do: texts and numbers. It
// is never 0.
func CallKey(values ...any) uint64 {
	h := fnv.New64a()
	for _, v := range values {
		switch v := v.(type) {
		case string:
			h.Write([]byte(v))
			h.Write([]byte{0})
		case int64:
			h.Write(binary.LittleEndian.AppendUint64(nil, uint64(v)))
		}
	}
	return max(h.Sum64(), 1)
}

// maxCount is the largest count of tokens that is believed.
const maxCount = 1 << 40

// Count returns a count of tokens: the first of some fields that is a number.
func Count(v lazyjson.Value, names ...string) int64 {
	for _, name := range names {
		if n := v.Get(name); n.Type == lazyjson.Number {
			return int64(min(max(n.Num, 0), maxCount))
		}
	}
	return 0
}

// Filled returns tokens whose sum an agent reports, too: what is missing in the parts is
// output, or, where that is known, reasoning.
func Filled(t facts.Tokens, total int64) facts.Tokens {
	switch missing := total - t.Total(); {
	case missing <= 0:
	case t.Output == 0:
		t.Output = missing
	default:
		t.Reasoning += missing
	}
	return t
}
