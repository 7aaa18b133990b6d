package check

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ctxfs/fs"
	"ctxfs/providers/internal/frontmatter"
	"ctxfs/providers/internal/jsonlines"
	"ctxfs/providers/internal/tokens"
	"ctxfs/providers/skills/locate"
	"ctxfs/providers/skills/read"
)

// Result is what was learned of a skill.
type Result struct {
	// Sum identifies the files as they were.
	Sum string `json:"sum"`
	// Card, Body and Rest are tokens: of name and description, which agents have in every
	// prompt; of the instructions, which they read when they use the skill; and of its other
	// texts, which they read as they need them.
	Card int `json:"card"`
	Body int `json:"body"`
	Rest int `json:"rest"`
	// Estimated is set if some of it was too long to be counted.
	Estimated bool `json:"estimated,omitempty"`
	// Files is how many files there are beside SKILL.md, Bytes what they have together.
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`

	Needs    []Need    `json:"needs,omitempty"`
	Suspects []Suspect `json:"suspects,omitempty"`
}

const (
	// maxFile is how much of a file is read, maxSkill how much of all files of a skill.
	// Tokens of the rest are estimated.
	maxFile  = 1 << 20
	maxSkill = 8 << 20
	// perToken is how many bytes a token is taken to have where it is not counted.
	perToken = 4
	// maxNeedle is how long a text may be in which suspicious passages are looked for.
	maxNeedle = 512 << 10
	// maxSuspects is how many findings a skill has.
	maxSuspects = 50
)

// Files returns the files of what was found: those in its folder, or its definition.
func Files(f *locate.Found, hide func(path string) bool) read.Files {
	if f.Path != "" {
		return read.FilesIn(f.Path, hide)
	}
	info, err := os.Lstat(f.Target)
	if err != nil || !info.Mode().IsRegular() {
		return read.Files{}
	}
	return read.Files{All: []read.File{{Path: f.Target, Name: filepath.Base(f.Target), Info: info}}}
}

// Sum identifies the files of what was found, and what follows from its card.
func Sum(f *locate.Found, files read.Files) string {
	found := []byte(f.Card.Name + "\x00" + f.Card.Description + "\x00" + f.Target + "\x00" + strconv.FormatUint(f.Card.Sum, 36))
	return files.Sum() + "." + strconv.FormatUint(fs.BytesVersion(found), 36)
}

// Study reads all files of what was found. That costs some milliseconds.
func Study(f *locate.Found, files read.Files, sum string) Result {
	r := Result{Sum: sum, Card: tokens.Count(f.Card.Name + "\n" + f.Card.Description), Estimated: files.More}
	main, all := filepath.Base(f.File), files.All
	isMain := func(file read.File) bool { return file.Name == main }
	if info, err := os.Lstat(f.Target); err == nil && f.Path != "" && !slices.ContainsFunc(all, isMain) { // SKILL.md is a link
		all = append([]read.File{{Path: f.Target, Name: main, Info: info}}, all...)
	}
	names := []string{"skills/" + f.Name} // scripts import from their own folder by its path, too
	for _, file := range all {
		names = append(names, file.Name)
	}
	needs, commands, left := newNeeds(names), false, int64(maxSkill)
	for _, file := range all {
		text, cut := textOf(file, &left)
		if isMain(file) {
			begin := 0
			if filepath.Ext(main) != ".toml" {
				matter, _ := frontmatter.Parse(text)
				begin = min(matter.Body, len(text))
			}
			r.Body = r.count(text[begin:], file.Info.Size()-int64(begin), cut)
			commands = commands || re("shows").Match(text)
		} else {
			r.Files++
			r.Bytes += file.Info.Size()
			r.Rest += r.count(text, file.Info.Size(), cut)
			if isScript(file.Name, text) && text != nil {
				commands = true
				needs.script(file.Name, string(text))
			}
		}
		if text != nil && len(text) <= maxNeedle && isReadOrRun(file.Name, text) {
			r.Suspects = append(r.Suspects, Suspects(file.Name, text)...)
		}
	}
	r.Suspects = append(r.Suspects, tools(main, f.Card.Fields, commands)...)
	r.Suspects = r.Suspects[:min(len(r.Suspects), maxSuspects)]
	if said, ok := f.Card.Fields["compatibility"].(string); ok {
		needs.said(main, said)
	}
	r.Needs = needs.sorted()
	return r
}

// isReadOrRun reports whether agents may read or run a file: not data, fonts and licences.
func isReadOrRun(name string, text []byte) bool {
	base := strings.ToLower(filepath.Base(name))
	for _, law := range []string{"license", "licence", "notice"} {
		if strings.HasPrefix(base, law) {
			return false
		}
	}
	return isProse(base) || isScript(name, text)
}

// textOf returns the text of a file, or its beginning; nil if it is not text.
func textOf(file read.File, left *int64) (text []byte, cut bool) {
	limit := min(int64(maxFile), *left)
	if limit <= 0 {
		return nil, true
	}
	text, info, err := read.Head(file.Path, int(limit))
	if err != nil || !read.IsText(text[:min(len(text), 8<<10)]) {
		return nil, false
	}
	*left -= int64(len(text))
	return text, info.Size() > int64(len(text))
}

// count estimates the tokens of a text from its beginning.
func (r *Result) count(text []byte, size int64, cut bool) int {
	const counted = 256 << 10 // the rest of a long text has as many for its length
	n := min(len(text), counted)
	all := tokens.Count(strings.ToValidUTF8(string(text[:n]), "\ufffd"))
	if !cut && n == len(text) {
		return all
	}
	r.Estimated = true
	if n == 0 {
		return int(size / perToken)
	}
	return int(float64(all) * float64(size) / float64(n))
}

// Store keeps results on disk. It is safe for concurrent use.
type Store struct {
	file string

	mu      sync.Mutex
	results map[string]Result // by what they are of
	dirty   bool
}

// storeFormat is the version of the file; another one is made again.
const storeFormat = 3

// stored is a line of the file.
type stored struct {
	Key string `json:"key"`
	Result
}

// Open returns the results in a file; "" keeps them in memory.
func Open(file string) *Store {
	s := &Store{file: file, results: make(map[string]Result)}
	for one := range jsonlines.Read[stored](file, storeFormat) {
		s.results[one.Key] = one.Result
	}
	return s
}

// Get returns what is known of a key.
func (s *Store) Get(key string) (Result, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.results[key]
	return r, ok
}

// Put sets what is known of a key.
func (s *Store) Put(key string, r Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results[key] = r
	s.dirty = true
}

// Save writes what has changed, and forgets all keys but these.
func (s *Store) Save(keep map[string]bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.results)
	maps.DeleteFunc(s.results, func(key string, _ Result) bool { return !keep[key] })
	if s.file == "" || !s.dirty && len(s.results) == before {
		return nil
	}
	s.dirty = false
	return jsonlines.Write(s.file, storeFormat, func(yield func(stored) bool) {
		for _, key := range slices.Sorted(maps.Keys(s.results)) {
			if !yield(stored{key, s.results[key]}) {
				return
			}
		}
	})
}
