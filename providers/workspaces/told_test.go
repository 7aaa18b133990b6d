package workspaces

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// TestOpening: the first session in a folder that nobody knows is told its page, by whatever
// name it has the folder; in a folder that can be none, nothing. An agent that does not wait
// is told the next time.
func TestOpening(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"src/shop/.git", "src/late/.git", "src/shop/inner/.git"} {
		if err := os.MkdirAll(filepath.Join(w.home, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(w.home, "src/shop"), filepath.Join(w.home, "link")); err != nil {
		t.Fatal(err)
	}
	opening := func(ctx context.Context, dir string) string {
		news := w.News(ctx, fs.Moment{Kind: fs.SessionStarts, Root: "/mnt", Dir: dir})
		if len(news) == 0 {
			return ""
		}
		return news[0].Text
	}
	for _, at := range []struct{ dir, page string }{
		{"link", "shop"}, {"src/shop", "shop"}, {"src/shop/inner", "inner"},
	} {
		want := "This is /mnt/workspaces/" + at.page + "/HERE.md, from where its relative paths lead:\n# " + at.page + "\n"
		if text := opening(t.Context(), filepath.Join(w.home, at.dir)); !strings.HasPrefix(text, want) || strings.Contains(text, notMade) {
			t.Errorf("%s: %q", at.dir, text)
		}
	}
	for _, dir := range []string{"", "relative", w.home, filepath.Join(w.home, "nowhere"), filepath.Join(w.home, "view/mount")} {
		if text := opening(t.Context(), dir); text != "" {
			t.Errorf("%q: %q", dir, text)
		}
	}

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	late := filepath.Join(w.home, "src/late")
	opening(gone, late)
	fstest.Eventually(t, "the page of a session that did not wait", func() bool { return strings.Contains(opening(t.Context(), late), "# late") })
}
