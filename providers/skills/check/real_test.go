package check

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/skills/locate"
	"ctxfs/providers/skills/read"
)

// TestRealSkills studies the skills below the folder that CTXFS_TEST_SKILLS names, and
// says how many of them are found suspicious, and why.
func TestRealSkills(t *testing.T) {
	fstest.OptIn(t, "measure")
	fstest.OptIn(t, "measure")
	root := os.Getenv("CTXFS_TEST_SKILLS")
	if root == "" {
		t.Skip("CTXFS_TEST_SKILLS names no folder with real skills")
	}
	source := &locate.Source{Kind: read.Skill}
	count, flagged, begun := 0, 0, time.Now()
	kinds := make(map[string]int)
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != "SKILL.md" || !e.Type().IsRegular() {
			return err
		}
		dir := filepath.Dir(path)
		f := &locate.Found{Source: source, Name: filepath.Base(dir), Path: dir, File: path, Target: path, Card: read.SkillCard(path)}
		files := Files(f, nil)
		r := Study(f, files, Sum(f, files))
		if count++; len(r.Suspects) > 0 {
			flagged++
		}
		for _, s := range r.Suspects {
			kinds[s.Kind]++
			t.Logf("%s/%s:%d: %s: %s: %s", f.Name, s.File, s.Line, s.Kind, s.What, s.Text)
		}
		t.Logf("%s: %d + %d + %d tokens; needs %v", f.Name, r.Card, r.Body, r.Rest, r.Needs)
		return nil
	})
	fstest.Must(t, err)
	t.Logf("%d skills, %d of them suspicious, findings %v, %v", count, flagged, kinds, time.Since(begun))
}
