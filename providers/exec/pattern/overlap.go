package pattern

import "strings"

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

// MayMeet reports whether there may be a path that both patterns accept.
func (p *Pattern) MayMeet(other *Pattern) bool {
	if len(other.parts) != len(p.parts) {
		return false
	}
	for i := range p.parts {
		if !p.parts[i].mayMeet(&other.parts[i]) {
			return false
		}
	}
	return true
}

// mayMeet compares, of two parts with placeholders, only what is around these.
func (one *part) mayMeet(other *part) bool {
	if one.expr == nil || other.expr == nil {
		return one.takes(other) || other.takes(one)
	}
	head, tail := one.ends()
	otherHead, otherTail := other.ends()
	return (strings.HasPrefix(head, otherHead) || strings.HasPrefix(otherHead, head)) &&
		(strings.HasSuffix(tail, otherTail) || strings.HasSuffix(otherTail, tail))
}

// ends returns the text before the first placeholder of a part, and after the last one.
func (one *part) ends() (head, tail string) {
	all := holder().FindAllStringIndex(one.text, -1)
	return one.text[:all[0][0]], one.text[all[len(all)-1][1]:]
}
