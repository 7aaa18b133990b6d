package mounts

import (
	"encoding/json"
	"log/slog"
	"os"
	"sync/atomic"
	"testing"

	"ctxfs/fs"
	"ctxfs/mounts/control"
)

// holding is a conversation that keeps a server.
func holding(t *testing.T, runtime string) *control.Client {
	t.Helper()
	c := dial(t, runtime)
	holds := make(chan struct{})
	go func() { _ = c.Call(t.Context(), "hold", nil, nil, func(json.RawMessage) { close(holds) }) }()
	<-holds
	return c
}

// TestHold keeps the process beyond its last view, and ends with the last who
// holds it where nothing else is waited for.
func TestHold(t *testing.T) {
	runtime, err := os.MkdirTemp("/tmp", "cx")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(runtime) })
	var begun atomic.Int32
	s, err := NewServer(Options{
		Runtime: runtime, Tree: fs.NewTree(new(fs.Folder), fs.TreeOptions{}), Sources: func() []string { return nil },
		Begin: func() { begun.Add(1) }, Version: "test", Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() {
		s.Serve()
		close(served)
	}()
	first, second := holding(t, runtime), holding(t, runtime)
	if n := s.Info().Gateways; n != 2 {
		t.Errorf("%d gateways", n)
	}
	// A view comes and goes.
	dir := t.TempDir()
	if err := dial(t, runtime).Call(t.Context(), "sync", map[string]any{"dir": dir + "/view", "once": true}, nil, nil); err != nil {
		t.Fatal(err)
	}
	first.Close()
	var info ServerInfo
	if err := dial(t, runtime).Call(t.Context(), "status", nil, &info, nil); err != nil {
		t.Fatalf("without views: %v", err)
	}
	second.Close()
	<-served
	if begun.Load() != 1 {
		t.Errorf("begun %d times", begun.Load())
	}
}
