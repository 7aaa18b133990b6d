package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ctxfs/providers/internal/procs"
)

// reportFD is where agent-enter writes its report. It is closed when it has become the
// agent.
const reportFD = 3

// enterTime is how long it may take to make a sandbox: folders that do not answer are in the
// way.
const enterTime = 20 * time.Second

// Start starts the program of argv in a sandbox, through program, which is this one. The
// process has the first three files of attr. The error says why it was not started.
func Start(program string, r Rules, argv []string, attr *os.ProcAttr) (*os.Process, Report, error) {
	process, report, err := start(program, r, argv, attr, true)
	if err != nil && report.Failed == "" { // most often since there can be no namespaces
		process, report, err = start(program, r, argv, attr, false)
	}
	return process, report, err
}

// start is Start in one of the two ways.
func start(program string, r Rules, argv []string, attr *os.ProcAttr, namespaces bool) (*os.Process, Report, error) {
	r.Outside, _ = namespace() // without it there is only Landlock
	body, _ := json.Marshal(r) // of strings
	answer, theirs, err := os.Pipe()
	if err != nil {
		return nil, Report{}, err
	}
	defer answer.Close()
	defer theirs.Close()
	words := append(procs.Helper(program, procs.RoleAgentEnter, string(body)), argv...)
	with := *attr
	with.Files = append(slices.Clone(attr.Files[:reportFD]), theirs)
	if namespaces {
		with.Sys = namespaced(attr.Sys)
	}
	process, err := os.StartProcess(program, words, &with)
	if err != nil {
		return nil, Report{}, err
	}
	theirs.Close()
	_ = answer.SetReadDeadline(time.Now().Add(enterTime))
	said, err := io.ReadAll(answer)
	var report Report
	if json.Unmarshal(said, &report) != nil {
		report.Failed = "its sandbox could not be made"
	}
	if err != nil {
		report.Failed = fmt.Sprintf("its sandbox was not made within %v", enterTime)
	}
	if report.Failed != "" {
		_ = process.Kill() // it ends anyway, except where a folder does not answer
		_, _ = process.Wait()
		return nil, report, errors.New(report.Failed)
	}
	return process, report, nil
}

// namespaced returns attr with a user and a mount namespace for the process, in which it
// may mount. All users have the same number in it.
func namespaced(attr *syscall.SysProcAttr) *syscall.SysProcAttr {
	out := *attr
	out.Cloneflags |= syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS
	out.UidMappings = mappings("/proc/self/uid_map", os.Geteuid())
	out.GidMappings = mappings("/proc/self/gid_map", os.Getegid())
	out.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN}
	return &out
}

// mappings maps all numbers that there are to themselves, which only root may, or one.
func mappings(path string, id int) []syscall.SysProcIDMap {
	one := []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
	if os.Geteuid() != 0 {
		return one
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return one
	}
	var all []syscall.SysProcIDMap
	for line := range strings.Lines(string(text)) {
		var inside, outside, size int
		if n, _ := fmt.Sscan(line, &inside, &outside, &size); n == 3 {
			all = append(all, syscall.SysProcIDMap{ContainerID: inside, HostID: inside, Size: size})
		}
	}
	return all
}
