package mounts

import (
	"log/slog"
	"sync/atomic"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/mounts/control"
)

// holding is a conversation that keeps a server alive.
func holding(t *testing.T, home control.Home) *control.Client {
	t.Helper()
	c := dial(t, home)
	holds := make(chan struct{})
	go func() { _ = c.Stay(t.Context(), "hold", nil, func() { close(holds) }) }()
	<-holds
	return c
}

// TestHold: gateways keep the process alive beyond its last view; it ends with
// the last of them if nothing else is waited for.
func TestHold(t *testing.T) {
	home, seat := claim(t)
	var begun atomic.Int32
	s := NewServer(Options{
		Seat: seat, Tree: fs.NewTree(new(fs.Folder), fs.TreeOptions{}), Sources: func() []string { return nil },
		Begin: func() { begun.Add(1) }, Log: slog.New(slog.DiscardHandler),
	})
	served := make(chan struct{})
	go func() {
		s.Serve()
		close(served)
	}()
	first, second := holding(t, home), holding(t, home)
	fstest.Equal(t, s.Info().Gateways, 2, "gateways")
	// A view comes and goes.
	dir := t.TempDir()
	if _, err := OpSync.Ask(t.Context(), dial(t, home), ViewQuery{Dir: dir + "/view", Once: true}, nil, nil); err != nil {
		t.Fatal(err)
	}
	first.Close()
	if _, err := OpStatus.Ask(t.Context(), dial(t, home), fs.None{}); err != nil {
		t.Fatalf("without views: %v", err)
	}
	second.Close()
	<-served
	fstest.Equal(t, begun.Load(), 1, "times begun")
}
