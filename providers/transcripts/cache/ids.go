package cache

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"iter"
	"os"
	"path/filepath"
)

// Native ids are kept as hashes of 64 bits with the number of their event, 12
// bytes each.
const idSize = 12

func HashID(id string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, id)
	return h.Sum64()
}

func appendID(dst []byte, hash uint64, seq uint32) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, hash)
	return binary.LittleEndian.AppendUint32(dst, seq)
}

// readIDs reads the ids of an entry.
func (b *Entry) readIDs() (map[uint64]uint32, error) {
	ids := make(map[uint64]uint32, b.IDs/idSize)
	text, err := readStart(filepath.Join(b.dir, idsFileName(b.Generation)), b.IDs)
	for id, seq := range idsIn(text) {
		ids[id] = seq
	}
	return ids, err
}

// idsIn goes through ids as they are kept.
func idsIn(text []byte) iter.Seq2[uint64, uint32] {
	return func(yield func(uint64, uint32) bool) {
		for ; len(text) >= idSize; text = text[idSize:] {
			if !yield(binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint32(text[8:])) {
				return
			}
		}
	}
}

// readSums reads the hashes of a store's events.
func (b *Entry) readSums() ([]uint64, error) {
	text, err := readStart(filepath.Join(b.dir, sumsFileName(b.Generation)), b.Sums)
	sums := make([]uint64, 0, len(text)/8)
	for ; len(text) >= 8; text = text[8:] {
		sums = append(sums, binary.LittleEndian.Uint64(text))
	}
	return sums, err
}

// readStart reads the first size bytes of a file; one of no bytes need not be
// there.
func readStart(path string, size int64) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := make([]byte, size)
	_, err = io.ReadFull(f, text)
	return text, err
}
