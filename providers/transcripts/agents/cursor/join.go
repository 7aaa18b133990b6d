package cursor

import (
	"slices"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// joinEvents merges the events of one session from a database and a transcript. The
// result contains the database's events in their order; what only the transcript
// has comes after the event that it follows there. Texts are matched by their
// words, in order; calls by their place between texts, because the two name tools
// differently.
func joinEvents(database, transcript []event.Event) []event.Event {
	if len(database) == 0 || len(transcript) == 0 {
		return append(database, transcript...)
	}
	at := alignTexts(database, transcript)
	alignBetween(database, transcript, at)
	// before[i] are the transcript's events that come before the database's event
	// i.
	before := make([][]event.Event, len(database)+1)
	place := 0
	joined := slices.Clone(database)
	for i, e := range transcript {
		if at[i] >= 0 {
			place = at[i] + 1
			for place < len(database) && follows(database[place].Kind) {
				place++
			}
			if call := joined[at[i]].Call; call != nil && e.Call != nil && e.Call.Input != "" && joined[at[i]].Record == paramsMark {
				// The editor stores what it made of the arguments, without the
				// text that is written to files.
				joined[at[i]].Call = &event.Call{ID: call.ID, Name: e.Call.Name, Input: e.Call.Input}
			}
			continue
		}
		if e.Quiet && (e.Kind == event.Assistant || e.Kind == event.ToolResult) {
			continue // only reports that there was something
		}
		before[place] = append(before[place], e)
	}
	var all []event.Event
	for i, e := range joined {
		all = append(all, before[i]...)
		all = append(all, e)
	}
	all = append(all, before[len(database)]...)
	names := make(records.ToolNames)
	for i, e := range all {
		if e.Kind == event.ToolCall && e.Record == paramsMark {
			all[i].Record = ""
		}
		if e.Call != nil && e.Call.ID != "" {
			names[e.Call.ID] = e.Call.Name
		}
		if e.Result != nil && names[e.Result.CallID] != "" && e.Result.Name != names[e.Result.CallID] {
			result := *e.Result
			result.Name = names[e.Result.CallID]
			all[i].Result = &result
		}
	}
	return all
}

// follows reports whether an event belongs to the one before it.
func follows(kind event.Kind) bool {
	return kind == event.ToolResult || kind == event.System || kind == event.Unknown
}

// paramsMark marks a call, until the events are merged, for which the database
// lacks the model's own arguments.
const paramsMark = "params"

// textKey returns the key that identifies a text, "" for an event without one.
func textKey(e event.Event) string {
	switch e.Kind {
	case event.User, event.Assistant, event.Thinking:
		return string(e.Kind) + " " + strings.Join(strings.Fields(e.Text), " ")
	}
	return ""
}

// maxComparisons limits the time and memory for comparing all texts with all;
// more are compared in order.
const maxComparisons = 4 << 20

// alignTexts returns, for each event of the transcript, the index of the same
// event of the database, or -1: the longest common subsequence of texts.
func alignTexts(database, transcript []event.Event) []int {
	at := make([]int, len(transcript))
	for i := range at {
		at[i] = -1
	}
	a, b := sharedTexts(transcript, database), sharedTexts(database, transcript)
	match := func(x, y keyedEvent) { at[x.index] = y.index }
	// The two differ in few places: equal parts at both ends need no search.
	for len(a) > 0 && len(b) > 0 && a[0].key == b[0].key {
		match(a[0], b[0])
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1].key == b[len(b)-1].key {
		match(a[len(a)-1], b[len(b)-1])
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a)*len(b) > maxComparisons {
		for _, x := range a {
			if j := slices.IndexFunc(b, func(y keyedEvent) bool { return x.key == y.key }); j >= 0 {
				match(x, b[j])
				b = b[j+1:]
			}
		}
		return at
	}
	width := len(b) + 1
	longest := make([]int32, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i].key == b[j].key {
				longest[i*width+j] = longest[(i+1)*width+j+1] + 1
			} else {
				longest[i*width+j] = max(longest[(i+1)*width+j], longest[i*width+j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].key == b[j].key:
			match(a[i], b[j])
			i, j = i+1, j+1
		case longest[(i+1)*width+j] >= longest[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return at
}

// keyedEvent is an event's key and index.
type keyedEvent struct {
	key   string
	index int
}

// sharedTexts returns the texts among events that the others have too.
func sharedTexts(events, others []event.Event) []keyedEvent {
	theirs := make(map[string]bool)
	for _, e := range others {
		theirs[textKey(e)] = true
	}
	var shared []keyedEvent
	for i, e := range events {
		if key := textKey(e); key != "" && theirs[key] {
			shared = append(shared, keyedEvent{key, i})
		}
	}
	return shared
}

// alignBetween aligns what is between two texts that both sides have: calls and
// results in order, and texts that one side has in part.
func alignBetween(database, transcript []event.Event, at []int) {
	begin, low := 0, 0
	for i := 0; i <= len(transcript); i++ {
		high := len(database)
		if i < len(transcript) {
			if at[i] < 0 {
				continue
			}
			high = at[i]
		}
		alignCalls(database, transcript, at, event.ToolCall, begin, i, low, high)
		alignCalls(database, transcript, at, event.ToolResult, begin, i, low, high)
		alignParts(database, transcript, at, begin, i, low, high)
		begin, low = i+1, high+1
	}
}

// alignCalls aligns the calls, or the results, of two ranges. Equal numbers on
// both sides are aligned in order; otherwise those that are alike are.
func alignCalls(database, transcript []event.Event, at []int, kind event.Kind, begin, end, low, high int) {
	of := func(events []event.Event, from, to int) (index []int) {
		for i := from; i < to; i++ {
			if events[i].Kind == kind {
				index = append(index, i)
			}
		}
		return index
	}
	ours, theirs := of(transcript, begin, end), of(database, low, high)
	next := 0
	for _, t := range ours {
		for d := next; d < len(theirs); d++ {
			if len(ours) == len(theirs) || callsAlike(transcript[t].Call, database[theirs[d]].Call) {
				at[t], next = theirs[d], d+1
				break
			}
		}
	}
}

// callsAlike reports whether two records are of the same call: they have an
// argument in common.
func callsAlike(a, b *event.Call) bool {
	if a == nil || b == nil {
		return a == b // results
	}
	if a.Input == b.Input {
		return true
	}
	const least = 4 // with its quotes
	for _, v := range lazyjson.All(lazyjson.ParseString(a.Input)) {
		if v.Type == lazyjson.String && len(v.Raw) > least && strings.Contains(b.Input, v.Raw) {
			return true
		}
	}
	return false
}

// alignParts aligns texts that one side has divided differently: a text of the
// transcript that is part of one of the database, or consists of several of them.
func alignParts(database, transcript []event.Event, at []int, begin, end, low, high int) {
	const least = 20 // shorter texts are in others by chance
	for t := begin; t < end; t++ {
		key := textKey(transcript[t])
		_, text, _ := strings.Cut(key, " ")
		if at[t] >= 0 || len(text) < least {
			continue
		}
		rest := text
		for d := low; d < high; d++ {
			_, other, _ := strings.Cut(textKey(database[d]), " ")
			if other == "" {
				continue
			}
			if strings.Contains(other, text) {
				at[t], low = d, d
				break
			}
			if part, ok := strings.CutPrefix(rest, other); ok {
				if rest = strings.TrimSpace(part); rest == "" {
					at[t], low = d, d
					break
				}
			}
		}
	}
}
