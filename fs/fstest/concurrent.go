package fstest

import (
	"context"
	"hash/fnv"
	"io"
	"sync"

	"bytes"
	"runtime/pprof"
	"strings"
	"time"

	"ctxfs/fs"
)

// concurrent walks the tree with several readers at the same time, which must all
// see the same.
func (c *checker) concurrent() {
	const readers = 8
	sums := make([]uint64, readers)
	var all sync.WaitGroup
	for i := range sums {
		all.Go(func() { sums[i] = c.sum() })
	}
	all.Wait()
	for _, sum := range sums {
		if sum != sums[0] && !c.live {
			c.errorf("readers at the same time saw different trees")
			return
		}
	}
}

// sum returns a hash of everything that can be read.
func (c *checker) sum() uint64 {
	h := fnv.New64a()
	walk(c.ctx, c.tree, func(n fs.Node) {
		switch n := n.(type) {
		case fs.Dir:
			entries, err := c.tree.List(c.ctx, n)
			if err != nil {
				c.errorf("%v", err)
			}
			for _, e := range entries {
				io.WriteString(h, e.Name+"\x00")
			}
		case fs.File:
			body, err := c.tree.ReadAll(c.ctx, n)
			if err != nil {
				c.errorf("%v", err)
			}
			h.Write(body)
		}
	})
	return h.Sum64()
}

// walk calls visit with every node that is listed. Nodes that cannot be reached
// are left out.
func walk(ctx context.Context, tree *fs.Tree, visit func(fs.Node)) {
	var in func(n fs.Node)
	in = func(n fs.Node) {
		visit(n)
		d, ok := n.(fs.Dir)
		if !ok {
			return
		}
		entries, err := tree.List(ctx, d)
		if err != nil {
			return
		}
		for _, e := range entries {
			if child, err := tree.Lookup(ctx, d, e.Name); err == nil {
				in(child)
			}
		}
	}
	in(tree.Root())
}

// leaked runs f and describes the goroutines that f started and that are
// still there a while after it returned. They are told apart by a label that
// a goroutine hands on to those that it starts, so that other tests may run
// at the same time.
func leaked(name string, f func()) string {
	const label = "fstest"
	pprof.Do(context.Background(), pprof.Labels(label, name), func(context.Context) { f() })
	var left string
	for deadline := time.Now().Add(promptTime); ; {
		if left = labelled(label, name); left == "" || time.Now().After(deadline) {
			return left
		}
		// A goroutine that has done its work needs a moment to exit, and nothing
		// announces that it has.
		<-time.After(time.Millisecond)
	}
}

// labelled describes the goroutines that carry a label.
func labelled(label, value string) string {
	var profile bytes.Buffer
	pprof.Lookup("goroutine").WriteTo(&profile, 1)
	var found []string
	for group := range strings.SplitSeq(profile.String(), "\n\n") {
		if strings.Contains(group, `"`+label+`":"`+value+`"`) {
			found = append(found, group)
		}
	}
	return strings.Join(found, "\n\n")
}
