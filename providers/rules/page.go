package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/rules/read"
	"ctxfs/providers/rules/scope"
)

// Page is which rules hold for a path.
type Page struct {
	// Path is absolute; Project is the root of its project, or the folder that stands for
	// one.
	Path    string `json:"path"`
	Project string `json:"project"`
	// Trusted reports whether the user trusts the project.
	Trusted bool `json:"trusted"`
	// Rules hold, in order; May are those that a model or a person asks for.
	Rules []Held `json:"rules"`
	May   []Held `json:"may,omitempty"`
	// Problems are what could not be read.
	Problems []string `json:"problems,omitempty"`
	// Text is all of it, with the texts of the rules, as the file in for/ has it.
	Text string `json:"text"`

	modTime time.Time
}

// Held is a rule on a page.
type Held struct {
	// Source are the files that have it, Agents those that read it for the path.
	Source  []string      `json:"source"`
	Agents  []string      `json:"agents"`
	Scope   string        `json:"scope"`
	Applies scope.Applies `json:"applies"`
	Globs   []string      `json:"globs,omitempty"`
	When    string        `json:"when,omitempty"`
	About   string        `json:"about,omitempty"`
	// Imports are those of Agents that also read what it imports; nil if it imports
	// nothing.
	Imports []string `json:"imports,omitempty"`
	Trusted bool     `json:"trusted"`

	text string
}

// page returns the rules for a path. It reads them now, so that they are exact also where
// no agent has worked yet.
func (p *Provider) page(path string) (*Page, error) {
	return fs.Probe(p.prober, path, func() (*Page, error) { return p.readPage(path) })
}

func (p *Provider) readPage(path string) (*Page, error) {
	real, dir := p.resolve(path)
	root, known := p.project(real, dir)
	finder := p.newFinder()
	user, faults := finder.User(root)
	project, more := finder.For(root, real)
	pg := &pager{
		provider: p, page: &Page{Path: real, Project: root, Trusted: p.trusts(root), Rules: []Held{}},
		root: root, isProject: known, byKey: make(map[string]*held), files: make(map[string]*read.File),
	}
	all := append(user, project...)
	for _, place := range all {
		if known := pg.files[place.File.Path]; known != nil {
			pg.files[place.File.Path] = fuller(known, place.File)
		} else {
			pg.files[place.File.Path] = place.File
		}
	}
	for _, f := range append(faults, more...) {
		pg.page.Problems = append(pg.page.Problems, p.tilde(f.Path)+" "+faultText(f.Err))
	}
	for _, place := range all {
		if text := problem(place.File); text != "" && (place.Dir == "" || relative(place.Dir, real) != real || place.Dir == real) {
			pg.page.Problems = append(pg.page.Problems, p.tilde(place.File.Path)+": "+text)
		}
	}
	slices.Sort(pg.page.Problems)
	pg.page.Problems = slices.Compact(pg.page.Problems)
	for _, a := range agents.All() {
		places := slices.DeleteFunc(slices.Clone(all), func(pl scope.Place) bool { return pl.Agent != a.ID })
		hold, may := scope.Holding(places, root, real)
		pg.add(a.ID, hold, may)
	}
	pg.arrange()
	pg.write()
	return pg.page, nil
}

// resolve returns a path with its links followed as far as it exists, and the nearest
// folder that does.
func (p *Provider) resolve(path string) (real, dir string) {
	missing := ""
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		if found, err := (fs.DiskOptions{Hide: p.opts.Hide}).Resolve(at); err == nil {
			dir = found
			if info, err := os.Lstat(found); err == nil && !info.IsDir() {
				dir = filepath.Dir(found)
			}
			return filepath.Join(found, missing), dir
		}
		missing = filepath.Join(filepath.Base(at), missing)
		if at == filepath.Dir(at) {
			return path, at
		}
	}
}

// projectOf returns the project of a path: the nearest repository, else the workspace
// that has it, else the folder itself.
func (p *Provider) projectOf(path, dir string) string {
	root, _ := p.project(path, dir)
	return root
}

func (p *Provider) project(path, dir string) (root string, known bool) {
	if root, _ := p.opts.Projects.Of(fs.StandpointAt(dir)); root != "" {
		return root, true
	}
	if w, ok := p.opts.Workspaces.Of(path); ok {
		return w.Dir, true
	}
	return dir, dir == p.opts.Home
}

// trusts reports whether the user trusts a project: it, or the repository whose worktree
// it is. What lies in the home folder itself is the user's own.
func (p *Provider) trusts(root string) bool {
	if root == p.opts.Home || p.opts.Trust.Trusts(root) {
		return true
	}
	w, ok := p.opts.Workspaces.Of(root)
	return ok && slices.Contains(w.Worktrees, root) && p.opts.Trust.Trusts(w.Dir)
}

func (p *Provider) tilde(path string) string { return clean.Line(wording.Tilde(path, p.opts.Home)) }

// held is a rule that is being put on a page.
type held struct {
	Held
	rank [2]int // level and depth
}

type pager struct {
	provider *Provider
	page     *Page
	root     string
	// isProject reports whether root is a project, and not only a folder.
	isProject bool
	byKey     map[string]*held
	files     map[string]*read.File // with their imports, by path
	all       []*held
	may       []*held
}

// add adds what holds for one agent, in its order, and what may hold.
func (g *pager) add(agent string, hold, may []scope.Place) {
	for _, place := range hold {
		h := g.rule(place, "")
		if !slices.Contains(h.Agents, agent) {
			h.Agents = append(h.Agents, agent)
		}
		if len(place.File.Imports) > 0 && !slices.Contains(h.Imports, agent) {
			h.Imports = append(h.Imports, agent)
		}
	}
	for _, place := range may {
		c := place.Shown(g.root)
		h := g.rule(place, "may "+conditionText(c))
		h.Agents = append(h.Agents, agent)
	}
}

