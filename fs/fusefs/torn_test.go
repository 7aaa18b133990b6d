package fusefs

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// versionBody returns a body whose every piece shows its version. Some lengths
// differ, and some do not.
func versionBody(v int) []byte {
	return bytes.Repeat(fmt.Appendf(nil, "version %06d\n", v), 4000+v%3*700)
}

func TestReadersSeeWholeVersions(t *testing.T) {
	root := fs.NewFolder(epoch, nil)
	set := func(v int) {
		root.Set(epoch.Add(time.Duration(v)*time.Second), "text", fs.NewText(epoch.Add(time.Duration(v)*time.Second), versionBody(v)))
	}
	set(0)
	m := mounted(t, root, fs.TreeOptions{})
	file := filepath.Join(m.dir, "text")
	free := []*child{start(t, helper(t, "version", file, "free")), start(t, helper(t, "version", file, "free"))}
	asked := start(t, helper(t, "version", file, "asked"))
	holder := start(t, m.command(t.Context(), `exec 5<text; head -c 20 <&5 >/dev/null; echo held; read x; cat text >/dev/null; exec uniq <&5`))
	holder.hear("held")
	for v := 1; v <= 200; v++ {
		fmt.Fprintln(asked.stdin) // it reads while the version changes
		set(v)
		m.tree.Changed("text")
		asked.line()
		if v%10 != 0 {
			continue
		}
		settle(t, m)
		fmt.Fprintln(asked.stdin)
		fstest.Equal(t, asked.line(), strconv.Itoa(v), "after the news of version", v)
	}
	for _, c := range append(free, asked) {
		c.end()
	}
	fmt.Fprintln(holder.stdin)
	holder.line() // the rest of a line
	fstest.Equal(t, holder.line(), "version 000000", "who has version 0 open")
	holder.end()
}

// helpVersion reads the file in small pieces until its input ends, or each time
// a line is asked for, and prints the version. Pieces of two versions, or a
// version older than the one before, are faults.
func helpVersion(args []string) error {
	asked := make(chan struct{})
	go func() {
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			asked <- struct{}{}
		}
		close(asked)
	}()
	last := 0
	for {
		if args[1] == "asked" {
			if _, ok := <-asked; !ok {
				return nil
			}
		} else {
			select {
			case <-asked:
				return nil
			default:
			}
		}
		f, err := os.Open(args[0])
		if err != nil {
			return err
		}
		var body []byte
		buf := make([]byte, 4096)
		for err == nil {
			var n int
			n, err = f.Read(buf)
			body = append(body, buf[:n]...)
		}
		f.Close()
		if err != io.EOF {
			return err
		}
		first, _, _ := strings.Cut(string(body), "\n")
		v, err := strconv.Atoi(strings.TrimPrefix(first, "version "))
		switch {
		case err != nil:
			return fmt.Errorf("%w: %q", errFault, first)
		case v < last:
			return fmt.Errorf("%w: version %d after %d", errFault, v, last)
		case !bytes.Equal(body, versionBody(v)):
			return fmt.Errorf("%w: not version %d as a whole: %d bytes", errFault, v, len(body))
		}
		last = v
		if args[1] == "asked" {
			fmt.Println(v)
		}
	}
}
