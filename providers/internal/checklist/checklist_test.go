package checklist

import (
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

func TestParse(t *testing.T) {
	var got []string
	for _, task := range Parse("# Tasks\n\n- [ ] 1. to do\n  - [x] done\n* [X] done, too\n+ [-] doing\n3. [in_progress] doing that\n[ ] bare\n- [a link](x)\n- [ ]\n- no box\n- [?] what\n- [x]  spaces \n- [ ] escapes \x1b[31m") {
		got = append(got, string(task.State)+" "+task.Text)
	}
	want := []string{"pending 1. to do", "completed done", "completed done, too", "in_progress doing", "in_progress doing that", "pending bare", "completed spaces", "pending escapes"}
	fstest.EqualSlices(t, got, want)
	fstest.Equal(t, len(Parse(strings.Repeat("- [ ] many\n", 5000))), maxTasks, "tasks")
}

func FuzzParse(f *testing.F) {
	f.Add("- [ ] a\n1. [done] b")
	f.Fuzz(func(t *testing.T, text string) {
		for _, task := range Parse(text) {
			if task.Text == "" || len(task.Text) > maxText || strings.ContainsAny(task.Text, "\n\x1b") {
				t.Errorf("%q", task.Text)
			}
		}
	})
}
