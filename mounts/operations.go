package mounts

import (
	"context"
	"io"

	"ctxfs/fs"
)

// The operations that concern the process and its views. They are declared here,
// and not by a provider, because the [Server] alone answers them.
var (
	// OpMount mounts the tree on a folder, see [Server.Mount]. It is slow because a
	// mount that is already there may have to be fixed first.
	OpMount = fs.Op[ViewQuery, MountResult]{Name: "mount", Slow: true}
	// OpUnmount ends views, and the process with the last of them.
	OpUnmount = fs.Talk[ViewQuery, fs.None, UnmountResult]{Name: "unmount"}
	// OpSync keeps a plain folder current as long as the conversation lasts, and
	// sends a Report for each pass.
	OpSync = fs.Talk[ViewQuery, Report, fs.None]{Name: "sync"}
	// OpWait replies when a view has ended. Its first reply confirms that it waits.
	OpWait = fs.Talk[ViewQuery, fs.None, fs.None]{Name: "wait", Effect: fs.Reads}
	// OpHold keeps the process alive as long as the conversation lasts, and starts
	// what a view would start. A gateway needs both but is not a view, so that
	// unmounting everything leaves it working. The first reply confirms it. If the
	// process exits, the conversation ends without a last reply, and the gateway
	// turns to the next process when it needs one.
	OpHold = fs.Talk[fs.None, fs.None, fs.None]{Name: "hold", Effect: fs.Reads}
	// OpStatus returns who the process is and what it shows.
	OpStatus = fs.Op[fs.None, ServerInfo]{Name: "status", Effect: fs.Reads}
)

// ViewQuery names a view.
type ViewQuery struct {
	Dir  string `json:"dir"`
	All  bool   `json:"all,omitempty"`  // every view
	Once bool   `json:"once,omitempty"` // one pass only
	// Process is the one that asks: it is not named among those that use a view.
	Process int `json:"process,omitempty"`
}

// ownOperations returns the operations that every server has.
func (s *Server) ownOperations() fs.Operations {
	type (
		tell  = func(fs.None) error
		reply = func(fs.None) (io.Writer, error)
	)
	return fs.Operations{
		OpMount.Handle(func(_ context.Context, q ViewQuery) (MountResult, error) { return s.Mount(q.Dir) }),
		OpStatus.Handle(func(context.Context, fs.None) (ServerInfo, error) { return s.Info(), nil }),
		OpUnmount.Handle(func(_ context.Context, q ViewQuery, _ func(fs.None) error, reply func(UnmountResult) (io.Writer, error)) error {
			result, ended := s.unmount(q)
			_, err := reply(result)
			s.forget(ended)
			return err
		}),
		OpSync.Handle(func(ctx context.Context, q ViewQuery, tell func(Report) error, reply func(fs.None) (io.Writer, error)) error {
			// A write error means that the client has left, which ends ctx.
			err := s.sync(ctx, q.Dir, q.Once, func(r Report) { _ = tell(r) })
			if s.isRetired() {
				return errEnding
			}
			if err == nil {
				_, err = reply(fs.None{})
			}
			return err
		}),
		OpWait.Handle(func(ctx context.Context, q ViewQuery, tell tell, reply reply) error {
			if v := s.find(q.Dir); v != nil {
				if err := tell(fs.None{}); err != nil {
					return err
				}
				select {
				case <-v.done:
				case <-ctx.Done():
				}
			}
			if s.isRetired() {
				return errEnding
			}
			_, err := reply(fs.None{})
			return err
		}),
		OpRetire.Handle(func(ctx context.Context, _ fs.None, tell tell, reply func(Retired) (io.Writer, error)) error {
			return s.retire(ctx, func() error { return tell(fs.None{}) }, func(r Retired) error {
				_, err := reply(r)
				return err
			})
		}),
		OpHold.Handle(func(ctx context.Context, _ fs.None, tell tell, _ reply) error {
			return s.gateway(ctx, func() error { return tell(fs.None{}) })
		}),
	}
}
