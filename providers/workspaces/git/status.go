package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/providers/internal/git"
)

const (
	// maxRecord is the length of the longest record of git's output that is read, in
	// bytes: a few paths, or the subject of a commit.
	maxRecord = 1 << 20
	// maxFiltered is for how many changed files it is looked up whether they are filtered.
	maxFiltered = 1000
)

// Uncommitted is what differs between the last commit, the index, and the work tree.
type Uncommitted struct {
	Conflicts int
	Staged    int // in the index
	Changed   int // in the work tree, also of files that are staged
	Tracked   int // staged, changed, or both
	Untracked int // files, or folders in which nothing is tracked
	// Filtered is how many of those changed have a filter, such as Git LFS. As it is not
	// run, some of them may only have been touched.
	Filtered int
	// Paths are the first maxPaths of each: conflicts, other tracked files, untracked.
	Paths []Change
}

// Change is a path that is not committed as it is.
type Change struct {
	// Code is the two letters that git status --short prints: "M ", " D", "??", "UU".
	Code string
	Path string // relative to the work tree; a folder ends with a slash
	From string // the path that it was renamed or copied from; "" otherwise
	// Submodule reports whether it is a submodule that is not at the commit which is
	// recorded for it.
	Submodule bool
}

// status reads the branch, its upstream, and what is not committed.
func (v *view) status(ctx context.Context, s *State) error {
	head, err := git.Read(filepath.Join(v.Private, "HEAD"))
	if err != nil {
		return err
	}
	if s.Branch = branchOf(string(head)); v.Bare || v.Elsewhere != "" {
		return nil
	}
	if index := filepath.Join(v.Private, "index"); git.Exists(index) && !git.IsRegular(index) {
		return errors.New("its index is not a regular file") // git would wait for a pipe
	}
	var p statusParser
	// Of submodules only the commit is compared: git asks another git in each for more,
	// which reads the configuration there. Renames are found by equal content, which
	// reads no objects.
	err = v.run(ctx, func(output io.Reader) error { return records(output, p.record) },
		"status", "--porcelain=v2", "--branch", "-z", "--untracked-files=normal", "--ignore-submodules=dirty", "--find-renames=100%")
	if err != nil {
		return err
	}
	p.finish(s)
	s.Uncommitted.Filtered, err = v.filtered(ctx, p.changed)
	return err
}

// statusParser reads the output of "git status --porcelain=v2 --branch -z". Source:
// git-status(1), "Porcelain Format Version 2".
type statusParser struct {
	state     State
	upstream  bool // ahead and behind were told
	conflicts []Change
	tracked   []Change
	untracked []Change
	changed   []string // the first changed files
	renamed   bool     // the next record is where the last one was renamed from
}

// record takes the next record. What it does not know it leaves out.
func (p *statusParser) record(text string) {
	if p.renamed {
		p.renamed = false
		if n := len(p.tracked); n > 0 && p.tracked[n-1].From == "?" {
			p.tracked[n-1].From = text
		}
		return
	}
	u := &p.state.Uncommitted
	kind, rest, _ := strings.Cut(text, " ")
	switch kind {
	case "#":
		p.header(rest)
	case "1", "2":
		fields := 7 // XY, submodule, three modes, two names
		if kind == "2" {
			fields, p.renamed = 8, true // and the score
		}
		code, path, ok := entry(rest, fields)
		if !ok {
			return
		}
		c := Change{Code: code, Path: path, Submodule: strings.HasPrefix(rest[3:], "SC")}
		if p.renamed {
			c.From = "?"
		}
		if code[0] != ' ' {
			u.Staged++
		}
		if code[1] != ' ' {
			u.Changed++
			if code[1] == 'M' && len(p.changed) < maxFiltered {
				p.changed = append(p.changed, path)
			}
		}
		if u.Tracked++; len(p.tracked) < maxPaths {
			p.tracked = append(p.tracked, c)
		}
	case "u":
		if code, path, ok := entry(rest, 9); ok { // XY, submodule, four modes, three names
			if u.Conflicts++; len(p.conflicts) < maxPaths {
				p.conflicts = append(p.conflicts, Change{Code: code, Path: path})
			}
		}
	case "?":
		if u.Untracked++; len(p.untracked) < maxPaths {
			p.untracked = append(p.untracked, Change{Code: "??", Path: rest})
		}
	}
}

// entry returns the code and the path of a record after so many fields.
func entry(rest string, fields int) (code, path string, ok bool) {
	parts := strings.SplitN(rest, " ", fields+1)
	if len(parts) <= fields || len(parts[0]) != 2 {
		return "", "", false
	}
	return strings.ReplaceAll(parts[0], ".", " "), parts[fields], true
}

func (p *statusParser) header(text string) {
	key, value, _ := strings.Cut(text, " ")
	s := &p.state
	switch key {
	case "branch.oid":
		if value != "(initial)" {
			s.Head = value
		}
	case "branch.head":
		if value != "(detached)" {
			s.Branch = value
		}
	case "branch.upstream":
		s.Upstream = value
	case "branch.ab":
		n, _ := fmt.Sscanf(value, "+%d -%d", &s.Ahead, &s.Behind)
		p.upstream = n == 2
	}
}

func (p *statusParser) finish(s *State) {
	s.Head, s.Branch, s.Upstream, s.Ahead, s.Behind = p.state.Head, p.state.Branch, p.state.Upstream, p.state.Ahead, p.state.Behind
	s.Gone = s.Upstream != "" && !p.upstream
	s.Uncommitted = p.state.Uncommitted
	s.Uncommitted.Paths = slices.Concat(p.conflicts, p.tracked, p.untracked)
}

// filtered returns how many of the files have a filter, by their attributes.
func (v *view) filtered(ctx context.Context, paths []string) (count int, err error) {
	const perRequest = 100 // of paths: together they are shorter than a command line may be
	for batch := range slices.Chunk(paths, perRequest) {
		field := 0
		err = v.run(ctx, func(output io.Reader) error {
			return records(output, func(text string) { // path, attribute, value
				if field++; field%3 == 0 && text != "unspecified" && text != "unset" && text != "set" {
					count++
				}
			})
		}, append([]string{"check-attr", "-z", "filter", "--"}, batch...)...)
		if err != nil {
			return count, err
		}
	}
	return count, nil
}

// records calls a function with each record of an output, which a NUL ends.
func records(output io.Reader, record func(text string)) error {
	scanner := bufio.NewScanner(output)
	scanner.Buffer(nil, maxRecord)
	scanner.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		if i := bytes.IndexByte(data, 0); i >= 0 {
			return i + 1, data[:i], nil
		}
		if atEOF && len(data) > 0 {
			return len(data), data, nil
		}
		return 0, nil, nil
	})
	for scanner.Scan() {
		record(scanner.Text())
	}
	return scanner.Err()
}
