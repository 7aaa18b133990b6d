package system

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
)

// machine describes the system.
func machine() Machine {
	m := Machine{System: runtime.GOOS, Architecture: runtime.GOARCH, Processors: runtime.NumCPU()}
	if name := osName(); name != "" {
		m.System = name
	}
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		m.Kernel = clean.Line(unix.ByteSliceToString(u.Sysname[:]) + " " + unix.ByteSliceToString(u.Release[:]))
	}
	if n := memory(); n > 0 {
		m.Memory = wording.Size(n)
	}
	for _, mark := range []string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := os.Stat(mark); err == nil {
			m.Container = mark
		}
	}
	return m
}

// osName returns the name that a system gives itself; "" if it gives none. Source:
// os-release(5), and SystemVersion.plist of macOS.
func osName() string {
	for _, path := range []string{"/etc/os-release", "/usr/lib/os-release"} {
		if text, err := os.ReadFile(path); err == nil {
			return prettyName(string(text))
		}
	}
	text, err := os.ReadFile("/System/Library/CoreServices/SystemVersion.plist")
	if err != nil {
		return ""
	}
	_, after, _ := strings.Cut(string(text), "<key>ProductVersion</key>")
	_, after, _ = strings.Cut(after, "<string>")
	version, _, _ := strings.Cut(after, "</string>")
	return clean.Line("macOS " + version)
}

// prettyName returns the value of PRETTY_NAME.
func prettyName(osRelease string) string {
	for line := range strings.Lines(osRelease) {
		if value, ok := strings.CutPrefix(line, "PRETTY_NAME="); ok {
			return clean.Line(strings.Trim(strings.TrimSpace(value), `"'`))
		}
	}
	return ""
}

// memory returns how much memory there is, in bytes; 0 if that is not known.
func memory() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	line, _, _ := bytes.Cut(text, []byte("\n")) // MemTotal: 8000000 kB
	fields := strings.Fields(string(line))
	if len(fields) < 2 {
		return 0
	}
	n, _ := strconv.ParseInt(fields[1], 10, 64)
	return n << 10
}
