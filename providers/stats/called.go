package stats

import (
	"cmp"
	"slices"
	"strings"

	"ctxfs/fs/facts"
)

// CallsReport is how tools were called.
type CallsReport struct {
	Calls  int `json:"calls"`
	Failed int `json:"failed"`
	// Total is how long they took in all, in milliseconds.
	Total int64 `json:"total_ms"`
	// Bytes is the size of their results. Of these, Filed results with FiledBytes went to
	// files.
	Bytes      int64 `json:"bytes"`
	Filed      int   `json:"filed"`
	FiledBytes int64 `json:"filed_bytes"`
	// Tools begin with the one that was called most.
	Tools []facts.ToolCalls `json:"tools"`
}

// FilesReport is what of long results is in files.
type FilesReport struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
	// Tokens is about how many tokens they have.
	Tokens int64 `json:"tokens"`
	// Results begin with where most bytes come from.
	Results []facts.StoredResults `json:"results"`
}

// BytesPerToken is how many bytes a token of a long result is taken to have.
const BytesPerToken = 4

func newFiles(all []facts.StoredResults) *FilesReport {
	r := &FilesReport{Results: append([]facts.StoredResults{}, all...)}
	for _, one := range all {
		r.Files += one.Files
		r.Bytes += one.Bytes
	}
	r.Tokens = r.Bytes / BytesPerToken
	slices.SortFunc(r.Results, func(a, b facts.StoredResults) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Source, b.Source), strings.Compare(a.Server, b.Server), strings.Compare(a.Tool, b.Tool))
	})
	return r
}

// newCalls returns the report of what became of calls.
func newCalls(all []facts.ToolCalls) *CallsReport {
	r := &CallsReport{Tools: append([]facts.ToolCalls{}, all...)}
	for _, t := range all {
		r.Calls += t.Calls
		r.Failed += t.Failed
		r.Total += t.Total
		r.Bytes += t.Bytes
		r.Filed += t.Filed
		r.FiledBytes += t.FiledBytes
	}
	slices.SortFunc(r.Tools, func(a, b facts.ToolCalls) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), strings.Compare(a.Server, b.Server), strings.Compare(a.Tool, b.Tool))
	})
	return r
}
