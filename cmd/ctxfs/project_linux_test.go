package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// standing is a box with a server that says in which folder it runs.
type standing struct {
	*box
	calls int
}

// stands expects that each way to call, run by a shell command in place of %s, reaches
// the instance of a project, or one of no project with a note that has the words.
func (b *standing) stands(in, project string, words ...string) {
	b.Helper()
	b.calls++
	calls := b.mnt("mcps/zoo/calls")
	for way, script := range map[string]string{
		"call": "ctxfs call zoo greet",
		"bin":  b.mnt("mcps/zoo/bin/greet"),
		"calls": fmt.Sprintf("echo {} > %[1]s/greet.%[2]d.json; jq -r .text %[1]s/greet.%[2]d.result; jq -r '.note // empty' %[1]s/greet.%[2]d.result >&2",
			calls, b.calls),
	} {
		b.write("way", script+"\n")
		r := b.shell(fmt.Sprintf(in, "sh "+filepath.Join(b.home, "way")))
		got := strings.TrimSpace(r.out)
		if r.code != 0 || project != "" && got != project || project == "" && strings.HasPrefix(got, b.home+"/src/") || !containsAll(r.err, words) {
			b.Errorf("%s of %q: exit %d, %q, not %q with %q\n%s", way, in, r.code, got, project, words, r.err)
		}
	}
}

// TestCallsKnowTheirProject calls a server from projects: by commands, by programs
// in bin and by files, also from sandboxes that show a project elsewhere.
func TestCallsKnowTheirProject(t *testing.T) {
	for name, make := range map[string]func(*testing.T) *box{"as root": realBox, "as an ordinary user": newUserBox} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			need(t, "bwrap", "jq")
			b := &standing{box: make(t)}
			one, two := filepath.Join(b.home, "src/one"), filepath.Join(b.home, "src/two")
			for _, dir := range []string{one, two} {
				b.write(dir[len(b.home)+1:]+"/.git/HEAD", "ref: refs/heads/main\n")
				b.write(dir[len(b.home)+1:]+"/sub/file", "")
			}
			b.write("plain/file", "")
			b.write(".claude.json", asJSON(map[string]any{"projects": map[string]any{one: map[string]any{}}}))
			b.write(".config/ctxfs/config.toml", "[mcp]\nfile_calls = true\n")
			b.stub("zoo", "stands", nil)
			b.mount()
			b.sh("ctxfs call zoo greet") // from now on its tools are known

			b.stands("cd "+one+"/sub; %s", one)
			b.stands("cd ~/plain; %s", "")
			b.stands("cd "+b.mnt("mcps/zoo/calls")+"; %s", "", "the caller stands in a mount of ctxfs, and in no project: "+b.mnt("mcps/zoo/calls"))

			sandbox := func(dir, options string) string {
				return strings.Join([]string{"bwrap --bind / / --dev /dev --proc /proc --tmpfs /mnt --bind", dir, "/mnt/p --chdir /mnt/p/sub", options, "%s"}, " ")
			}
			for _, options := range []string{"", "--unshare-pid", "--unshare-all"} {
				b.stands(sandbox(one, options), one)
			}
			b.stands(sandbox(two, ""), "", "/mnt/p/sub is not here", "sandbox")
			b.stands("cd "+two+"; %s", two)
			b.stands(sandbox(two, "--unshare-all"), two)
			got := b.sh(fmt.Sprintf(`from() { cd "$1"; echo {} > %[1]s/greet.$2.json; jq -r .text %[1]s/greet.$2.result; }
				for i in $(seq 25); do (from %[2]s one$i) & (from %[3]s/sub two$i) & done | sort | uniq -c | awk '{print $1, $2}'`, b.mnt("mcps/zoo/calls"), one, two))
			fstest.Equal(t, got, "25 "+one+"\n25 "+two+"\n", "from two projects at once")
			for _, dir := range []string{".", "/mnt/p", ".."} {
				if r := b.shell(fmt.Sprintf(sandbox(one, ""), binary()+" call --project "+dir+" zoo greet")); strings.TrimSpace(r.out) != one {
					t.Errorf("--project %s: %v", dir, r)
				}
			}
			if r := b.shell(fmt.Sprintf(sandbox(filepath.Join(b.home, "plain"), "--chdir /"), binary()+" call --project /mnt/p zoo greet")); r.code == 0 || !strings.Contains(r.err, "/mnt/p is not here") {
				t.Errorf("an unknown folder: %v", r)
			}
		})
	}
}
