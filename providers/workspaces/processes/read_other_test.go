//go:build !linux

package processes

import (
	"errors"
	"testing"
)

func TestUnsupported(t *testing.T) {
	if all, err := Read(Options{}); all != nil || !errors.Is(err, ErrUnsupported) {
		t.Errorf("got %v, %v", all, err)
	}
}
