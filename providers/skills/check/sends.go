package check

import (
	"slices"
	"strings"
)

const (
	// reach is for how many lines a value is followed, statementLen how long a call may be.
	reach        = 25
	statementLen = 1000
)

// flow follows what is secret from where code takes it to where it leaves the machine:
// within a statement, or by the names of values and files within some lines.
func (f *finder) flow(text string, code []int, counts func(from, to int) bool) {
	names := make(map[string]int) // the line until which each is followed
	fromEnv := make(map[string]bool)
	at := code[0]
	if !re("taken").MatchString(text[code[0]:code[1]]) {
		at = code[1]
	}
	for number := 0; at < code[1]; number++ {
		end := at + len(text[at:code[1]])
		if i := strings.IndexByte(text[at:code[1]], '\n'); i >= 0 {
			end = at + i
		}
		for end < code[1] && end > at && text[end-1] == '\\' { // goes on
			i := strings.IndexByte(text[end+1:code[1]], '\n')
			if i < 0 {
				end = code[1]
			} else {
				end += 1 + i
			}
		}
		l := re("asIdentity").ReplaceAllString(text[at:end], " ")
		isSecret, isEnv := re("taken").MatchString(l), false
		if isSecret {
			isEnv = !re("keyFile").MatchString(l)
		} else if name := mentioned(l, names, number); name != "" {
			isSecret, isEnv = true, fromEnv[name]
		}
		if m := re("leaving").FindStringIndex(text[at:end]); m != nil {
			from := at
			if text[at+m[1]-1] == '(' {
				from = at + m[0]
			}
			s := statement(text[from:min(code[1], from+statementLen)], text[at+m[1]-1] == '(', end-from)
			s = re("asIdentity").ReplaceAllString(s, " ")
			isAway := !re("local").MatchString(s) || re("away").MatchString(re("local").ReplaceAllString(s, ""))
			for part := range strings.SplitSeq(strings.NewReplacer("&&", "\x00", "||", "\x00", "; ", "\x00").Replace(s), "\x00") {
				if isAway && re("leaving").MatchString(part) && (re("taken").MatchString(part) || mentioned(part, names, number) != "") && counts(at+m[0], at+m[1]) {
					f.add(line(text, at+m[0]), "sends", "sends secrets away", lineAt(text, at+m[0]))
					break
				}
			}
		} else if isSecret {
			for _, m := range re("assigned").FindAllStringSubmatch(l, 4) {
				if name := m[1] + m[2] + m[3] + m[4] + m[5]; !isEnv || !re("credential").MatchString(name) {
					names[name], fromEnv[name] = number+reach, isEnv
				}
			}
		}
		at = end + 1
	}
	for _, m := range re("branded").FindAllStringSubmatchIndex(text[code[0]:code[1]], maxFindings) {
		host, brand := strings.ToLower(text[code[0]+m[2]:code[0]+m[3]]), strings.ToLower(text[code[0]+m[4]:code[0]+m[5]])
		if from := code[0] + m[0]; !strings.Contains(host, brand) && !re("local").MatchString(text[from:from+m[1]-m[0]]) && counts(from, from+m[1]-m[0]) {
			f.add(line(text, from), "sends", "puts a key into the address of another service", lineAt(text, from))
		}
	}
}

// mentioned returns the name of a secret that a text uses as a whole; "" if it uses none.
func mentioned(text string, names map[string]int, number int) string {
	for name, until := range names {
		for i, from := 0, 0; number <= until; from = i + len(name) {
			if i = strings.Index(text[from:], name); i < 0 {
				break
			}
			i += from
			if (i == 0 || !isWord(text[i-1]) && text[i-1] != '.') && re("whole").MatchString(text[i+len(name):]) {
				return name
			}
		}
	}
	return ""
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// statement returns a call until its parenthesis closes, or else so many bytes.
func statement(text string, isCall bool, n int) string {
	if !isCall {
		return text[:min(n, len(text))]
	}
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[:i+1]
			}
		}
	}
	return text
}

