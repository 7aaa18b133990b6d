package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// BenchmarkStorm measures what it costs to follow 1,000 changes a second for ten
// seconds in a repository of 2,000 files, with a commit every other second, while its
// pages are read: the share of one processor of the background process with all programs
// that it runs, beside that of inotifywait, which does nothing but report the same
// changes. After the storm the pages become those that a new process makes.
func BenchmarkStorm(b *testing.B) {
	const (
		seconds = 10
		perTick = 10
		tick    = 10 * time.Millisecond
	)
	inotifywait, err := exec.LookPath("inotifywait")
	if err != nil {
		b.Skip("inotifywait is not installed")
	}
	env, mnt := benchServers(b, 0, 0)
	repo := benchRepository(b, env, filepath.Join(filepath.Dir(mnt), "repo"), 100, 20)
	benchRun(b, env, binary(), "mount")
	benchRun(b, env, binary(), "here", repo)
	pid := benchStatus(b, env).Pid
	plain := exec.Command(inotifywait, "-m", "-r", "-q", repo)
	if err := plain.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = plain.Process.Kill()
		_ = plain.Wait()
	}()
	pages := []string{"HERE.md", "git.md", "layout.txt"}
	read := func() (all string) {
		for _, page := range append(pages, "../INDEX.md") {
			text, err := os.ReadFile(filepath.Join(mnt, "workspaces/repo", page))
			if err != nil {
				b.Fatal(err)
			}
			all += string(text)
		}
		return all
	}
	for b.Loop() {
		ours, theirs, begun := usedBy(b, pid), usedBy(b, plain.Process.Pid), time.Now()
		pace := time.NewTicker(tick)
		changes := 0
		for n := range int(seconds * time.Second / tick) {
			<-pace.C
			for range perTick {
				benchChange(b, repo, changes)
				changes++
			}
			if n%50 == 0 {
				read()
			}
			if n%200 == 100 {
				commit := exec.Command("git", "-C", repo, "commit", "-qam", fmt.Sprint("commit ", n))
				commit.Env = env
				if err := commit.Start(); err != nil {
					b.Fatal(err)
				}
				defer commit.Wait()
			}
		}
		pace.Stop()
		took := time.Since(begun).Seconds()
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(changes)/took, "changes/s")
		b.ReportMetric(100*(usedBy(b, pid)-ours).Seconds()/took, "%-of-a-processor")
		b.ReportMetric(100*(usedBy(b, plain.Process.Pid)-theirs).Seconds()/took, "%-inotifywait")
	}
	ended := time.Now()
	if !fstest.Becomes(func() bool {
		fresh := append([]string{}, env...)
		fresh = append(fresh, "XDG_STATE_HOME="+b.TempDir(), "XDG_CACHE_HOME="+b.TempDir())
		benchRun(b, fresh, binary(), "here", repo)
		want := ""
		for _, page := range pages[1:] {
			want += benchRun(b, fresh, binary(), "cat", "workspaces/repo/"+page)
		}
		return strings.Contains(read(), want)
	}) {
		b.Error("the pages are not those that a new process makes")
	}
	b.ReportMetric(time.Since(ended).Seconds(), "s-until-exact")
}

// benchRepository makes a repository of folders with files, all committed.
func benchRepository(b *testing.B, env []string, dir string, folders, files int) string {
	b.Helper()
	for i := range folders {
		for j := range files {
			path := benchFile(dir, i, j)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(path, fmt.Appendf(nil, "package p%d // %d\n", i, j), 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	benchRun(b, env, "sh", "-c", `cd "$1" && git init -q -b main . && git config user.name a && git config user.email a@example.com && git add . && git commit -qm Begin`, "sh", dir)
	return dir
}

func benchFile(dir string, folder, file int) string {
	return filepath.Join(dir, fmt.Sprintf("part-%02d/package-%02d/file-%02d.go", folder/10, folder%10, file))
}

// benchChange makes one change in a repository of benchRepository: most are a file
// written again, some one that appears, is replaced, or vanishes, or a folder.
func benchChange(b *testing.B, dir string, n int) {
	path := benchFile(dir, n%7*13, n%20)
	body := fmt.Appendf(nil, "package p // %d\n", n)
	var err error
	switch n % 10 {
	case 0:
		err = os.WriteFile(path+".new", body, 0o600)
	case 1:
		err = os.Rename(benchFile(dir, (n-1)%7*13, (n-1)%20)+".new", path)
	case 2:
		err = os.WriteFile(filepath.Join(filepath.Dir(path), fmt.Sprintf("new-%d.txt", n)), body, 0o600)
	case 3:
		err = os.Remove(filepath.Join(filepath.Dir(benchFile(dir, (n-1)%7*13, 0)), fmt.Sprintf("new-%d.txt", n-1)))
	case 4:
		err = os.Mkdir(filepath.Join(filepath.Dir(path), fmt.Sprintf("dir-%d", n)), 0o700)
	case 5:
		err = os.Remove(filepath.Join(filepath.Dir(benchFile(dir, (n-1)%7*13, 0)), fmt.Sprintf("dir-%d", n-1)))
	default:
		err = os.WriteFile(path, body, 0o600)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// usedBy returns how much of the processors a process and the programs that it has run
// to their ends have used.
func usedBy(b *testing.B, pid int) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	fields := strings.Fields(string(stat[strings.LastIndex(string(stat), ")")+2:]))
	var used time.Duration
	for _, field := range fields[11:15] { // utime, stime, cutime, cstime of proc_pid_stat(5)
		var ticks int64
		if _, err := fmt.Sscan(field, &ticks); err != nil {
			b.Fatal(err)
		}
		used += time.Duration(ticks) * 10 * time.Millisecond
	}
	return used
}
