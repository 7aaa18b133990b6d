package fulltext

import (
	"encoding/binary"
	"errors"
)

// errDamaged reports that the index is not as it was written.
var errDamaged = errors.New("the full-text index is damaged")

// postings are the pieces of a segment that have a term, each with how often it
// occurs. Each is encoded as the difference to the one before, with a bit for a
// number above one, which then follows.
type postings struct {
	text  []byte
	count int
	next  uint32 // the least number that may follow
}

func (p *postings) add(doc, often uint32) {
	more := uint64(0)
	if often > 1 {
		more = 1
	}
	p.text = binary.AppendUvarint(p.text, uint64(doc-p.next)<<1|more)
	if often > 1 {
		p.text = binary.AppendUvarint(p.text, uint64(often))
	}
	p.count++
	p.next = doc + 1
}

// eachPosting calls yield with each of some encoded postings, of a segment with
// docs pieces.
func eachPosting(text []byte, docs int, yield func(doc, often uint32)) error {
	next := uint64(0)
	for len(text) > 0 {
		v := uint64(text[0])
		if v < 0x80 {
			text = text[1:]
		} else {
			var n int
			if v, n = binary.Uvarint(text); n <= 0 {
				return errDamaged
			}
			text = text[n:]
		}
		doc, often := next+v>>1, uint64(1)
		if v&1 == 1 {
			var n int
			if often, n = binary.Uvarint(text); n <= 0 {
				return errDamaged
			}
			text = text[n:]
		}
		if doc >= uint64(docs) {
			return errDamaged
		}
		next = doc + 1
		yield(uint32(doc), uint32(min(often, 1<<16)))
	}
	return nil
}

// entry is a term with its postings.
type entry struct {
	term  []byte
	count int
	text  []byte
}

// row collects entries in the order of their terms. The bytes that a term shares
// with the one before are left out.
type row struct {
	data  []byte
	first string
	last  []byte
}

func (r *row) add(e entry) {
	if len(r.data) == 0 {
		r.first, r.last = string(e.term), r.last[:0]
	}
	shared := 0
	for shared < len(r.last) && shared < len(e.term) && r.last[shared] == e.term[shared] {
		shared++
	}
	r.data = binary.AppendUvarint(r.data, uint64(shared))
	r.data = binary.AppendUvarint(r.data, uint64(len(e.term)-shared))
	r.data = append(r.data, e.term[shared:]...)
	r.data = binary.AppendUvarint(r.data, uint64(e.count))
	r.data = binary.AppendUvarint(r.data, uint64(len(e.text)))
	r.data = append(r.data, e.text...)
	r.last = append(r.last[:0], e.term...)
}

// rowReader reads the entries of a row. An entry is valid until the next one.
type rowReader struct {
	data []byte
	term []byte
}

// next returns the next entry; ok is false at the end.
func (r *rowReader) next() (e entry, ok bool, err error) {
	if len(r.data) == 0 {
		return e, false, nil
	}
	number := func() uint64 {
		v, size := binary.Uvarint(r.data)
		if size <= 0 {
			err = errDamaged
			return 0
		}
		r.data = r.data[size:]
		return v
	}
	take := func(size uint64) []byte {
		if size > uint64(len(r.data)) {
			err = errDamaged
			return nil
		}
		b := r.data[:size]
		r.data = r.data[size:]
		return b
	}
	shared, own := number(), number()
	if shared > uint64(len(r.term)) {
		return e, false, errDamaged
	}
	r.term = append(r.term[:shared], take(own)...)
	e.term = r.term
	e.count = int(number())
	e.text = take(number())
	if err != nil {
		return entry{}, false, err
	}
	return e, true, nil
}
