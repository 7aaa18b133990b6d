package cache

import (
	"errors"
	"syscall"

	"ctxfs/providers/transcripts/source"
)

// cacheError is an error of the cache folder: the session that was being
// rendered is not to blame.
type cacheError struct{ error }

func (e *cacheError) Unwrap() error { return e.error }

// cacheFaultOf returns an error as one of the cache.
func cacheFaultOf(err error) error {
	if err == nil {
		return nil
	}
	return &cacheError{err}
}

// SetFault records why nothing can be stored. Nil means that storing works again;
// then what was left is rendered.
func (c *Cache) SetFault(err error) {
	fault, full := "", false
	if err != nil {
		fault, full = "transcripts are not stored: "+source.FaultText(err), IsFull(err)
	}
	c.mu.Lock()
	was := c.faultText
	c.faultText, c.full = fault, full
	c.mu.Unlock()
	if was == fault {
		return
	}
	c.FaultChanged()
	if fault == "" && c.Background {
		c.Backlog()
	}
}

// Broken reports whether nothing can be stored at present.
func (c *Cache) Broken() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.faultText != ""
}

// isCacheError reports whether an error is one of the cache folder, not of a
// session.
func isCacheError(err error) bool {
	var fault *cacheError
	return errors.As(err, &fault)
}

// Fault returns why nothing can be stored, "" if it can, and whether that is
// because the disk is full.
func (c *Cache) Fault() (fault string, full bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.faultText, c.full
}

// IsFull reports whether an error says that there is no space left.
func IsFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
