// Package suspect finds what makes a skill suspicious: text that readers do not see,
// instructions to send data away or to weaken safety, scripts that fetch code and run it,
// and tools beyond what a skill is for.
//
// What it finds are words for a person who decides, and no verdict: nothing is hidden or
// refused because of them. So that they are read, there are few: what stands in quotation
// marks or after "never" is taken for an example, and the installers of well-known
// programs for what they are.
package suspect

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/regexps"
)

// Kind is what something suspicious does.
type Kind string

// The kinds.
const (
	Hidden Kind = "hidden" // it is not seen by those who read the file
	Sends  Kind = "sends"  // it sends data away
	Weaken Kind = "weaken" // it weakens safety
	Runs   Kind = "runs"   // it runs code that it fetches or conceals
	Tools  Kind = "tools"  // it may use more than it seems to need
)

// Finding is something suspicious.
type Finding struct {
	// File is relative to the skill's folder.
	File string `json:"file"`
	// Line is where, from 1; 0 if that is no line.
	Line int    `json:"line,omitempty"`
	Kind Kind   `json:"kind"`
	What string `json:"what"`
	// Text is the passage, cleaned and short; "" if there is nothing to see.
	Text string `json:"text,omitempty"`
}

const (
	// maxFindings is how many findings of one kind one file has.
	maxFindings = 5
	// textLen is the most of a passage that is quoted, in bytes.
	textLen = 160
)

// finder looks at one file.
type finder struct {
	name  string
	found []Finding
	count map[Kind]int
}

func (f *finder) add(line int, kind Kind, what, text string) {
	if slices.ContainsFunc(f.found, func(o Finding) bool { return line > 0 && o.Line == line && o.Kind == kind && o.What == what }) {
		return
	}
	if f.count[kind]++; f.count[kind] <= maxFindings {
		f.found = append(f.found, Finding{f.name, line, kind, what, clean.Cut(clean.Line(text), textLen)})
	}
}

// File returns what is suspicious in the text of a file of a skill.
func File(name string, text []byte) []Finding {
	f := &finder{name: name, count: make(map[Kind]int)}
	f.hidden(text)
	if isProse(name) {
		f.prose(string(text))
	} else {
		f.script(string(text))
	}
	slices.SortStableFunc(f.found, func(a, b Finding) int { return a.Line - b.Line })
	return f.found
}

// isProse reports whether a file is read rather than run.
func isProse(name string) bool {
	return slices.Contains([]string{".md", ".mdx", ".mdc", ".txt", ".rst", ".toml", ""}, strings.ToLower(filepath.Ext(name)))
}

// line returns the number of the line at an offset.
func line(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }

// lineAt returns the line at an offset.
func lineAt(text string, at int) string {
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
		return text[begin : at+end]
	}
	return text[begin:]
}

// hidden finds characters that are not seen, one finding for all of one sort.
func (f *finder) hidden(text []byte) {
	type sort struct {
		what  string
		count int
		line  int
	}
	sorts := make(map[string]*sort)
	number, before, flag := 1, ' ', false
	note := func(what string) {
		s := sorts[what]
		if s == nil {
			s = &sort{what: what, line: number}
			sorts[what] = s
		}
		s.count++
	}
	for i, r := range string(text) {
		switch {
		case r == '\n':
			number++
		case r == '\u200b' || r == '\u2060' || r == '\u180e' || r == '\ufeff' && i > 0:
			note("zero-width characters")
		case (r == '\u200c' || r == '\u200d') && before < 0x80 && before > ' ': // others join letters and emoji
			note("zero-width characters")
		case r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069':
			note("characters that turn the direction of the text around")
		case r == 0x1f3f4: // the flag of a region ends with tags
			flag = true
		case r >= 0xe0000 && r <= 0xe007f:
			if !flag {
				note("tag characters, which spell a text that is not seen")
			}
		case r >= 0xe0100 && r <= 0xe01ef:
			note("variation selectors, which may spell a text that is not seen")
		}
		if r != 0x1f3f4 && (r < 0xe0000 || r > 0xe007f) {
			flag = false
		}
		before = r
	}
	for _, s := range sorts {
		if s.what[0] == 'v' && s.count < 4 { // single ones choose the form of a Han character
			continue
		}
		what := s.what
		if s.count == 1 {
			what = strings.NewReplacer("characters that turn", "character that turns", "characters, which spell", "character, which spells", "characters", "character").Replace(what)
		}
		f.add(s.line, Hidden, fmt.Sprintf("has %d %s", s.count, what), "")
	}
}

