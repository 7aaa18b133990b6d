package providers

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// TestWithoutInotify: where the system allows no instance of inotify, or no watch of one, as in
// the processes of its own in which this test runs, a policy is in force soon after it was written, files of other
// programs are read, and the cause is one problem of all providers.
func TestWithoutInotify(t *testing.T) {
	const here = "CTXFS_TEST_INOTIFY"
	limit := os.Getenv(here)
	if limit == "" {
		for _, limit := range []string{"instances", "watches"} {
			t.Run(limit, func(t *testing.T) {
				cmd := exec.Command(os.Args[0], "-test.run=^TestWithoutInotify$", "-test.v")
				cmd.Env = append(os.Environ(), here+"="+limit)
				cmd.SysProcAttr = &syscall.SysProcAttr{
					Cloneflags:  syscall.CLONE_NEWUSER,
					UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
					GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
				}
				out, err := cmd.CombinedOutput()
				var exit *exec.ExitError
				switch {
				case err != nil && !errors.As(err, &exit):
					t.Skipf("no user namespace can be had: %v", err)
				case err != nil:
					t.Errorf("%v\n%s", err, out)
				case strings.Contains(string(out), "--- SKIP"):
					t.Skipf("%s", out)
				}
			})
		}
		return
	}
	if err := os.WriteFile("/proc/sys/user/max_inotify_"+limit, []byte("0"), 0); err != nil {
		t.Skipf("the limit cannot be lowered: %v", err)
	}
	home := t.TempDir()
	opts := optionsIn(home)
	opts.Offline = false
	servers := filepath.Join(home, ".claude.json")
	fstest.Must(t, os.WriteFile(servers, []byte(`{"mcpServers": {"one": {"command": "one"}}}`), 0o600))
	l := New(opts)
	defer l.Close()
	fstest.Must(t, os.WriteFile(opts.Config, []byte("[mcp.policy]\ndeny = [\"two/*\", \"ghost/*\"]\n"), 0o600))
	fstest.Must(t, os.WriteFile(servers, []byte(`{"mcpServers": {"one": {"command": "one"}, "two": {"command": "two"}}}`), 0o600))
	fstest.Settled(t, l)
	late, policy := make(map[fs.Problem]bool), false
	problems := l.Problems()
	for _, p := range l.All() {
		s := p.Status()
		problems = append(problems, s.Problems...)
	}
	for _, p := range problems {
		if strings.Contains(p.Mend, "sysctl fs.inotify.max_user_"+limit+"=") {
			late[p] = true
		}
		if strings.Contains(p.What, `deny "two/*"`) {
			t.Errorf("the server is not known: %s", p.What)
		}
		policy = policy || strings.Contains(p.What, `deny "ghost/*"`)
	}
	if len(late) != 1 {
		t.Errorf("%d problems: %+v", len(late), slices.Collect(maps.Keys(late)))
	}
	if !policy {
		t.Errorf("the policy is not in force: %+v", problems)
	}
}
