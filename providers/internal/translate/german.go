package translate

import (
	"maps"
	"slices"
	"strings"

	"ctxfs/providers/internal/words"
)

// homographs are forms of German words that are English words or names as well,
// besides the English words of the lists: they do not make a text German.
const homographs = `
die das der den des dem am an in im as so war was will wie hat bin es er man also mit per um uber on do be use
pro dir due ob je da du zu wo ab vor mag falls halt halts wer los alt off under better male mass gross half fern
such tier analyses automobile revision revisions division divisions passes pass lagging starter figure figures beginner
vegan handy holding holdings allergen alter alters altered teen hundred stands stand former parallel parallels iss lost
fixture fixtures packet logon unicode bat gen addition tot lies roman typ guts lied mess spare land lands rand edge
uniform pack mach seh hole tun inn wander stopper bet uni programmer programmers kurz teed tons siege rot abo lang
offending passcode positioner mindmap codegen frag trackback kilometers smartphone
tag tags bad brief gift kind kinds hell bald fast hut arm arme wand sage sold chef star stern gut rock mode post
note rate rates rat see sees sender art arts not list name names made fort fall falls wild wolf rind gang band bands
bunt teller toll turn leder lager hammer hand hands sand wind park winter
`

// surelyEnglish are words of English grammar that are not German.
const surelyEnglish = `
the a of to and with for is are my your this these that from by it at be how what which when where who or as
all any some into i you we they not do does can could should would has have there their our its if then than on
`

// plain replaces the spellings of a German letter by one: ä and ae by a, ß by ss. Its
// text is folded.
func plain(s string) string { return plainLetters.Replace(s) }

var plainLetters = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u", "ß", "ss")

// germanWord is a word of a text that may be German.
type germanWord struct {
	text, plain string
	function    bool
	means       [][]uint16 // of each part of a compound
	partly      bool       // there are parts with an unknown meaning
	english     bool       // it is English as well
}

func (g *germanWord) tell(t *table, r *Reading) {
	share := 1 / float64(len(g.means))
	if g.partly {
		share /= 2
	}
	for _, means := range g.means {
		for _, s := range t.senses([]string{g.text}, means, share) {
			s.Doubtful = g.english
			r.Senses = append(r.Senses, s)
		}
	}
}

// enough is how many words tell whether a text is German.
const enough = 50

// readGerman reads a text that may be German. It is if it has a word with a meaning,
// and more words that can only be German than words of English grammar.
func readGerman(text string, r *Reading) {
	t := load()
	var all []germanWord
	german, english, known := 0, 0, false
	words.Split(text, func(w words.Word) {
		if w.Kind != words.Whole && w.Kind != words.Part || len(all) >= enough && german <= english {
			return
		}
		g := germanWord{text: w.Text, english: t.english[w.Text]}
		if t.grammar[w.Text] {
			english++
		} else if !g.english {
			t.recognise(&g)
		}
		known = known || g.means != nil
		if !g.english && (g.function || g.means != nil) {
			german++
		}
		all = append(all, g)
	})
	if german <= english {
		return
	}
	for i := range all {
		if g := &all[i]; g.plain == "" {
			t.recognise(g)
			known = known || g.means != nil
		}
	}
	if !known {
		return
	}
	r.Empty = make(map[string]bool)
	t.unite(all)
	for i := range all {
		g := &all[i]
		if g.means == nil && !g.function {
			g.means, g.partly = t.onePart(g.plain)
		}
		switch {
		case g.means != nil:
			g.tell(t, r)
		case g.function:
			r.Empty[g.text] = true
		}
	}
}

// recognise looks a word up.
func (t *table) recognise(g *germanWord) {
	g.plain = plain(g.text)
	if g.function = t.function[g.plain]; !g.function {
		g.means = t.german(g.plain)
	}
	if g.function || g.means != nil {
		g.english = t.isEnglish(g.text)
	}
	if g.english && !t.homographs[g.text] && t.nouns[g.plain] == nil {
		g.means = nil // "branches" is no form of Branche
	}
}

// isEnglish reports whether a word is an English one of the lists, or one that is made
// of two: "username".
func (t *table) isEnglish(text string) bool {
	if t.english[text] || t.english[words.Stem(text)] {
		return true
	}
	for at := leastPart; at <= len(text)-leastPart; at++ {
		if t.english[text[:at]] && t.english[words.Stem(text[at:])] {
			return true
		}
	}
	return false
}

// mostBetween is how many words may stand between the two pieces of a separable verb.
const mostBetween = 12

// unite gives separable verbs that stand in two pieces their meaning: that of
// "anlegen" to "lege" in "lege den Ordner an".
func (t *table) unite(all []germanWord) {
	for i := range all {
		verbs := t.separable(all[i].plain)
		if verbs == nil {
			continue
		}
		for j := min(len(all)-1, i+mostBetween); j > i; j-- {
			if at := slices.IndexFunc(verbs, func(a apart) bool { return a.particle == all[j].plain }); at >= 0 {
				all[i].means, all[i].partly = [][]uint16{verbs[at].means}, false
				all[j].means, all[j].function = nil, true
				break
			}
		}
	}
}

// separable returns the separable verbs that a form without its particle may be of.
func (t *table) separable(text string) []apart {
	for stem := range verbStems(text) {
		if all := t.apart[stem]; all != nil {
			return all
		}
	}
	return nil
}

// german returns the meanings of a word, by the parts of a compound; nil if it is no
// German word.
func (t *table) german(text string) [][]uint16 {
	if len(text) < 2 {
		return nil
	}
	if means := t.inflected(text); means != nil {
		return [][]uint16{means}
	}
	return t.compound(text, 3)
}

