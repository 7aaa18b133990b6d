package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"ctxfs/fs/fstest"
)

// configureServers writes a configuration of servers that serve, hang, die,
// flood, announce changes and lie.
func (c *chaos) configureServers() {
	servers := make(map[string]map[string]any)
	for name, mode := range map[string]string{
		"zoo": "", "hangs": "silent", "dies": "dies", "floods": "garbage", "restless": "restless", "lies": "liar", "stubborn": "stubborn",
	} {
		servers[name] = stubEntry(mode, nil)
	}
	c.write(".cursor/mcp.json", asJSON(map[string]any{"mcpServers": servers}))
}

// rewriteSkill writes a version of a file, whose last line is the hash of what is
// before. All versions have one length: a folder on disk is shown as exactly as
// its watch reports it, so what is read just after a change has the length of
// before.
func (c *chaos) rewriteSkill(version uint64) {
	text := strings.Repeat(fmt.Sprintf("version %020d\n", version), 40)
	c.write(".claude/skills/walk/SKILL.md", "---\nname: walk\ndescription: Walks.\n---\n")
	c.write(".claude/skills/walk/data.txt", text+hashOf(text)+"\n")
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// sealed reports whether a text ends with the hash of what is before.
func sealed(text string) bool {
	body, last := text, ""
	if i := strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n'); i >= 0 {
		body, last = text[:i+1], strings.TrimSpace(text[i+1:])
	}
	return last == hashOf(body)
}

// gone reports whether an error is one of a mount that is not there just now. EIO
// is what the kernel makes of a request that the process was just taking when it
// was killed.
func gone(err error) bool {
	for _, e := range []error{os.ErrNotExist, syscall.ENOTCONN, syscall.ECONNABORTED, syscall.ENODEV, syscall.ESTALE, syscall.EINTR, syscall.EIO} {
		if errors.Is(err, e) {
			return true
		}
	}
	// Package os makes this of EAGAIN; seen twice in a million reads, when the
	// process was killed. ctxfs never answers so.
	return err != nil && strings.HasSuffix(err.Error(), ": not pollable")
}

// timed does something that may not take longer than [longestRead].
func (c *chaos) timed(what string, do func()) {
	begun, still := time.Now(), c.standstill()
	do()
	took := time.Since(begun) - (c.standstill() - still)
	c.mu.Lock()
	c.longest = max(c.longest, took)
	c.mu.Unlock()
	if took > longestRead && took > time.Duration(crowd()*float64(longestRead)) && !fstest.Race() {
		c.Errorf("%s took %v", what, took)
	}
}

// crowd is how many times over the machine is busier than one on which anything
// can be expected within a time: ten programs for each processor that want it.
func crowd() float64 {
	var load float64
	text, _ := os.ReadFile("/proc/loadavg")
	_, _ = fmt.Sscan(string(text), &load)
	return load / float64(10*runtime.NumCPU())
}

// readOne reads one file and checks what it holds.
func (c *chaos) readOne(turn int) {
	path := []string{"skills/walk/data.txt", "mcps/zoo/tools/greet.json", "AGENTS.md", "STATUS.md", "mcps/INDEX.md", "terminals/INDEX.md", "mcps/restless/STATUS.md"}[turn%7]
	var text []byte
	var err error
	c.timed("reading "+path, func() { text, err = os.ReadFile(c.mnt(path)) })
	switch {
	case gone(err):
		c.pause(5 * time.Millisecond)
		return
	case err != nil:
		c.Errorf("read %s: %v", path, err)
		return
	case bytes.IndexByte(text, 0) >= 0 || len(text) == 0 && path != "terminals/INDEX.md":
		c.Errorf("%s is empty or holds zero bytes: %q", path, text)
	case strings.HasSuffix(path, "data.txt") && !sealed(string(text)):
		c.Errorf("%s is none of its versions:\n%s", path, text)
	case strings.HasSuffix(path, ".json") && !json.Valid(text):
		c.Errorf("%s is not JSON:\n%s", path, text)
	}
	c.count("read")
}

// walk has a program look at everything, which may be killed and stopped.
func (c *chaos) walk(turn int) {
	name, args := "ls", []string{"-lR", c.mnt("mcps"), c.mnt("skills")}
	if turn%2 == 1 {
		// Not rg, which in version 13 forever asks a folder that answers with an
		// error, as those of a mount do that is dead.
		name, args = "grep", []string{"-rc", "greet", c.mnt()}
	}
	cmd := c.command(context.Background(), name, args...)
	if cmd.Start() != nil {
		return
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err == nil {
			c.count("walk")
		}
	case <-time.After(fstest.Patience):
		c.Errorf("%s does not end; where it is:\n%s", cmd.Args, whereIs(cmd.Process.Pid))
		_ = cmd.Process.Kill()
	}
	c.pause(20 * time.Millisecond)
}

// whereIs returns what the threads of a process wait for.
func whereIs(pid int) string {
	var all strings.Builder
	for _, file := range []string{"stat", "wchan", "stack"} {
		paths, _ := filepath.Glob(procOf(pid) + "/task/*/" + file)
		for _, path := range paths {
			text, _ := os.ReadFile(path)
			fmt.Fprintf(&all, "%s: %s\n", path, text)
		}
	}
	return all.String()
}

// callOne calls a tool that answers what it was given.
func (c *chaos) callOne(turn int) {
	nonce := fmt.Sprintf("nonce-%d-%x", turn, time.Now().UnixNano())
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := c.command(ctx, binary(), "call", "zoo", "greet", "--who", nonce).Output()
	if err == nil && !bytes.Contains(out, []byte(nonce)) {
		c.Errorf("a call with %s was answered %q", nonce, out)
	}
	if err == nil {
		c.count("call")
	} else {
		c.count("call failed")
	}
	c.pause(20 * time.Millisecond)
}

// flood records a command that prints a lot, and reads the log of one that did.
func (c *chaos) flood(turn int) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	script := "flood=1; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); echo line $i of " + fmt.Sprint(turn) + "; done"
	cmd := c.command(ctx, binary(), "run", "--name", fmt.Sprint("flood", turn%5), "--", "sh", "-c", script)
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		c.Errorf("run: %v", err)
	}
	logs, _ := filepath.Glob(c.mnt("terminals/*.txt"))
	for _, log := range logs {
		var text []byte
		var err error
		c.timed("reading "+log, func() { text, err = os.ReadFile(log) })
		if err != nil && !gone(err) {
			c.Errorf("read %s: %v", log, err)
		}
		if i := bytes.IndexByte(text, 0); i >= 0 {
			c.Errorf("%s holds zero bytes at %d of %d", log, i, len(text))
		}
	}
	c.count("flood")
}

// mountAgain mounts, whatever there is.
func (c *chaos) mountAgain(int) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*fstest.Patience)
	defer cancel()
	out, err := c.command(ctx, binary(), "mount").CombinedOutput()
	switch {
	case ctx.Err() != nil:
		c.Errorf("mount does not end: %s", out)
	case err == nil:
		c.count("mount")
	default:
		c.count("mount failed")
		c.mu.Lock()
		first := c.counts["mount failed"] <= 5
		c.mu.Unlock()
		if first {
			c.Logf("mount: %v: %s", err, out)
		}
	}
	c.pause(100 * time.Millisecond)
}
