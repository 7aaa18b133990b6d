package read

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/frontmatter"
)

// Import is a place where a file names another one that is read with it.
type Import struct {
	// Name is the path as it is written; Line is where, counted from 1 in the text of
	// the file From.
	Name string
	From string
	Line int
	// Err is why it was not read; nil if it was.
	Err error
}

// The reasons why an import is not read, besides those of files.
var (
	// ErrCycle reports that a file imports itself, over others or at once.
	ErrCycle = errors.New("imports itself")
	// ErrElsewhere reports an import from outside of the project.
	ErrElsewhere = errors.New("is outside of its project")
	// ErrTooDeep reports more files that import each other than the agent follows.
	ErrTooDeep = errors.New("is imported over more files than the agent follows")
	// ErrNotText reports a file that is not text.
	ErrNotText = errors.New("is not text")
	// ErrTooLong reports that there is too much text already.
	ErrTooLong = fmt.Errorf("would make it longer than %s", wording.Size(MaxBytes))
)

// maxImports is how many imports of a file are followed.
const maxImports = 200

// importer inserts what a file imports.
type importer struct {
	file *File
	opts Options
	room int // bytes that are left
}

// expand returns a text with the files that it imports after the lines that name them.
// Chain are the files that led to it, and path is the last of them.
func (i *importer) expand(text, path string, depth int, chain []string) string {
	mentions := mentions(text)
	i.room -= len(text)
	if len(mentions) == 0 {
		return text
	}
	var b strings.Builder
	number := 0
	for line := range strings.Lines(text) {
		number++
		b.WriteString(line)
		for _, m := range mentions {
			if m.line != number || len(i.file.Imports) >= maxImports {
				continue
			}
			at := len(i.file.Imports)
			i.file.Imports = append(i.file.Imports, Import{From: path, Line: number}) // before those that it has itself
			body, name, err := i.follow(m.name, path, depth, chain)
			if errors.Is(err, iofs.ErrNotExist) && !looksLikePath(m.name) {
				i.file.Imports = i.file.Imports[:at]
				continue // "@alice"
			}
			i.file.Imports[at].Name, i.file.Imports[at].Err = name, err
			if !strings.HasSuffix(line, "\n") {
				b.WriteByte('\n')
			}
			shown := strings.ReplaceAll(clean.Line(name), "--", "- -")
			if err != nil {
				fmt.Fprintf(&b, "<!-- not imported: %s %s -->\n", shown, clean.Line(wording.Cause(err).Error()))
				continue
			}
			fmt.Fprintf(&b, "<!-- imported: %s -->\n%s\n<!-- end of %s -->\n", shown, strings.TrimRight(body, "\n"), shown)
		}
	}
	return b.String()
}

// follow returns the text of a file that is imported, and its name as it is written.
func (i *importer) follow(name, from string, depth int, chain []string) (text, written string, err error) {
	for written = name; ; written = written[:len(written)-1] { // "see @style.md."
		text, err = i.read(written, from, depth, chain)
		if !errors.Is(err, iofs.ErrNotExist) || !strings.HasSuffix(written, ".") && !strings.ContainsAny(written[len(written)-1:], ",;:!?)'\"]") || len(written) < 2 {
			break
		}
	}
	if errors.Is(err, iofs.ErrNotExist) {
		written = strings.TrimRight(name, ".,;:!?)'\"]")
	}
	return text, written, err
}

func (i *importer) read(name, from string, depth int, chain []string) (string, error) {
	path := name
	switch rest, ok := strings.CutPrefix(name, "~/"); {
	case ok:
		path = filepath.Join(i.opts.Home, rest)
	case !filepath.IsAbs(name):
		path = filepath.Join(filepath.Dir(from), name)
	}
	path = filepath.Clean(path)
	switch {
	case i.opts.Root != "" && !fs.Within(path, i.opts.Root):
		return "", ErrElsewhere
	case slices.Contains(chain, path):
		return "", ErrCycle
	}
	body, err := i.file.load(path)
	switch {
	case err != nil:
		return "", err
	case depth == 0:
		return "", ErrTooDeep
	case !utf8.Valid(body) && !utf8.Valid(body[:max(0, len(body)-utf8.UTFMax)]) || slices.Contains(body, 0):
		return "", ErrNotText
	case len(body) > i.room:
		return "", ErrTooLong
	}
	matter, _ := frontmatter.Parse(body)
	return i.expand(clean.Text(string(body[min(matter.Body, len(body)):])), path, depth-1, append(slices.Clip(chain), path)), nil
}

// looksLikePath reports whether what follows an "@" is meant as the path of a file even
// if that does not exist: it has a folder or the extension of a text. Names of
// packages, such as @scope/name, have neither.
func looksLikePath(name string) bool {
	name = strings.TrimRight(name, ".,;:!?)'\"]")
	switch filepath.Ext(name) {
	case ".md", ".mdc", ".txt", ".json", ".yaml", ".yml", ".toml":
		return true
	}
	return strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") || strings.HasPrefix(name, "~/")
}

// mention is an "@" with what follows it.
type mention struct {
	name string
	line int // from 1
}

// mentions returns what a Markdown text mentions by "@", except in code.
func mentions(text string) (all []mention) {
	if !strings.Contains(text, "@") {
		return nil
	}
	number := 0
	for line := range Prose(text) {
		number++
		for at := 0; at < len(line); at++ {
			if line[at] != '@' || at > 0 && line[at-1] != ' ' && line[at-1] != '\t' && line[at-1] != '(' {
				continue
			}
			if name := firstWord(line[at+1:]); name != "" {
				all = append(all, mention{name, number})
			}
		}
	}
	return all
}

// firstWord returns a text up to its first blank. A backslash before a space makes the
// space part of the word.
func firstWord(s string) string {
	var b strings.Builder
	for i := 0; i < len(s) && s[i] != ' ' && s[i] != '\t'; i++ {
		if s[i] == '\\' && i+1 < len(s) && s[i+1] == ' ' {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
