package executor

import (
	"context"
	"os"
	pathpkg "path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/executor/job"
)

// The files in the folder of a run, besides those that are on disk as well.
const (
	logName  = "log.txt"
	pageName = job.TextFile
)

// run is a run as it is shown.
type run struct {
	*job.Job
	folder *runFolder
	// prompt and answer are what is found of it, on a line each.
	prompt, answer string
	changed        time.Time // when its page last changed
}

// newRun returns a run with its nodes; old is the same run as it was shown before, or nil.
func (p *Provider) newRun(j *job.Job, old *run) *run {
	r := &run{Job: j, folder: &runFolder{Folder: new(fs.Folder)}}
	if old != nil {
		r.folder = old.folder
	}
	nodes := make(map[string]fs.Node)
	text := func(name string, body []byte) {
		at := modTime(j.Path(name), j.Status.Created)
		n := fs.NewText(at, body)
		if was, err := r.folder.Folder.Lookup(context.Background(), name); err == nil {
			n = fs.NewText(renewed(was, n, at), body)
		}
		nodes[name] = n
	}
	text(job.RequestFile, p.shownRequest(j))
	text(job.StatusFile, p.shownStatus(j))
	r.changed = modTime(j.Path(job.StatusFile), j.Status.Created)
	if j.Ended() {
		text(job.ResultFile, shownJSON(j.Result))
		r.changed = wording.Later(r.changed, modTime(j.Path(job.ResultFile), r.changed))
		nodes[pageName] = p.page(j, r.changed)
	}
	for _, path := range p.linksOf(j).session() {
		nodes[pathpkg.Base(path)] = fs.NewLink(r.changed, "../../"+path)
	}
	if n, err := fs.NewDiskFile(j.Path(job.DiffFile), p.diskOptions()); err == nil {
		nodes[job.DiffFile] = n
	}
	if r.folder.log.Load() == nil && j.Status.Recording != "" {
		if log, err := p.opts.Log(j.Status.Recording); err == nil {
			r.folder.log.Store(&log)
		}
	}
	r.prompt, r.answer = j.PromptLine(foundLen), answerLine(j)
	at := r.changed
	if was, err := r.folder.Folder.Attr(context.Background()); err == nil && old != nil {
		at = wording.Later(at, was.ModTime.Add(1))
	}
	r.folder.Replace(at, nodes)
	return r
}

// diskOptions say that changes in the folders of runs are announced.
func (p *Provider) diskOptions() fs.DiskOptions {
	o := fs.DiskOptions{Hide: p.opts.Hide}
	if p.watcher != nil {
		o.Watched = p.watcher.Watched
	}
	return o
}

// modTime returns when a file was last changed, or another time if the file does
// not exist.
func modTime(path string, or time.Time) time.Time {
	if info, err := os.Stat(path); err == nil {
		return info.ModTime()
	}
	return or
}

// renewed returns the time for a node that replaces another one: it moves with the version.
func renewed(was, now fs.Node, at time.Time) time.Time {
	before, err := was.Attr(context.Background())
	after, failed := now.Attr(context.Background())
	switch {
	case err != nil || failed != nil:
	case before.Version == after.Version:
		return before.ModTime
	case !at.After(before.ModTime):
		return before.ModTime.Add(1)
	}
	return at
}

// runFolder is the folder of a run. Its names may not be cached: the log belongs to
// a terminal, and goes when that is deleted.
type runFolder struct {
	*fs.Folder
	log atomic.Pointer[Log] // or nil
}

// Attr implements fs.Node.
func (f *runFolder) Attr(ctx context.Context) (fs.Attr, error) {
	a, err := f.Folder.Attr(ctx)
	a.Live = true
	if f.shownLog() == nil {
		a.ModTime = a.ModTime.Add(1)
	}
	return a, err
}

// shownLog returns the log, or nil.
func (f *runFolder) shownLog() Log {
	if log := f.log.Load(); log != nil && (*log).Exists() {
		return *log
	}
	return nil
}

// Lookup implements fs.Dir.
func (f *runFolder) Lookup(ctx context.Context, name string) (fs.Node, error) {
	if name != logName {
		return f.Folder.Lookup(ctx, name)
	}
	if log := f.shownLog(); log != nil {
		return log, nil
	}
	return nil, fs.ErrNotExist
}

// List implements fs.Dir.
func (f *runFolder) List(ctx context.Context) ([]fs.Entry, error) {
	all, err := f.Folder.List(ctx)
	if err != nil || f.shownLog() == nil {
		return all, err
	}
	at, _ := slices.BinarySearchFunc(all, logName, func(e fs.Entry, name string) int { return strings.Compare(e.Name, name) })
	return slices.Insert(slices.Clone(all), at, fs.Entry{Name: logName}), nil
}