// pattern is a suspicious passage.
type pattern struct {
	kind Kind
	what string
	re   func() *regexp.Regexp
}

func compile(kind Kind, what, re string) pattern { return pattern{kind, what, regexps.Lazy(re)} }

const (
	dropped = `(?:webhook\.site|requestbin|pipedream\.net|ngrok\.(?:io|app|dev)|ngrok-free\.app|pastebin\.com/api|transfer\.sh|oast\.|interact\.sh|burpcollaborator|discord(?:app)?\.com/api/webhooks|api\.telegram\.org/bot)`
	shells  = `(?:sudo\s+(?:-\S+\s+)*)?(?:env\s+)?(?:/\S*/)?(?:ba|z|da|k|fi)?sh\b|(?:sudo\s+)?(?:python|perl|ruby|node|php)[0-9.]*\b`
)

// prosePatterns are looked for in what is read.
var prosePatterns = []pattern{
	compile(Weaken, "tells to ignore other instructions", `(?i)\b(?:ignore|disregard|forget|override|bypass)\s+(?:all\s+|any\s+|the\s+|your\s+|these\s+|every\s+)*(?:previous|prior|above|preceding|earlier|existing|system|safety|security|other)\s+(?:system\s+|safety\s+)?(?:instructions?|rules?|prompts?|guidelines?|constraints|restrictions|directives|messages?|policies)`),
	compile(Weaken, "tells to conceal something from the user", `(?i)\b(?:do\s+not|don't|never|without)\s+(?:tell|telling|inform|informing|mention|mentioning|reveal|revealing|notify|notifying|alert|alerting|disclose|disclosing)\b(?:\s+(?:this|it|that|any\s+of\s+this|anything))?\s+(?:to\s+)?(?:the\s+)?(?:user|human|operator|owner)\b`),
	compile(Weaken, "tells to conceal something from the user", `(?i)\b(?:secretly|silently|covertly)\s+(?:send|upload|post|copy|run|execute|install|transmit|exfiltrate|forward|download)\b`),
	compile(Weaken, "switches off the confirmation of commands", `--dangerously-skip-permissions|--dangerously-bypass-approvals-and-sandbox|--yolo\b|bypassPermissions|"autoApprove"\s*:\s*true`),
	compile(Weaken, "tells to switch off protection", `(?i)\b(?:disable|turn\s+off|switch\s+off|bypass|circumvent|evade)\s+(?:the\s+|all\s+|any\s+|your\s+)*(?:sandbox|sandboxing|safety\s+(?:checks?|filters?|features?)|guardrails?|permission\s+(?:checks?|prompts?)|approval\s+prompts?|antivirus|firewall|gatekeeper|selinux)\b`),
	compile(Weaken, "allows all commands without asking", "(?i)\\b(?:add|allow|set|put|include|grant|write|insert|füge|ajoute[rz]?|añade|agrega)\\b[^.\\n]{0,60}\\b(?:Bash|Shell)(?:\\(\\*+\\)|\\(:\\*\\))[^\\n]{0,80}(?:settings|permissions|allow|Berechtigung|permis)|\\b(?:permissions?|settings|allowlist)\\b[^.\\n]{0,60}\\b(?:Bash|Shell)(?:\\(\\*+\\)|\\(:\\*\\))"),
	compile(Weaken, "skips the hooks that check commits", `(?i)\b(?:use|add|pass|commit|push|run|append|with|mit|füge)\b[^.\n]{0,60}--no-verify\b`),
	compile(Sends, "puts data into the address of an image", `!\[[^\]]*\]\(https?://[^)\s]*[?&][^)\s=]*=\s*(?:\{\{?|\$\{|<|\[)[^)]*(?:secret|token|key|data|conversation|history|env)`),
	compile(Sends, "names a place where data is dropped", `(?i)https?://[^\s)"']*`+dropped),
}

