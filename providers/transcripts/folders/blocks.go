package folders

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/transcripts/catalogue"
)

// BlocksName is the folder of a session that has each block of its transcript as a
// file, with the blocks before and after it. It is for lookup only and in no
// listing, so that search tools find each text once.
const BlocksName = "blocks"

const blocksReadme = `# A block of the transcript by its number

The name of a file here is the number of a block, as in its heading:
blocks/00012.md is the block [.../00012] of transcript.md, between the ends of
its neighbours. Nothing lists such files, and all of them are there.
`

type blocksFolder struct{ node }

func (d blocksFolder) List(context.Context) ([]fs.Entry, error) {
	return []fs.Entry{{Name: readmeName}}, nil
}

func (d blocksFolder) Lookup(_ context.Context, name string) (fs.Node, error) {
	if name == readmeName {
		return fs.NewText(d.t.Env.Built, []byte(blocksReadme)), nil
	}
	n, ok := blockNumber(name)
	v, err := d.view()
	if err != nil || !ok || n > v.Published.Events {
		return nil, fs.ErrNotExist
	}
	return derivedFile{node: d.node, name: BlocksName + "/" + name, version: v.Version()}, nil
}

// BlockName returns the name of a block's file.
func BlockName(n int) string { return fmt.Sprintf("%05d.md", n) }

// blockNumber returns the number in the name of a block's file.
func blockNumber(name string) (n int, ok bool) {
	number, ok := strings.CutSuffix(name, ".md")
	n, err := strconv.Atoi(number)
	return n, ok && err == nil && n > 0 && BlockName(n) == name
}

// neighbourSize is how much is shown of a block's neighbours, in bytes.
const neighbourSize = 600

// block returns the text of the file of a block.
func (f derivedFile) block() ([]byte, error) {
	number, _ := blockNumber(strings.TrimPrefix(f.name, BlocksName+"/"))
	v, _ := f.t.Catalogue.View(f.s)
	path, size := f.t.Catalogue.Path(f.s), v.Published.Size
	text, err := os.Open(f.t.Cache.Transcript(f.s, v.Published.Generation))
	if err != nil {
		return nil, err
	}
	defer text.Close()
	heading := fmt.Sprintf("### [%s/%05d] ", catalogue.ShortID(f.s.ID), number)
	at, err := findLine(io.NewSectionReader(text, 0, size), heading)
	if err != nil {
		return nil, err
	}
	if at < 0 {
		return fmt.Appendf(nil, "The event %d has no text in transcript.md.\n", number), nil
	}
	block, err := readBlock(text, at, size)
	if err != nil {
		return nil, err
	}
	before, err := readBefore(text, at)
	if err != nil {
		return nil, err
	}
	end := at + int64(len(block))
	after := make([]byte, min(neighbourSize, size-end))
	if _, err := text.ReadAt(after, end); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "of %s/%s, of %d bytes; this block begins at byte %d. Read on: tail -c +%d, or the next number in this session's blocks/\n\n",
		path, TranscriptName, size, at, at+1)
	if before != "" {
		fmt.Fprintf(&out, "…%s\n", before)
	}
	out.Write(block)
	if next := clean.Prefix(string(after), neighbourSize-1); next != "" {
		if i := strings.Index(next[1:], "\n"+blockMark); i >= 0 {
			next = next[:i+1]
		}
		out.WriteString(strings.TrimRight(next, "\n"))
		if len(after) == neighbourSize {
			out.WriteString("…")
		}
		out.WriteByte('\n')
	}
	return out.Bytes(), nil
}

// blockMark is what a block begins with, and no other line.
const blockMark = "### ["

// findLine returns the offset of the first line that begins with start; -1 if none
// does.
func findLine(r io.Reader, start string) (int64, error) {
	const step = 1 << 20
	mark := []byte("\n" + start)
	buf := append(make([]byte, 0, step+len(mark)), '\n')
	for read := int64(-1); ; {
		n, err := io.ReadFull(r, buf[len(buf):step])
		buf = buf[:len(buf)+n]
		if i := bytes.Index(buf, mark); i >= 0 {
			return read + int64(i) + 1, nil
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return -1, nil
		}
		if err != nil {
			return 0, err
		}
		keep := min(len(buf), len(mark))
		read += int64(len(buf) - keep)
		buf = buf[:copy(buf, buf[len(buf)-keep:])]
	}
}

// readBlock returns the block that begins at an offset.
func readBlock(f io.ReaderAt, at, size int64) ([]byte, error) {
	for step := int64(16 << 10); ; step *= 4 {
		text := make([]byte, min(step, size-at))
		if _, err := f.ReadAt(text, at); err != nil {
			return nil, err
		}
		if i := bytes.Index(text[1:], []byte("\n"+blockMark)); i >= 0 {
			return text[:i+2], nil
		}
		if int64(len(text)) == size-at {
			return text, nil
		}
	}
}

// readBefore returns the last neighbourSize bytes before an offset, from the beginning
// of a block if there is one, else of a line.
func readBefore(f io.ReaderAt, at int64) (string, error) {
	text := make([]byte, min(neighbourSize, at))
	if _, err := f.ReadAt(text, at-int64(len(text))); err != nil {
		return "", err
	}
	if i := bytes.LastIndex(text, []byte("\n"+blockMark)); i >= 0 {
		return string(text[i+1:]), nil
	}
	if i := bytes.IndexByte(text, '\n'); i >= 0 { // not within a line
		text = text[i+1:]
	}
	return strings.ToValidUTF8(string(text), ""), nil
}
