package mask

import "bytes"

// manifest finds the values of a Secret of Kubernetes, as YAML or as JSON of
// several lines: those of the fields data and stringData, before or after its
// kind.
func (f *finder) manifest(at int) {
	const reach = 8 << 10
	text := f.text
	i := at + len("kind")
	for i < len(text) && (isQuote(text[i]) || text[i] == ':' || text[i] == ' ' || text[i] == '\t') {
		i++
	}
	if !hasPrefixFold(text[i:], "secret") || i+6 < len(text) && is(text[i+6], word) {
		return
	}
	if at < f.manifests {
		return
	}
	from, to := max(0, at-reach), min(len(text), at+reach)
	if i := bytes.LastIndex(text[from:at], []byte("\n---")); i >= 0 {
		from += i + 1
	}
	if i := bytes.Index(text[at:to], []byte("\n---")); i >= 0 {
		to = at + i + 1
	}
	f.manifests = to
	depth := -1 // of the field whose values are secrets
	block := -1 // of the key whose value is the following lines
	for from < to {
		end := min(to, lineEnd(text, from)+1)
		line := text[from:end]
		content := bytes.TrimLeft(line, " \t")
		in := len(line) - len(content)
		content = bytes.TrimRight(content, " \t\r\n,")
		key, value, ok := bytes.Cut(content, []byte(":"))
		switch {
		case len(content) == 0 || content[0] == '#':
		case block >= 0 && in > block:
			f.manifestValue(from+in, content)
		case depth < 0 || in <= depth:
			depth, block = -1, -1
			switch string(bytes.Trim(key, `"'`)) {
			case "data", "stringData":
				if rest := bytes.TrimSpace(value); ok && (len(rest) == 0 || string(rest) == "{") {
					depth = in
				}
			}
		case ok:
			block = -1
			value = bytes.TrimLeft(value, " \t")
			if len(value) > 0 && (value[0] == '|' || value[0] == '>') {
				block = in
				break
			}
			f.manifestValue(from+in+len(content)-len(value), value)
		}
		from = end
	}
}

func (f *finder) manifestValue(at int, value []byte) {
	v := bytes.Trim(value, `"'`)
	if !placeholder(v) {
		at += bytes.Index(value, v)
		f.add(span{at, at + len(v), "secret"})
	}
}
