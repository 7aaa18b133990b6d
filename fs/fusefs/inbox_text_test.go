package fusefs

import (
	"context"
	"fmt"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/drop"
)

// notes mounts an inbox for texts, which answers with how long a text is.
func notes(t *testing.T, quiet time.Duration) *mountedTree {
	t.Helper()
	var tree *fs.Tree
	drop := drop.New(drop.Options{
		Accept: func(_ context.Context, _ string, _ fs.Standpoint, body []byte) (drop.Work, error) {
			return func(context.Context) drop.Outcome {
				return drop.Outcome{OK: true, Text: fmt.Sprintf("%d bytes: %.9s", len(body), body)}
			}, nil
		},
		Text: true, Quiet: quiet, Extension: ".md", Now: time.Now,
		Changed: func(name string) { tree.Changed("notes/" + name) },
	})
	mt := mountedWith(t, fs.NewFolder(epoch, map[string]fs.Node{"notes": drop}), fs.TreeOptions{}, func(t *fs.Tree) { tree = t })
	t.Cleanup(func() { drop.Close() })
	return mt
}

// A text has no end: it is taken when the last writer has closed it.
func TestTextsOfEveryWriter(t *testing.T) {
	m := notes(t, time.Hour)
	const body = "# A note\n\n{not JSON\n"
	for name, script := range map[string]string{
		"echo":    `printf %s "$1" > notes/echo.md`,
		"append":  `printf %s "$1" >> notes/append.md`,
		"pieces":  `{ printf %s "${1:0:3}"; stat -L /dev/stdout >/dev/null; printf %s "${1:3}"; } > notes/pieces.md`,
		"heredoc": "cat > notes/heredoc.md <<'END'\n# A note\n\n{not JSON\nEND",
		"tee":     `printf %s "$1" | tee notes/tee.md >/dev/null`,
		"dd":      `printf %s "$1" | dd of=notes/dd.md bs=7 2>/dev/null`,
		"cp":      `printf %s "$1" > "$2/f"; cp -p "$2/f" notes/cp.md`,
		"mv":      `printf %s "$1" > "$2/f"; mv "$2/f" notes/mv.md`,
		"python3": `python3 -c 'import sys; open("notes/python3.md", "w").write(sys.argv[1])' "$1"`,
	} {
		if out, code := m.run(script, body, t.TempDir()); code != 0 || out != "" {
			t.Errorf("%s: exit %d: %s", name, code, out)
			continue
		}
		m.expect(fmt.Sprintf("%d bytes: # A note\n", len(body)), `jq -r .text "notes/$1.result"`, name)
	}
	m.expect("false", "touch notes/empty.md; jq .ok notes/empty.result")
	if out, code := m.run("echo x > notes/x.txt"); code == 0 {
		t.Errorf("another extension is accepted: %s", out)
	}
}

// A file that somebody keeps open is taken after a while.
func TestTextThatIsKeptOpen(t *testing.T) {
	m := notes(t, 10*time.Millisecond)
	c := start(t, m.command(t.Context(), `exec 5>notes/x.md; printf said >&5; echo written; read x; printf more >&5 || echo refused; read x`))
	c.hear("written")
	m.expect("4 bytes: said", "jq -r .text notes/x.result")
	fmt.Fprintln(c.stdin)
	c.hear("refused")
	c.kill()
	m.expect("4 bytes: said", "jq -r .text notes/x.result")
}
