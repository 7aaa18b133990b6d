package ignore

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// maxIndex is the size of the largest index that is read, in bytes: some 500,000 files.
const maxIndex = 64 << 20

// tracked are the paths in git's index, sorted: git ignores none of them, whatever the
// patterns say.
type tracked []string

// has reports whether a path is tracked, or a folder that has what is.
func (t tracked) has(path string, folder bool) bool {
	if _, exact := slices.BinarySearch(t, path); exact || !folder {
		return exact // of a folder: that of a submodule
	}
	first, _ := slices.BinarySearch(t, path+"/")
	return first < len(t) && strings.HasPrefix(t[first], path+"/")
}

// readIndex returns what a repository tracks, given the folder with the index and that
// with the configuration. It returns nil if it cannot be read, or is split in two.
func readIndex(private, common string) tracked {
	f, err := os.OpenFile(filepath.Join(private, "index"), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxIndex {
		return nil
	}
	body, err := io.ReadAll(f)
	if err != nil {
		return nil
	}
	return parseIndex(body, hashLength(Read(filepath.Join(common, "config"))))
}

// hashLength returns how long names of objects are, in bytes, by a repository's
// configuration.
func hashLength(config []byte) int {
	const sha1, sha256 = 20, 32
	if strings.Contains(strings.ToLower(strings.Join(strings.Fields(string(config)), "")), "objectformat=sha256") {
		return sha256
	}
	return sha1
}

// parseIndex returns the paths in an index. Source: gitformat-index(5), versions 2 to 4.
func parseIndex(body []byte, hash int) tracked {
	const (
		header   = 12
		stat     = 40 // times, device, inode, mode, owner, size
		extended = 1 << 14
	)
	if len(body) < header || string(body[:4]) != "DIRC" {
		return nil
	}
	version, count := binary.BigEndian.Uint32(body[4:]), binary.BigEndian.Uint32(body[8:])
	if version < 2 || version > 4 || int64(count)*(stat+int64(hash)) > int64(len(body)) {
		return nil
	}
	paths, rest, last := make(tracked, 0, count), body[header:], ""
	for range count {
		fixed := stat + hash + 2
		if len(rest) < fixed {
			return nil
		}
		if binary.BigEndian.Uint16(rest[stat+hash:])&extended != 0 {
			fixed += 2
		}
		if len(rest) < fixed {
			return nil
		}
		name, kept := rest[fixed:], ""
		if version == 4 { // the path shares a beginning with the last one
			cut, size := varint(name)
			if size == 0 || cut > len(last) {
				return nil
			}
			name, kept = name[size:], last[:len(last)-cut]
		}
		end := bytes.IndexByte(name, 0)
		if end < 0 {
			return nil
		}
		last = kept + string(name[:end])
		if len(paths) == 0 || paths[len(paths)-1] != last { // in a conflict it is there more than once
			paths = append(paths, last)
		}
		next := len(rest) - len(name) + end + 1
		if version < 4 { // entries are filled up to a multiple of eight
			next = (fixed + end + 8) &^ 7
		}
		if next > len(rest) {
			return nil
		}
		rest = rest[next:]
	}
	return paths
}

// varint returns the number with which a text begins, and its length, or 0.
func varint(text []byte) (n, size int) {
	const longest = 4
	for size < min(len(text), longest) {
		c := text[size]
		size++
		n = n<<7 + int(c&0x7f)
		if c&0x80 == 0 {
			return n, size
		}
		n++
	}
	return 0, 0
}
