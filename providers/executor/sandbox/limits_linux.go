package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// abi is how programs ask the kernel for limits of resources: the number of an architecture,
// as AUDIT_ARCH_*, and those of two system calls.
type abi struct{ arch, prlimit, setrlimit uint32 }

// abis are those of the processors that are known: of programs as this one, and of 32 bits.
var abis = map[string][]abi{
	"amd64": {{unix.AUDIT_ARCH_X86_64, 302, 160}, {unix.AUDIT_ARCH_I386, 340, 75}},
	"arm64": {{unix.AUDIT_ARCH_AARCH64, 261, 164}, {unix.AUDIT_ARCH_ARM, 369, 75}},
}

// Where the parts of a system call are, see seccomp(2): of arguments the lower halves.
const (
	atNumber   = 0
	atArch     = 4
	atFirst    = 16
	atSecond   = 24
	atThird    = 32
	atThirdTop = 36
)

// keepLimits keeps this thread, and what it becomes, from changing the limits of other
// processes: one that may compute no longer is killed, and no right is needed for that but
// to be of the same user. Nor can it change its limit for real-time scheduling, which is the
// mark of its run (see package procs).
func keepLimits() error {
	known, ok := abis[runtime.GOARCH]
	if !ok {
		return fmt.Errorf("the system calls of %s are not known", runtime.GOARCH)
	}
	var filter []unix.SockFilter
	load := func(at uint32) {
		filter = append(filter, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at})
	}
	// Both skip instructions, if the value is or is not what was loaded.
	is := func(value uint32, skip uint8) {
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: skip, K: value})
	}
	isNot := func(value uint32, skip uint8) {
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: skip, K: value})
	}
	answer := func(what uint32) {
		filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: what})
	}
	const refuse, missing = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM), unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	for _, a := range known {
		load(atArch)
		isNot(a.arch, 17)
		load(atNumber)
		if a.arch == unix.AUDIT_ARCH_X86_64 { // x32 has numbers of its own
			filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, Jf: 1, K: 0x40000000})
		} else {
			isNot(^uint32(0), 1) // no number
		}
		answer(missing)
		isNot(a.setrlimit, 2)
		load(atFirst)
		is(rlimitRTTime, 9)
		isNot(a.prlimit, 9)
		load(atThird) // the new limit: none if it is only asked for
		isNot(0, 2)
		load(atThirdTop)
		is(0, 5)
		load(atFirst) // the process: 0 is itself
		isNot(0, 2)
		load(atSecond)
		isNot(rlimitRTTime, 1)
		answer(refuse)
		answer(unix.SECCOMP_RET_ALLOW)
	}
	answer(missing)
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	// Without the flag, programs are slower before Linux 5.16.
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return os.NewSyscallError("seccomp", errno)
	}
	return nil
}

// rlimitRTTime is RLIMIT_RTTIME.
const rlimitRTTime = 15
