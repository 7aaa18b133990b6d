package cursor

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/sqlite"
	"ctxfs/providers/transcripts/agents/database"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// chats returns the format of a database of the command line: one session, whose
// data is in blobs named by the hash of their content. Messages are JSON. The root,
// a protobuf message, lists those of the current context in its field 1; its field
// 13 contains summaries, after which older messages are in no list.
func (h homeFolder) chats() history.Store {
	return history.Store{
		Rank: 2,
		Sessions: func(ctx context.Context, file string) ([]history.Entry, error) {
			meta, err := chatMeta(ctx, file)
			if database.IgnorePartial(err) != nil {
				return nil, err
			}
			id := chatID(meta, file)
			l := history.Entry{Key: id, Session: event.Session{Agent: "cursor", ID: id, Model: meta.Get("lastUsedModel").Str}}
			l.Name(event.FromSummary, meta.Get("name").Str)
			l.Saw(records.Time(meta.Get("createdAt")))
			beside, besideErr := records.ReadDocument(filepath.Join(filepath.Dir(file), "meta.json"))
			if besideErr == nil { // newer versions have it
				l.CWD = beside.Get("cwd").Str
				l.Saw(records.Time(beside.Get("createdAtMs")))
				l.Saw(records.Time(beside.Get("updatedAtMs")))
			}
			l.Stamp = history.StampOf(meta.Get("latestRootBlobId").Str, meta.Get("name").Str, beside.Get("updatedAtMs").Int())
			if t, ok := h.findTranscripts()[id]; ok {
				l.Stamp = history.StampOf(l.Stamp, t.stamp)
				l.Parent = t.parent
				if l.CWD == "" {
					l.CWD, l.Project = h.workspaceOf(t.project), t.project
				}
			}
			return []history.Entry{l}, err
		},
		Read: func(ctx context.Context, file, key string, out event.Sink) error {
			blobs, root, err := chatBlobs(ctx, file)
			if err != nil {
				return err
			}
			events, err := chatEvents(blobs, root)
			return errors.Join(err, h.emitJoined(events, key, out))
		},
	}
}

func chatID(meta lazyjson.Value, file string) string {
	if id := meta.Get("agentId").Str; id != "" {
		return id
	}
	return filepath.Base(filepath.Dir(file))
}

// chatMeta returns the row about the session: JSON in hexadecimal.
func chatMeta(ctx context.Context, file string) (meta lazyjson.Value, err error) {
	rows, err := database.Read(ctx, file, func(h *database.Snapshot, add func(lazyjson.Value)) error {
		meta, _, err := readChatMeta(h)
		add(meta)
		return err
	})
	if len(rows) > 0 {
		meta = rows[0]
	}
	return meta, err
}

// readChatMeta also returns the table of messages. Without the row about the
// session their order is unknown.
func readChatMeta(h *database.Snapshot) (meta lazyjson.Value, blobs sqlite.Table, err error) {
	if blobs, err = h.Table("blobs", []string{"data"}, "id"); err != nil {
		return meta, blobs, err
	}
	if !blobs.Exists() {
		return meta, blobs, fmt.Errorf("%s: %w", strings.Join(h.Lacks, ", "), sqlite.ErrSchema)
	}
	table, err := h.Table("meta", []string{"key", "value"})
	if err != nil || !table.Exists() {
		return meta, blobs, err
	}
	text := ""
	err = h.Each("SELECT value FROM "+table.From()+" WHERE key = '0'", func(r sqlite.Row) error {
		text = r.Text(0)
		return nil
	})
	if err != nil {
		return meta, blobs, err
	}
	if decoded, err := hex.DecodeString(text); err == nil {
		text = string(decoded)
	}
	if !lazyjson.Valid([]byte(text)) {
		return meta, blobs, errors.New("the row about the session is not JSON")
	}
	return lazyjson.ParseString(text), blobs, nil
}

// chatBlob is a message.
type chatBlob struct{ id, text string }

