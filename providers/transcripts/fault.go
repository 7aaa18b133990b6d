package transcripts

import (
	"errors"
	"syscall"
)

// cacheError is an error of the cache folder: the session that was being
// rendered is not to blame.
type cacheError struct{ error }

func (e *cacheError) Unwrap() error { return e.error }

// cacheFaultOf makes an error one of the cache.
func cacheFaultOf(err error) error {
	if err == nil {
		return nil
	}
	return &cacheError{err}
}

// setFault records why nothing can be stored, or with nil that it can again: then
// what was left is rendered.
func (c *cache) setFault(err error) {
	fault, full := "", false
	if err != nil {
		fault, full = "transcripts are not kept: "+faultText(err), isFull(err)
	}
	c.mu.Lock()
	was := c.fault
	c.fault, c.full = fault, full
	c.mu.Unlock()
	if was == fault {
		return
	}
	c.FaultChanged()
	if fault == "" && c.Background {
		c.backlog()
	}
}

// broken reports whether nothing can be stored at present.
func (c *cache) broken() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fault != ""
}

// isCacheError reports whether an error is one of the cache folder, not of a
// session.
func isCacheError(err error) bool {
	var fault *cacheError
	return errors.As(err, &fault)
}

// faultNow returns why nothing can be stored, "" if it can, and whether that is
// because the disk is full.
func (c *cache) faultNow() (fault string, full bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fault, c.full
}

// isFull reports whether an error says that there is no space left.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
