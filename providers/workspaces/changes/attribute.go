package changes

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
)

const (
	// maxLooked is how many files are looked at, and maxListed how many changes are
	// listed, the last ones.
	maxLooked = 2000
	maxListed = 300
	// maxInFolder is how many files are looked at in a folder that git only reports
	// as new.
	maxInFolder = 50
	// A file that a session writes is modified before the session's log has the result
	// of the call, by callTime at most, and not later than slack after it: logs and file
	// systems have clocks and precisions of their own.
	callTime = 10 * time.Second
	slack    = 2 * time.Second
	// settling is how long after a program ended a change still counts as one while it
	// ran, since what it wrote may be written late.
	settling = time.Second
)

// Outside is who changed a file while nothing ran there that is known.
const Outside = "outside"

// Options say what is known of a folder.
type Options struct {
	// Dir is the folder. Paths are shown relative to it.
	Dir string
	// Since is how old a change may be.
	Since time.Time
	// Edits are what was done there.
	Edits []facts.Edit
	// Uncommitted are the files that git lists, relative to Dir.
	Uncommitted []Uncommitted
	// Walk looks for files in the folder: there is no git to list them.
	Walk bool
}

// Uncommitted is a file that is not committed as it is. A new folder ends with a slash.
type Uncommitted struct {
	Path             string
	Created, Deleted bool
}

// Line is a change of a file.
type Line struct {
	// Time is when the file was modified; of one that was deleted, when the program that
	// did it ended, or zero.
	Time time.Time
	// How is "modified", "created" or "deleted"; "created" is known from git only.
	How string
	// By is the path of the session's folder or the terminal's log, from the tree's
	// root, [Outside], or "" if it is not known. Session is the session's id.
	By, Session string
	// Command is the command that ran then; "" for a file that the session wrote by a
	// tool. Another program may have changed the file at that time.
	Command string
	// Path is the path of the file from the folder.
	Path string
}

// Time of a change and where it came from: of a file that exists, from its modification
// time. What wrote the file then is, in this order: the session whose log has a write of
// the file at that time; the program that ran then in the folder, of several the one that
// was started last; else something outside of all that is known.

// List returns the changes of files in a folder, the last one first, those without a time
// at the end. It looks only at files that agents or people are known to have worked on
// and at those that git lists, or the first that a walk finds.
func List(o Options) (all []Line) {
	writes := make(map[string][]facts.Edit) // by file
	var programs []facts.Edit
	var files []string
	last := make(map[string]time.Time)
	for _, d := range o.Edits {
		if d.File == "" {
			programs = append(programs, d)
			continue
		}
		if !fs.Within(d.File, o.Dir) || d.File == o.Dir {
			continue
		}
		if _, ok := last[d.File]; !ok {
			files = append(files, d.File)
		}
		if d.End.After(last[d.File]) {
			last[d.File] = d.End
		}
		if !d.Read {
			writes[d.File] = append(writes[d.File], d)
		}
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Or(last[b].Compare(last[a]), cmp.Compare(a, b)) })
	if o.Walk {
		files = append(files, walk(o.Dir, last)...)
	}
	git := make(map[string]Uncommitted)
	for _, u := range expand(o) {
		path := filepath.Join(o.Dir, u.Path)
		if _, ok := last[path]; !ok {
			files = slices.Insert(files, 0, path)
		}
		git[path] = u
	}
	ran := newTimeline(programs)
	for _, path := range files[:min(len(files), maxLooked)] {
		u := git[path]
		rel, err := filepath.Rel(o.Dir, path)
		if err != nil {
			continue
		}
		line := Line{How: "modified", Path: rel}
		info, err := os.Lstat(path)
		switch {
		case err != nil && u.Deleted:
			line.How = "deleted"
			line.remove(ran.programs)
		case err != nil || info.IsDir() || info.ModTime().Before(o.Since):
			continue
		default:
			if u.Created || created(git, path, o.Dir) {
				line.How = "created"
			}
			line.Time = info.ModTime().UTC()
			line.attribute(writes[path], ran)
		}
		all = append(all, line)
	}
	slices.SortFunc(all, func(a, b Line) int { return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.Path, b.Path)) })
	return all[:min(len(all), maxListed)]
}

