package mounts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"ctxfs/fs/fusefs"
	"ctxfs/mounts/control"
	"ctxfs/mounts/guard"
)

// ViewInfo describes a view.
type ViewInfo struct {
	Dir string `json:"dir"`
	// Kind is "fuse" or "folder".
	Kind  string    `json:"kind"`
	Since time.Time `json:"since"`
	// State is set by a program that checks the view from outside: "ok", "dead"
	// or "hung".
	State Health `json:"state,omitempty"`
	// Of says whose it is, if the process of this home does not serve it.
	Of string `json:"of,omitempty"`
}

// ServerInfo is what the background process reports about itself, also in its
// record.
type ServerInfo struct {
	control.Record
	Mounts []ViewInfo `json:"mounts"`
	// Gateways is how many gateways keep the process alive besides its views.
	Gateways int `json:"gateways,omitempty"`
	// Left are folders that may still have mounts of earlier processes that were
	// killed, and the one on which a mount is being made.
	Left []string `json:"left,omitempty"`
	// Making is the folder on which a mount is being made, or "".
	Making string `json:"making,omitempty"`
	// Handed is what a retired process has shown and no process shows again yet.
	Handed *Handed `json:"handed,omitempty"`
}

type view struct {
	ViewInfo
	mount *fusefs.Mount // nil for a folder
	minor string        // of the mount, as in [Point]; "" if it is not known
	end   context.CancelFunc
	done  <-chan struct{}
	ended bool // it was unmounted, and is to be forgotten
}

// busyGrace is how long an exiting process goes on serving the users of a mount
// that was unmounted lazily.
const busyGrace = 5 * time.Second

// errEnding reports that the server creates no more views. It is never sent to the
// client, which gets no reply and asks the next server.
var errEnding = errors.New("ctxfs is ending; try again")

// MountResult is the answer to a request for a mount.
type MountResult struct {
	Dir string `json:"dir"`
	// Already reports whether it was there before.
	Already bool `json:"already"`
	Pid     int  `json:"pid"`
}

// UnmountResult is the answer to a request to end views.
type UnmountResult struct {
	Dirs []string `json:"dirs"`
	// Busy are those folders that are still in use, with their users.
	Busy map[string][]string `json:"busy,omitempty"`
	// Failed are the folders that are still mounted, with the reasons.
	Failed map[string]string `json:"failed,omitempty"`
}

// Mount shows the tree on a folder. It is idempotent.
func (s *Server) Mount(dir string) (MountResult, error) {
	dir, err := Resolve(dir)
	if err != nil {
		return MountResult{}, err
	}
	s.mounting.Lock()
	defer s.mounting.Unlock()
	result := MountResult{Dir: dir, Pid: os.Getpid()}
	if s.ending() {
		return result, errEnding
	}
	if v := s.find(dir); v != nil {
		if v.mount == nil {
			return result, &control.Fault{Message: fmt.Sprintf("%s is being synced to", dir), Hint: "choose another folder"}
		}
		if v.isThere() {
			result.Already = true
			return result, nil
		}
		s.lose(v)
	}
	if err := prepareMount(s.opts.Seat.Home(), dir, s.opts.Sources()); err != nil {
		return result, err
	}
	s.setMaking(dir)
	v := &view{ViewInfo: ViewInfo{Dir: dir, Kind: "fuse"}}
	m, err := fusefs.New(s.opts.Tree, dir, fusefs.Options{Log: s.opts.Log, Guard: func(fd int) (ended func()) { return s.guard(v, fd) }})
	if err != nil {
		s.setMaking("")
		return result, cannotMount(dir, err)
	}
	v.mount, v.done, v.Since = m, m.Done(), time.Now()
	s.add(v)
	return result, nil
}

// isThere reports whether the mount of a view has its name, which another program may have
// removed.
func (v *view) isThere() bool {
	points, err := Points()
	return err != nil || v.minor == "" ||
		slices.ContainsFunc(points, func(p Point) bool { return p.Dir == v.Dir && p.minor == v.minor })
}

// lose gives up a view whose mount has lost its name. Programs that use it are served until
// they have left.
func (s *Server) lose(v *view) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v.ended = true
	s.fading = append(s.fading, v)
}

// guard notes the number of a new mount, and has its connection guarded.
func (s *Server) guard(v *view, fd int) (ended func()) {
	p, _, err := mountedAt(v.Dir)
	if err != nil {
		s.opts.Log.Warn("the number of a mount is not known", "dir", v.Dir, "error", err)
	}
	v.minor = p.minor
	if s.keeper == nil {
		return func() {}
	}
	return s.keeper.Watch(guard.Connection{FD: fd, Minor: p.minor, Dir: v.Dir})
}

// shown returns the views that have not ended. The caller holds mu.
func (s *Server) shown() []*view {
	return slices.DeleteFunc(slices.Clone(s.views), func(v *view) bool { return v.ended })
}

// find returns the view on a folder, or nil.
func (s *Server) find(dir string) *view {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.shown() {
		if v.Dir == dir {
			return v
		}
	}
	return nil
}

// setMaking records the folder on which a mount is being made, or "". If the process
// is killed once the kernel has the mount, nothing else tells the next one.
func (s *Server) setMaking(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.making = dir
	s.saveTable()
}

