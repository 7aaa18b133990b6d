package layout

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestOtherFileSystems(t *testing.T) {
	root := tree(t, "disk/a", "plain/b")
	if err := syscall.Mount("tmpfs", filepath.Join(root, "disk"), "tmpfs", 0, ""); err != nil {
		t.Skipf("cannot mount here: %v", err)
	}
	defer func() {
		if err := syscall.Unmount(filepath.Join(root, "disk"), 0); err != nil {
			t.Error(err)
		}
	}()
	if l := read(t, root, ".", Options{}); !strings.Contains(l.Text, "  disk/ (another file system)\n") {
		t.Errorf("got\n%s", l.Text)
	}
}
