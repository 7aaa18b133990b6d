package guard

import (
	"encoding/binary"
	"errors"
	"syscall"
)

// Formats and numbers: include/uapi/linux/fuse.h of the kernel.
const (
	inHeaderSize  = 40
	outHeaderSize = 16

	opForget      = 2
	opInterrupt   = 36
	opNotifyReply = 41
	opBatchForget = 42

	notifyResend = 7 // FUSE_NOTIFY_RESEND, since Linux 6.9
)

// largestRequest is more than any request needs: the kernel refuses a read into a
// buffer smaller than the largest request may need.
const largestRequest = 1<<20 + 1<<16

var (
	// errEnded reports that a connection has ended: no reader waits there.
	errEnded = errors.New("the connection has ended")
	// errNoResend reports that the kernel is too old to hand requests out
	// again.
	errNoResend = errors.New("the kernel cannot hand requests out again")
)

// takeOver makes the kernel hand out again all requests that the dead process
// had read and not answered. The code is that of the notification.
func takeOver(fd int, code int32) error {
	_, err := write(fd, message(code, 0))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENOSYS):
		return errNoResend
	}
	return errEnded
}

// refuse answers all waiting requests with an error, and counts them in
// answered. The descriptor must be non-blocking.
func refuse(fd int, buffer []byte, answered *int) error {
	for {
		length, err := syscall.Read(fd, buffer)
		switch {
		case err == nil && length >= inHeaderSize:
		case errors.Is(err, syscall.EAGAIN):
			return nil
		case errors.Is(err, syscall.EINTR), errors.Is(err, syscall.ENOENT): // ENOENT: its caller has left meanwhile
			continue
		default:
			return errEnded
		}
		switch binary.NativeEndian.Uint32(buffer[4:]) {
		case opForget, opBatchForget, opInterrupt, opNotifyReply:
			continue // these have no answer
		}
		unique := binary.NativeEndian.Uint64(buffer[8:])
		if _, err := write(fd, message(-int32(syscall.ENOTCONN), unique)); err == nil {
			*answered++
		}
	}
}

// message returns an answer that has only an error or, if unique is zero, a
// notification with its code.
func message(code int32, unique uint64) []byte {
	m := binary.NativeEndian.AppendUint32(nil, outHeaderSize)
	m = binary.NativeEndian.AppendUint32(m, uint32(code))
	return binary.NativeEndian.AppendUint64(m, unique)
}

func write(fd int, p []byte) (n int, err error) {
	for {
		n, err = syscall.Write(fd, p)
		if !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}
