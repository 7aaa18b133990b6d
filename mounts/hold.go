package mounts

import (
	"context"

	"ctxfs/mounts/control"
)

// handleHold keeps the process as long as the conversation lasts, as a view
// does, and runs what runs for a view: gateways need both, and are no views,
// so that taking every mount away leaves them what they need. The first reply
// tells that it holds. When the process ends otherwise, the conversation ends
// without a last reply: its caller holds the next process when it needs one.
func (s *Server) handleHold(ctx context.Context, c *control.Conn) error {
	s.mu.Lock()
	if s.ending() {
		s.mu.Unlock()
		return errEnding
	}
	s.holds++
	s.mu.Unlock()
	defer s.release()
	s.start()
	if err := c.Progress(struct{}{}); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
	case <-s.ended:
	}
	return errEnding
}

// release ends what handleHold began. With the last gateway, a process that
// has no view either waits for the next as a new one does, or ends where it
// would wait for ever.
func (s *Server) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds--
	if s.holds == 0 && len(s.views) == 0 && s.opts.Idle == 0 {
		s.End()
	}
}
