package mcp

import (
	"encoding/json"

	"ctxfs/providers/internal/rawjson"
)

// answered tells which request of ours a message answers, by its id.
func answered(message []byte) (id string, ok bool) {
	if !rawjson.IsWhole(message) {
		return "", false
	}
	for name, value := range rawjson.Parts(message) {
		switch name {
		case "method":
			return "", false
		case "id":
			ok = json.Unmarshal(value, &id) == nil && len(id) > len(requestPrefix) && id[:len(requestPrefix)] == requestPrefix
		}
	}
	return id, ok
}

// response is a message that answers a request.
type response struct {
	result json.RawMessage
	fault  *struct {
		Code    int
		Message string
	}
}

// readResponse takes an answer apart; its result is part of the message.
func readResponse(message []byte) (r response, err error) {
	for name, value := range rawjson.Parts(message) {
		switch name {
		case "result":
			r.result = value
		case "error":
			err = json.Unmarshal(value, &r.fault)
		}
	}
	return r, err
}

// requestPrefix begins the ids of our requests; the library's are numbers.
const requestPrefix = "raw-"
