package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs/await"
	"ctxfs/fs/fstest"
)

// read reads a file of the mount.
func (b *box) read(path string) string {
	b.Helper()
	text, err := os.ReadFile(b.mnt(path))
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

// stands waits for a condition, or until one that it is told meanwhile is enough.
func (b *box) stands(c await.Condition, enough func(await.Standing) bool) await.Standing {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 2*fstest.Patience)
	defer cancel()
	w := b.app(console.Streams{}, b.work, b.env).Waiting("")
	defer w.Close()
	var met *await.Standing
	s, err := w.For(ctx, c, func(s await.Standing) {
		if met == nil && enough != nil && enough(s) {
			met = &s
			cancel()
		}
	})
	if met != nil {
		return *met
	}
	if err != nil || s.State != await.Met && (enough == nil || !enough(s)) {
		b.Fatalf("wait %s: %+v, %v", c, s, err)
	}
	return s
}

// settled waits until everything that was changed before is shown, or until the background
// process has ended.
func (b *box) settled() {
	b.Helper()
	if b.uid == 0 {
		b.stands(await.Condition{Kind: "settled"}, nil)
	} else { // its background process answers nobody else
		b.ok("wait", "settled")
	}
}

// shows checks that a file of the mount holds some words once what was changed before is
// shown.
func (b *box) shows(path string, words ...string) {
	b.Helper()
	b.settled()
	if text := b.read(path); !containsAll(text, words) {
		b.Fatalf("%s does not hold %q:\n%s", path, words, text)
	}
}

// settles checks that something holds once what was changed before is shown.
func (b *box) settles(what string, holds func() bool) {
	b.Helper()
	if b.settled(); !holds() {
		b.Fatalf("not so: %s", what)
	}
}

// comes waits until a file of the mount holds some words, for an event that nothing can be
// asked to wait for.
func (b *box) comes(path string, words ...string) {
	b.Helper()
	fstest.Eventually(b.T, path+" is shown", func() bool {
		text, err := os.ReadFile(b.mnt(path))
		return err == nil && containsAll(string(text), words)
	})
}

// lacks checks that a file of the mount holds none of some words then.
func (b *box) lacks(path string, words ...string) {
	b.Helper()
	b.settled()
	for _, w := range words {
		if text := b.read(path); strings.Contains(text, w) {
			b.Fatalf("%s holds %q:\n%s", path, w, text)
		}
	}
}

// absent checks that a file of the mount is not there then.
func (b *box) absent(path string) {
	b.Helper()
	b.settled()
	if _, err := os.Lstat(b.mnt(path)); !errors.Is(err, os.ErrNotExist) {
		b.Fatalf("%s is still there: %v", path, err)
	}
}
