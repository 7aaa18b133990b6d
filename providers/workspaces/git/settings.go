package git

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
)

// settings are what a configuration of git says, in its order.
type settings []setting

// setting is one value. The key is as git prints it: section and name in small letters,
// the subsection between them, if there is one, as it was written.
type setting struct{ key, value string }

// parseSettings parses the output of "git config --list -z".
func parseSettings(text []byte) settings {
	var s settings
	for entry := range bytes.SplitSeq(text, []byte{0}) {
		key, value, found := strings.Cut(string(entry), "\n")
		if key == "" {
			continue
		}
		if !found {
			value = "true" // a name alone
		}
		s = append(s, setting{key, value})
	}
	return s
}

// last returns the value of a key that counts, or "".
func (s settings) last(key string) string {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i].key == key {
			return s[i].value
		}
	}
	return ""
}

// remote returns the address of a remote, without secrets.
func (s settings) remote(name string) string {
	return clean.Cut(clean.Line(mask.Text(s.last("remote."+name+".url"))), 300)
}

// trusts reports whether these settings, which are the user's, let git work in a
// repository that another user owns. Source: git-config(1), safe.directory.
func (s settings) trusts(dir string) bool {
	trusted := false
	for _, e := range s {
		if e.key != "safe.directory" {
			continue
		}
		all, within := strings.CutSuffix(e.value, "/*")
		switch {
		case e.value == "":
			trusted = false
		case e.value == "*", filepath.Clean(e.value) == dir, within && strings.HasPrefix(dir, all+"/"):
			trusted = true
		}
	}
	return trusted
}

// harmless returns the settings of a repository that git may know: how its files are
// stored and compared, and what its branches track. None of them names a program, or
// anything that git would run, fetch, or write to.
func (s settings) harmless() settings {
	var kept settings
	for _, e := range s {
		section, name, sub := splitKey(e.key)
		switch {
		case section == "core" && sub == "":
			if slices.Contains([]string{
				"repositoryformatversion", "filemode", "symlinks", "ignorecase", "precomposeunicode", "checkstat", "trustctime",
				"autocrlf", "eol", "sparsecheckout", "sparsecheckoutcone",
			}, name) {
				kept = append(kept, e)
			}
		case section == "extensions" && sub == "":
			// The others are about writing, are resolved here, or let git fetch what it
			// misses. Git refuses those that it does not know, as it should.
			if !slices.Contains([]string{"partialclone", "preciousobjects", "worktreeconfig", "relativeworktrees"}, name) {
				kept = append(kept, e)
			}
		case section == "branch" && sub != "" && (name == "remote" || name == "merge"),
			section == "remote" && sub != "" && name == "fetch":
			kept = append(kept, e)
		}
	}
	return kept
}

// splitKey splits a key into its section, its name, and what is between them.
func splitKey(key string) (section, name, sub string) {
	section, rest, _ := strings.Cut(key, ".")
	if dot := strings.LastIndexByte(rest, '.'); dot >= 0 {
		return section, rest[dot+1:], rest[:dot]
	}
	return section, rest, ""
}

// text returns the settings as the text of a configuration file. Source: git-config(1),
// "Syntax".
func (s settings) text() string {
	var b strings.Builder
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	quoteValue := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`)
	for _, e := range s {
		section, name, sub := splitKey(e.key)
		if sub != "" {
			section = fmt.Sprintf(`%s "%s"`, section, quote.Replace(sub))
		}
		fmt.Fprintf(&b, "[%s]\n\t%s = \"%s\"\n", section, name, quoteValue.Replace(e.value))
	}
	return b.String()
}
