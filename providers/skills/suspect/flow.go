package suspect

import (
	"strings"

	"ctxfs/providers/internal/regexps"
)

var (
	// taken matches where code takes what is secret.
	taken = regexps.Lazy(keyFiles + `|` + envFile +
		`|\bos\.environ(?:\.copy\(\)|\.items\(\))?\s*(?:[,)}\]]|$)|\bprocess\.env\s*(?:[,)}\];]|$)|\b(?:print)?env\s*(?:\||>|\))|\bexport -p\b|\bhistory\s*\||\bsecurity\s+(?:find-\w+-password|dump-keychain)|\bENV\.to_h\b|\bgetenv\(\)|\bGet-ChildItem\s+Env:|\bbrowser_cookie3\b`)
	// leaving matches where code sends something to another machine.
	leaving = regexps.Lazy(`\b(?:requests|httpx|aiohttp|session|client|axios|got|https?|superagent|needle|ky)\.(?:post|put|patch|request|get)\s*\(|\b(?:urlopen|Request|fetch|axios|got|sendmail|send_message|sendBeacon|gethostbyname)\s*\(|\.(?:sendall|sendto|send_message|sendMail)\s*\(|\b(?:socket|sock|s|ws|conn)\.(?:send|write|end)\s*\(|\b(?:req|request|xhr)\.(?:write|end|send)\s*\(|\bdns\.(?:resolve|lookup)\w*\s*\(|(?:^|[^\w./-])(?:curl|wget|nc|ncat|netcat|socat|scp|rsync|sftp|dig|nslookup)\s|/dev/(?:tcp|udp)/|\b(?:Invoke-WebRequest|Invoke-RestMethod|iwr|irm)\b|\bNet::HTTP\b|\bmail\s+-s\b`)
	// asIdentity matches the use of keys that they are for, and what only looks like a secret.
	asIdentity = regexps.Lazy(`(?i)(?:^|\s)(?:-i|-b|-c|--cookie|--cookie-jar|--identity\S*|--key|--cert|--cacert|--netrc-file|--env-file|--password-file)[ =]\S+|-(?:H|-header)[ =](?:"[^"]*"|'[^']*')|-e[ =](?:"[^"]*"|'[^']*')|\b(?:headers|auth|env)\s*[=:]\s*(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|[\w.]+(?:\([^()]*\))?)|\bexport\s+\$\([^)]*\)|(?:^|\s)(?:source|\.)\s+\S+|known_hosts|\.env\.(?:example|sample|template)`)
	// assigned matches the name that a statement gives to a value.
	assigned = regexps.Lazy(`(?:^|[\s;(])(\w+)\s*(?::\s*[\w\[\], ]+)?\+?=\s*[^=>\s]|\bas\s+(\w+)\s*:|\bfor\s+\w*,?\s*(\w+)\s+in\b|>\s*["']?([\w/.$~{}-]*[/.][\w/.-]+)|\b(?:tar\s+\S*f|zip\s+(?:-\S+\s+)*)\s*(?:-\S+\s+)*([\w/.$~{}-]*[/.][\w/.-]+)`)
	// credential matches the names of what a service is given with a request.
	credential = regexps.Lazy(`(?i)key|token|auth|headers|client|session|url|config|settings|password|secret|cookie|cred`)
	// branded matches a well-known key in an address.
	branded = regexps.Lazy(`https?://([^\s/"'?]+)[^\s"']*[?&][\w.-]*=["']?\s*[+.]?\s*["']?\$?\{?\s*(?:process\.env\.|os\.environ\[["'])?(OPENAI|ANTHROPIC|CLAUDE|AWS|GITHUB|GITLAB|STRIPE|NPM|SLACK|HF|HUGGINGFACE|CLOUDFLARE)_\w*(?:KEY|TOKEN|SECRET)\w*`)
	whole   = regexps.Lazy(`^(?:\.(?:toString|read|decode|encode|items|copy|trim|strip|join|readlines|splitlines|hex|entries)\b|\.(?:\s|$)|[^.\[\w]|$)`)
)

const (
	// reach is for how many lines a value is followed, statementLen how long a call may be.
	reach        = 25
	statementLen = 1000
)

// flow follows what is secret from where code takes it to where it leaves the machine:
// within a statement, or by the names of values and files within some lines.
func (f *finder) flow(text string, code span, counts func(from, to int) bool) {
	names := make(map[string]int) // the line until which each is followed
	fromEnv := make(map[string]bool)
	at := code.from
	if !taken().MatchString(text[code.from:code.to]) {
		at = code.to
	}
	for number := 0; at < code.to; number++ {
		end := at + len(text[at:code.to])
		if i := strings.IndexByte(text[at:code.to], '\n'); i >= 0 {
			end = at + i
		}
		for end < code.to && end > at && text[end-1] == '\\' { // goes on
			i := strings.IndexByte(text[end+1:code.to], '\n')
			if i < 0 {
				end = code.to
			} else {
				end += 1 + i
			}
		}
		l := asIdentity().ReplaceAllString(text[at:end], " ")
		isSecret, isEnv := taken().MatchString(l), false
		if isSecret {
			isEnv = !keyFile().MatchString(l)
		} else if name := mentioned(l, names, number); name != "" {
			isSecret, isEnv = true, fromEnv[name]
		}
		if m := leaving().FindStringIndex(text[at:end]); m != nil {
			from := at
			if text[at+m[1]-1] == '(' {
				from = at + m[0]
			}
			s := statement(text[from:min(code.to, from+statementLen)], text[at+m[1]-1] == '(', end-from)
			s = asIdentity().ReplaceAllString(s, " ")
			isAway := !local().MatchString(s) || away().MatchString(local().ReplaceAllString(s, ""))
			for part := range strings.SplitSeq(strings.NewReplacer("&&", "\x00", "||", "\x00", "; ", "\x00").Replace(s), "\x00") {
				if isAway && leaving().MatchString(part) && (taken().MatchString(part) || mentioned(part, names, number) != "") && counts(at+m[0], at+m[1]) {
					f.add(line(text, at+m[0]), Sends, "sends secrets away", lineAt(text, at+m[0]))
					break
				}
			}
		} else if isSecret {
			for _, m := range assigned().FindAllStringSubmatch(l, 4) {
				if name := m[1] + m[2] + m[3] + m[4] + m[5]; !isEnv || !credential().MatchString(name) {
					names[name], fromEnv[name] = number+reach, isEnv
				}
			}
		}
		at = end + 1
	}
	for _, m := range branded().FindAllStringSubmatchIndex(text[code.from:code.to], maxFindings) {
		host, brand := strings.ToLower(text[code.from+m[2]:code.from+m[3]]), strings.ToLower(text[code.from+m[4]:code.from+m[5]])
		if from := code.from + m[0]; !strings.Contains(host, brand) && !local().MatchString(text[from:from+m[1]-m[0]]) && counts(from, from+m[1]-m[0]) {
			f.add(line(text, from), Sends, "puts a key into the address of another service", lineAt(text, from))
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
			if (i == 0 || !isWord(text[i-1]) && text[i-1] != '.') && whole().MatchString(text[i+len(name):]) {
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