// commandPatterns are looked for in scripts, and in the code of what is read.
var commandPatterns = []pattern{
	compile(Runs, "runs what it fetches", `\b(?:curl|wget|fetch)\b[^\n|;&]{0,300}\|\s*(?:`+shells+`)`),
	compile(Runs, "runs what it fetches", `(?:\b(?:bash|sh|zsh|source|eval|python3?)\b|(?:^|\s)\.)\s+(?:-\w+\s+)*["']?(?:<|\$)\(\s*(?:curl|wget)\b`),
	compile(Runs, "runs what it fetches", `(?i)\b(?:iex|invoke-expression)\b[^\n]{0,200}(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring)|(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring)\b[^\n]{0,200}\|\s*(?:iex|invoke-expression)\b`),
	compile(Runs, "runs what it fetches", `\b(?:eval|exec)\s*\([^\n]{0,120}(?:requests\.get|urlopen|urlretrieve|httpx\.get|fetch\()`),
	compile(Runs, "runs what it conceals in base64", `\bbase64\s+(?:-d|-D|--decode)\b[^\n]{0,80}\|\s*(?:`+shells+`)|(?:\b(?:eval|bash|sh)\b)[^\n]{0,40}\$\([^\n)]{0,200}base64\s+(?:-d|-D|--decode)`),
	compile(Runs, "runs what it conceals in base64", `\b(?:eval|exec|compile|Function)\s*\([^\n]{0,80}(?:b64decode|atob\(|fromhex|from\([^\n]{0,400}['"]base64['"])`),
	compile(Weaken, "switches off the verification of certificates", `\bNODE_TLS_REJECT_UNAUTHORIZED\b["'\]]*\s*[=:]\s*["']?0|\bGIT_SSL_NO_VERIFY\s*=\s*["']?(?:1|true)|\bhttp\.sslVerify[ =]+["']?false|\bstrict-ssl[ =]+["']?false|\b_create_unverified_context\b`),
	compile(Weaken, "skips the hooks that check commits", `\bgit\s+(?:-\S+\s+)*(?:commit|push|merge|rebase)\b[^\n|;&]*\s--no-verify\b`),
	compile(Weaken, "allows all commands without asking", `"(?:allow|allowedTools)"\s*:\s*\[[^\]]*"(?:\*|Bash(?:\((?:\*+|:\*)\))?)"`),
	compile(Sends, "sends secrets away", `(?i)\b(?:curl|wget|nc|ncat|netcat)\b[^\n]{0,300}(?:@~?/?\S*(?:\.ssh/|\.aws/|\.env\b|\.netrc|id_rsa|\.gnupg|\.kube/config|\.docker/config)|\$\(\s*(?:env|printenv|cat\s+\S*(?:\.ssh|\.aws|\.env|\.netrc)))`),
	compile(Sends, "names a place where data is dropped", `(?i)https?://[^\s)"']*`+dropped),
	compile(Weaken, "switches off the confirmation of commands", `--dangerously-skip-permissions|--dangerously-bypass-approvals-and-sandbox|bypassPermissions`),
	compile(Weaken, "deletes all files of the user or the machine", `\brm\s+(?:-\w+\s+)*-\w*[rR]\w*\s+(?:-\w+\s+)*(?:/|~|\$HOME|\$\{HOME\})(?:/\*)?(?:\s|$|;|&|\|)`),
	compile(Weaken, "adds itself to what starts with the shell or the machine", `>>\s*["']?(?:~|\$HOME|\$\{HOME\})/\.(?:bashrc|zshrc|profile|bash_profile|zprofile)|\bcrontab\s+-(?:\s|$)|>>?\s*["']?(?:~|\$HOME)/\.ssh/authorized_keys`),
}

