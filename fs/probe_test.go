package fs_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

func TestProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := fs.NewProber(time.Second)
		var late []string
		p.Answered = func(place string) { late = append(late, place) }
		look := func(place string, wait <-chan struct{}) error {
			got, err := fs.Probe(p, place, func() (string, error) {
				if wait != nil {
					<-wait
				}
				return place, nil
			})
			if err == nil && got != place {
				t.Errorf("%s: %s", place, got)
			}
			return err
		}
		fault := errors.New("fault")
		if _, err := fs.Probe(p, "x", func() (int, error) { return 0, fault }); err != fault {
			t.Error(err)
		}
		// A place that does not answer costs who asks the deadline, once.
		answers := make(chan struct{})
		begun := time.Now()
		for range 3 {
			fstest.Equal(t, look("hung", answers), fs.ErrNoAnswer)
		}
		fstest.Equal(t, time.Since(begun), time.Second, "took")
		if err := look("other", nil); err != nil {
			t.Error(err)
		}
		close(answers)
		synctest.Wait()
		if err := look("hung", nil); err != nil {
			t.Errorf("it answers again: %v", err)
		}
		fstest.Equal(t, fmt.Sprint(late), "[hung]", "told to have answered")
		p.Answered = nil

		// The threads that are held are bounded.
		answers = make(chan struct{})
		for i := range 100 {
			fstest.Equal(t, look(fmt.Sprint("hung", i), answers), fs.ErrNoAnswer)
		}
		held := 0
		for range 100 {
			select {
			case answers <- struct{}{}:
				held++
			default:
			}
		}
		if held == 0 || held > 64 {
			t.Errorf("%d hang", held)
		}
		synctest.Wait()
		if err := look("hung0", nil); err != nil {
			t.Error(err)
		}
	})
}
