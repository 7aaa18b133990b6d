package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ctxfs/fs/fstest"
)

// TestManyMountsAtOnce starts many commands at once, which get one process: who starts it is
// settled between processes.
func TestManyMountsAtOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		dirs int
	}{{"one folder", 1}, {"five folders", 5}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := realBox(t)
			var all sync.WaitGroup
			for i := range 20 {
				all.Go(func() { b.ok("mount", filepath.Join(b.dir, fmt.Sprint("m", i%c.dirs))) })
			}
			all.Wait()
			if t.Failed() {
				return
			}
			if m := b.status().Mounts; len(m) != c.dirs {
				t.Errorf("mounts: %+v", m)
			}
			if points := mountsBelow(b.dir); len(points) != c.dirs {
				t.Errorf("mount points: %v", points)
			}
			oneServes(b)
		})
	}
}

// TestMountsAndUnmountsAtOnce has processes come and go.
func TestMountsAndUnmountsAtOnce(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			dir := filepath.Join(b.dir, fmt.Sprint("m", i%3))
			for range 3 {
				b.ok("mount", dir)
				b.ok("unmount", dir)
			}
		})
	}
	all.Wait()
	b.ok("unmount", "--all")
	if points := mountsBelow(b.dir); len(points) != 0 {
		t.Errorf("mount points: %v", points)
	}
	b.mount()
	b.read("AGENTS.md")
}

// TestLookWhileItEnds reads the tree by commands while the process comes and
// goes: there is always an answer.
func TestLookWhileItEnds(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	looked := make(chan struct{})
	go func() {
		defer close(looked)
		for range 12 {
			b.ok("ls", "-R")
			b.ok("cat", "AGENTS.md")
			if r := b.run("status"); r.code != 0 && r.code != exitNotRunning {
				t.Errorf("status: exit %d\n%v", r.code, r)
			}
		}
	}()
	for {
		b.run("mount")
		b.run("unmount")
		select {
		case <-looked:
			return
		default:
		}
	}
}

// TestLongStatePath has a state folder whose socket fits no address.
func TestLongStatePath(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.state = filepath.Join(b.dir, strings.Repeat("quite-long/", 25))
	b.setenv("XDG_STATE_HOME", b.state)
	b.mount()
	b.read("AGENTS.md")
	fstest.Contains(t, b.ok("ls"), "AGENTS.md")
	b.ok("unmount")
}