// installers are the hosts from which well-known programs are installed by a pipe into a
// shell, as their own pages say.
var installers = regexps.Lazy(`https://(?:astral\.sh/uv|sh\.rustup\.rs|bun\.sh/install|bun\.com/install|get\.docker\.com|deb\.nodesource\.com|fnm\.vercel\.app|get\.pnpm\.io|deno\.land/|install\.python-poetry\.org|raw\.githubusercontent\.com/(?:Homebrew|nvm-sh|helm|rbenv|pyenv|ohmyzsh)/|fly\.io/install|get\.helm\.sh|cli\.run\.pia|claude\.ai/install|ollama\.com/install|mise\.(?:run|jdx\.dev)|get\.sdkman\.io|starship\.rs/install|install\.determinate\.systems|nixos\.org/nix/install|foundry\.paradigm\.xyz|pixi\.sh/install|cursor\.com/install|opencode\.ai/install|get\.volta\.sh|docs\.expo\.dev|sdk\.cloud\.google\.com|aka\.ms/|get\.k3s\.io|tailscale\.com/install|supabase\.com/|railway\.(?:app|com)/install)`)

// prose looks at a text that is read: its words outside of code, and its code.
func (f *finder) prose(text string) {
	code := codeOf(text)
	inCode := func(at int) bool {
		return slices.ContainsFunc(code, func(c span) bool { return c.from <= at && at < c.to })
	}
	for _, p := range prosePatterns {
		for _, m := range p.re().FindAllStringIndex(text, maxFindings+1) {
			if isFlag := strings.HasPrefix(text[m[0]:], "--"); !isFlag && (inCode(m[0]) || isExample(text, m[0], m[1])) {
				continue
			}
			f.add(line(text, m[0]), p.kind, p.what, lineAt(text, m[0]))
		}
	}
	f.sends(text, code)
	shown := func(from, to int) bool { return !isExample(text, from, to) }
	f.commands(text, shown)
	for _, c := range code {
		f.flow(text, c, shown)
	}
	f.comments(text, inCode)
	for _, m := range styled().FindAllStringIndex(text, maxFindings+1) {
		if !inCode(m[0]) {
			f.add(line(text, m[0]), Hidden, "has text in a style that is not seen", lineAt(text, m[0]))
		}
	}
}

// script looks at a text that is run.
func (f *finder) script(text string) {
	runs := func(from, _ int) bool {
		l := strings.TrimSpace(lineAt(text, from))
		return !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "//") && !strings.HasPrefix(l, "*")
	}
	f.commands(text, runs)
	f.flow(text, span{0, len(text)}, runs)
}

func (f *finder) commands(text string, counts func(from, to int) bool) {
	for _, p := range commandPatterns {
		for _, m := range p.re().FindAllStringIndex(text, 4*maxFindings) {
			l := lineAt(text, m[0])
			if !counts(m[0], m[1]) || p.kind == Runs && installers().MatchString(l) {
				continue
			}
			f.add(line(text, m[0]), p.kind, p.what, l)
		}
	}
}

// styled matches text in a style that is not seen.
var styled = regexps.Lazy(`(?i)<[a-z]+[^>]*\bstyle\s*=\s*["'](?:[^"'>]*[;\s])?(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?:\.0+)?\s*[;"']|color\s*:\s*(?:white|#fff(?:fff)?|transparent)\b)[^>]*>`)

// comment matches a comment in Markdown, and speaking what an agent might obey.
var (
	comment  = regexps.Lazy(`(?s)<!--(.*?)-->|(?m)^\[//\]: # \((.*)\)$`)
	speaking = regexps.Lazy(`(?i)\b(?:ignore|disregard)\b.{0,40}\b(?:instructions?|rules?|user)\b|\b(?:you|agent|assistant|claude|ai|model)\b.{0,40}\b(?:must|should|shall|always|never|will)\b.{0,120}\b(?:send|run|execute|read|upload|fetch|curl|post|include|install|delete|write|call|open)\b|\b(?:secretly|silently)\b|\bdo not (?:tell|mention|reveal|show)\b|https?://\S+.{0,80}\b(?:send|post|upload)\b|\b(?:send|post|upload)\b.{0,80}https?://|\bcurl\s`)
)

// comments looks at what a rendered page does not show and an agent reads.
func (f *finder) comments(text string, inCode func(at int) bool) {
	for _, m := range comment().FindAllStringIndex(text, 200) {
		if body := text[m[0]:m[1]]; !inCode(m[0]) && speaking().MatchString(body) {
			f.add(line(text, m[0]), Hidden, "has a comment with instructions, which readers do not see", body)
		}
	}
}

// span is a part of a text.
type span struct{ from, to int }

