package descendants

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"ctxfs/providers/internal/procs"
)

// rlimitRTTime is RLIMIT_RTTIME: how long a process with real-time scheduling may compute
// without a pause, in microseconds. Children inherit limits whatever else they shed: their
// environment, their session, their parent. So a limit that no process reaches, a million
// years and more, is a mark that stays.
const rlimitRTTime = 15

// Mark marks this process, and all that it starts from now on, and returns the mark; 0 if
// that is not possible, or it is marked already: what it starts is then part of something
// larger.
func Mark() uint64 {
	var is syscall.Rlimit
	const infinity = ^uint64(0)
	if syscall.Getrlimit(rlimitRTTime, &is) != nil || is.Cur != infinity || is.Max != infinity {
		return 0
	}
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	mark := binary.NativeEndian.Uint64(random[:])>>1 | 1<<62
	if syscall.Setrlimit(rlimitRTTime, &syscall.Rlimit{Cur: mark, Max: mark}) != nil {
		return 0
	}
	return mark
}

// EndMarked kills all processes that have a mark, except this one.
func EndMarked(mark uint64) {
	if mark == 0 {
		return
	}
	for begun := time.Now(); time.Since(begun) < endTime; time.Sleep(time.Millisecond) {
		all := marked(mark)
		if len(all) == 0 {
			return
		}
		kill(all, func() []process { return marked(mark) })
	}
}

// marked returns the processes that have a mark.
func marked(mark uint64) (found []process) {
	all, _ := procs.All() // where the system shows none, none are found
	for _, pid := range all {
		if pid == os.Getpid() {
			continue
		}
		s, ok := procs.ReadStat(pid)
		if !ok || s.State == 'Z' || s.State == 'X' {
			continue
		}
		limits, _ := os.ReadFile(procs.Path(pid, "limits"))
		if _, after, ok := bytes.Cut(limits, []byte("Max realtime timeout")); ok && strings.HasPrefix(strings.TrimLeft(string(after), " "), fmt.Sprint(mark, " ")) {
			found = append(found, procs.At(pid, s.Began))
		}
	}
	return found
}