// rule returns the rule of a place: rules of equal text are one.
func (g *pager) rule(place scope.Place, kind string) *held {
	file := g.files[place.File.Path]
	text := body(file)
	key := kind + "\x00" + strings.TrimSpace(text)
	if file.Cut || kind != "" {
		key = kind + "\x00" + place.File.Path
	}
	h := g.byKey[key]
	if h == nil {
		c := place.Shown(g.root)
		h = &held{Held: Held{
			Scope: place.Level.String(), Applies: c.Applies, Globs: c.Globs, When: c.When,
			About: place.File.About(), Trusted: g.trusted(place), text: text,
		}, rank: [2]int{int(place.Level), len(place.Dir)}}
		g.byKey[key] = h
		if kind == "" {
			g.all = append(g.all, h)
		} else {
			g.may = append(g.may, h)
		}
	}
	if path := clean.Line(place.File.Path); !slices.Contains(h.Source, path) {
		h.Source = append(h.Source, path)
		h.Trusted = h.Trusted && g.trusted(place)
	}
	g.page.modTime = wording.Later(g.page.modTime, file.ModTime)
	return h
}

// trusted reports whether a rule is the user's own or of a trusted project.
func (g *pager) trusted(place scope.Place) bool {
	switch place.Level {
	case scope.Project:
		return g.page.Trusted
	case scope.Above:
		return g.provider.trusts(g.provider.projectOf(place.Dir, place.Dir))
	}
	return true
}

// arrange puts the rules into one order, from the general to the near, that is that of
// every agent as far as there is one: always the first of those before which no other has
// to come.
func (g *pager) arrange() {
	slices.SortStableFunc(g.all, func(a, b *held) int { return slices.Compare(a.rank[:], b.rank[:]) })
	for _, h := range g.all {
		g.page.Rules = append(g.page.Rules, h.Held)
	}
	for _, h := range g.may {
		g.page.May = append(g.page.May, h.Held)
	}
}

// maxPage is how long a page may be, in bytes; rules beyond that are named only.
const maxPage = 256 << 10

// write writes the text of the page.
func (g *pager) write() {
	p, b := g.page, new(strings.Builder)
	fmt.Fprintf(b, "# Rules for %s\n\n", g.provider.tilde(p.Path))
	switch {
	case !g.isProject:
		fmt.Fprintf(b, "Project: none (not trusted: no repository, and no known work in %s)", g.provider.tilde(p.Project))
	case p.Trusted:
		fmt.Fprintf(b, "Project: %s", g.provider.tilde(p.Project))
	default:
		fmt.Fprintf(b, "Project: %s", g.provider.tilde(p.Project))
		fmt.Fprintf(b, " (not trusted: what its files say is marked so; ctxfs trust %s)", wording.ShellWord(g.provider.tilde(p.Project)))
	}
	b.WriteString("\n")
	if len(p.Rules) == 0 {
		b.WriteString("\nNo rule holds for it.\n")
	} else {
		b.WriteString("These hold, in the order in which they are read:\n\n")
	}
	for i, r := range p.Rules {
		fmt.Fprintf(b, "%d. %s\n", i+1, g.line(r))
	}
	if len(p.May) > 0 {
		b.WriteString("\nThese hold if the model thinks so, or if they are named:\n\n")
		for _, r := range p.May {
			fmt.Fprintf(b, "- %s\n", g.line(r))
		}
	}
	if len(p.Problems) > 0 {
		b.WriteString("\nProblems:\n\n")
		for _, text := range p.Problems {
			b.WriteString("- " + text + "\n")
		}
	}
	for i, r := range p.Rules {
		if b.Len()+len(r.text) > maxPage {
			fmt.Fprintf(b, "\n(The text of rule %d and those after it would make this page longer than %s: read the files.)\n", i+1, wording.Size(maxPage))
			break
		}
		mark := ""
		if !r.Trusted {
			mark = " (not trusted)"
		}
		fmt.Fprintf(b, "\n<!-- rule %d%s: %s -->\n\n%s", i+1, mark, strings.ReplaceAll(g.sources(r), "--", "- -"), withoutMarks(r.text))
		fmt.Fprintf(b, "\n<!-- end of rule %d -->\n", i+1)
	}
	p.Text = b.String()
}

// withoutMarks breaks what looks like the begin or end of a rule in the text of one: no
// rule can pass off its text as another's.
func withoutMarks(text string) string {
	return strings.NewReplacer("<!-- rule ", "<!- - rule ", "<!-- end of rule ", "<!- - end of rule ").Replace(text)
}

// line returns a rule as one line of the list.
func (g *pager) line(r Held) string {
	line := g.sources(r) + " — " + clean.Line(conditionText(scope.Condition{Applies: r.Applies, Globs: r.Globs, When: r.When})) + "; " + strings.Join(r.Agents, ", ")
	if len(r.Imports) > 0 && len(r.Imports) < len(r.Agents) {
		line += " (its imports: " + strings.Join(r.Imports, ", ") + ")"
	}
	if !r.Trusted {
		return line + " (not trusted)"
	}
	if r.About != "" {
		line += ": " + r.About
	}
	return line
}

func (g *pager) sources(r Held) string {
	paths := make([]string, len(r.Source))
	for i, path := range r.Source {
		paths[i] = g.provider.tilde(path)
	}
	return strings.Join(paths, " = ")
}
