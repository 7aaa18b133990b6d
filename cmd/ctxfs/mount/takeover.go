package mount

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/mounts"
	"ctxfs/mounts/control"
)

// predecessor is a background process of an older build, from which this program
// takes over.
type predecessor struct {
	Pid     int    `json:"pid"`
	Version string `json:"version"`
	// Users are the processes that stood in its mounts, by mount, as "name (pid)".
	Users map[string][]string `json:"users"`
}

// olderProcess returns the running background process if this program may take over
// from it, nil otherwise. What is wrong with a process is reported by those who need
// it.
func olderProcess(ctx context.Context, a *cli.App) (*predecessor, error) {
	home := a.Process()
	home.Note = nil
	c, err := home.Dial(ctx)
	if err != nil {
		return nil, ctx.Err()
	}
	defer c.Close()
	if !c.Older {
		return nil, nil
	}
	info, err := mounts.OpStatus.Ask(ctx, c, fs.None{})
	if errors.Is(err, control.ErrGone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p := &predecessor{Pid: c.Pid, Version: c.Version, Users: make(map[string][]string)}
	for _, v := range info.Mounts {
		users, _ := mounts.Users(v.Dir)
		if v.Kind == "fuse" && len(users) > 0 {
			p.Users[v.Dir] = users
		}
	}
	return p, nil
}

// takeOver replaces a background process of an older build, if there is one. It
// returns when the new one shows what that one did, or nil if no process ran.
func takeOver(ctx context.Context, a *cli.App) (*predecessor, error) {
	before, err := olderProcess(ctx, a)
	if before == nil || err != nil {
		return nil, err
	}
	if err := a.TakeOver(ctx, before.Pid); err != nil {
		if still, _ := olderProcess(ctx, a); still != nil || ctx.Err() != nil {
			return nil, err
		}
		a.Notef("%v", err) // the next process shows what that one did
	}
	return before, nil
}

// report says what was replaced, and which programs have to act on it.
func (p *predecessor) report(a *cli.App) {
	a.Sayf("replaced process %d, of version %s, by one of version %s", p.Pid, p.Version, places.Version)
	for _, dir := range slices.Sorted(maps.Keys(p.Users)) {
		a.Notef("still in the old mount on %s, which has ended: %s; a shell goes to the new one with: cd %s",
			a.Tilde(dir), strings.Join(p.Users[dir], ", "), wording.ShellWord(dir))
	}
}

// nextTime is how long a program that needs no process waits for the next one, when
// one has ended; nextLook how often it looks.
const (
	nextTime = 5 * time.Second
	nextLook = 20 * time.Millisecond
)

// next reports whether another process has taken the place of one that has ended, and is
// as it is wanted.
func next(ctx context.Context, a *cli.App, wanted func(*control.Client) bool) bool {
	home := a.Process()
	home.Note = nil
	ctx, cancel := context.WithTimeout(ctx, nextTime)
	defer cancel()
	for {
		if c, err := home.Dial(ctx); err == nil {
			is := wanted(c)
			c.Close()
			if is {
				return true
			}
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(nextLook):
		}
	}
}

// servedByNext reports whether another process has taken the place of one that has
// ended.
func servedByNext(ctx context.Context, a *cli.App) bool {
	return next(ctx, a, func(*control.Client) bool { return true })
}

// shownByNext reports whether another process shows what one did that has ended. What
// answers first may be the old one, which shows nothing any more.
func shownByNext(ctx context.Context, a *cli.App, dir string) bool {
	return next(ctx, a, func(c *control.Client) bool {
		info, err := mounts.OpStatus.Ask(ctx, c, fs.None{})
		return err == nil && slices.ContainsFunc(info.Mounts, func(v mounts.ViewInfo) bool { return v.Dir == dir })
	})
}
