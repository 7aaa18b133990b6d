package pattern

// Takes reports whether the pattern surely accepts the first names of each path that
// another one accepts, if that is not shorter.
func (p *Pattern) Takes(other *Pattern) bool {
	if len(other.parts) < len(p.parts) {
		return false
	}
	for i := range p.parts {
		if !p.parts[i].takes(&other.parts[i]) {
			return false
		}
	}
	return true
}

func (one *part) takes(other *part) bool {
	switch {
	case one.expr == nil:
		return one.text == other.text
	case other.expr == nil:
		return one.match(other.text, make(Values))
	}
	return one.shape == other.shape
}
