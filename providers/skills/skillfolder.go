package skills

import (
	"context"
	iofs "io/fs"
	"path/filepath"

	"ctxfs/fs"
)

// skillFolder is a skill's folder, passed through. A SKILL.md that is a link
// to a file is shown as that file: home managers link every file of theirs,
// and search tools do not follow links.
type skillFolder struct {
	*fs.DiskDir
	opts fs.DiskOptions
}

// Lookup implements fs.Dir.
func (d *skillFolder) Lookup(ctx context.Context, name string) (fs.Node, error) {
	n, err := d.DiskDir.Lookup(ctx, name)
	if _, ok := n.(*fs.DiskLink); ok && isSkillFile(name) {
		if file, err := d.target(name); err == nil {
			return file, nil
		}
	}
	return n, err
}

// List implements fs.Dir.
func (d *skillFolder) List(ctx context.Context) ([]fs.Entry, error) {
	entries, err := d.DiskDir.List(ctx) // made anew for every call
	for i, e := range entries {
		if e.Type == iofs.ModeSymlink && isSkillFile(e.Name) {
			if _, err := d.target(e.Name); err == nil {
				entries[i].Type = 0
			}
		}
	}
	return entries, err
}

func (d *skillFolder) target(name string) (*fs.DiskFile, error) {
	return fs.NewDiskFile(filepath.Join(d.Path(), name), d.opts)
}
