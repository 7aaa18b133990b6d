package mcp

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"ctxfs/fs"
	"ctxfs/providers/mcp/calls"
)

// terrain is a home folder with random projects: beside one another, within one
// another, and reached by links.
type terrain struct {
	w       *world
	random  *rand.Rand
	folders []standing
}

// standing is a folder, and the project that it is in: "" is none.
type standing struct{ dir, project string }

func newTerrain(w *world, random *rand.Rand) *terrain {
	g := &terrain{w: w, random: random, folders: []standing{{w.home, ""}}}
	for i := range 4 + random.IntN(4) {
		parent := g.folders[random.IntN(len(g.folders))]
		name := fmt.Sprintf("%c %d", 'p'+rune(random.IntN(3)), i)
		rel, err := filepath.Rel(w.home, filepath.Join(parent.dir, name))
		if err != nil {
			w.t.Fatal(err)
		}
		root := w.repository(rel)
		g.folders = append(g.folders, standing{root, root})
		for range random.IntN(3) {
			sub := filepath.Join(root, fmt.Sprintf("sub%d", random.IntN(3)), "x")
			w.write(filepath.Join(sub, "file"), "")
			g.folders = append(g.folders, standing{sub, root})
		}
	}
	plain := filepath.Join(w.home, "plain")
	w.write(filepath.Join(plain, "file"), "")
	g.folders = append(g.folders, standing{plain, ""})
	for i := range 3 { // names of folders, in folders that are in no project
		to := g.folders[random.IntN(len(g.folders))]
		if err := os.Symlink(to.dir, filepath.Join(plain, fmt.Sprint("link", i))); err != nil {
			w.t.Fatal(err)
		}
	}
	return g
}

// spelt returns another spelling of a path to a folder.
func (g *terrain) spelt(dir string) string {
	links, _ := filepath.Glob(filepath.Join(g.w.home, "plain", "link*")) // the pattern is valid
	for _, link := range links {
		to, err := os.Readlink(link)
		if err != nil {
			g.w.t.Fatal(err)
		}
		if rest, ok := strings.CutPrefix(dir, to); ok && (rest == "" || rest[0] == '/') && g.random.IntN(2) == 0 {
			dir = link + rest
			break
		}
	}
	switch g.random.IntN(5) {
	case 0:
		return dir + "/"
	case 1:
		return strings.ReplaceAll(dir, "/", "//")
	case 2:
		return dir + "/."
	case 3:
		return filepath.Dir(dir) + "/./" + filepath.Base(dir)
	}
	return dir
}

// identities are those of a folder and of all above it.
func (g *terrain) identities(dir string) (ids []fs.FileID) {
	for {
		var st syscall.Stat_t
		if err := syscall.Stat(dir, &st); err != nil {
			g.w.t.Fatal(err)
		}
		ids = append(ids, fs.FileID{Dev: uint64(st.Dev), Ino: st.Ino})
		if dir == filepath.Dir(dir) {
			return ids
		}
		dir = filepath.Dir(dir)
	}
}

// call returns a random call of a server, and the place from which it is made.
func (g *terrain) call(server string, known []string) (c calls.Call, from place) {
	at := g.folders[g.random.IntN(len(g.folders))]
	from = place{Project: at.project, Session: []string{"", "s1", "s2"}[g.random.IntN(3)]}
	c = calls.Call{Server: server, Tool: "where", Caller: calls.Caller{Dir: at.dir, Session: from.Session, PID: 1}}
	named := g.folders[g.random.IntN(len(g.folders))]
	switch g.random.IntN(4) {
	case 0: // as a person types it
		c.Caller.Dir = g.spelt(at.dir)
	case 1: // with the identities of the folders
		c.Caller.Dir, c.Caller.Folders = g.spelt(at.dir), g.identities(at.dir)
	case 2: // from a sandbox in which the project is bound elsewhere
		if slices.Contains(known, at.project) {
			n := strings.Count(strings.TrimPrefix(at.dir, at.project), "/")
			c.Caller.Dir = "/mnt/bound" + strings.TrimPrefix(at.dir, at.project)
			c.Caller.Folders = append(g.identities(at.dir)[:n+1], fs.FileID{Dev: 1, Ino: 1}, fs.FileID{Dev: 1, Ino: 2}, fs.FileID{Dev: 1, Ino: 3})
		}
	default:
		if named.project != "" {
			c.Project, from.Project = g.spelt(named.dir), named.project
		}
	}
	return c, from
}

