package inside

import "testing"

func TestMountinfo(t *testing.T) {
	got := parseMounts([]byte("36 35 98:0 / /work/my\\040disk rw - ext4 /dev/a rw\n37 35 98:0 / /other rw - ext4 x rw\nshort\n38 35 1:2 / /work/\\999 rw - x y z\n"), "/work/")
	if len(got) != 2 || !got["/work/my disk"] {
		t.Errorf("got %v", got)
	}
}
