package find

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/words"
)

// rounding is what sums of shares may be wrong by.
const rounding = 1e-9

// TestNamesAreFound: a tool is found by its name, even if it is slightly wrong. The
// shares are of the real tools of both corpora; where several have the name, any of
// them will do.
func TestNamesAreFound(t *testing.T) {
	for _, set := range []struct {
		name string
		corpus
	}{{"LiveMCPBench", liveMCPBench(t, false)}, {"ToolLinkOS", toolLinkOS(t)}} {
		search := byFind(set.docs)
		for _, typed := range []struct {
			what  string
			as    func(name string) string // "" for what cannot be typed so
			first float64                  // at least this share is the first match
			five  float64                  // and this among the first five
		}{
			{"as it is", func(name string) string { return name }, 1, 1},
			{"in words", inWords, 0.98, 1},
			{"in words, a letter missing", func(name string) string { return misspell(inWords(name), 1) }, 0.9, 0.95},
			{"its beginning", beginning, 0.7, 0.9},
		} {
			var ranks []int
			for _, d := range set.docs {
				name := d.Fields["name"]
				if query := typed.as(name); query != "" {
					ranks = append(ranks, search(want{query, []string{name}}))
				}
			}
			h := hits(ranks)
			t.Logf("%s: a name %s: %.3f of %d", set.name, typed.what, h, len(ranks))
			if h[0] < typed.first-rounding || h[1] < typed.five-rounding {
				t.Errorf("%s: a name %s is found %.3f, not %.2f/%.2f", set.name, typed.what, h, typed.first, typed.five)
			}
		}
	}
}

// TestNameBeforeItsLikes: what is named just so comes before what has more to
// do with each of the words.
func TestNameBeforeItsLikes(t *testing.T) {
	x := newIndex()
	x.Update("", slices.Values([]fs.Document{
		toolDocument("trials", "", "trial_getter", "Trial getter: gets a trial, its location and the getter of a location.", nil),
		toolDocument("trials", "", "trial_location_getter", "Where.", nil),
		toolDocument("trials", "", "get_stories", "Stories, story by story: get stories.", nil),
		toolDocument("trials", "", "getStory", "One.", nil),
	}))
	for query, first := range map[string]string{
		"trial_location_getter":   "trials/trial_location_getter",
		"trial locations getters": "trials/trial_location_getter",
		"trial getter":            "trials/trial_getter",
		" getStory ":              "trials/getStory",
		"get_stories":             "trials/get_stories",
	} {
		if all := x.Search(query, Options{Limit: 1}); len(all) != 1 || all[0].Title != first {
			t.Errorf("%q finds %v, not %s first", query, all, first)
		}
		if all := x.Search(query, Options{Limit: 1, In: "skills"}); len(all) > 0 {
			t.Errorf("%q is found outside the folder: %v", query, all)
		}
	}
}

// TestMisspeltWordsAreFoundByTheirStem also where an ending that is misspelt,
// or follows what is, was not taken off.
func TestMisspeltWordsAreFoundByTheirStem(t *testing.T) {
	x := newIndex()
	x.Update("", slices.Values([]fs.Document{
		toolDocument("s", "", "animations", "", nil), toolDocument("s", "", "duration", "", nil),
		toolDocument("s", "", "weather", "", nil), toolDocument("s", "", "slide", "", nil),
		toolDocument("s", "", "statistics", "", nil), toolDocument("s", "", "valorant", "", nil),
	}))
	for typed, meant := range map[string]string{
		"ainmations": "animations", "duartion": "duration", "wetaher": "weather", "silde": "slide", "staitstics": "statistics",
		"vaolrant": "valorant", "weathers": "weather", "xyzzy": "", "dur": "duration", "qslide": "",
	} {
		got := ""
		if all := x.Search(typed, Options{}); len(all) > 0 {
			got = strings.TrimPrefix(all[0].Title, "s/")
		}
		fstest.Equal(t, got, meant, "finds", typed)
	}
}

func inWords(name string) string {
	var all []string
	words.Split(name, func(w words.Word) {
		if w.Kind == words.Whole || w.Kind == words.Part {
			all = append(all, w.Text)
		}
	})
	return strings.Join(all, " ")
}

// beginning is a name without its last three letters, as far as it is longer
// than eight.
func beginning(name string) string {
	letters := []rune(name)
	if len(letters) <= 8 {
		return ""
	}
	return string(letters[:len(letters)-3])
}

// misspell leaves a letter out of every nth word of at least five letters, or
// swaps two: neither the first nor the same in each word. "" is a text without
// such words.
func misspell(text string, nth int) string {
	random := rand.New(rand.NewPCG(5, 6))
	words := strings.Fields(text)
	long, wrong := 0, false
	for i, w := range words {
		letters := []rune(w)
		if len(letters) < 5 || slices.ContainsFunc(letters, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) }) {
			continue
		}
		if long++; long%nth != 0 {
			continue
		}
		wrong = true
		at := 1 + random.IntN(len(letters)-2)
		if random.IntN(2) == 0 {
			letters[at], letters[at+1] = letters[at+1], letters[at]
		} else {
			letters = slices.Delete(letters, at, at+1)
		}
		words[i] = string(letters)
	}
	if !wrong {
		return ""
	}
	return strings.Join(words, " ")
}

// TestMisspeltSentences: a typing error in every third long word costs little.
func TestMisspeltSentences(t *testing.T) {
	c := liveMCPBench(t, false)
	search := byFind(c.docs)
	var right, wrong []int
	for _, w := range c.wants {
		right = append(right, search(w))
		if text := misspell(w.text, 3); text != "" {
			w.text = text
		}
		wrong = append(wrong, search(w))
	}
	r, w := hits(right), hits(wrong)
	t.Logf("as written %.3f, with typing errors %.3f", r, w)
	if w[1] < r[1]-0.1 || w[2] < r[2]-0.1 {
		t.Errorf("typing errors cost too much: %.3f of %.3f", w, r)
	}
}