// TestACallNeverReachesAnotherProject has random callers call servers of all scopes
// from random projects by random spellings, at once, while instances stop for want of
// room, are restarted, and files are read again.
func TestACallNeverReachesAnotherProject(t *testing.T) {
	bubble(t, func(t *testing.T) {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 0))
		w := newWorld(t)
		w.opts.State = t.TempDir()
		g := newTerrain(w, random)
		w.claude(map[string]any{"user": stub("places", "N", "1"), "project": stub("places", "N", "2"), "session": stub("places", "N", "3")})
		owner := g.folders[slices.IndexFunc(g.folders, func(s standing) bool { return s.project != "" })].project
		w.configure(owner+"/.mcp.json", map[string]any{"own": stub("places")})
		w.settings(fmt.Sprintf("[mcp]\nmax_instances = %d\n[mcp.servers.user]\nscope = \"user\"\n[mcp.servers.session]\nscope = \"session\"\n", 3+random.IntN(4)))
		w.open()
		if _, err := w.p.Trust(owner); err != nil {
			t.Fatal(err)
		}
		var known []string
		for _, f := range g.folders {
			if f.project != "" && f.dir == f.project {
				w.where(f.dir, "project")
				known = append(known, f.project)
			}
		}

		type call struct {
			calls.Call
			from place
		}
		var all []call
		for range 160 {
			c, from := g.call([]string{"user", "project", "session", "own"}[random.IntN(4)], known)
			all = append(all, call{c, from})
		}
		var mu sync.Mutex
		runs := make(map[string]string) // whose each process is
		var callers sync.WaitGroup
		for n := range 8 {
			callers.Go(func() {
				for i := n; i < len(all); i += 8 {
					c := all[i]
					r, err := w.p.Call(context.Background(), c.Call)
					within := c.from.Project == owner || strings.HasPrefix(c.from.Project, owner+"/")
					if c.Server == "own" && !within {
						if calls.Outcome(nil, err) != calls.OutcomeDenied {
							t.Errorf("%+v: %v", c, err)
						}
						continue
					}
					if err != nil {
						t.Errorf("%+v: %v", c, err)
						continue
					}
					want, dir := c.from, c.from.Project
					switch c.Server {
					case "own":
						want, dir = place{}, owner
					case "user":
						want, dir = place{}, ""
					case "project":
						want.Session = ""
					}
					is := whereOf(t, r)
					roots := []string{dir}
					if dir == "" {
						dir, roots = w.home, []string{}
					}
					if is.Dir != dir || !slices.Equal(is.Roots, roots) {
						t.Errorf("%+v: it runs in %s, with the roots %v", c, is.Dir, is.Roots)
					}
					whose := c.Server + " " + want.String()
					mu.Lock()
					if was, ok := runs[is.Run]; ok && was != whose {
						t.Errorf("%+v: it reached the process of %q", c, was)
					}
					runs[is.Run] = whose
					mu.Unlock()
				}
			})
		}
		for range 5 {
			w.p.Reload()
		}
		callers.Wait()
		if err := w.p.Restart("project"); err != nil {
			t.Error(err)
		}
		for range 20 {
			c, from := g.call("project", known)
			r, err := w.p.Call(context.Background(), c)
			if err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
			if is := whereOf(t, r); is.Dir != cmp.Or(from.Project, w.home) {
				t.Errorf("%+v: it runs in %s", c, is.Dir)
			}
		}
	})
}
