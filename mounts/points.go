package mounts

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"ctxfs/fs/fusefs"
	"ctxfs/mounts/control"
	"ctxfs/mounts/guard"
)

// Point is a ctxfs mount in the kernel's mount table.
type Point struct {
	Dir string
	// State is the result of the last Check; "" before the first.
	State Health
	// minor is its number in /sys/fs/fuse/connections.
	minor string
}

// Points returns every ctxfs mount of this mount namespace, dead or alive, in the
// order of mounting.
func Points() ([]Point, error) {
	if !fusefs.Supported {
		return nil, nil
	}
	points, err := pointsOf("/proc/self")
	if err != nil {
		err = fmt.Errorf("read the mount table: %w", err)
	}
	return points, err
}

// pointsOf is Points for the mount namespace of a process, by its folder in /proc.
func pointsOf(proc string) (points []Point, err error) {
	f, err := os.Open(proc + "/mountinfo")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		// proc(5): id parent major:minor root dir options [optional...] - type source super
		fields := strings.Fields(lines.Text())
		for i := 6; i+1 < len(fields); i++ {
			if fields[i] == "-" {
				if fields[i+1] == fusefs.FSType {
					_, minor, _ := strings.Cut(fields[2], ":")
					points = append(points, Point{Dir: guard.Unescape(fields[4]), minor: minor})
				}
				break
			}
		}
	}
	return points, lines.Err()
}

// mountedAt returns the topmost ctxfs mount on dir, and whether there is one.
func mountedAt(dir string) (Point, bool, error) {
	points, err := Points()
	if err != nil {
		return Point{}, false, err
	}
	for i := len(points) - 1; i >= 0; i-- {
		if points[i].Dir == dir {
			return points[i], true, nil
		}
	}
	return Point{}, false, nil
}

// Health is the state of a mount point.
type Health string

const (
	Healthy Health = "ok"
	Dead    Health = "dead" // its process has exited
	Hung    Health = "hung" // its process does not answer
)

// hungAfter is how long the root of a mount may take to answer. It is long, because
// a mount that is wrongly considered hung is ended for all its users.
const hungAfter = 10 * time.Second

// Check returns the state of a mount. The calling process must not be the one
// that serves it. It reads the statistics of the file system: those are never
// cached, while a dead mount goes on listing what the kernel remembers.
func (p Point) Check() Health {
	answer := make(chan error, 1)
	go func() {
		var figures syscall.Statfs_t
		answer <- syscall.Statfs(p.Dir, &figures)
	}()
	select {
	case err := <-answer:
		if errors.Is(err, syscall.ENOTCONN) || errors.Is(err, syscall.ECONNABORTED) {
			return Dead
		}
		return Healthy
	case <-time.After(hungAfter):
		return Hung
	}
}

// Mend unmounts a dead or hung mount, and does nothing to a healthy one. It calls
// Check only if the state is not known yet, since checking a hung mount takes long.
func (p Point) Mend() error {
	if p.State == "" {
		p.State = p.Check()
	}
	switch p.State {
	case Healthy:
		return nil
	case Hung:
		// Every process that waits for the mount gets an error at once. Even if
		// that fails, the folder is free.
		_ = p.free()
	}
	if err := fusefs.Detach(p.Dir); err != nil {
		if _, still, _ := mountedAt(p.Dir); !still {
			return nil // another process was faster
		}
		return fmt.Errorf("unmount the dead mount on %s: %w", p.Dir, err)
	}
	return nil
}

// leftBehind returns the folders where, according to the record, mounts were left,
// and where there still is a ctxfs mount.
func leftBehind(home control.Home) []string {
	var table ServerInfo
	if home.ReadRecord(&table) != nil {
		return nil
	}
	dirs := table.Left
	for _, v := range table.Mounts {
		dirs = append(dirs, v.Dir)
	}
	points, err := Points()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(dirs, func(dir string) bool {
		return !slices.ContainsFunc(points, func(p Point) bool { return p.Dir == dir })
	})
}

// DeadPoints returns the mounts, with their State, that do not answer and that
// either were left by this user's killed processes or are on one of folders. Served
// are the folders that a living process shows.
func DeadPoints(home control.Home, served []string, folders ...string) ([]Point, error) {
	points, err := Points()
	if err != nil {
		return nil, err
	}
	ours := append(leftBehind(home), folders...)
	var dead []Point
	for _, p := range points {
		if !slices.Contains(ours, p.Dir) || slices.Contains(served, p.Dir) {
			continue
		}
		if p.State = p.Check(); p.State != Healthy {
			dead = append(dead, p)
		}
	}
	return dead, nil
}
