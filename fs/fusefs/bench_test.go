package fusefs

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
)

// The benchmarks compare a mount with the file system that the temporary folder
// lies on, by running the same command on both in turn. What counts is the ratio
// of the medians; see BENCHMARKS.md for the goals.

const (
	warmRounds = 9
	coldRounds = 5
)

// benchFolders and benchFiles are the size of the corpus: files of 2 KB.
const (
	benchFolders = 200
	benchFiles   = 100 // in each folder
)

func benchBody(i int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"name\": \"tool_%d\",\n", i)
	for line := 0; b.Len() < 2000; line++ {
		fmt.Fprintf(&b, "  \"field_%d\": \"some text about number %d\",\n", line, i*line)
	}
	if i%50 == 0 {
		b.WriteString("  \"rare\": \"needle\",\n")
	}
	b.WriteString("  \"end\": true\n}\n")
	return b.Bytes()
}

// benchCorpus creates the corpus on disk and in memory.
func benchCorpus(b *testing.B) (dir string, root *fs.Folder) {
	b.Helper()
	dir = b.TempDir()
	root = fs.NewFolder(epoch, nil)
	for i := range benchFolders {
		name := fmt.Sprintf("server%03d", i)
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			b.Fatal(err)
		}
		files := make(map[string]fs.Node)
		for j := range benchFiles {
			file, body := fmt.Sprintf("tool_%03d.json", j), benchBody(i*benchFiles+j)
			if err := os.WriteFile(filepath.Join(dir, name, file), body, 0o644); err != nil {
				b.Fatal(err)
			}
			files[file] = fs.NewText(epoch, body)
		}
		root.Set(epoch, name, fs.NewFolder(epoch, files))
	}
	return dir, root
}

func passed(b *testing.B, dir string) fs.Dir {
	b.Helper()
	d, err := fs.NewDiskDir(dir, fs.DiskOptions{Watched: func(string) bool { return true }})
	if err != nil {
		b.Fatal(err)
	}
	return d
}

// benchMount mounts a tree until unmount is called.
func benchMount(b *testing.B, root fs.Dir) (m *Mount, unmount func()) {
	b.Helper()
	m, err := New(fs.NewTree(root, fs.TreeOptions{}), b.TempDir(), Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Skipf("no FUSE here: %v", err)
	}
	return m, func() {
		b.Helper()
		if err := m.Unmount(); err != nil {
			b.Fatal(err)
		}
	}
}

// timed runs a command on a folder and measures it in milliseconds.
func timed(b *testing.B, command, dir string) float64 {
	b.Helper()
	args := append(strings.Fields(command), dir)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "RIPGREP_CONFIG_PATH=")
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Discard, &stderr // a pipe: grep looks at no more than it must for /dev/null
	begun := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatalf("%s: %v %s", command, err, stderr.String())
	}
	return float64(time.Since(begun).Microseconds()) / 1000
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// report reports the medians of one command on both and their ratio.
func report(b *testing.B, native, mount []float64) {
	b.ReportMetric(0, "ns/op") // the time of a round means nothing
	b.ReportMetric(median(native), "native-ms")
	b.ReportMetric(median(mount), "mount-ms")
	b.ReportMetric(median(mount)/median(native), "x-native")
}

func needTools(b *testing.B, tools ...string) {
	b.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			b.Skipf("%s is not installed", tool)
		}
	}
}

// readers are the commands that are measured.
var readers = []struct{ name, command string }{
	{"rg", "rg -c needle"}, {"find", "find -H"}, {"ls-lR", "ls -lR"},
}

// BenchmarkWarm reads what the kernel has read before. It also counts the
// requests that still reach this process.
func BenchmarkWarm(b *testing.B) {
	needTools(b, "rg")
	dir, generated := benchCorpus(b)
	for _, kind := range []struct {
		name string
		root fs.Dir
	}{{"generated", generated}, {"passed-through", passed(b, dir)}} {
		m, unmount := benchMount(b, kind.root)
		for _, r := range readers {
			b.Run(r.name+"/"+kind.name, func(b *testing.B) {
				var native, mount []float64
				for range 2 {
					timed(b, r.command, dir)
					timed(b, r.command, m.Dir())
				}
				before := m.Requests()
				for range max(warmRounds, b.N) {
					native = append(native, timed(b, r.command, dir))
					mount = append(mount, timed(b, r.command, m.Dir()))
				}
				report(b, native, mount)
				var requests uint64
				for op, n := range m.Requests() {
					requests += n - before[op]
				}
				b.ReportMetric(float64(requests)/float64(len(mount)), "requests/op")
			})
		}
		unmount()
	}
}

