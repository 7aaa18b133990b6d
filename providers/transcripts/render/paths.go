package render

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/clean"
)

// fileTouch is a file that a call reads or writes.
type fileTouch struct {
	Path string `json:"p"`
	How  string `json:"h"`
	At   int64  `json:"t,omitempty"` // seconds since 1970, 0 if not known
}

// file records what a session has done to a file.
type file struct {
	Path   string   `json:"p"` // from the session's folder, if it lies there
	First  int64    `json:"f,omitempty"`
	Last   int64    `json:"l,omitempty"`
	Wrote  int64    `json:"lw,omitempty"` // when it was last written
	Reads  int      `json:"r,omitempty"`
	Writes int      `json:"w,omitempty"`
	Seq    int      `json:"n"` // of the last write, else of the last read
	How    []string `json:"h"`
}

// touchedFiles are the files of a session, in the order of first use.
type touchedFiles struct {
	List []*file `json:"list,omitempty"`
	Left int     `json:"left,omitempty"` // how many were dropped

	size  int
	index map[string]*file
}

// maxFileList is the largest size of the list as JSON, in bytes. It is more than
// sessions need, some 10,000 files: files.tsv has to list all of them.
const maxFileList = 1 << 20

func (p *touchedFiles) add(t fileTouch, tool string, seq int) {
	if p.index == nil {
		p.index, p.size = make(map[string]*file, len(p.List)), 0
		for _, f := range p.List {
			p.index[f.Path] = f
			p.size += f.bytes()
		}
	}
	f := p.index[t.Path]
	if f == nil {
		f = &file{Path: t.Path, First: t.At}
		p.List = append(p.List, f)
		p.index[t.Path] = f
	} else {
		p.size -= f.bytes()
	}
	f.Last = max(f.Last, t.At)
	f.First = cmp.Or(f.First, t.At)
	if t.How == writes {
		f.Writes++
		f.Wrote = max(f.Wrote, t.At)
	} else {
		f.Reads++
	}
	if t.How == writes || f.Writes == 0 {
		f.Seq = seq
	}
	if !slices.Contains(f.How, tool) && len(f.How) < 8 {
		f.How = append(f.How, tool)
	}
	p.size += f.bytes()
	for p.size > maxFileList && len(p.List) > 1 {
		p.drop(f)
	}
}

// bytes returns about the size of an entry as JSON.
func (f *file) bytes() int {
	n := len(f.Path) + 80
	for _, how := range f.How {
		n += len(how) + 3
	}
	return n
}

// drop drops the least important file except keep: one that was only read, the
// longest ago.
func (p *touchedFiles) drop(keep *file) {
	least := -1
	for i, f := range p.List {
		if f != keep && (least < 0 || cmp.Or(cmp.Compare(min(f.Writes, 1), min(p.List[least].Writes, 1)), cmp.Compare(f.Seq, p.List[least].Seq)) < 0) {
			least = i
		}
	}
	f := p.List[least]
	p.size -= f.bytes()
	delete(p.index, f.Path)
	p.List = slices.Delete(p.List, least, least+1)
	p.Left++
}

// relative returns a path as it is stored: from the session's folder, if it lies
// there.
func (s *Summary) relative(name string) string {
	name = strings.TrimPrefix(name, "file://")
	if windows(name) {
		return name
	}
	name = path.Clean(name)
	if s.CWD != "" && s.CWD != "/" {
		if rest, ok := strings.CutPrefix(name, strings.TrimSuffix(s.CWD, "/")+"/"); ok {
			return rest
		}
	}
	return name
}

// absolute returns the path that relative has made shorter.
func (s *Summary) absolute(name string) string {
	if s.CWD == "" || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") || windows(name) {
		return name
	}
	return path.Join(s.CWD, name)
}

func windows(name string) bool {
	return len(name) > 2 && name[1] == ':' && (name[2] == '\\' || name[2] == '/') || strings.HasPrefix(name, `\\`)
}

// Files returns files.tsv: a line of names, then a line for each file that the
// session read or wrote, by path. Calls that failed are not counted.
//
//	path    absolute
//	first   when it was first read or written; "-" where times are not known
//	last    and last
//	reads   how often
//	writes  how often
//	how     the tools
//	seen    when the session last knew its content: the last read or own write
func (s *Summary) Files() []byte {
	all := s.finalFiles()
	list := slices.Clone(all.List)
	slices.SortFunc(list, func(a, b *file) int { return cmp.Compare(s.absolute(a.Path), s.absolute(b.Path)) })
	out := []byte("path\tfirst\tlast\treads\twrites\thow\tseen\n")
	for _, f := range list {
		out = append(out, clean.Line(s.absolute(f.Path))...)
		out = append(out, '\t')
		out = append(appendUnix(out, f.First), '\t')
		out = append(appendUnix(out, f.Last), '\t')
		out = append(strconv.AppendInt(out, int64(f.Reads), 10), '\t')
		out = append(strconv.AppendInt(out, int64(f.Writes), 10), '\t')
		out = append(out, clean.Line(strings.Join(f.How, ","))...)
		out = append(out, '\t')
		out = append(appendUnix(out, f.Last), '\n')
	}
	return out
}

// Reads returns the files of files.tsv, in its order, with the times when the session
// last saw them.
func (s *Summary) Reads() []facts.Read {
	all := []facts.Read{}
	for _, f := range s.finalFiles().List {
		all = append(all, facts.Read{File: s.absolute(f.Path), Time: seconds(f.Last)})
	}
	slices.SortFunc(all, func(a, b facts.Read) int { return cmp.Compare(a.File, b.File) })
	return all
}

func appendUnix(dst []byte, at int64) []byte {
	if at == 0 {
		return append(dst, '-')
	}
	return appendTime(dst, time.Unix(at, 0))
}

// finalFiles returns the files, with those of open calls where the agent stores no
// results at all: there a call counts as done.
func (s *Summary) finalFiles() *touchedFiles {
	if s.Results > 0 || len(s.Open) == 0 {
		return &s.Paths
	}
	all := &touchedFiles{Left: s.Paths.Left}
	for _, f := range s.Paths.List {
		one := *f
		one.How = slices.Clone(f.How)
		all.List = append(all.List, &one)
	}
	for _, st := range s.Open {
		for _, t := range st.Touched {
			all.add(t, st.Tool, st.Seq)
		}
	}
	return all
}
