package cline

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/historytest"
)

func TestSpent(t *testing.T) {
	dir := t.TempDir()
	read := func(spent func(context.Context, string, string, func(facts.ModelCall)) error, path string) (calls []facts.ModelCall) {
		if err := spent(context.Background(), path, "", func(c facts.ModelCall) { calls = append(calls, c) }); err != nil {
			t.Error(err)
		}
		return calls
	}
	historytest.WriteFile(t, dir, "1/"+taskModels, `{"model_usage":[{"model_id":"m0"},{"model_id":"m1"}]}`)
	historytest.WriteFile(t, dir, "1/"+taskScreen, `[
		{"ts":1783376870000,"type":"say","say":"text","text":"{\"tokensIn\":5}"},
		{"ts":1783376870000,"type":"say","say":"api_req_started","text":"{\"request\":\"…\"}"},
		{"ts":1783376871000,"type":"say","say":"api_req_started","text":"{\"tokensIn\":1,\"tokensOut\":2,\"cacheWrites\":3,\"cacheReads\":4,\"cost\":0.5}"},
		{"ts":1783376872000,"type":"say","say":"api_req_started","text":"{\"tokensIn\":1e99,\"tokensOut\":-2}","modelInfo":{"modelId":"m2"}},
		{"ts":1783376873000,"type":"say","say":"api_req_started","text":"{"}]`)
	want := []facts.ModelCall{
		{Time: time.UnixMilli(1783376871000).UTC(), Model: "m1", Cost: 0.5, Tokens: facts.Tokens{Input: 1, Output: 2, CacheWrite: 3, CacheRead: 4}},
		{Time: time.UnixMilli(1783376872000).UTC(), Model: "m2", Tokens: facts.Tokens{Input: 1 << 40}},
	}
	fstest.EqualSlices(t, read(taskSpent, filepath.Join(dir, "1", taskHistory)), want, "task")
	sdk := historytest.WriteFile(t, dir, "s/s"+sdkMessages, `{"messages":[{"id":"a","role":"user","ts":1783376870000},
		{"id":"b","role":"assistant","ts":1783376871000,"modelInfo":{"id":"m"},"metrics":{"inputTokens":100,"outputTokens":7,"cacheReadTokens":80,"cacheWriteTokens":15,"cost":0.25}}]}`)
	want = []facts.ModelCall{{Time: time.UnixMilli(1783376871000).UTC(), Model: "m", Cost: 0.25, Tokens: facts.Tokens{Input: 5, Output: 7, CacheWrite: 15, CacheRead: 80}}}
	fstest.EqualSlices(t, read(sdkSpent, sdk), want, "session")
	if got := read(taskSpent, filepath.Join(dir, "none", taskHistory)); got != nil {
		t.Errorf("where nothing is, there is %+v", got)
	}
}
