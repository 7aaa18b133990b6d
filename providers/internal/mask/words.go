package mask

// words are the words of a command line, as written, with their quotes: places in a
// text. In an argument vector each is a text of its own.
type words [][]byte

// maxWords is how many words of a command are examined.
const maxWords = 128

// split returns the first words of the command at the beginning of a text, up
// to the end of the line or of the command, and where each begins.
func split(text []byte, most int) (all words, at []int) {
	for i := 0; i < len(text) && len(all) < most; {
		switch c := text[i]; c {
		case ' ', '\t':
			i++
			continue
		case '\n', '\r', '|', ';', 0x1b:
			return all, at
		case '&':
			if i+1 < len(text) && text[i+1] == '&' {
				return all, at
			}
		case '\\':
			if i+1 < len(text) && text[i+1] == '\n' { // the command continues
				i += 2
				continue
			}
			if i+1 < len(text) && text[i+1] == 'n' {
				return all, at
			}
		}
		end := wordEnd(text, i)
		all, at, i = append(all, text[i:end:end]), append(at, i), max(end, i+1)
	}
	return all, at
}

// wordEnd returns where a word of a shell ends.
func wordEnd(text []byte, i int) int {
	for i < len(text) {
		switch c := text[i]; c {
		case ' ', '\t', '\n', '\r', ';', '|', ')', 0x1b:
			return i
		case '\'', '"':
			end := quoteEnd(text, i)
			if end < 0 {
				i++ // an apostrophe, or a line that was cut
				continue
			}
			i = end + 1
		case '\\':
			if i+1 < len(text) && text[i+1] == 'n' {
				return i
			}
			i = min(i+2, len(text))
		default:
			i++
		}
	}
	return i
}

// quoteEnd returns where the quote at i ends, or -1 if it does not end on its
// line.
func quoteEnd(text []byte, i int) int {
	q := text[i]
	text = text[:min(len(text), i+maxValue)]
	for j := i + 1; j < len(text); j++ {
		switch c := text[j]; {
		case c == q:
			return j
		case c == '\n' || c == 0x1b:
			return -1
		case c == '\\' && (q == '"' || j+1 < len(text) && text[j+1] == q):
			j++
		}
	}
	return -1
}

// bare returns the part of a word, from an offset, that lies within its quotes.
func bare(w []byte, from int) (f, t int) {
	f, t = from, len(w)
	for f < t && (w[f] == '"' || w[f] == '\'') {
		if w[t-1] == w[f] && t-1 > f {
			f, t = f+1, t-1
			continue
		}
		f++
	}
	for t > f && from > 0 && (w[t-1] == '"' || w[t-1] == '\'') { // -e "NAME=value"
		t--
	}
	return f, t
}

// text returns a word without the quotes around it.
func (w words) text(i int) []byte {
	if i >= len(w) {
		return nil
	}
	f, t := bare(w[i], 0)
	return w[i][f:t]
}