// add registers a view and waits for its end.
func (s *Server) add(v *view) {
	s.mu.Lock()
	s.views = append(s.views, v)
	if v.mount != nil {
		s.making = ""
	}
	s.resetIdle()
	s.saveTable()
	s.mu.Unlock()
	s.opts.Log.Info("view added", "dir", v.Dir, "kind", v.Kind)
	s.start()
	s.wg.Go(func() {
		select {
		case <-v.done:
		case <-s.ctx.Done():
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.remove(v)
	})
}

// start calls Options.Begin at the first view or gateway.
func (s *Server) start() {
	if s.opts.Begin != nil {
		s.begin.Do(func() { s.wg.Go(s.opts.Begin) })
	}
}

// remove forgets a view; the server exits with the last one, unless a gateway needs
// it. The caller holds mu.
func (s *Server) remove(v *view) {
	i := slices.Index(s.views, v)
	if i < 0 {
		return
	}
	s.views = slices.Delete(s.views, i, i+1)
	s.saveTable()
	s.opts.Log.Info("view ended", "dir", v.Dir)
	if len(s.views) == 0 && s.gateways == 0 {
		s.End()
	}
}

// saveTable writes the record with the views. The caller holds mu, or is alone.
func (s *Server) saveTable() {
	if s.sealed {
		return // it is the next process's
	}
	if err := s.opts.Seat.Write(s.info()); err != nil {
		s.opts.Log.Warn("cannot write the mount table", "error", err)
	}
}

// info returns what the server is and shows. The caller holds mu, or is alone.
func (s *Server) info() ServerInfo {
	info := ServerInfo{Record: s.opts.Seat.Record, Mounts: []ViewInfo{}, Gateways: s.gateways, Making: s.making, Handed: s.handed}
	for _, v := range s.shown() {
		info.Mounts = append(info.Mounts, v.ViewInfo)
	}
	left := s.left
	if s.making != "" {
		left = append(slices.Clone(left), s.making)
	}
	for _, dir := range left {
		if !slices.ContainsFunc(s.views, func(v *view) bool { return v.Dir == dir }) {
			info.Left = append(info.Left, dir)
		}
	}
	return info
}

// Info returns what the server is and shows now.
func (s *Server) Info() ServerInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info()
}

// Shows reports whether a path is the root of a view. Programs that walk the
// disk must leave it out.
func (s *Server) Shows(path string) bool { return s.find(path) != nil }

// MountPoint returns the folder of the first mount, or "".
func (s *Server) MountPoint() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.views {
		if v.mount != nil {
			return v.Dir
		}
	}
	return ""
}

// close ends one view. It returns the processes that still use it, nil if none
// does, and an error if it is still mounted. Of this process and of the one that asks, 0 if
// none does, it names neither.
func (v *view) close(asking int) ([]string, error) {
	if v.mount == nil {
		v.end()
		<-v.done
		return nil, nil
	}
	users, own := Users(v.Dir, os.Getpid(), asking)
	point, there, _ := mountedAt(v.Dir)
	switch err := v.mount.Unmount(); {
	case err == nil:
		return nil, nil
	case !errors.Is(err, fusefs.ErrBusy) && v.isThere():
		return nil, err
	}
	if there && len(users) == 0 {
		users = sandboxesWith(point)
	}
	if len(users) == 0 && own {
		return []string{}, nil
	}
	if len(users) == 0 {
		users = []string{"a process that cannot be seen from here"}
	}
	return users, nil
}

// closeViews ends all views when the server ends.
func (s *Server) closeViews() {
	s.mounting.Lock() // a mount being made becomes a view first
	defer s.mounting.Unlock()
	s.mu.Lock()
	views := s.shown()
	s.mu.Unlock()
	for _, v := range views {
		users, err := v.close(0)
		if err != nil {
			s.opts.Log.Warn("the mount stays, and nothing serves it", "dir", v.Dir, "error", err)
		}
		if users != nil {
			s.mu.Lock()
			s.fading = append(s.fading, v)
			s.mu.Unlock()
			s.opts.Log.Warn("the mount is in use; it was unmounted lazily", "dir", v.Dir, "users", users)
		}
	}
}

// serveFading briefly serves those views that are still in use.
func (s *Server) serveFading() {
	s.mu.Lock()
	fading := slices.Clone(s.fading)
	s.mu.Unlock()
	grace := time.After(busyGrace)
	for _, v := range fading {
		select {
		case <-v.done:
		case <-grace:
			return
		}
	}
}

// unmount ends the views that a query names. They remain views until forget is
// called, which may end the server.
func (s *Server) unmount(q ViewQuery) (result UnmountResult, ended []*view) {
	s.awaitMaking(q)
	s.mu.Lock()
	views := slices.DeleteFunc(s.shown(), func(v *view) bool { return !q.All && v.Dir != q.Dir })
	s.mu.Unlock()
	result = UnmountResult{Dirs: []string{}, Busy: map[string][]string{}, Failed: map[string]string{}}
	for _, v := range views {
		users, err := v.close(q.Process)
		if err != nil {
			result.Failed[v.Dir] = err.Error()
			continue
		}
		s.mu.Lock()
		v.ended = true
		ended = append(ended, v)
		if users != nil {
			result.Busy[v.Dir] = users
			s.fading = append(s.fading, v)
		}
		s.mu.Unlock()
		result.Dirs = append(result.Dirs, v.Dir)
	}
	return result, ended
}

// awaitMaking waits until a mount that the query names, and that is being made, has been made.
func (s *Server) awaitMaking(q ViewQuery) {
	if making := s.Info().Making; making != "" && (q.All || q.Dir == making) {
		s.mounting.Lock()
		defer s.mounting.Unlock()
	}
}

// forget removes views that have ended.
func (s *Server) forget(ended []*view) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range ended {
		s.remove(v)
	}
}