// dropCaches makes the kernel forget what it has read, except for programs.
func dropCaches(b *testing.B) {
	b.Helper()
	if err := os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0); err != nil {
		b.Skipf("caches cannot be dropped here: %v", err)
	}
	for _, r := range readers {
		exec.Command(strings.Fields(r.command)[0], "--version").Run()
	}
}

// BenchmarkCold reads what nobody has read. Of a folder that is passed through
// only the mount is cold: that is what it adds to a folder in use.
func BenchmarkCold(b *testing.B) {
	needTools(b, "rg")
	dir, generated := benchCorpus(b)
	exec.Command("sync").Run()
	for _, kind := range []struct {
		name string
		root fs.Dir
	}{{"generated", generated}, {"passed-through", passed(b, dir)}} {
		for _, r := range readers {
			b.Run(r.name+"/"+kind.name, func(b *testing.B) {
				var native, mount []float64
				for range max(coldRounds, b.N) {
					dropCaches(b)
					native = append(native, timed(b, r.command, dir))
					if kind.name == "generated" {
						dropCaches(b)
					} else {
						timed(b, "rg -c needle", dir)
					}
					m, unmount := benchMount(b, kind.root)
					mount = append(mount, timed(b, r.command, m.Dir()))
					unmount()
				}
				report(b, native, mount)
			})
		}
	}
}

// BenchmarkHugeFolder lists 100,000 names: for the first time, and again,
// beside a folder on disk that was listed before.
func BenchmarkHugeFolder(b *testing.B) {
	const names = 100_000
	dir := b.TempDir()
	nodes := make(map[string]fs.Node, names)
	empty := text("")
	for i := range names {
		name := fmt.Sprintf("name%06d", i)
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			b.Fatal(err)
		}
		nodes[name] = empty
	}
	root := fs.NewFolder(epoch, nodes)
	timed(b, "ls", dir)
	b.Run("first", func(b *testing.B) {
		var native, mount []float64
		for range max(warmRounds, b.N) {
			native = append(native, timed(b, "ls", dir))
			m, unmount := benchMount(b, root)
			mount = append(mount, timed(b, "ls", m.Dir()))
			unmount()
		}
		report(b, native, mount)
	})
	b.Run("again", func(b *testing.B) {
		m, unmount := benchMount(b, root)
		defer unmount()
		timed(b, "ls", m.Dir())
		var native, mount []float64
		for range max(warmRounds, b.N) {
			native = append(native, timed(b, "ls", dir))
			mount = append(mount, timed(b, "ls", m.Dir()))
		}
		report(b, native, mount)
	})
}

// BenchmarkHangingReads reads files that nobody has read, before and while
// thirty reads of another folder hang.
func BenchmarkHangingReads(b *testing.B) {
	const hanging, rounds = 30, 100
	h := newHanging(b, "read")
	files := make(map[string]fs.Node)
	for i := range 2 * rounds {
		files[fmt.Sprint(i)] = fs.NewText(epoch, benchBody(i))
	}
	m, unmount := benchMount(b, fs.NewFolder(epoch, map[string]fs.Node{"hanging": hangingDir{h}, "x": fs.NewFolder(epoch, files)}))
	defer unmount()
	x := filepath.Join(m.Dir(), "x")
	timed(b, "ls", x)
	var before, during []float64
	for i := range rounds {
		before = append(before, timed(b, "cat", filepath.Join(x, fmt.Sprint(i))))
	}
	var clients []*exec.Cmd
	for i := range hanging {
		cmd := exec.Command("cat", filepath.Join(m.Dir(), "hanging", fmt.Sprint("file", i)))
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		clients = append(clients, cmd)
		<-h.asked
	}
	for i := range rounds {
		during = append(during, timed(b, "cat", filepath.Join(x, fmt.Sprint(rounds+i))))
	}
	h.letGo()
	for _, cmd := range clients {
		cmd.Wait()
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(before), "before-ms")
	b.ReportMetric(median(during), "during-ms")
	b.ReportMetric(median(during)/median(before), "x-before")
}
