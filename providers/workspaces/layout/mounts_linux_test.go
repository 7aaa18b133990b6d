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

func TestMountinfo(t *testing.T) {
	got := parseMounts([]byte("36 35 98:0 / /work/my\\040disk rw - ext4 /dev/a rw\n37 35 98:0 / /other rw - ext4 x rw\nshort\n38 35 1:2 / /work/\\999 rw - x y z\n"), "/work/")
	if len(got) != 2 || !got["/work/my disk"] {
		t.Errorf("got %v", got)
	}
}
