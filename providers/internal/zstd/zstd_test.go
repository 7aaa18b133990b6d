package zstd

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// pack compresses text into one frame.
func pack(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b)
	fstest.Must(t, err)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	fstest.Must(t, w.Close())
	return b.Bytes()
}

// random returns n bytes that cannot be compressed, the same ones every time.
func random(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func TestRoundTrip(t *testing.T) {
	tests := map[string][]byte{
		"nothing":         {},
		"a line":          []byte("{}\n"),
		"repeated":        []byte(strings.Repeat("the same line again\n", 100_000)),
		"over the window": random(window + window/2),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := NewReader(bytes.NewReader(pack(t, text)))
			fstest.Must(t, err)
			defer r.Close()
			got, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(got, text) {
				t.Fatalf("%d bytes, %v; want %d bytes", len(got), err, len(text))
			}
		})
	}
}

func TestFramesOneAfterTheOther(t *testing.T) {
	two := append(pack(t, []byte("one ")), pack(t, []byte("two"))...)
	got, err := Decompress(two, 100)
	if err != nil || string(got) != "one two" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestFlushedPartIsReadable(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b)
	fstest.Must(t, err)
	io.WriteString(w, "first line\n")
	fstest.Must(t, w.Flush())
	r, err := NewReader(&b)
	fstest.Must(t, err)
	defer r.Close()
	p := make([]byte, 11)
	if _, err := io.ReadFull(r, p); err != nil || string(p) != "first line\n" {
		t.Errorf("%q, %v", p, err)
	}
}

func TestFaultyData(t *testing.T) {
	whole := pack(t, []byte(strings.Repeat("some text ", 1000)))
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 0xff
	for name, data := range map[string][]byte{
		"no zstd":   []byte("plain text, no frame"),
		"cut":       whole[:len(whole)-3],
		"corrupted": flipped,
		// A frame of a window of 1 GB: magic, descriptor, window descriptor.
		"a huge window": {0x28, 0xb5, 0x2f, 0xfd, 0x00, 20 << 3, 0x01, 0x00, 0x00},
	} {
		if _, err := Decompress(data, 1<<20); err == nil || !strings.HasPrefix(err.Error(), "zstd: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLimit(t *testing.T) {
	bomb := pack(t, make([]byte, 64<<20))
	if _, err := Decompress(bomb, 1<<20); !errors.Is(err, ErrTooLarge) {
		t.Errorf("64 MB into 1 MB: %v", err)
	}
	exact := pack(t, []byte("12345"))
	if got, err := Decompress(exact, 5); err != nil || string(got) != "12345" {
		t.Errorf("%q, %v", got, err)
	}
}

func FuzzDecompress(f *testing.F) {
	f.Add(pack(f, []byte("text")))
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 20 << 3, 0x01, 0x00, 0x00})
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := Decompress(data, 1<<16)
		if err == nil && len(out) > 1<<16 {
			t.Fatalf("%d bytes", len(out))
		}
	})
}