// chatBlobs reads all messages, in the order of writing, and the root.
func chatBlobs(ctx context.Context, file string) (blobs []chatBlob, root []byte, err error) {
	blobs, err = database.Read(ctx, file, func(h *database.Snapshot, add func(chatBlob)) error {
		root = nil
		meta, table, err := readChatMeta(h)
		if err != nil {
			return err
		}
		rootID := meta.Get("latestRootBlobId").Str
		return h.Each("SELECT "+table.Any("id", "rowid")+", "+table.Pick("data")+" FROM "+table.From()+" ORDER BY rowid", func(r sqlite.Row) error {
			data := r.Bytes(1)
			switch {
			case rootID != "" && r.Text(0) == rootID:
				root = append([]byte{}, data...)
			case len(data) > 0 && data[0] == '{' && lazyjson.Valid(data) && lazyjson.Parse(data).Get("role").Exists():
				add(chatBlob{r.Text(0), string(data)})
			}
			return nil
		})
	})
	return blobs, root, database.IgnorePartial(err)
}

// The fields of the root.
const (
	rootMessages  = 1
	rootSummaries = 13
)

// chatEvents returns the events of the messages that the root lists, in its order,
// and before them those of older messages that it no longer lists. From the latter
// it takes only what no other message has: a message may have been stored several
// times as it grew.
func chatEvents(blobs []chatBlob, root []byte) ([]event.Event, error) {
	texts := make(map[string]string, len(blobs))
	for _, b := range blobs {
		texts[b.id] = b.text
	}
	var listed []string
	summaries := 0
	err := protoFields(root, func(field int, value []byte) {
		switch field {
		case rootMessages:
			listed = append(listed, hex.EncodeToString(value))
		case rootSummaries:
			summaries++
		}
	})
	if err != nil {
		err = fmt.Errorf("the list of messages: %w", err)
	}
	c := collector{}
	isListed := make(map[string]bool)
	for _, id := range listed {
		isListed[id] = true
		if text, ok := texts[id]; ok {
			v := lazyjson.ParseString(text)
			c.message(id, v, v.Get("content"))
		}
	}
	current := c.events
	old := collector{}
	for _, b := range blobs {
		if v := lazyjson.ParseString(b.text); !isListed[b.id] && v.Get("role").Str != "system" {
			old.message(b.id, v, v.Get("content"))
		}
	}
	earlier := newEvents(old.events, current)
	if len(earlier) == 0 {
		return current, err
	}
	if summaries > 0 {
		earlier = append(earlier, event.Event{Kind: event.Compaction, ID: "compaction", Compact: &event.Compact{}})
	}
	return append(earlier, current...), err
}

// newEvents returns the events that neither the others nor later ones among
// events contain.
func newEvents(events, others []event.Event) []event.Event {
	emitted := make(map[string]bool)
	var keys []string
	for _, e := range others {
		emitted[eventKey(e)] = true
		keys = append(keys, eventKey(e))
	}
	for _, e := range events {
		keys = append(keys, eventKey(e))
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	var kept []event.Event
	for _, e := range slices.Backward(events) {
		key := eventKey(e)
		grown := false
		if e.Kind == event.Assistant || e.Kind == event.Thinking {
			next, _ := slices.BinarySearch(keys, key)
			grown = next+1 < len(keys) && strings.HasPrefix(keys[next+1], key)
		}
		if !emitted[key] && !grown {
			kept = append(kept, e)
		}
		emitted[key] = true
	}
	slices.Reverse(kept)
	return kept
}

// eventKey returns the key that identifies an event in another version of its
// message.
func eventKey(e event.Event) string {
	switch {
	case e.Call != nil:
		return "call " + e.Call.ID
	case e.Result != nil:
		return "result " + e.Result.CallID
	}
	if key := textKey(e); key != "" {
		return key
	}
	return e.Record
}

var errProto = errors.New("not a protobuf message")

// protoFields calls take with each field of a protobuf message that contains
// bytes: strings, bytes and messages. Other fields are skipped.
func protoFields(message []byte, take func(field int, value []byte)) error {
	for len(message) > 0 {
		key, n := binary.Uvarint(message)
		if n <= 0 || key>>3 == 0 || key>>3 > 1<<29-1 {
			return errProto
		}
		message = message[n:]
		size := uint64(0)
		switch key & 7 {
		case 0:
			if _, n = binary.Uvarint(message); n <= 0 {
				return errProto
			}
			size = uint64(n)
		case 1:
			size = 8
		case 2:
			if size, n = binary.Uvarint(message); n <= 0 {
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
