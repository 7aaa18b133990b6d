package record

import "bytes"

// How much of a line is kept until it is complete, and how much of it is held
// back when it is written in pieces, so that no secret is cut.
const (
	maxPartial = 64 << 10
	keptBack   = 4 << 10
)

// append writes the lines of a text, and keeps the last one until it is
// complete.
func (r *Recorder) append(text []byte) {
	if len(text) == 0 {
		return
	}
	r.tail.add(text)
	whole := bytes.LastIndexByte(text, '\n') + 1
	if whole > 0 && len(r.partial) > 0 {
		first := bytes.IndexByte(text, '\n') + 1
		r.partial = append(r.partial, text[:first]...)
		r.emit(r.partial)
		r.partial = r.partial[:0]
		text, whole = text[first:], whole-first
	}
	r.emit(text[:whole])
	r.partial = append(r.partial, text[whole:]...)
	if len(r.partial) > maxPartial {
		cut := len(r.partial) - keptBack
		if i := bytes.LastIndexByte(r.partial[:cut], ' '); i > cut-keptBack {
			cut = i + 1
		}
		for cut > 0 && r.partial[cut]&0xc0 == 0x80 { // within a character
			cut--
		}
		r.emit(r.partial[:cut])
		r.partial = r.partial[:copy(r.partial, r.partial[cut:])]
	}
}

// finishLine writes the rest of an incomplete line.
func (r *Recorder) finishLine() {
	r.emit(r.partial)
	r.partial = nil
}

func (r *Recorder) emit(text []byte) {
	if len(text) == 0 {
		return
	}
	text = r.mask.Mask(text)
	if r.opts.Copy != nil {
		_, _ = r.opts.Copy.Write(text)
	}
	part := r.log.part
	r.log.append(text)
	if r.log.part == part {
		return
	}
	r.dirty = true
	if c := r.open; c != nil && c.at.Part == part && c.at.Byte == r.log.ended {
		c.at = Place{part + 1, HeaderLen, HeaderLines + 1} // there was no room for any of it
	}
	if r.opts.Limits != (Limits{}) {
		_ = Prune(r.dir.root, r.opts.Limits, r.opts.Now())
	}
}

// masked returns a text, which is no part of a stream, with its secrets hidden.
func (r *Recorder) masked(text string) string { return string(r.opts.Mask().Mask([]byte(text))) }
