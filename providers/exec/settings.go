package exec

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/exec/pattern"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/internal/settings"
)

// Table is the name of the table in config.toml. Each of its tables is a folder.
const Table = "exec"

// The settings of a folder that are not given.
const (
	defaultTimeout  = 30 * time.Second
	defaultSize     = 10_000_000
	defaultAtOnce   = 4
	defaultMost     = 200
	defaultLifetime = time.Hour
)

// settingsOf are the settings of one folder: the table [exec.NAME], whose other keys are
// paths.
type settingsOf struct {
	name string
	// dir is where its commands run, env what they get of the environment besides the usual.
	dir string
	env []string
	// timeout and maxSize limit each command, atOnce says how many run at a time.
	timeout time.Duration
	maxSize int64
	atOnce  int
	// most is how many names of each listing are fetched by a refresh.
	most int
	// lifetime is how long an output is served. Every is how often the folder is refreshed
	// by itself, 0 for never; watch are the paths whose changes refresh it.
	lifetime, every time.Duration
	watch           []string
	// files are in the order in which they are tried.
	files, listings []rule
	// lines are those of the paths in config.toml, by the text of the key.
	lines map[string]int
}

// same reports whether two folders are the same, wherever they are in the file.
func (s *settingsOf) same(other *settingsOf) bool {
	one, two := *s, *other
	one.lines, two.lines = nil, nil
	return reflect.DeepEqual(one, two)
}

// rule is a path with its command.
type rule struct {
	path    *pattern.Pattern
	command []string
	listing bool // the command prints the names in the folder at the path
}

// key is the rule's key in config.toml.
func (r rule) key() string {
	if r.listing {
		return r.path.String() + "/"
	}
	return r.path.String()
}

// fixed reports whether the path has no placeholder.
func (r rule) fixed() bool { return len(r.path.Placeholders()) == 0 }

// names of the settings, which no path may have.
func settingNames() []string {
	return []string{"at_once", "dir", "env", "every", "lifetime", "max_size", "most", "placeholders", "timeout", "watch"}
}

// The names of files that every folder has, or may have.
const (
	indexName  = "INDEX.md"
	namesName  = "NAMES.txt"
	goodSuffix = ".last-good"
)

// readSettings reads the table [exec]. What is wrong with a path leaves out that path, what
// is wrong with a setting keeps its default; both are problems. The error is that of a file
// that cannot be read at all, which the mcp provider reports.
func readSettings(path, home string) (folders []*settingsOf, problems []fs.Problem, err error) {
	f, err := settings.Load(path)
	if err != nil {
		return nil, nil, err
	}
	r := &reader{file: f, home: home}
	var all map[string]any
	if err := f.Decode(&all, Table); err != nil {
		r.problem(0, err.Error())
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		table, ok := all[name].(map[string]any)
		switch {
		case !ok:
			r.wrong([]string{Table, name}, "is no folder; one is a table: [exec.%s]", name)
		case names.File(name) != name:
			r.wrong([]string{Table, name}, "cannot be the name of a folder; take letters, digits, _ and -")
		default:
			folders = append(folders, r.folder(name, table))
		}
	}
	slices.SortStableFunc(r.wrongs, func(a, b wrong) int { return a.line - b.line })
	for _, w := range r.wrongs {
		problems = append(problems, w.Problem)
	}
	return folders, problems, nil
}

// reader reads the table, and collects what is wrong with it.
type reader struct {
	file   *settings.File
	home   string
	wrongs []wrong
}

// wrong is a problem, with its line.
type wrong struct {
	line int
	fs.Problem
}

func (r *reader) problem(line int, what string) {
	r.wrongs = append(r.wrongs, wrong{line, fs.Problem{What: clean.Line(what), Mend: "correct " + r.file.Path() + "; it is read again at once"}})
}

// wrong adds a problem with the key at a path of tables.
func (r *reader) wrong(key []string, format string, args ...any) {
	table, last := strings.Join(key[:len(key)-1], "."), key[len(key)-1]
	line := r.file.Line(key...)
	r.problem(line, fmt.Sprintf("%s:%d: %q in [%s] %s", r.file.Path(), line, last, table, fmt.Sprintf(format, args...)))
}

func (r *reader) folder(name string, table map[string]any) *settingsOf {
	s := &settingsOf{
		name: name, dir: r.home, timeout: defaultTimeout, maxSize: defaultSize, atOnce: defaultAtOnce, most: defaultMost, lines: make(map[string]int),
	}
	defined, before := make(map[string]string), len(r.wrongs)
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if slices.Contains(settingNames(), key) {
			r.setting(s, key, table[key], defined)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if !slices.Contains(settingNames(), key) {
			r.rule(s, key, table[key], defined)
		}
	}
	for i, path := range s.watch { // dir is known only now
		s.watch[i] = r.absolute(path, s.dir)
	}
	s.lifetime = cmp.Or(s.lifetime, max(defaultLifetime, 2*s.every)) // what is refreshed does not leave in between
	r.order(s)
	if len(s.files) == 0 && len(s.listings) == 0 && len(r.wrongs) == before {
		r.wrong([]string{Table, name}, `has no path; one is: "topics/{key}.json" = ["program", "show", "{key}"]`)
	}
	return s
}

