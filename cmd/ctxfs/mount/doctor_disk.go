package mount

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs/wording"
)

// leastFree is how many bytes a disk should have free: what is written there between two
// looks of a user.
const leastFree = 100 << 20

// maxCounted is how many files are counted below the folders of ctxfs.
const maxCounted = 200_000

// checkDisk tells how much room ctxfs takes, and where, and checks that there is some
// left.
func checkDisk(ctx context.Context, a *cli.App) []Finding {
	var all []Finding
	for _, kind := range []struct{ name, dir, mend string }{
		{"state", a.State, ""}, {"cache", a.Cache, "; the cache is made again: rm -r " + wording.ShellWord(a.Cache)},
	} {
		total, folders, some := usage(ctx, kind.dir)
		f := Finding{Check: "disk", OK: true, What: kind.name + " " + a.Tilde(kind.dir) + ": " + wording.Size(total)}
		if some {
			f.What = kind.name + " " + a.Tilde(kind.dir) + ": more than " + wording.Size(total)
		}
		if len(folders) > 0 {
			f.What += " (" + strings.Join(folders, ", ") + ")"
		}
		var disk unix.Statfs_t
		if err := unix.Statfs(kind.dir, &disk); err == nil {
			if free := uint64(disk.Bavail) * uint64(disk.Bsize); free < leastFree {
				f.OK = false
				f.What += fmt.Sprintf("; its disk has only %s left", wording.Size(int64(free)))
				f.Mend = "make room; what is full: df -h " + wording.ShellWord(kind.dir) + kind.mend
			}
		}
		all = append(all, f)
	}
	return all
}

// named is how many folders are named that take the most.
const named = 4

// usage returns how many bytes the files below a folder take on the disk, and the folders
// in it that take the most. Some says that not all were counted.
func usage(ctx context.Context, dir string) (total int64, folders []string, some bool) {
	sizes := make(map[string]int64)
	files := 0
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if files++; files > maxCounted || ctx.Err() != nil {
			some = true
			return filepath.SkipAll
		}
		if err != nil {
			return nil // what cannot be read is not counted
		}
		info, err := e.Info()
		if err != nil {
			return nil
		}
		size := info.Size()
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			size = st.Blocks * 512
		}
		total += size
		if rel, err := filepath.Rel(dir, path); err == nil {
			if top, _, deeper := strings.Cut(rel, string(os.PathSeparator)); deeper || e.IsDir() && rel != "." {
				sizes[top] += size
			}
		}
		return nil
	})
	tops := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int { return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b)) })
	for _, top := range tops[:min(named, len(tops))] {
		folders = append(folders, top+" "+wording.Size(sizes[top]))
	}
	return total, folders, some
}
