package words

import (
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

func TestSplit(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"create_issue", "create issue"},
		{"createIssue", "create issue +createissue"},
		{"HTTPServer2Go", "http server2 go +httpserver2go"},
		{"get-36kr-trending", "get 36kr trending"},
		{"base64 mp3", "base64 mp3"},
		{"Café ÉTÉ", "cafe ete"},
		{"天気予報", "~天 ~気 天気 ~予 気予 ~報 予報"},
		{"日 x天气y", "日 x ~天 ~气 天气 y"},
		{"サーバー", "~サ ~ー サー ~バ ーバ ~ー バー"},
		{"ﬁle", "file"},
		{strings.Repeat("a", 41) + " b", "b"},
		{"\xff\x00 --", ""},
	} {
		var got []string
		Split(test.text, func(w Word) {
			mark := map[Kind]string{Joined: "+", Paired: "~"}[w.Kind]
			got = append(got, mark+w.Text)
		})
		fstest.Equal(t, strings.Join(got, " "), test.want, test.text, got)
	}
}
