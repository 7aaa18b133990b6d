package mounted

import "testing"

func TestMountinfo(t *testing.T) {
	got := parse([]byte("36 35 98:0 / /proj/my\\040disk rw - ext4 /dev/a rw\n37 35 98:0 / /other rw - ext4 x rw\nshort\n38 35 1:2 / /proj/\\999 rw - x y z\n"), "/proj/")
	if len(got) != 2 || !got["/proj/my disk"] {
		t.Errorf("got %v", got)
	}
}
