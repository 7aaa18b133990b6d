package fstest

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// NodeModules returns the folder that has real programs of npm for tests:
// CTXFS_TEST_NODE_MODULES, or .ci/node_modules at the top of the module. A test that needs
// them is of the set npm ([OptIn]), and skipped where node or one of the packages is not
// installed.
func NodeModules(t testing.TB, packages ...string) (dir string) {
	t.Helper()
	OptIn(t, "npm")
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	dir, err := filepath.Abs(os.Getenv("CTXFS_TEST_NODE_MODULES"))
	if os.Getenv("CTXFS_TEST_NODE_MODULES") == "" {
		dir, err = filepath.Join(ModuleRoot(t), ".ci", "node_modules"), nil
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range packages {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Skipf("the npm package %s is not installed in %s (see CTXFS_TEST_NODE_MODULES)", name, dir)
		}
	}
	return dir
}

// ModuleRoot returns the folder with go.mod above the package under test.
func ModuleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test's folder")
		}
		dir = up
	}
}

// NodeServer runs a script of node that listens on the port in its variable PORT,
// until the end of the test, and returns its address once it listens.
func NodeServer(t testing.TB, script string, args ...string) (address string) {
	t.Helper()
	port := Port(t)
	cmd := exec.Command("node", append([]string{script}, args...)...)
	cmd.Env = append(os.Environ(), "PORT="+port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	address = "127.0.0.1:" + port
	Eventually(t, "the server listens", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return address
}
