package processes

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/procs"
	"ctxfs/providers/internal/sockets"
)

// clockTick is the unit of times in /proc: USER_HZ is 100 for all programs.
const clockTick = 10 * time.Millisecond

// Read returns the processes that were started in folders and still run, by what Place
// returns for these. It makes one pass over /proc for all of them. What belongs to other
// users is left out unless the system shows it, and so are processes of this program.
//
// Sources: proc_pid_stat(5), proc_pid_cwd(5), proc_pid_environ(5), proc_pid_net(5).
func Read(opts Options) (map[string][]Process, error) {
	all, err := procs.All()
	if err != nil {
		return nil, err
	}
	type found struct {
		Process
		place string
		began uint64
	}
	var kept []found
	parents := make(map[int]int)
	boot, self := bootTime(), stat("/proc/self/exe")
	for _, pid := range all {
		s, ok := procs.ReadStat(pid)
		if !ok { // it has ended meanwhile
			continue
		}
		parents[pid] = s.Parent
		since := boot.Add(time.Duration(s.Began) * clockTick)
		dir, err := os.Readlink(procs.Path(pid, "cwd"))
		if err != nil || s.State == 'Z' || opts.Now().Sub(since) < settled {
			continue
		}
		place := opts.Place(dir)
		if place == "" || !os.SameFile(stat(dir), stat(procs.Path(pid, "cwd"))) || os.SameFile(self, stat(procs.Path(pid, "exe"))) {
			continue // in no workspace, in one of that name in a container, or of ours
		}
		argv := procs.Args(pid)
		if len(argv) == 0 {
			continue
		}
		terminal := cmp.Or(procs.Variable(procs.Environ(pid), terminalVariable), terminalName(s.Terminal))
		kept = append(kept, found{Process{
			PID: pid, Command: commandLine(argv), Terminal: clean.Path(terminal, maxTerminal),
			Since: since.Truncate(time.Second).UTC(), parent: s.Parent, shell: isShell(argv[0]),
		}, place, s.Began})
	}
	slices.SortFunc(kept, func(a, b found) int { return cmp.Compare(a.began, b.began) }) // the oldest holds a shared socket
	places, listeners := make(map[string][]Process), new(sockets.Listeners)
	for _, f := range kept {
		if !isBelow(f.PID, opts.Own, parents) {
			f.Listens = listeners.Of(f.PID)
			places[f.place] = append(places[f.place], f.Process)
		}
	}
	for place, all := range places {
		if places[place] = sift(all); len(places[place]) == 0 {
			delete(places, place)
		}
	}
	return places, nil
}

// isBelow reports whether a process is another one, or was started by it.
func isBelow(pid, other int, parents map[int]int) bool {
	for range len(parents) {
		if pid == other || pid == 0 {
			break
		}
		pid = parents[pid]
	}
	return pid == other && pid != 0
}

// terminalName returns the name of a terminal by its device number; "" for none. Source:
// Documentation/admin-guide/devices.txt of the kernel: 136 to 143 are /dev/pts.
func terminalName(device int) string {
	major, minor := device>>8&0xfff, device&0xff|device>>12&0xfff00
	if major < 136 || major > 143 {
		return ""
	}
	return fmt.Sprintf("pts/%d", (major-136)<<8|minor)
}

// bootTime returns when the system was started, to the second.
func bootTime() time.Time {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return time.Time{}
	}
	_, after, _ := bytes.Cut(text, []byte("\nbtime "))
	line, _, _ := bytes.Cut(after, []byte("\n"))
	n, _ := strconv.ParseInt(string(line), 10, 64)
	return time.Unix(n, 0)
}

// stat returns what is known of a file, or nil, which is no file.
func stat(path string) os.FileInfo {
	info, _ := os.Stat(path)
	return info
}
