package translate

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/words"
)

// told writes a reading: the first English word of each sense.
func told(text string) string {
	var all []string
	for _, s := range Read(text).Senses {
		all = append(all, s.English[0])
	}
	return strings.Join(all, " ")
}

func TestRead(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		// Not Chinese.
		{"list war files in the die directory", ""},
		{"lösche den Ordner", ""},
		{"フォルダを", ""},
		{"", ""},
		// Chinese in both scripts.
		{"删除文件夹", "delete folder"},
		{"刪除資料夾", "delete folder"},
		{"帮我给网页截图", "page screenshot"},
		{"把几个PDF合并成一个", "multiple merge"},
		{"在GitHub上创建issue", "create"},
		{"查", "query"},
		{"王小明的邮件", "email"},
	} {
		fstest.Equal(t, told(test.text), test.want, test.text)
	}
}

// TestOf: what a word is made of is what words.Split makes of the text, and pairs of
// two words mean nothing.
func TestOf(t *testing.T) {
	r := Read("删除数据库吧")
	var of [][]string
	for _, s := range r.Senses {
		of = append(of, s.Of)
	}
	if len(of) != 2 || !slices.Equal(of[0], []string{"删除"}) || !slices.Equal(of[1], []string{"数据", "据库"}) {
		t.Errorf("senses are of %q", of)
	}
	if !r.Empty["除数"] || !r.Empty["库吧"] || len(r.Empty) != 2 {
		t.Errorf("empty: %v", r.Empty)
	}
	r = Read("股价")
	if len(r.Senses) != 2 || r.Senses[0].Share != 0.5 || r.Senses[0].English[0] != "stock" || r.Senses[1].English[0] != "price" {
		t.Errorf("%+v", r)
	}
}

// TestListsAreClean keeps the lists free of what is never looked up.
func TestListsAreClean(t *testing.T) {
	names, err := lists.ReadDir("lists")
	fstest.Must(t, err)
	size := 0
	for _, e := range names {
		text, err := lists.ReadFile("lists/" + e.Name())
		fstest.Must(t, err)
		size += len(text)
		if e.Name() == "function.txt" || e.Name() == "variants.txt" {
			continue
		}
		for line := range strings.Lines(string(text)) {
			columns := strings.Split(strings.TrimSuffix(line, "\n"), "|")
			if len(columns) != 2 || strings.TrimSpace(columns[0]) == "" || strings.TrimSpace(columns[1]) == "" {
				t.Errorf("%s: %q", e.Name(), line)
				continue
			}
			if !words.ASCII(columns[0]) || strings.ToLower(columns[0]) != columns[0] {
				t.Errorf("%s: %q is not in small English letters", e.Name(), columns[0])
			}
			for _, w := range strings.Fields(columns[1]) {
				if strings.ContainsFunc(w, func(r rune) bool { return !words.Spaceless(r) }) {
					t.Errorf("%s: %q is not written without spaces", e.Name(), w)
				}
			}
		}
	}
	if size > 1<<20 {
		t.Errorf("the lists have %d bytes", size)
	}
}

// TestVariantsAreNoChain: a simplified character is not a variant of another.
func TestVariantsAreNoChain(t *testing.T) {
	for from, to := range load().forms {
		if _, more := load().forms[to]; more || from == to {
			t.Errorf("%c becomes %c", from, to)
		}
	}
}

// TestMemory holds the table to what BENCHMARKS.md says of it.
func TestMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	all := newTable()
	runtime.GC()
	runtime.ReadMemStats(&after)
	if size := after.HeapAlloc - before.HeapAlloc; size > 4<<20 {
		t.Errorf("the table takes %d bytes", size)
	} else {
		t.Logf("the table takes %d bytes", size)
	}
	runtime.KeepAlive(all)
}

// FuzzRead: whatever the text, each word of a reading is one that words.Split has.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"删除a文件夹、查", "サーバーを再起動 ー", "ｻ ゛", "\xff文", "股价", "ß", "일정 추가"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 {
			return
		}
		split := make(map[string]bool)
		words.Split(text, func(w words.Word) { split[w.Text] = true })
		r := Read(text)
		for w := range r.Empty {
			if !split[w] {
				t.Errorf("%q has no %q", text, w)
			}
		}
		for _, s := range r.Senses {
			if len(s.Of) == 0 || len(s.English) == 0 || len(s.English) > maxMeanings || s.Share <= 0 || s.Share > 1 {
				t.Errorf("%q: %+v", text, s)
			}
			for _, w := range s.Of {
				if !split[w] {
					t.Errorf("%q has no %q", text, w)
				}
				if r.Empty[w] {
					t.Errorf("%q: %q is both empty and %q", text, w, s.English)
				}
			}
		}
	})
}
