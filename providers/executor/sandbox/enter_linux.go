package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Enter is the whole process of agent-enter: it closes the sandbox that the first argument
// describes, reports, and becomes the program of the others. Its exit code is for the case
// that it cannot.
func Enter(args []string) int {
	runtime.LockOSThread() // which becomes the program
	var r Rules
	var is unix.Stat_t
	if len(args) < 2 || unix.Fstat(reportFD, &is) != nil || json.Unmarshal([]byte(args[0]), &r) != nil {
		fmt.Fprintln(os.Stderr, "ctxfs: this command is started by: ctxfs agent run")
		return 1
	}
	syscall.CloseOnExec(reportFD)
	out := os.NewFile(reportFD, "report")
	report := closed(r.settled())
	body, _ := json.Marshal(report) // of strings
	// Two reports would not be one JSON value: the program is looked for first.
	err := unix.Access(args[1], unix.X_OK)
	if err != nil {
		err = &os.PathError{Op: "exec", Path: args[1], Err: err}
	} else {
		_, err = out.Write(body)
	}
	if err == nil {
		err = os.NewSyscallError("exec", syscall.Exec(args[1], args[1:], os.Environ()))
		fmt.Fprintln(os.Stderr, "ctxfs:", err)
		return 126
	}
	body, _ = json.Marshal(Report{Failed: err.Error()})
	_, _ = out.Write(body)
	return 126
}

// closed closes the sandbox over this thread.
func closed(r places) (report Report) {
	note := func(format string, args ...any) { report.Notes = append(report.Notes, fmt.Sprintf(format, args...)) }
	apart := mountReadOnly(r, note)
	if err := shed(); err != nil {
		note("not all rights were given up: %v", err)
	}
	if err := keepLimits(); err != nil {
		note("limits of processes outside can be changed, by which they end: %v", err)
	}
	if apart == nil {
		report.Enforced, report.Kept = true, true
		if err := scope(); err != nil {
			note("signals reach processes outside: %v", err)
		}
		return report
	}
	err := landlocked(r)
	if err == nil {
		report.Enforced = true
		note("modes, times and extended attributes of files can be changed, since there can be no mount namespace: %v", apart)
		tellDoors(r, note)
		return report
	}
	note("nothing keeps it from writing: %v; %v", apart, err)
	return report
}

// shed gives up all capabilities but those with which root reads, and writes where it may
// write at all, what belongs to others; no program gives any back.
func shed() error {
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) // Linux 4.3
	var kept uint32
	if os.Geteuid() == 0 {
		// The last one is needed to have a user namespace inside, as an agent's own sandbox has.
		kept = 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH | 1<<unix.CAP_SETFCAP
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if e := unix.Capget(&header, &data[0]); e != nil {
		return errors.Join(err, e)
	}
	left := unix.CapUserData{Effective: data[0].Permitted & kept, Permitted: data[0].Permitted & kept}
	data = [2]unix.CapUserData{left, {}}
	return errors.Join(err, unix.Capset(&header, &data[0]))
}