// fence matches the line that begins or ends a block of code.
var fence = regexps.Lazy("(?m)^[ \t>]*(```+|~~~+)[^\n]*$")

// codeOf returns the blocks and passages of code in Markdown.
func codeOf(text string) (all []span) {
	open := -1
	for _, m := range fence().FindAllStringIndex(text, -1) {
		if open < 0 {
			open = m[0]
		} else {
			all = append(all, span{open, m[1]})
			open = -1
		}
	}
	if open >= 0 {
		all = append(all, span{open, len(text)})
	}
	for at := 0; at < len(text); {
		i := strings.IndexByte(text[at:], '`')
		if i < 0 {
			break
		}
		from := at + i
		j := strings.IndexAny(text[from+1:], "`\n")
		if j < 0 {
			break
		}
		at = from + 1 + j + 1
		if text[at-1] == '`' {
			all = append(all, span{from, at})
		}
	}
	return all
}

// warning matches what comes before an example of what not to do.
var warning = regexps.Lazy(`(?i)(?:\bnever\b|\bdo not\b|\bdon't\b|\bmust not\b|\bshould not\b|\bshouldn't\b|\bavoid\b|\bdetects?\b|\bdetecting\b|\bprevents?\b|\bpreventing\b|\brefuse\b|\breject\b|\bflags?\b|\be\.g\.|\bfor example\b|\bsuch as\b|\battempts?\b|\battacks?\b|\binjections?\b|\bmalicious\b|❌|\bbad:|\bwrong:|\bwarning\b|\bdangerous\b|\bunsafe\b|\binsecure\b)[^.\n]{0,80}$`)

// isExample reports whether a passage is quoted, or named as what not to do.
func isExample(text string, from, to int) bool {
	before := text[max(0, from-100):from]
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	}
	if warning().MatchString(before) {
		return true
	}
	quote := strings.TrimRight(before, " *_(")
	after := strings.TrimLeft(text[to:min(len(text), to+80)], " ")
	for _, q := range [][2]string{{`"`, `"`}, {"“", "”"}, {"'", "'"}, {"‘", "’"}, {"«", "»"}, {"„", "“"}} {
		if strings.HasSuffix(quote, q[0]) && strings.Contains(after, q[1]) {
			return true
		}
	}
	return false
}

// wide matches a tool without a limit, or one that is as good as all.
var wide = regexps.Lazy(`(?i)^(?:\*|(?:bash|shell|execute|run_shell_command|terminal)\((?:\*+|:\*|\s*)\)|bash\((?:sudo|bash|sh|zsh|eval|exec|env|xargs|curl|wget|nc|rm|python3? -c|node -e)\b[^)]*\*\))$`)

// toolNames matches one tool: a name, maybe with something in parentheses.
var toolNames = regexps.Lazy(`[^\s,()]+(?:\([^)]*\))?`)

// ToolsOf returns what is suspicious in the tools that the front matter of a file allows.
// Commands reports whether the skill has scripts or shows commands.
func ToolsOf(file string, fields map[string]any, commands bool) (found []Finding) {
	for _, key := range []string{"allowed-tools", "tools"} {
		var all []string
		switch v := fields[key].(type) {
		case string:
			all = toolNames().FindAllString(v, -1)
		case []any:
			for _, item := range v {
				if s, ok := item.(string); ok {
					all = append(all, s)
				}
			}
		}
		for _, tool := range all {
			switch {
			case wide().MatchString(tool):
				found = append(found, Finding{file, 0, Tools, key + " has a tool without a limit", clean.Cut(clean.Line(tool), textLen)})
			case key == "allowed-tools" && tool == "Bash" && !commands:
				found = append(found, Finding{file, 0, Tools, "allowed-tools has all commands, though the skill has no script and shows no command", tool})
			}
		}
	}
	return found
}

// ShowsCommands reports whether a text has blocks of shell commands.
func ShowsCommands(text []byte) bool {
	return bytes.Contains(text, []byte("```bash")) || bytes.Contains(text, []byte("```sh")) || bytes.Contains(text, []byte("```zsh")) ||
		bytes.Contains(text, []byte("```console")) || bytes.Contains(text, []byte("```\n")) || bytes.Contains(text, []byte("!`"))
}
