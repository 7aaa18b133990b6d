package find

import (
	"regexp"
	"strings"

	"ctxfs/providers/internal/words"
)

// passage is a part of a query, and how much its words count.
type passage struct {
	text   string
	weight float64
}

// maxToken is the longest run without spaces that can be words: what is longer
// is data, such as base64.
const maxToken = 100

var (
	emailAddress = regexp.MustCompile(`^[\w.+-]+@[\w-]+(\.[\w-]+)+$`)
	webAddress   = regexp.MustCompile(`^(https?://|www\.)[^\s"'<>]+$`)
	filePath     = regexp.MustCompile(`^(~|\.{1,2})?(/[^/]+){2,}/?$|^(~|\.{1,2})/[^/]+/?$`)
	fileName     = regexp.MustCompile(`^[\w-]+(\.[\w-]+)*\.[A-Za-z]\w{0,4}$`)
	isoDate      = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	quotation    = regexp.MustCompile(`"[^"\n]{2,}"|“[^”\n]{2,}”|‘[^’\n]{2,}’|(?:^|[\s(])'[^'\n]{2,}'|«[^»\n]{2,}»|` + "`[^`\n]{2,}`")
)

// passages cuts a query into what is asked for, which comes first, and the
// values in it: those count for what they are.
func passages(query string) []passage {
	var plain []string
	var values []passage
	for _, token := range strings.Fields(query) {
		if found := valuePassages(strings.Trim(token, `.,;:!?()[]{}<>"'`+"`")); found != nil {
			values = append(values, found...)
		} else if len(token) <= maxToken || !words.ASCII(token) {
			plain = append(plain, token)
		}
	}
	rest := strings.Join(plain, " ")
	outside := quotation.ReplaceAllString(rest, " ")
	// Whoever puts all of a query in quotes asks for just that.
	if len(strings.Fields(outside)) > 1 {
		for _, quoted := range quotation.FindAllString(rest, -1) {
			values = append(values, passage{quoted, quotedWeight})
		}
		rest = outside
	}
	return append([]passage{{rest, 1}}, values...)
}

// valuePassages is what a value stands for; nil for words.
func valuePassages(token string) []passage {
	switch {
	case emailAddress.MatchString(token):
		return []passage{{"email", kindWeight}}
	case webAddress.MatchString(token):
		return []passage{{"url " + site(token), kindWeight}}
	case isoDate.MatchString(token):
		return []passage{{"date", kindWeight}}
	}
	name := token[strings.LastIndexByte(token, '/')+1:]
	isPath, isName := filePath.MatchString(token), fileName.MatchString(name)
	end := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case isName && (isPath || fileType(end)):
		return []passage{{"file", kindWeight}, {end, 1}}
	case isPath:
		return []passage{{"directory path", kindWeight}}
	}
	return nil
}

// site is the name in a web address: "github" of https://www.github.com/x.
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

// fileType tells whether the end of a word makes it the name of a file.
func fileType(end string) bool {
	switch strings.ToLower(end) {
	case "c", "cpp", "css", "csv", "db", "doc", "docx", "gif", "go", "html", "java", "jpeg", "jpg", "json", "jsonl",
		"log", "md", "mov", "mp3", "mp4", "odt", "pdf", "png", "ppt", "pptx", "py", "rs", "sh", "sql", "sqlite",
		"svg", "tar", "toml", "ts", "tsx", "txt", "wav", "xls", "xlsx", "xml", "yaml", "yml", "zip":
		return true
	}
	return false
}
