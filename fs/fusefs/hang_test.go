package fusefs

import (
	"context"
	"fmt"
	iofs "io/fs"
	"strings"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"ctxfs/fs"
)

// hanging is a folder and a file that do not answer until they are released,
// and ignore callers that have left.
type hanging struct {
	release chan struct{}
	asked   chan string // what hangs now
	in      string      // the operation that hangs
}

func newHanging(t testing.TB, in string) *hanging {
	h := &hanging{release: make(chan struct{}), asked: make(chan string, 1000), in: in}
	t.Cleanup(h.letGo)
	return h
}

func (h *hanging) letGo() {
	select {
	case <-h.release:
	default:
		close(h.release)
	}
}

func (h *hanging) at(op string) {
	if op == h.in {
		h.asked <- op
		<-h.release
	}
}

type hangingDir struct{ *hanging }

func (d hangingDir) Attr(context.Context) (fs.Attr, error) {
	return fs.Attr{Mode: iofs.ModeDir | 0o555, ModTime: epoch}, nil
}

func (d hangingDir) Lookup(_ context.Context, name string) (fs.Node, error) {
	if !strings.HasPrefix(name, "file") {
		return nil, fs.ErrNotExist
	}
	d.at("lookup")
	return hangingFile(d), nil
}

func (d hangingDir) List(context.Context) ([]fs.Entry, error) {
	d.at("list")
	return []fs.Entry{{Name: "file"}}, nil
}

type hangingFile struct{ *hanging }

func (f hangingFile) Attr(context.Context) (fs.Attr, error) {
	f.at("attr")
	return fs.Attr{Mode: 0o444, Size: 100_000, ModTime: epoch, InPlace: true}, nil
}

func (f hangingFile) ReadAt(_ context.Context, p []byte, _ int64) (int, error) {
	f.at("read")
	clear(p)
	return len(p), nil
}

var hangs = map[string]string{
	"lookup": "cat hanging/file", "list": "ls hanging", "attr": "stat hanging/file", "read": "cat hanging/file",
}

// A client that is killed exits long before the provider answers.
func TestClientOfHangingProviderCanBeKilled(t *testing.T) {
	for op, script := range hangs {
		t.Run(op, func(t *testing.T) {
			h := newHanging(t, op)
			m := mounted(t, fs.NewFolder(epoch, map[string]fs.Node{"hanging": hangingDir{h}}), fs.TreeOptions{Deadline: time.Hour})
			client := start(t, m.command(t.Context(), "exec "+script))
			<-h.asked
			client.kill() // waits for it
			h.letGo()
		})
	}
}

func TestDeadline(t *testing.T) {
	for op, script := range hangs {
		t.Run(op, func(t *testing.T) {
			h := newHanging(t, op)
			m := mounted(t, fs.NewFolder(epoch, map[string]fs.Node{"hanging": hangingDir{h}, "other": text("other\n")}), fs.TreeOptions{Deadline: 50 * time.Millisecond})
			out, code := m.run(script)
			if code == 0 || !strings.Contains(out, "Connection timed out") {
				t.Errorf("%s: exit %d: %s", script, code, out)
			}
			m.expect("other", "cat other")
		})
	}
}

// In a folder where every file hangs a listing waits for one of them.
func TestListingOfHangingFilesWaitsOnce(t *testing.T) {
	h := newHanging(t, "attr")
	files := make(map[string]fs.Node)
	for i := range 100 {
		files[fmt.Sprint(i)] = hangingFile{h}
	}
	m := mounted(t, fs.NewFolder(epoch, map[string]fs.Node{"x": fs.NewFolder(epoch, files)}), fs.TreeOptions{Deadline: 100 * time.Millisecond})
	m.expect("100", "ls x | wc -l")
	if n := m.tree.Counters().Timeouts; n > 2 {
		t.Errorf("%d deadlines were waited for", n)
	}
}