// inflected returns the meanings of a word in any form. An infinitive is no form of a
// noun: "speichern".
func (t *table) inflected(text string) []uint16 {
	if means := t.nouns[text]; means != nil {
		return means
	}
	if base, ok := strings.CutSuffix(text, "n"); ok {
		if means := t.verbs[strings.TrimSuffix(base, "e")]; means != nil {
			return means
		}
	}
	for _, end := range nounEndings {
		base, ok := strings.CutSuffix(text, end)
		if !ok || len(base) < 3 {
			continue
		}
		if means := t.nouns[base]; means != nil {
			return means
		}
		if end == "en" {
			for _, vowel := range []string{"e", "a", "o", "um"} { // Firmen, Konten, Museen
				if means := t.nouns[base+vowel]; means != nil {
					return means
				}
			}
		}
	}
	for stem := range verbStems(text) {
		if means := t.verbs[stem]; means != nil {
			return means
		}
		if rest, ok := strings.CutPrefix(stem, "ge"); ok && len(rest) > 2 {
			if means := t.verbs[rest]; means != nil {
				return means
			}
		}
		for _, mark := range []string{"ge", "zu"} { // angelegt, anzulegen
			if at := strings.Index(stem, mark); at > 1 && t.particles[stem[:at]] {
				if means := t.verbs[stem[:at]+stem[at+2:]]; means != nil {
					return means
				}
			}
		}
	}
	return nil
}

// nounEndings are the endings of nouns and adjectives.
var nounEndings = strings.Fields("n e en s es er ern em nen innen in se ste sten")

// verbEndings are the endings of verbs, of participles and of nouns made of verbs.
var verbEndings = strings.Fields("en n e t et st est te ten tet ete eten ung ungen end ende enden ender endes tes ter ener ene enen enes")

// irregular are stems of forms of irregular verbs, each with that of the infinitive.
const irregular = `
lies les las les schrieb schreib nimm nehm nomm nehm nahm nehm gib geb gab geb fund find
fand find schloss schliess zog zieh lud lad sieh seh sah seh schob schieb glich gleich flog flieg
miss mess mass mess schnitt schneid bund bind band bind sprich sprech sproch sprech sprach sprech triff treff
troff treff wirf werf worf werf gang geh ging geh lief lauf rief ruf hielt halt stand steh
bracht bring dacht denk iss ess gess ess trunk trink gewann gewinn gewonn gewinn verlor verlier bot biet
lieh leih schlug schlag strich streich wies weis wusst wiss wuchs wachs kannt kenn weiss wiss nannt nenn sandt send
wandt wend rann renn mag mog hing hang fing fang bat bitt begann beginn begonn beginn tritt tret
trat tret half helf hilf helf holf helf stieg steig vergiss vergess schien schein
`

// addIrregular adds the irregular forms of the verbs.
func (t *table) addIrregular() {
	pairs := strings.Fields(irregular)
	forms := func(stem string) (all []string) {
		for i := 0; i < len(pairs); i += 2 {
			if before, ok := strings.CutSuffix(stem, pairs[i+1]); ok {
				all = append(all, before+pairs[i])
			}
		}
		return all
	}
	for _, stem := range slices.Collect(maps.Keys(t.verbs)) {
		for _, form := range forms(stem) {
			if t.verbs[form] == nil {
				t.verbs[form] = t.verbs[stem]
			}
		}
	}
	for _, stem := range slices.Collect(maps.Keys(t.apart)) {
		for _, form := range forms(stem) {
			if t.apart[form] == nil {
				t.apart[form] = t.apart[stem]
			}
		}
	}
}

// verbStems calls yield with what may be the stem of a verb of which a word is a form:
// without each of the endings.
func verbStems(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, end := range verbEndings {
			if base, ok := strings.CutSuffix(text, end); ok && len(base) >= 2 && !yield(base) {
				return
			}
		}
		if len(text) >= 3 {
			yield(text) // an imperative: "such"
		}
	}
}

const (
	// leastPart is the length of the shortest part of a compound.
	leastPart = 3
	// leastKnown is that of one beside a part that is unknown.
	leastKnown = 5
)

// compound splits a word into the fewest known ones, at most some, the first as long
// as possible.
func (t *table) compound(text string, most int) [][]uint16 {
	for parts := 2; parts <= most; parts++ {
		for at := len(text) - leastPart; at >= leastPart; at-- {
			first := t.first(text[:at])
			if first == nil {
				continue
			}
			if parts == 2 {
				if last := t.inflected(text[at:]); last != nil {
					return [][]uint16{first, last}
				}
			} else if rest := t.compound(text[at:], parts-1); rest != nil {
				return append([][]uint16{first}, rest...)
			}
		}
	}
	return nil
}

// first returns the meanings of a part of a compound before others, with the letters
// that join them: Sicherheitslücke, Kartendienst, Suchmaschine.
func (t *table) first(text string) []uint16 {
	for _, joint := range []string{"", "s", "n", "en", "es", "er", "e"} {
		base, ok := strings.CutSuffix(text, joint)
		if !ok || len(base) < leastPart {
			continue
		}
		for _, key := range []string{base, base + "e"} {
			if means := t.nouns[key]; means != nil {
				return means
			}
		}
		if means := t.verbs[base]; means != nil {
			return means
		}
	}
	return nil
}

// onePart returns the meanings of the longest known word that an unknown one ends or
// begins with, if any.
func (t *table) onePart(text string) (parts [][]uint16, some bool) {
	for at := leastPart; at <= len(text)-leastKnown; at++ {
		if means := t.inflected(text[at:]); means != nil {
			return [][]uint16{means}, true
		}
	}
	for at := len(text) - leastPart; at >= leastKnown; at-- {
		if means := t.first(text[:at]); means != nil {
			return [][]uint16{means}, true
		}
	}
	return nil, false
}
