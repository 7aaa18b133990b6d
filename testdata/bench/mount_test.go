package bench

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fusefs"
)

// readers are the commands that are measured, on a mount and on the file system that the
// temporary folder lies on, in turn. What counts is the ratio of the medians.
var readers = []struct{ name, command string }{{"rg", "rg -c needle"}, {"find", "find -H"}, {"ls-lR", "ls -lR"}}

// corpora makes 20,000 files of 2 KB on disk, and the same as trees: in memory, and passed
// through.
func corpora(b *testing.B) (dir string, trees map[string]fs.Dir) {
	dir = b.TempDir()
	root := fs.NewFolder(time.Now(), nil)
	for i := range 200 {
		name := fmt.Sprintf("server%03d", i)
		must(b, os.Mkdir(filepath.Join(dir, name), 0o755))
		files := make(map[string]fs.Node)
		for j := range 100 {
			file := fmt.Sprintf("tool_%03d.json", j)
			body := []byte(strings.Repeat(fmt.Sprintf("  \"field\": \"some text about number %d\",\n", 100*i+j), 50))
			if j%50 == 0 {
				body = append(body, "  \"rare\": \"needle\",\n"...)
			}
			must(b, os.WriteFile(filepath.Join(dir, name, file), body, 0o644))
			files[file] = fs.NewText(time.Now(), body)
		}
		root.Set(time.Now(), name, fs.NewFolder(time.Now(), files))
	}
	passed, err := fs.NewDiskDir(dir, fs.DiskOptions{Watched: func(string) bool { return true }})
	must(b, err)
	return dir, map[string]fs.Dir{"generated": root, "passed-through": passed}
}

// mounted mounts a tree until unmount is called.
func mounted(b *testing.B, root fs.Dir) (m *fusefs.Mount, unmount func()) {
	m, err := fusefs.New(fs.NewTree(root, fs.TreeOptions{}), b.TempDir(), fusefs.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Skipf("no FUSE here: %v", err)
	}
	return m, func() { must(b, m.Unmount()) }
}

// timed runs a command on a folder, with its output into a pipe, and returns its time in
// milliseconds.
func timed(b *testing.B, command, dir string) float64 {
	args := append(strings.Fields(command), dir)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "RIPGREP_CONFIG_PATH=")
	cmd.Stdout = new(bytes.Buffer)
	begun := time.Now()
	must(b, cmd.Run())
	return float64(time.Since(begun).Microseconds()) / 1000
}

// BenchmarkWarm reads what the kernel has read before, and counts the requests that still
// reach this process.
func BenchmarkWarm(b *testing.B) {
	dir, trees := corpora(b)
	for kind, root := range trees {
		m, unmount := mounted(b, root)
		for _, r := range readers {
			b.Run(r.name+"/"+kind, func(b *testing.B) {
				for range 2 {
					timed(b, r.command, dir)
					timed(b, r.command, m.Dir())
				}
				var native, mount []float64
				before := m.Requests()
				for len(mount) < 9 || b.Loop() {
					native, mount = append(native, timed(b, r.command, dir)), append(mount, timed(b, r.command, m.Dir()))
				}
				requests := 0.0
				for op, n := range m.Requests() {
					requests += float64(n - before[op])
				}
				b.ReportMetric(median(mount)/median(native), "x-native")
				b.ReportMetric(requests/float64(len(mount)), "requests/op")
			})
		}
		unmount()
	}
}

// BenchmarkCold reads what nobody has read. Of a folder that is passed through only the mount
// is cold: that is what it adds to a folder in use.
func BenchmarkCold(b *testing.B) {
	dir, trees := corpora(b)
	must(b, exec.Command("sync").Run())
	forget := func() { // programs are kept
		if err := os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0); err != nil {
			b.Skipf("caches cannot be dropped here: %v", err)
		}
		for _, r := range readers {
			_ = exec.Command(strings.Fields(r.command)[0], "--version").Run()
		}
	}
	for kind, root := range trees {
		for _, r := range readers {
			b.Run(r.name+"/"+kind, func(b *testing.B) {
				var native, mount []float64
				for len(mount) < 5 || b.Loop() {
					forget()
					native = append(native, timed(b, r.command, dir))
					if kind == "generated" {
						forget()
					}
					m, unmount := mounted(b, root)
					mount = append(mount, timed(b, r.command, m.Dir()))
					unmount()
				}
				b.ReportMetric(median(mount)/median(native), "x-native")
			})
		}
	}
}