func TestHangingReadsLeaveOthersAlone(t *testing.T) {
	h := newHanging(t, "read")
	root := fs.NewFolder(epoch, map[string]fs.Node{"hanging": hangingDir{h}, "other": text("other\n")})
	m := mounted(t, root, fs.TreeOptions{Deadline: time.Hour})
	var clients []*child
	for i := range 30 {
		clients = append(clients, start(t, m.command(t.Context(), fmt.Sprintf("exec cat hanging/file%d", i))))
		<-h.asked
	}
	m.expect("other", "cat other")
	for i := range 100 {
		root.Set(epoch, "other", text(fmt.Sprint(i, "\n")))
		m.tree.Changed(fmt.Sprintf("hanging/file%d", i%30))
		m.changed("other")
		m.expect(fmt.Sprint(i), "cat other")
	}
	h.letGo()
	for _, c := range clients {
		c.end()
	}
}

// While lookups hang in one folder, any amount of its news leaves that of
// others alone.
func TestNewsPassesHangingFolder(t *testing.T) {
	h := newHanging(t, "lookup")
	files := map[string]fs.Node{"hanging": hangingDir{h}}
	for i := range 3 * maxWorkers {
		files[fmt.Sprint(i)] = text("before\n")
	}
	x := &lookupHangs{Folder: fs.NewFolder(epoch, files), hanging: h}
	root := fs.NewFolder(epoch, map[string]fs.Node{"x": x, "other": text("before\n")})
	m := mounted(t, root, fs.TreeOptions{Deadline: time.Hour})
	names := make(chan string, 10*maxWorkers)
	m.raw.changes.kernel = namesTold{m.raw.changes.kernel, names}
	m.expect("before", "cat other")
	m.run("cat x/*")
	client := start(t, m.command(t.Context(), "exec cat x/hang"))
	<-h.asked
	for i := range 3 * maxWorkers {
		x.Set(epoch, fmt.Sprint(i), text("after\n"))
		m.tree.Changed(fmt.Sprint("x/", i))
	}
	root.Set(epoch, "other", text("after\n"))
	m.tree.Changed("other")
	for <-names != "other" {
	}
	m.expect("after", "cat other")
	h.letGo()
	client.end()
	settle(t, m)
	m.expect("after", "cat x/[0-9]* | uniq")
}

// namesTold is a kernel that tells of which names it has been notified.
type namesTold struct {
	notifier
	names chan<- string
}

func (k namesTold) EntryNotify(parent uint64, name string) fuse.Status {
	defer func() { k.names <- name }()
	return k.notifier.EntryNotify(parent, name)
}

// lookupHangs is a folder where one name hangs.
type lookupHangs struct {
	*fs.Folder
	*hanging
}

func (d *lookupHangs) Lookup(ctx context.Context, name string) (fs.Node, error) {
	if name == "hang" {
		d.at("lookup")
		return text(""), nil
	}
	return d.Folder.Lookup(ctx, name)
}

// panicking panics in one operation.
type panicking struct {
	in string
	fs.File
}

func (p panicking) ReadAt(ctx context.Context, b []byte, off int64) (int, error) {
	if p.in == "read" {
		panic("no")
	}
	return p.File.ReadAt(ctx, b, off)
}

func (p panicking) Attr(ctx context.Context) (fs.Attr, error) {
	if p.in == "attr" {
		panic("no")
	}
	return p.File.Attr(ctx)
}

// wrongType says that it is a folder.
type wrongType struct{ fs.File }

func (wrongType) Attr(context.Context) (fs.Attr, error) {
	return fs.Attr{Mode: iofs.ModeDir | 0o555, ModTime: epoch}, nil
}

func TestBrokenNodesAreErrorsOfTheirOwn(t *testing.T) {
	m := mounted(t, fs.NewFolder(epoch, map[string]fs.Node{
		"read": panicking{"read", text("text\n")}, "attr": panicking{"attr", text("text\n")},
		"nothing": nil, "type": wrongType{text("text\n")}, "other": text("other\n"),
	}), fs.TreeOptions{})
	for _, name := range []string{"read", "attr", "type", "nothing"} {
		out, code := m.run("cat " + name)
		if code == 0 || !strings.Contains(out, "Input/output error") {
			t.Errorf("cat %s: exit %d: %s", name, code, out)
		}
	}
	m.changed("")
	m.expect("other", "cat other")
	m.expect("5", "ls | wc -l")
}
