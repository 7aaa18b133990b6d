package git

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
)

// Settings are what a configuration of git says, in its order.
type Settings []Setting

// Setting is one value. The key is as git prints it: section and name in small letters,
// the subsection between them, if there is one, as it was written.
type Setting struct{ Key, Value string }

// Parse parses the output of "git config --list -z".
func Parse(text []byte) Settings {
	var s Settings
	for entry := range bytes.SplitSeq(text, []byte{0}) {
		key, value, found := strings.Cut(string(entry), "\n")
		if key == "" {
			continue
		}
		if !found {
			value = "true" // a name alone
		}
		s = append(s, Setting{key, value})
	}
	return s
}

// Last returns the value of a key that counts, or "".
func (s Settings) Last(key string) string {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i].Key == key {
			return s[i].Value
		}
	}
	return ""
}

// IsTrue reports whether the value of a key means yes. Source: git-config(1), "Values".
func (s Settings) IsTrue(key string) bool {
	switch strings.ToLower(s.Last(key)) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// Remote returns the address of a remote, without secrets.
func (s Settings) Remote(name string) string {
	return clean.Cut(clean.Line(mask.Text(s.Last("remote."+name+".url"))), 300)
}

// trusts reports whether these settings, which are the user's, let git work in a
// repository that another user owns. Source: git-config(1), safe.directory.
func (s Settings) trusts(dir string) bool {
	trusted := false
	for _, e := range s {
		if e.Key != "safe.directory" {
			continue
		}
		named, within := strings.CutSuffix(e.Value, "/*")
		home, _ := os.UserHomeDir()
		named = filepath.Clean(wording.ExpandTilde(named, home))
		if real, err := filepath.EvalSymlinks(named); err == nil {
			named = real
		}
		switch {
		case e.Value == "":
			trusted = false
		case e.Value == "*", !within && named == dir, within && strings.HasPrefix(dir, named+"/"):
			trusted = true
		}
	}
	return trusted
}

// harmless are the settings of a repository that git may know: how its files are stored and
// compared, and what its branches track. None of them names a program, or anything that git
// would run, fetch, or write to. A star stands for a subsection.
var harmless = []string{
	"core.repositoryformatversion", "core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode", "core.checkstat", "core.trustctime",
	"core.autocrlf", "core.eol", "core.sparsecheckout", "core.sparsecheckoutcone", "core.sharedrepository", "core.logallrefupdates",
	"branch.*.remote", "branch.*.merge", "remote.*.fetch",
}

// unwritten are extensions that are about writing, are resolved here, or let git fetch what it
// misses. Git refuses those that it does not know, as it should.
var unwritten = []string{"extensions.partialclone", "extensions.preciousobjects", "extensions.worktreeconfig", "extensions.relativeworktrees"}

// Harmless returns the settings of a repository that git may know, and more.
func (s Settings) Harmless(more ...string) Settings {
	var kept Settings
	for _, e := range s {
		kind := e.Key
		section, name, sub := splitKey(e.Key)
		if sub != "" {
			kind = section + ".*." + name
		}
		extension := section == "extensions" && sub == "" && !slices.Contains(unwritten, kind)
		if extension || slices.Contains(harmless, kind) || slices.Contains(more, kind) {
			kept = append(kept, e)
		}
	}
	return kept
}

// Subsections returns the subsections of a section in which one of the names has a value.
func (s Settings) Subsections(of string, names ...string) (all []string) {
	for _, e := range s {
		if section, name, sub := splitKey(e.Key); section == of && sub != "" && e.Value != "" && slices.Contains(names, name) {
			all = append(all, sub)
		}
	}
	return all
}

// splitKey splits a key into its section, its name, and what is between them.
func splitKey(key string) (section, name, sub string) {
	section, rest, _ := strings.Cut(key, ".")
	if dot := strings.LastIndexByte(rest, '.'); dot >= 0 {
		return section, rest[dot+1:], rest[:dot]
	}
	return section, rest, ""
}

// String returns the settings as the text of a configuration file. Source: git-config(1),
// "Syntax".
func (s Settings) String() string {
	var b strings.Builder
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	quoteValue := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`)
	for _, e := range s {
		section, name, sub := splitKey(e.Key)
		if sub != "" {
			section = fmt.Sprintf(`%s "%s"`, section, quote.Replace(sub))
		}
		fmt.Fprintf(&b, "[%s]\n\t%s = \"%s\"\n", section, name, quoteValue.Replace(e.Value))
	}
	return b.String()
}