// walk returns the files in a folder that are not known, breadth-first, and no more than
// maxLooked of all that it meets. Hidden folders and those of installed packages are left
// out.
func walk(top string, known map[string]time.Time) (files []string) {
	met := 0
	for dirs := []string{top}; len(dirs) > 0 && met < maxLooked; dirs = dirs[1:] {
		dir, err := os.Open(dirs[0])
		if err != nil {
			continue
		}
		entries, _ := dir.ReadDir(maxLooked - met)
		dir.Close()
		met += len(entries)
		slices.SortFunc(entries, func(a, b os.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
		for _, e := range entries {
			path := filepath.Join(dirs[0], e.Name())
			_, ok := known[path]
			switch {
			case strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules":
			case e.IsDir():
				dirs = append(dirs, path)
			case !ok:
				files = append(files, path)
			}
		}
	}
	return files
}

// expand returns the files that git lists, with those in new folders.
func expand(o Options) (all []Uncommitted) {
	for _, u := range o.Uncommitted {
		all = append(all, u)
		if !strings.HasSuffix(u.Path, "/") || len(all) > maxLooked {
			continue
		}
		dir, err := os.Open(filepath.Join(o.Dir, u.Path))
		if err != nil {
			continue
		}
		entries, _ := dir.ReadDir(maxInFolder)
		dir.Close()
		for _, e := range entries {
			if !e.IsDir() {
				all = append(all, Uncommitted{Path: u.Path + e.Name(), Created: true})
			}
		}
	}
	return all
}

// created reports whether a file is in a folder that is new to git.
func created(git map[string]Uncommitted, path, top string) bool {
	for dir := filepath.Dir(path); len(dir) > len(top); dir = filepath.Dir(dir) {
		if git[dir].Created {
			return true
		}
	}
	return false
}

// remove finds out who removed the file: the last program whose command line has its
// name, and a word for it.
func (l *Line) remove(programs []facts.Edit) {
	for _, d := range programs { // the last one first
		words := strings.FieldsFunc(d.Command, func(r rune) bool { return strings.ContainsRune(" \t;&|'\"()", r) })
		removes := slices.Contains(words, "rm") || slices.Contains(words, "mv") || slices.Contains(words, "unlink")
		if removes && slices.ContainsFunc(words, func(w string) bool { return filepath.Base(w) == filepath.Base(l.Path) }) {
			l.Time, l.By, l.Session, l.Command = d.End, d.By, d.Session, d.Command
			return
		}
	}
}

// attribute finds out who changed the file at the time of the line.
func (l *Line) attribute(writes []facts.Edit, programs timeline) {
	var by *facts.Edit
	for i, d := range writes {
		if since := l.Time.Sub(d.End); since >= -callTime && since <= slack && (by == nil || d.End.After(by.End)) {
			by = &writes[i]
		}
	}
	if by == nil {
		by = programs.at(l.Time)
	}
	l.By = Outside
	if by != nil {
		l.By, l.Session, l.Command = by.By, by.Session, by.Command
	}
}

// timeline are programs, the one that was started last first.
type timeline struct {
	programs []facts.Edit
	until    []time.Time // when the last of this program and those after it ended
}

func newTimeline(programs []facts.Edit) timeline {
	t := timeline{programs, make([]time.Time, len(programs))}
	slices.SortStableFunc(t.programs, func(a, b facts.Edit) int { return b.Start.Compare(a.Start) })
	var until time.Time
	for i, d := range slices.Backward(t.programs) {
		if d.End.IsZero() {
			d.End = time.Unix(1<<40, 0) // it still runs
		}
		until = wording.Later(until, d.End)
		t.until[i] = until
	}
	return t
}

// at returns the program that ran at a time, of several the one that was started last;
// nil if none did.
func (t timeline) at(at time.Time) *facts.Edit {
	i, _ := slices.BinarySearchFunc(t.programs, at, func(d facts.Edit, at time.Time) int {
		if d.Start.Truncate(time.Second).After(at) {
			return -1
		}
		return 1
	})
	for ; i < len(t.programs) && !at.After(t.until[i].Add(settling)); i++ {
		if d := &t.programs[i]; d.End.IsZero() || !at.After(d.End.Add(settling)) {
			return d
		}
	}
	return nil
}

// TSV returns the lines as changes.tsv: a line of names, then a line for each change.
//
//	time     when the file was modified; "-" for one that was deleted at an unknown time
//	how      modified, created or deleted
//	by       the session's folder or the terminal's log, relative to the page; outside
//	         if nothing is known to have worked there then; "-" if it is not known
//	command  what ran then in the folder, and may have changed the file; "-" for a
//	         session that wrote the file itself
//	session  the session's id, as in changes/<session>.diff
//	path     of the file, from the workspace's folder; absolute in a linked worktree
func TSV(all []Line) string {
	var b strings.Builder
	b.WriteString("time\thow\tby\tcommand\tsession\tpath\n")
	for _, l := range all {
		at := "-"
		if !l.Time.IsZero() {
			at = wording.Time(l.Time)
		}
		by := l.By
		if by != "" && by != Outside {
			by = "../../" + by
		}
		for i, cell := range []string{at, l.How, by, l.Command, l.Session, l.Path} {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(cmp.Or(clean.Line(cell), "-"))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
