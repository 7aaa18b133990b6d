package rules

import (
	"context"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/rules/check"
	"ctxfs/providers/rules/locate"
	"ctxfs/providers/rules/scope"
)

const (
	// maxFiles is of how many files of a project it is looked whether globs match them,
	// and filesTime how long they are looked for.
	maxFiles  = 100_000
	filesTime = 5 * time.Second
)

// check checks the rules of the project of a folder. It reads them now.
func (p *Provider) check(ctx context.Context, path string) (Checked, error) {
	if info, err := fs.Probe(p.prober, path, func() (os.FileInfo, error) { return p.stat(path) }); err != nil {
		return Checked{}, fmt.Errorf("%s cannot be looked into: %w", path, wording.Cause(err))
	} else if !info.IsDir() {
		path = filepath.Dir(path)
	}
	real, dir := p.resolve(path)
	root, finder := p.projectOf(real, dir), p.newFinder()
	found := Checked{Project: root, Findings: []check.Finding{}}
	project := check.Project{Root: root, Exists: p.exists}
	var places []scope.Place
	var faults []locate.Fault
	if root == p.opts.Home {
		places, faults = finder.User("")
	} else {
		tree := finder.Walk(root, nil, p.opts.Env.Now, func() bool { return ctx.Err() != nil })
		places, faults = tree.Places, tree.Faults
		if tree.Stopped != "" {
			found.Notes = append(found.Notes, tree.Stopped)
		}
		project.Files = p.files(ctx, root)
		if project.Files == nil {
			found.Notes = append(found.Notes, "it has too many files to tell which globs match none")
		}
	}
	found.Notes = append(found.Notes, (&maker{home: p.opts.Home}).notes(faults)...)
	byPath := make(map[string][]scope.Place)
	for _, place := range places {
		byPath[place.File.Path] = append(byPath[place.File.Path], place)
	}
	found.Files = len(byPath)
	for _, all := range byPath {
		found.Findings = append(found.Findings, project.Rule(all)...)
	}
	slices.SortStableFunc(found.Findings, func(a, b check.Finding) int { return strings.Compare(a.File, b.File) })
	return found, ctx.Err()
}

// exists reports whether there is something at a path, outside of our own views.
func (p *Provider) exists(path string) bool {
	_, err := fs.DiskOptions{Hide: p.opts.Hide}.Resolve(path)
	return err == nil
}

// files returns the paths of the files below a folder, relative to it; nil if they are too
// many.
func (p *Provider) files(ctx context.Context, root string) []string {
	files, begun := []string{}, p.opts.Env.Now()
	late := func() bool { return p.opts.Env.Now().Sub(begun) > filesTime }
	err := filepath.WalkDir(root, func(path string, e iofs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // it is said elsewhere
		case e.IsDir() && (e.Name() == ".git" || e.Name() == "node_modules" || p.opts.Hides(path)):
			return iofs.SkipDir
		case len(files) >= maxFiles || late() || ctx.Err() != nil:
			return iofs.SkipAll
		case !e.IsDir():
			if rel, err := filepath.Rel(root, path); err == nil {
				files = append(files, rel)
			}
		}
		return nil
	})
	if err != nil || len(files) >= maxFiles || late() {
		return nil
	}
	return files
}
