package read

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/memory/fact"
	"ctxfs/providers/memory/files"
)

// claudeIndex is the file in a folder of memories that Claude Code reads in every session:
// a list of the others, or of what is worth no file of its own.
const claudeIndex = "MEMORY.md"

// claude reads the memories of Claude Code: a folder for each project, the folder that
// autoMemoryDirectory names instead, and those of subagents.
//
// Source: code.claude.com/docs/en/memory, /en/sub-agents, /en/settings.
func (r *Reader) claude() {
	const id = "claude-code"
	for _, dir := range r.places(id) {
		o := owner{agent: id, scope: fact.User}
		if filepath.Base(dir) == "memory" {
			o.scope = r.claudeScope(filepath.Dir(dir))
			if before, ok := r.scopes[dir]; ok && before != o.scope {
				r.cache.Forget(dir)
			}
			r.scopes[dir] = o.scope
		}
		r.claudeFolder(dir, o)
	}
	home := r.opts.Machine.Path(agents.ByID(id).Home)
	for _, name := range []string{"settings.json", "settings.local.json"} {
		dir := wording.ExpandTilde(member(r.readSmall(filepath.Join(home, name)), "autoMemoryDirectory"), r.opts.Machine.Home)
		if filepath.IsAbs(dir) && !slices.Contains(r.found.Watch, dir+"/") {
			r.claudeFolder(dir, owner{agent: id, scope: fact.User})
		}
	}
	r.inProjects(id, r.claudeFolder)
}

// member returns a string of an object in a JSON text that may have comments, which are
// not told from what they are about.
func member(text, key string) string {
	m := regexp.MustCompile(`"` + regexp.QuoteMeta(key) + `"\s*:\s*("(?:[^"\\]|\\.)*")`).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	var value string
	_ = json.Unmarshal([]byte(m[1]), &value) // "" if it is not a string
	return value
}

// claudeFolder adds the memories in a folder of Claude Code's.
func (r *Reader) claudeFolder(dir string, o owner) {
	r.found.Watch = append(r.found.Watch, dir+"/")
	r.add(r.cache.Below(dir, []string{fact.Extension}, func(rel string, f files.File) []*fact.Memory {
		if filepath.Base(rel) == claudeIndex {
			return r.notes(f, o, slices.DeleteFunc(notesOf(string(f.Body)), isLink))
		}
		return one(fact.Parse(f.Body, r.origin(f, o)))
	}))
}

// claudeScope returns the project whose sessions and memories are in a folder of
// ~/.claude/projects. The name of that folder is the project's path with "-" for whatever
// is no letter or digit, so it is compared with the paths of workspaces, and else with
// those that logs of sessions in it have.
func (r *Reader) claudeScope(dir string) string {
	name := filepath.Base(dir)
	for _, w := range r.opts.Workspaces.All() {
		for _, folder := range w.Folders() {
			if claudeName(folder) == name {
				return w.Dir
			}
		}
	}
	known := r.logged[name]
	if info, err := os.Stat(dir); known.cwd == "" && err == nil && !info.ModTime().Equal(known.looked) {
		known = logged{r.claudeLogged(dir, name), info.ModTime()}
		r.logged[name] = known
	}
	if known.cwd != "" {
		return r.projectOf(known.cwd)
	}
	return name
}

// logged is the folder that the logs of sessions name, "" if none does, and when a log
// was last added to them as they were read.
type logged struct {
	cwd    string
	looked time.Time
}

// claudeLogged returns the folder in which a session was that has its log in dir; "" if
// that is not found out.
func (r *Reader) claudeLogged(dir, name string) string {
	const most, enough = 5, 256 << 10
	logs, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	for _, log := range logs[:min(len(logs), most)] {
		f, err := files.Open(log)
		if err != nil {
			continue
		}
		head := make([]byte, enough)
		n, _ := f.Read(head)
		f.Close()
		if cwd := member(string(head[:n]), "cwd"); claudeName(cwd) == name {
			return cwd
		}
	}
	return ""
}

// claudeName returns the name of the folder that Claude Code has for a path.
func claudeName(path string) string {
	return strings.Map(func(c rune) rune {
		if c < 0x80 && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			return c
		}
		return '-'
	}, path)
}
