package transcripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

// asOrdinaryUser runs the test again as a user who may not read everything, where
// this one may, and reports whether it has.
func asOrdinaryUser(t *testing.T) bool {
	t.Helper()
	if os.Getuid() != 0 {
		return false
	}
	const nobody = 65534
	dir := t.TempDir()
	for up := dir; up != os.TempDir() && up != "/"; up = filepath.Dir(up) {
		fstest.Must(t, os.Chmod(up, 0o755))
	}
	self, err := os.Executable()
	fstest.Must(t, err)
	program, temp := filepath.Join(dir, "test"), filepath.Join(dir, "tmp")
	// Not written by this process: a child of another test may still have the file open
	// for writing when it is executed.
	fstest.Must(t, exec.Command("cp", self, program).Run())
	fstest.Must(t, os.Mkdir(temp, 0o700))
	fstest.Must(t, os.Chown(temp, nobody, nobody))
	cmd := exec.Command(program, "-test.run=^"+t.Name()+"$")
	cmd.Dir, cmd.Env = temp, append(os.Environ(), "TMPDIR="+temp, "HOME="+temp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as an ordinary user: %v\n%s", err, out)
	}
	return true
}
