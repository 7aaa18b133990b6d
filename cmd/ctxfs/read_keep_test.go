package main

import (
	"os"
	"testing"
)

// TestReadKeep keeps a resource in the mount until it is forgotten.
func TestReadKeep(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.stub("zoo", "", nil)
	b.mount()
	b.ready("zoo")
	if got := b.ok("read", "--keep", "zoo", "one"); got != "The text of one." {
		t.Errorf("%q", got)
	}
	b.ok("read", "--keep", "zoo", "pics://2")
	b.shows("mcps/zoo/resources/one.content.txt", "The text of one.")
	b.shows("mcps/zoo/resources/pics___2.content.png", "\x00\x01\x02\xff")
	if got := b.ok("__complete", "read", "zoo", ""); !containsAll(got, []string{"one\n", "two\n"}) || containsAll(got, []string{"content"}) {
		t.Errorf("completion: %s", got)
	}
	b.ok("unmount")
	if got := b.ok("cat", "mcps/zoo/resources/one.content.txt"); got != "The text of one." {
		t.Errorf("without a mount: %q", got)
	}
	b.mount()
	if got := b.ok("read", "--forget", "zoo", "stub://one"); got != "" {
		t.Errorf("%q", got)
	}
	b.settles("it is gone", func() bool {
		_, err := os.Lstat(b.mnt("mcps/zoo/resources/one.content.txt"))
		return os.IsNotExist(err)
	})
	b.read("mcps/zoo/resources/pics___2.content.png")
	b.refused(exitFailed, []string{"not kept", "ctxfs ls mcps/zoo/resources"}, "read", "--forget", "zoo", "one")
	b.refused(exitUsage, []string{"--forget"}, "read", "--forget", "--keep", "zoo", "one")
}
