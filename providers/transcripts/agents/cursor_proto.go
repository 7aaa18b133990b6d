package agents

import (
	varint "encoding/binary"
	"errors"
)

var errProto = errors.New("not a protobuf message")

// protoFields calls take with each field of a protobuf message that holds bytes:
// texts, bytes and messages. Others are passed over.
func protoFields(message []byte, take func(field int, value []byte)) error {
	for len(message) > 0 {
		key, n := varint.Uvarint(message)
		if n <= 0 || key>>3 == 0 || key>>3 > 1<<29-1 {
			return errProto
		}
		message = message[n:]
		size := uint64(0)
		switch key & 7 {
		case 0:
			if _, n = varint.Uvarint(message); n <= 0 {
				return errProto
			}
			size = uint64(n)
		case 1:
			size = 8
		case 2:
			if size, n = varint.Uvarint(message); n <= 0 {
				return errProto
			}
			message = message[n:]
		case 5:
			size = 4
		default:
			return errProto
		}
		if size > uint64(len(message)) {
			return errProto
		}
		if key&7 == 2 {
			take(int(key>>3), message[:size])
		}
		message = message[size:]
	}
	return nil
}
