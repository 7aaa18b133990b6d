package main

import (
	"testing"

	"ctxfs/fs/fstest"
)

// TestReadKeep keeps a resource in the mount until it is forgotten.
func TestReadKeep(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.stub("zoo", "", nil)
	b.mount()
	b.ready("zoo")
	fstest.Equal(t, b.ok("read", "--keep", "zoo", "one"), "The text of one.")
	b.ok("read", "--keep", "zoo", "pics://2")
	b.shows("mcps/zoo/resources/one.content.txt", "The text of one.")
	b.shows("mcps/zoo/resources/pics___2.content.png", "\x00\x01\x02\xff")
	if got := b.ok("__complete", "read", "zoo", ""); !containsAll(got, []string{"one\n", "two\n"}) || containsAll(got, []string{"content"}) {
		t.Errorf("completion: %s", got)
	}
	b.ok("unmount")
	fstest.Equal(t, b.ok("cat", "mcps/zoo/resources/one.content.txt"), "The text of one.", "without a mount")
	b.mount()
	fstest.Equal(t, b.ok("read", "--forget", "zoo", "stub://one"), "")
	b.absent("mcps/zoo/resources/one.content.txt")
	b.read("mcps/zoo/resources/pics___2.content.png")
	b.refused(exitFailed, []string{"not kept", "ctxfs ls mcps/zoo/resources"}, "read", "--forget", "zoo", "one")
	b.refused(exitUsage, []string{"--forget"}, "read", "--forget", "--keep", "zoo", "one")
}
