package project

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// TestAnySpellingIsTheSameProject has random folders, repositories and workspaces, and
// names them in random ways: by links, with "..", in sandboxes.
func TestAnySpellingIsTheSameProject(t *testing.T) {
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 13))
		w := newWorld(t)
		dirs, projects := []string{w.dir("home/src")}, make(map[string]bool)
		var configured []string
		for i := range 40 {
			dir := filepath.Join(dirs[random.IntN(len(dirs))], fmt.Sprint("d", i))
			rel, err := filepath.Rel(w.root, dir)
			fstest.Must(t, err)
			w.dir(rel)
			switch random.IntN(5) {
			case 0:
				w.repo(rel)
				projects[dir] = true
			case 1:
				configured = append(configured, dir)
				projects[dir] = true
			}
			dirs = append(dirs, dir)
		}
		w.r.SetKnown(configured)
		links := make(map[string]string)
		for i := range 10 {
			link := w.path(fmt.Sprint("home/link", i))
			links[link] = dirs[random.IntN(len(dirs))]
			fstest.Must(t, os.Symlink(links[link], link))
		}
		project := func(dir string) string {
			for ; dir != w.home; dir = filepath.Dir(dir) {
				if projects[dir] {
					return dir
				}
			}
			return ""
		}
		for range 150 {
			dir := dirs[random.IntN(len(dirs))]
			want, at := project(dir), fs.StandpointAt(dir)
			switch random.IntN(4) {
			case 0: // through a link
				for link, to := range links {
					if dir == to || strings.HasPrefix(dir, to+"/") {
						at = fs.Standpoint{Dir: link + strings.TrimPrefix(dir, to)}
						break
					}
				}
			case 1:
				at = fs.Standpoint{Dir: strings.ReplaceAll(dir, "/d", "//d") + "/x/.."}
				fstest.Must(t, os.MkdirAll(dir+"/x", 0o755))
			case 2: // in a sandbox that shows it, or what is above it, elsewhere
				shown := dir
				for shown != w.home && random.IntN(2) == 0 {
					shown = filepath.Dir(shown)
				}
				inside := "/mnt/p" + strings.TrimPrefix(dir, shown)
				at = w.sandboxed(inside, dir)
				if want != "" && !strings.HasPrefix(want+"/", shown+"/") && project(shown) == want {
					// The project itself is not to be seen there: it need not be
					// found, but no other one may be.
					if got, why := w.r.Of(at); got != "" && (got != want || why != "") {
						t.Errorf("seed %d: %s as %s, of %s: %q (%s), not %q", seed, dir, inside, shown, got, why, want)
					}
					continue
				}
				for up := dir; want != "" && strings.HasPrefix(up+"/", shown+"/"); up = filepath.Dir(up) {
					if up == want { // it is known from now on at the latest
						w.of(fs.StandpointAt(want), want)
					}
				}
			}
			w.of(at, want)
		}
	}
}
