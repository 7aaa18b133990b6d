package control

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// thisProgram returns the file that this process was started from and what
// identifies it; call it early, as the file may be replaced.
func thisProgram() (path, id string) {
	path, _ = os.Executable() // unknown is "", and so is its build
	if id = build("/proc/self/exe"); id == "" {
		id = build(path)
	}
	return path, id
}

// build identifies the file of a program: "INODE SIZE NANOSECONDS", the last the
// modification time; "" if it cannot be seen.
func build(program string) string {
	info, err := os.Stat(program)
	if err != nil {
		return ""
	}
	inode := uint64(0)
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		inode = st.Ino
	}
	return fmt.Sprintf("%d %d %d", inode, info.Size(), info.ModTime().UnixNano())
}

// sameBuild reports whether two values of build are those of one file, or of a file
// and a faithful copy of it. What cannot be seen differs from nothing.
func sameBuild(a, b string) bool {
	if a == "" || b == "" {
		return true
	}
	inodeA, restA, _ := strings.Cut(a, " ")
	inodeB, restB, _ := strings.Cut(b, " ")
	return inodeA == inodeB || restA == restB
}

// age compares the program of a process with this one.
type age int

const (
	asOld age = iota
	older     // this program may take over from the process
	newer     // must not be used any more
)

// ageOf compares a process with this program by their versions. Of one version, the
// process is older if its file has been replaced, and this program is the new file:
// of two files in different places neither is newer, or each would take over from
// the other, forever.
func (h Home) ageOf(g greeting) age {
	switch compareVersions(g.Version, h.Version) {
	case -1:
		return older
	case 1:
		return newer
	}
	self, err := os.Executable()
	if err != nil || g.Program == "" || !Same(self, g.Program) || sameBuild(g.Build, build(self)) {
		return asOld
	}
	return older
}

// compareVersions compares two versions as semver.org does, with or without a "v".
// A version of another form is equal to any other.
func compareVersions(a, b string) int {
	numbersA, preA, okA := parseVersion(a)
	numbersB, preB, okB := parseVersion(b)
	if !okA || !okB {
		return 0
	}
	for i := range numbersA {
		if c := cmp.Compare(numbersA[i], numbersB[i]); c != 0 {
			return c
		}
	}
	switch {
	case preA == preB:
		return 0
	case preA == "": // a release follows its candidates
		return 1
	case preB == "":
		return -1
	}
	return comparePrereleases(strings.Split(preA, "."), strings.Split(preB, "."))
}

func parseVersion(v string) (numbers [3]int, pre string, ok bool) {
	v, _, _ = strings.Cut(strings.TrimPrefix(v, "v"), "+")
	v, pre, _ = strings.Cut(v, "-")
	parts := strings.Split(v, ".")
	if len(parts) != len(numbers) {
		return numbers, "", false
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return numbers, "", false
		}
		numbers[i] = int(n)
	}
	return numbers, pre, true
}

func comparePrereleases(a, b []string) int {
	for i := range min(len(a), len(b)) {
		x, errX := strconv.ParseUint(a[i], 10, 63)
		y, errY := strconv.ParseUint(b[i], 10, 63)
		c := 0
		switch {
		case errX == nil && errY == nil:
			c = cmp.Compare(x, y)
		case errX == nil: // a number comes before a word
			c = -1
		case errY == nil:
			c = 1
		default:
			c = strings.Compare(a[i], b[i])
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}
