package supervise

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// caches are the folders into which package runners install. A process that writes
// there is installing.
type caches struct {
	roots []string // folders whose entries are installations
	all   []string // these, and others that runners write to while installing
}

// cacheFolders returns where runners install: in the folder that the first set
// variable names, or else below another folder.
var cacheFolders = [...]struct {
	variables []string
	base      string // a variable with a folder; "" is the home folder
	otherwise string // for base, below the home folder
	path      string
	entries   string // the folder of installations below it; "" is not one of them
}{
	{variables: []string{"npm_config_cache", "NPM_CONFIG_CACHE"}, path: ".npm", entries: "_npx"},
	{variables: []string{"UV_CACHE_DIR"}, base: "XDG_CACHE_HOME", otherwise: ".cache", path: "uv", entries: "."},
	{variables: []string{"UV_TOOL_DIR"}, base: "XDG_DATA_HOME", otherwise: ".local/share", path: "uv/tools", entries: "."},
	{variables: []string{"BUN_INSTALL_CACHE_DIR"}, path: ".bun/install/cache", entries: "."},
	{base: "XDG_CACHE_HOME", otherwise: ".cache", path: "pnpm", entries: "dlx"},
	{base: "XDG_DATA_HOME", otherwise: ".local/share", path: "pnpm", entries: "store"},
	{variables: []string{"YARN_CACHE_FOLDER"}, path: ".yarn"},
	{variables: []string{"PIP_CACHE_DIR"}, base: "XDG_CACHE_HOME", otherwise: ".cache", path: "pip"},
	{variables: []string{"PIPX_HOME"}, base: "XDG_DATA_HOME", otherwise: ".local/share", path: "pipx", entries: "venvs"},
	{variables: []string{"DENO_DIR"}, base: "XDG_CACHE_HOME", otherwise: ".cache", path: "deno"},
	{variables: []string{"GOMODCACHE"}, path: "go/pkg/mod"},
	{variables: []string{"CARGO_HOME"}, path: ".cargo"},
}

// cachesOf returns the caches of a process with that environment.
func cachesOf(env []string) (c caches) {
	home := variable(env, "HOME")
	for _, is := range cacheFolders {
		root := ""
		for _, name := range is.variables {
			if root == "" {
				root = variable(env, name)
			}
		}
		if root == "" {
			base := filepath.Join(home, is.otherwise)
			if is.base != "" && variable(env, is.base) != "" {
				base = variable(env, is.base)
			}
			root = filepath.Join(base, is.path)
		}
		if !filepath.IsAbs(root) {
			continue
		}
		if real, err := filepath.EvalSymlinks(root); err == nil {
			root = real // as the system names open files
		}
		c.all = append(c.all, root)
		if is.entries != "" {
			c.roots = append(c.roots, filepath.Join(root, is.entries))
		}
	}
	// Bun installs below the folder for temporary files.
	temporary := variable(env, "TMPDIR")
	if temporary == "" {
		temporary = os.TempDir()
	}
	c.all = append(c.all, bunFolders(temporary)...)
	return c
}

// bunFolders returns the folders of bunx, one for each user and package.
func bunFolders(temporary string) []string {
	found, _ := filepath.Glob(filepath.Join(temporary, "bunx-*")) // the pattern is valid
	return found
}

// npmCache returns npm's cache folder in that environment.
func npmCache(env []string) string { return cachesOf(env).all[0] }

// grown is the size of the files in recently changed installations.
type grown struct {
	files int
	bytes int64
}

// maxGrownVisits is the largest number of files that are visited to see whether
// caches grow.
const maxGrownVisits = 5000

// grown adds up the files that were changed after a time, in installations that
// were changed after it.
func (c caches) grown(after time.Time) (g grown) {
	visits := 0
	for _, root := range append(c.roots[:len(c.roots):len(c.roots)], c.all[len(cacheFolders):]...) {
		_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if visits++; visits > maxGrownVisits {
				return fs.SkipAll
			}
			if err != nil {
				return nil // it was removed, or never existed
			}
			info, err := e.Info()
			switch {
			case err != nil:
			case !info.ModTime().Before(after):
				g.files++
				if !e.IsDir() {
					g.bytes += info.Size()
				}
			case e.IsDir() && filepath.Dir(filepath.Dir(path)) == root:
				return fs.SkipDir // an installation that has not changed
			}
			return nil
		})
	}
	return g
}
