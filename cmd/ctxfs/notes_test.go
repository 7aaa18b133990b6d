package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestNotesByPrograms: a note is what a program writes, however it writes; what cannot be
// one is said in its result, and where the program sees it.
func TestNotesByPrograms(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write("shop/go.mod", "module shop\n")
	b.write("note.txt", "from a file\n")
	b.sh("cd shop && git init -q")
	b.mount()
	notes := filepath.Join(strings.TrimSpace(b.sh("cd shop && ctxfs here")), "notes")
	b.setenv("N", notes)

	long := strings.Repeat("x", 8192)
	for _, c := range []struct {
		name, script string
		needs        string // a program that may be missing
		text         string // of the note; "" if there is none
		result       string // in its result, if it says more than that it is there
		refused      bool   // whether the program fails
	}{
		{name: "redirected", script: "echo hello > $N/%", text: "hello"},
		{name: "pieces", script: "{ echo a; echo b; echo c; } > $N/%", text: "a\nb\nc"},
		{name: "appended", script: "echo hello >> $N/%", text: "hello"},
		{name: "cp", script: "cp note.txt $N/%", text: "from a file"},
		{name: "cp-p", script: "cp -p note.txt $N/%", text: "from a file"},
		{name: "mv", script: "cp note.txt % && mv % $N/", text: "from a file"},
		{name: "tee", script: "echo hello | tee $N/%", text: "hello"},
		{name: "dd", script: "dd if=note.txt of=$N/% bs=3 status=none", text: "from a file"},
		{name: "python3", needs: "python3", script: `python3 -c "import sys; open(sys.argv[1], 'w').write('hello')" $N/%`, text: "hello"},
		{name: "node", needs: "node", script: `node -e "require('fs').writeFileSync(process.argv[1], 'hello')" $N/%`, text: "hello"},
		{name: "vim", needs: "vim", script: `vim -es -u NONE -i NONE $N/% -c "normal ihello" -c wq`, text: "hello"},
		{name: "ed", needs: "ed", script: `printf 'a\nhello\n.\nw\nq\n' | ed -s $N/%`, text: "hello"},
		{name: "killed", script: `bash -c 'echo half; kill -9 $$' > $N/%; true`, text: "half"},
		{name: "as-long-as-may-be", script: "printf " + long + " > $N/%", text: long},
		{name: "longer", script: "printf " + long + "y > $N/%", result: "at most 8192 bytes", refused: true},
		{name: "empty", script: "touch $N/%", result: "the file is empty"},
		{name: "blank", script: "echo > $N/%", result: "the note is empty"},
		{name: "allocated", needs: "fallocate", script: "fallocate -l 100 $N/%", result: "the file is empty", refused: true},
		{name: "truncated", script: "truncate -s 100 $N/%; true", result: "the file is empty"},
		{name: "holes", script: "printf x | dd of=$N/% bs=1 seek=10 status=none", result: "some of the file was not written"},
		{name: "binary", script: `printf '\377\376' > $N/%`, result: "not UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.needs != "" {
				need(t, c.needs)
			}
			name := c.name + ".md"
			if r := b.shell(strings.ReplaceAll(c.script, "%", name)); (r.code != 0) != c.refused && c.name != "ed" {
				t.Errorf("exit %d\n%v", r.code, r)
			}
			result := b.sh("cat $N/" + c.name + ".result") // waits until the note is taken
			if c.result == "" && !strings.Contains(result, `"ok":true`) || !strings.Contains(result, c.result) {
				t.Errorf("result %s", result)
			}
			note := b.shell("cat $N/" + name)
			if _, text, _ := strings.Cut(note.out, "\n---\n"); text != c.text && text != c.text+"\n" {
				t.Errorf("the note is %q, not %q", note.out, c.text)
			}
		})
	}

	// A note stands as it was left: it is taken, not changed.
	for what, script := range map[string]string{
		"written again": "echo other > $N/cp.md", "appended to": "echo other >> $N/cp.md", "edited": "sed -i s/from/by/ $N/cp.md", "renamed": "mv $N/cp.md $N/other.md", "removed": "rm -f $N/cp.md",
		"a name of no note": "echo x > $N/x.txt", "a hidden name": "echo x > $N/.x.md", "a folder": "mkdir $N/x.md",
	} {
		if r := b.shell(script); r.code == 0 || r.err == "" {
			t.Errorf("%s: %v", what, r)
		}
	}
	fstest.Contains(t, b.sh("cat $N/cp.md"), "\n---\nfrom a file\n")
	// Of several at once one is the note, and the others are told so.
	b.sh("for i in 1 2 3 4 5; do { echo by $i > $N/race.md && echo $i >> won; } 2>> lost & done; wait")
	won, lost := b.sh("cat won"), b.sh("cat lost")
	if strings.Count(won, "\n") != 1 || strings.Count(lost, "\n") != 4 || !strings.Contains(b.sh("cat $N/race.result $N/race.md"), "\nby "+won) {
		t.Errorf("won has %q; the others are told %q", won, lost)
	}
	// Their author is who created the file.
	b.sh("cd shop && CLAUDECODE=1 bash -c 'echo mine > $N/author.md'; cat $N/author.result")
	fstest.Contains(t, b.sh("cat $N/author.md"), `agent: "claude-code"`, `folder: "`+b.home+`/shop"`)
	// All is on disk: the next process has it.
	before := b.sh("cd $N && cat *.md")
	b.ok("unmount")
	if left, err := os.ReadDir(notes); err == nil && len(left) > 0 {
		t.Errorf("unmounted: %v", left)
	}
	b.mount()
	b.settles("the notes are there again", func() bool { return b.shell("cd $N && cat *.md").out == before })
}