// absolute returns a path of the configuration, which may begin with "~/" or be relative.
func (r *reader) absolute(path, dir string) string {
	path = wording.ExpandTilde(path, r.home)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}

func (r *reader) setting(s *settingsOf, key string, value any, defined map[string]string) {
	at := []string{Table, s.name, key}
	switch key {
	case "dir":
		if dir, ok := value.(string); ok && dir != "" {
			s.dir = r.absolute(dir, r.home)
			return
		}
		r.wrong(at, "is no folder")
	case "timeout", "lifetime", "every":
		into := map[string]*time.Duration{"timeout": &s.timeout, "lifetime": &s.lifetime, "every": &s.every}[key]
		if text, ok := value.(string); ok {
			if age, ok := settings.ParseAge(text); ok {
				*into = age
				return
			}
		}
		r.wrong(at, `is %s; it is a time such as "30s", "10m" or "1d"`, clean.Cut(fmt.Sprintf("%#v", value), 100))
	case "max_size":
		if n, ok := settings.ParseSize(value); ok && n <= maxSize {
			s.maxSize = n
			return
		}
		r.wrong(at, `is %q; it is a size such as "10 MB", at most %s`, clean.Cut(fmt.Sprint(value), 100), wording.Size(maxSize))
	case "at_once", "most":
		into := map[string]*int{"at_once": &s.atOnce, "most": &s.most}[key]
		if n, ok := value.(int64); ok && n >= 1 && n <= maxNumber {
			*into = int(n)
			return
		}
		r.wrong(at, "is no number from 1 to %d", maxNumber)
	case "env", "watch":
		into := map[string]*[]string{"env": &s.env, "watch": &s.watch}[key]
		if list, ok := texts(value); ok {
			*into = list
			return
		}
		r.wrong(at, "is no array of strings")
	case "placeholders":
		all, ok := value.(map[string]any)
		for name, expr := range all {
			text, isText := expr.(string)
			if ok = ok && isText; isText {
				defined[name] = text
			}
		}
		if !ok {
			r.wrong(at, `is no table of patterns such as {key = "[a-z]+"}`)
		}
	}
}

// The largest values of settings. A body of maxSize is in memory while its command runs.
const (
	maxSize   = 1 << 30
	maxNumber = 10_000
)

// texts returns the strings of an array, and reports whether it is one.
func texts(value any) (all []string, ok bool) {
	list, ok := value.([]any)
	for _, item := range list {
		text, isText := item.(string)
		if !isText {
			return nil, false
		}
		all = append(all, text)
	}
	return all, ok
}

// rule reads a path with its command.
func (r *reader) rule(s *settingsOf, key string, value any, defined map[string]string) {
	at := []string{Table, s.name, key}
	words, ok := texts(value)
	if !ok {
		hint := ""
		if near := nearest.Of(key, settingNames()); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		r.wrong(at, `is neither a setting nor a path with its command, such as "log.txt" = ["git", "log"]; a path with a dot needs quotes%s`, hint)
		return
	}
	text, listing := strings.CutSuffix(key, "/")
	p, err := pattern.Parse(text, defined)
	if err == nil {
		err = p.Check(words)
	}
	if err == nil && !listing {
		err = checkName(p)
	}
	if err != nil {
		r.wrong(at, "cannot be used: %v", err)
		return
	}
	one := rule{path: p, command: words, listing: listing}
	s.lines[key] = r.file.Line(at...)
	if listing {
		s.listings = append(s.listings, one)
	} else {
		s.files = append(s.files, one)
	}
}

// isOwn reports whether a name is one of a file that ctxfs itself puts into a folder.
func isOwn(name string) bool {
	return name == indexName || name == namesName || strings.HasSuffix(name, goodSuffix)
}

// checkName reports a path whose file would be in the way of others.
func checkName(p *pattern.Pattern) error {
	if p.Depth() == 0 {
		return fmt.Errorf("it is empty")
	}
	for at := range p.Depth() {
		if name, _ := p.Literal(at); isOwn(name) {
			return fmt.Errorf("%s is a file of ctxfs's own", name)
		}
	}
	if name, literal := p.Literal(p.Depth() - 1); literal && pattern.IsProbe(name) {
		return fmt.Errorf("programs look for %s in every folder, and would run its command", name)
	}
	return nil
}
