package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/internal/regexps"
)

// The most that is shown of an argument, in bytes, and the most arguments.
const (
	argumentLen  = 200
	maxArguments = 50
)

// hidden replaces the parts of an argument that are not shown.
const hidden = "…"

// Arguments returns what may be shown of the arguments, including those in
// Command. Servers of one package can be told apart by them. What looks like a
// secret is hidden, also in doubt.
func (s *Server) Arguments() []string {
	words := append(strings.Fields(s.Command), s.Args...)
	if len(words) < 2 {
		return nil
	}
	// First the secrets of the configuration: their values have no shape of their
	// own.
	for i, word := range words {
		words[i] = s.Redact(word)
	}
	shown := withoutSecrets(mask.Args(words))[1:]
	more := len(shown) - maxArguments
	shown = shown[:min(len(shown), maxArguments)]
	for i, arg := range shown {
		shown[i] = clean.Cut(clean.Line(arg), argumentLen)
	}
	if more > 0 {
		shown = append(shown, fmt.Sprintf("... and %d more", more))
	}
	return shown
}

// withoutSecrets returns the words of a command line without secrets that have no
// recognizable shape: the values of flags that are said to be keys, headers, of URLs all
// but scheme and host, and what looks generated.
func withoutSecrets(words []string) []string {
	var out []string
	secret, header := false, 0 // what the next word is, or the next words
	for _, word := range words {
		name, sep, value := cutAssignment(word)
		isFlag := strings.HasPrefix(word, "-")
		if parts := strings.Fields(word); len(parts) > 1 && header == 0 && !secret && !isFlag && !(sep != "" && isSecretFlag(name) && value != "") { // a script
			out = append(out, strings.Join(withoutSecrets(parts), " "))
			continue
		}
		was, inHeader := secret, header > 0
		secret, header = false, max(header-1, 0)
		switch {
		case inHeader && !isFlag:
			if _, colon, _ := cutHeader(word); colon != "" || header == 0 {
				word, header = hideHeader(word), 0
			} else { // the name alone
				word = showWord(word)
			}
		case was && !isFlag:
			word = hideValue(word)
		case sep != "" && isSecretFlag(name) && value != "":
			word = name + sep + hideValue(value)
		case sep != "" && isSecretFlag(name):
			secret, word = true, name+sep
		case sep == "" && isFlag && isSecretFlag(word):
			secret = true
		case word == "-H":
			header = 1
		case word == "--header" || word == "--headers":
			header = 2
		case isHeaderFlag(name) && sep != "":
			word = name + sep + hideHeader(value)
		default:
			word = showWord(word)
		}
		out = append(out, word)
	}
	return out
}

func isHeaderFlag(name string) bool { return name == "--header" || name == "--headers" || name == "-H" }

// hideHeader returns what may be shown of "Name: value".
func hideHeader(text string) string {
	name, sep, value := cutHeader(text)
	if sep == "" {
		return hideValue(text)
	}
	return name + sep + hideValue(strings.TrimSpace(value))
}

var headerLine = regexps.Lazy(`^([A-Za-z][A-Za-z0-9-]*)(:|=)((?s:.*))$`)

func cutHeader(text string) (name, sep, value string) {
	if m := headerLine().FindStringSubmatch(text); m != nil {
		return m[1], m[2], m[3]
	}
	return text, "", ""
}

var assignmentWord = regexps.Lazy(`^([-{"']*[A-Za-z][A-Za-z0-9_.-]*["']?)([=:])((?s:.*))$`)

// cutAssignment splits NAME=value, --name=value, and JSON's "name":value.
func cutAssignment(word string) (name, sep, value string) {
	m := assignmentWord().FindStringSubmatch(word)
	if m == nil || m[2] == ":" && m[3] != "" && !strings.ContainsAny(m[1], `"'`) && m[1][0] != '-' {
		return word, "", ""
	}
	return m[1], m[2], m[3]
}

// keyWords are the last words of the names of flags whose values are secret.
var keyWords = []string{
	"key", "keys", "apikey", "token", "secret", "secrets", "password", "passwd", "passphrase", "pass", "pwd", "pw", "pat", "auth", "bearer",
	"credential", "credentials", "creds", "jwt", "cookie", "cookies", "session", "signature", "sig", "license", "dsn", "authorization", "seed", "mnemonic",
}

// gluedKeys end names of one word.
var gluedKeys = []string{"token", "secret", "password", "apikey", "accesskey", "secretkey", "authkey", "privatekey", "licensekey"}

// switches begin the names of flags that have no value.
var switches = []string{"no", "enable", "disable", "use", "allow", "skip", "require", "public"}

// isSecretFlag reports whether a name says that its value is secret.
func isSecretFlag(name string) bool {
	if name == "-k" {
		return true
	}
	var words []string
	var word []rune
	previous := rune(0)
	for _, c := range strings.Trim(name, `-{"'`) + "-" {
		if !unicode.IsLetter(c) || unicode.IsUpper(c) && unicode.IsLower(previous) {
			if len(word) > 0 {
				words = append(words, strings.ToLower(string(word)))
			}
			word = nil
		}
		if unicode.IsLetter(c) {
			word = append(word, c)
		}
		previous = c
	}
	if len(words) == 0 || slices.Contains(switches, words[0]) {
		return false
	}
	last := words[len(words)-1]
	return slices.Contains(keyWords, last) || slices.ContainsFunc(gluedKeys, func(k string) bool { return strings.HasSuffix(last, k) })
}

var (
	reference = regexps.Lazy(`^(?:Bearer )?(?:\$\{[\w:. -]+\}|\$\w+|%\w+%)$`)
	plainFile = regexps.Lazy(`^(?:(?:/[a-z._-]+)+|(?:[A-Za-z]:[/\\]|~?\.{0,2}/).*\.[a-z]{2,5}|(?:~|\.{1,2})/.*)$`)
)

// hideValue returns what may be shown of the value of a secret flag: references to
// variables, paths of files, and what is masked already.
func hideValue(value string) string {
	switch {
	case reference().MatchString(value), strings.HasPrefix(value, "[REDACTED:") && strings.HasSuffix(value, "]"), strings.Trim(value, "*") == "":
		return value
	case strings.Contains(value, "://"), plainFile().MatchString(value):
		return showWord(value)
	}
	return hidden
}

var (
	addressIn = regexps.Lazy(`[A-Za-z][A-Za-z0-9+.-]*://`)
	hostsOf   = regexps.Lazy(`^(?:[A-Za-z0-9._-]+(?::\d{1,5})?,?|\[[0-9A-Fa-f:.]+\](?::\d{1,5})?)+$`)
)

// showWord returns what may be shown of any word. After an address nothing is
// shown: what seems to end it may be part of it.
func showWord(word string) string {
	at := addressIn().FindStringIndex(word)
	if at == nil {
		return mask.Random(word)
	}
	before, scheme, rest := word[:at[0]], word[at[0]:at[1]], word[at[1]:]
	host, path := rest, ""
	if i := strings.IndexAny(rest, `/?#\`); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	port := strings.Contains(host, ":")
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	} else if port && strings.Contains(path, "@") { // a password with a slash
		host = ""
	}
	host = strings.TrimRight(host, `"',;)}]`)
	switch {
	case rest != "" && host == "" && path == rest && strings.EqualFold(scheme, "file://"):
		host = mask.Random(path)
	case !hostsOf().MatchString(host):
		host = hidden
	}
	return mask.Random(before) + scheme + host
}
