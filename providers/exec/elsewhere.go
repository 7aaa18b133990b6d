package exec

import (
	"context"
	"os"
	"path/filepath"

	"ctxfs/providers/internal/filelock"
)

// lockExt is the end of the name of the file that a process locks while it runs the
// command for a path.
const lockExt = ".lock"

// lock waits until no other process runs the command for a path. Release is called when
// this one has stored its output. Where no file can be locked, nothing is waited for.
func (s *store) lock(ctx context.Context, path string) (release func()) {
	file := filepath.Join(s.dir, baseOf(path)+lockExt)
	if os.MkdirAll(s.dir, 0o700) != nil {
		return func() {}
	}
	lock, err := filelock.Wait(ctx, file, filelock.Exclusive)
	if err != nil {
		return func() {}
	}
	return func() {
		os.Remove(file) // those who wait for it take the next one
		lock.Release()
	}
}

// elsewhere returns the output for a path that another process has fetched, if it is served
// still and newer than what this one has; else nil.
func (f *folder) elsewhere(name string, r *rule) *output {
	o := f.store.read(f.store.metaOf(name))
	if o == nil || o.Made != f.made(r) || !f.p.opts.Env.Now().Before(o.ends(f.lifetime)) {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if mine := f.outputs[name]; mine != nil && !o.Ran.After(mine.Ran) {
		return nil
	}
	return o
}
