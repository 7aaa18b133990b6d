package providers

import (
	"os"
	"path/filepath"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/find"
)

func TestFindsSkills(t *testing.T) {
	s := open(t, "")
	skill := filepath.Join(s.opts.Home, ".claude", "skills", "my.walk")
	fstest.Must(t, os.MkdirAll(skill, 0o700))
	fstest.Must(t, os.WriteFile(filepath.Join(skill, "SKILL.md"), []byte("---\nname: my.walk\ndescription: Goes for a stroll. Slowly.\n---\n"), 0o600))
	s = open(t, "")
	if got, err := s.Finder().Find(t.Context(), "stroll", find.Options{}); err != nil || len(got) != 0 {
		t.Errorf("in a home folder without skills: %v, %v", got, err)
	}
	s.opts.Home = filepath.Dir(filepath.Dir(filepath.Dir(skill)))
	again := New(s.opts)
	defer again.Close()
	got, err := again.Finder().Find(t.Context(), "stroll", find.Options{In: "skills"})
	if err != nil || len(got) != 1 || got[0].Path != "skills/my.walk/SKILL.md" || got[0].Why != "Goes for a stroll." {
		t.Errorf("%+v, %v", got, err)
	}
}