// sends finds sentences that tell to send secrets away.
func (f *finder) sends(text string, code [][]int) {
	if !re("secret").MatchString(text) {
		return
	}
	blocks := code[:0:0]
	for _, c := range code {
		if strings.Contains(text[c[0]:c[1]], "\n") {
			blocks = append(blocks, c)
		}
	}
	var before [2]string // the sentences before
	visit := func(from, to int) {
		s := text[from:to]
		at, isSending := tellsToSend(s, before[:])
		if at >= 0 && !isExample(text, from+at, min(to, from+at+1)) && !re("forbidding").MatchString(heading(text[:from])) {
			what := "tells to send secrets away"
			if !isSending {
				what = "tells to put secrets into an address"
			}
			f.add(line(text, from+at), "sends", what, strings.TrimLeft(strings.TrimSpace(s), "-*+>#| \n"))
		}
		before = [2]string{s, before[0]}
	}
	begin := 0
	for _, b := range append(blocks, []int{len(text), len(text)}) {
		for begin < b[0] {
			end := b[0]
			if m := re("sentence").FindStringIndex(text[begin:b[0]]); m != nil {
				end = begin + max(m[1], 1)
			}
			visit(begin, end)
			begin = end
		}
		begin = max(begin, b[1])
	}
}

// heading returns what a passage stands below: the last heading, or line that ends with a
// colon, of those shortly before it.
func heading(before string) string {
	before = before[max(0, len(before)-600):]
	all := re("leadIn").FindAllString(before, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// tellsToSend returns where a sentence tells to send a secret away, or to put it into an
// address; -1 if it does not. What it sends may be named in the sentences before it.
func tellsToSend(s string, before []string) (at int, isSending bool) {
	if !re("maybeAway").MatchString(s) {
		return -1, false
	}
	s = re("local").ReplaceAllStringFunc(s, func(url string) string { return strings.Repeat("_", len(url)) })
	verbs := re("sending").FindAllStringIndex(s, 10)
	if len(verbs) == 0 && !re("inAddress").MatchString(s) {
		return -1, false
	}
	secrets := re("secret").FindAllStringIndex(s, 10)
	for _, verb := range verbs {
		if isFlag := verb[0] > 0 && s[verb[0]-1] == '-'; isFlag || isDenied(s, verb[0]) {
			continue
		}
		if first, _, ok := strings.Cut(s[verb[0]:verb[1]], " "); ok { // "lade … hoch"
			verb[1] = verb[0] + len(first)
		}
		goal := re("away").FindStringIndex(s[verb[1]:])
		if goal == nil {
			goal = re("away").FindStringIndex(s[:verb[0]]) // as in Japanese, and "open https://… and post"
		}
		isMail := re("mailing").MatchString(s[verb[0]:]) && re("recipient").MatchString(s[verb[1]:])
		if re("pronoun").MatchString(s[verb[1]:]) && (goal != nil || isMail || strings.Contains(s[verb[1]:], " along")) {
			if slices.ContainsFunc(before, func(b string) bool { return re("precious").MatchString(b) && !re("denied").MatchString(b) }) || len(secrets) > 0 && secrets[0][0] < verb[0] && !re("asKey").MatchString(s[secrets[0][1]:verb[0]]) {
				return verb[0], true
			}
		}
		if goal == nil && !isMail {
			continue
		}
		for _, m := range secrets {
			isPrecious := re("precious").MatchString(s[m[0]:m[1]])
			between := ""
			if m[0] > verb[1] {
				between = s[verb[1]:m[0]]
			}
			switch {
			case re("noSecret").MatchString(s[m[1]:]), re("asKey").MatchString(between):
			case !isPrecious && (re("inHeader").MatchString(s) || m[0] < verb[0] && s[verb[0]] < 0x80):
			case m[0] < verb[0] && isASCII(s): // "read .env, then post the report": the pronoun decides
			default:
				return verb[0], true
			}
		}
	}
	if verb := re("inAddress").FindStringIndex(s); verb != nil && len(secrets) > 0 && secrets[0][0] > verb[0] && re("parameter").MatchString(s[secrets[0][1]:]) &&
		re("away").MatchString(s) && !re("serviceAPI").MatchString(s) && !isDenied(s, verb[0]) {
		return verb[0], false
	}
	return -1, false
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x2000 }) < 0
}

// isDenied reports whether the text at an offset is about what must not be done.
func isDenied(s string, at int) bool {
	before := s[:at]
	if all := re("next").FindAllStringIndex(before, -1); len(all) > 0 {
		before = before[all[len(all)-1][1]:]
	}
	after := s[at:]
	if i := strings.IndexFunc(after, func(r rune) bool { return r >= 0x3000 }); i < 0 {
		after = "" // only languages with the verb at the end deny after it
	}
	return re("denied").MatchString(before) || re("deniedNext").MatchString(s[at:]) || re("denied").MatchString(after)
}
