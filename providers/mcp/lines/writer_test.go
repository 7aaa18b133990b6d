package lines

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"ctxfs/fs/fstest"
)

func TestAServerThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := fstest.Pipe()
		defer r.Close()
		defer w.Close()
		var told error
		in := NewWriter(w, time.Minute, func(err error) { told = err })
		if _, err := in.Write([]byte("a message\n")); err != nil || told != nil {
			t.Errorf("a message: %v, %v", err, told)
		}
		if _, err := in.Write(make([]byte, 1<<20)); !errors.Is(err, ErrDeaf) || !errors.Is(told, ErrDeaf) {
			t.Errorf("more than the pipe takes: %v, %v", err, told)
		}
	})
}

// TestAServerThatReadsSlowly takes longer for a message than the limit, and is
// not deaf. Who does not wait for it any more goes, and does not leave half a
// message.
func TestAServerThatReadsSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := fstest.Pipe()
		defer r.Close()
		defer w.Close()
		in := NewWriter(w, time.Minute, func(err error) { t.Errorf("broken: %v", err) })
		message := bytes.Repeat([]byte("0123456789abcde\n"), 1<<16) // fills the pipe many times
		leaving, leave := context.WithCancel(context.Background())
		first := make(chan error)
		go func() {
			begun, err := in.Send(leaving, message)
			if !begun {
				t.Error("it was not begun")
			}
			first <- err
		}()
		piece := make([]byte, 4096)
		if _, err := io.ReadFull(r, piece); err != nil {
			t.Fatal(err)
		}
		leave()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if begun, err := in.Send(leaving, message); begun || !errors.Is(err, context.Canceled) {
			t.Errorf("begun: %t, %v", begun, err)
		}
		second := make(chan error)
		go func() {
			_, err := in.Send(context.Background(), []byte("the next\n"))
			second <- err
		}()
		want := append(message[4096:len(message):len(message)], "the next\n"...)
		got := make([]byte, len(want))
		if _, err := io.ReadFull(r, got); err != nil || !bytes.Equal(got, want) {
			t.Error("the messages came otherwise", err)
		}
		if err := <-second; err != nil {
			t.Error(err)
		}
	})
}
