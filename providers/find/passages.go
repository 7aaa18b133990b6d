package find

import (
	"strings"
	"unicode"

	"ctxfs/providers/internal/regexps"
	"ctxfs/providers/internal/words"
)

// passage is a part of a query, with the weight of its words.
type passage struct {
	text   string
	weight float64
}

// maxToken is the length of the longest run without spaces that can be words, in
// bytes: a longer one is data, such as base64.
const maxToken = 100

var (
	emailAddress = regexps.Lazy(`^[\w.+-]+@[\w-]+(\.[\w-]+)+$`)
	webAddress   = regexps.Lazy(`^(https?://|www\.)[^\s"'<>]+$`)
	filePath     = regexps.Lazy(`^(~|\.{1,2})?(/[^/]+){2,}/?$|^(~|\.{1,2})/[^/]+/?$`)
	fileName     = regexps.Lazy(`^[\w-]+(\.[\w-]+)*\.[A-Za-z]\w{0,4}$`)
	isoDate      = regexps.Lazy(`^\d{4}-\d\d-\d\d$`)
	quotation    = regexps.Lazy(`"[^"\n]{2,}"|“[^”\n]{2,}”|‘[^’\n]{2,}’|(?:^|[\s(])'[^'\n]{2,}'|«[^»\n]{2,}»|„[^“”\n]{2,}[“”]|「[^」\n]{2,}」|『[^』\n]{2,}』|` + "`[^`\n]{2,}`")
)

// passages splits a query into the question, which comes first, and the values in
// it, which count by their type.
func passages(query string) []passage {
	var plain []string
	var values []passage
	for _, token := range strings.Fields(spaced(query)) {
		if found := valuePassages(strings.Trim(token, `.,;:!?()[]{}<>"'`+"`")); found != nil {
			values = append(values, found...)
		} else if len(token) <= maxToken || !words.ASCII(token) {
			plain = append(plain, token)
		}
	}
	rest := strings.Join(plain, " ")
	outside := quotation().ReplaceAllString(rest, " ")
	// A query that is one quotation as a whole is the question.
	if len(strings.Fields(outside)) > 1 {
		for _, quoted := range quotation().FindAllString(rest, -1) {
			values = append(values, passage{quoted, quotedWeight})
		}
		rest = outside
	}
	return append([]passage{{rest, 1}}, values...)
}

// spaced puts spaces between the words of a script without spaces and others:
// 「打开https://example.com并截图」 has an address in it.
func spaced(query string) string {
	if words.ASCII(query) {
		return query
	}
	var b strings.Builder
	before := false
	for i, r := range query {
		spaceless := words.Spaceless(r) || unicode.In(r, unicode.Po) && r > unicode.MaxLatin1
		if i > 0 && spaceless != before {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		before = spaceless
	}
	return b.String()
}

// valuePassages returns what a value stands for; nil if the token is a word.
func valuePassages(token string) []passage {
	switch {
	case emailAddress().MatchString(token):
		return []passage{{"email", kindWeight}}
	case webAddress().MatchString(token):
		return []passage{{"url " + site(token), kindWeight}}
	case isoDate().MatchString(token):
		return []passage{{"date", kindWeight}}
	}
	name := token[strings.LastIndexByte(token, '/')+1:]
	isPath, isName := filePath().MatchString(token), fileName().MatchString(name)
	end := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case isName && (isPath || fileType(end)):
		return []passage{{"file", kindWeight}, {end, 1}}
	case isPath:
		return []passage{{"directory path", kindWeight}}
	}
	return nil
}

// site returns the name in a web address: "github" for https://www.github.com/x.
func site(address string) string {
	if _, after, ok := strings.Cut(address, "://"); ok {
		address = after
	}
	host, _, _ := strings.Cut(address, "/")
	host = strings.TrimPrefix(host, "www.")
	if end := strings.LastIndexByte(host, '.'); end > 0 {
		host = host[:end]
	}
	return host
}

// fileType reports whether a word with that extension is the name of a file.
func fileType(end string) bool {
	switch strings.ToLower(end) {
	case "c", "cpp", "css", "csv", "db", "doc", "docx", "gif", "go", "html", "java", "jpeg", "jpg", "json", "jsonl",
		"log", "md", "mov", "mp3", "mp4", "odt", "pdf", "png", "ppt", "pptx", "py", "rs", "sh", "sql", "sqlite",
		"svg", "tar", "toml", "ts", "tsx", "txt", "wav", "xls", "xlsx", "xml", "yaml", "yml", "zip":
		return true
	}
	return false
}
