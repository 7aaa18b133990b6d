// Package prices has what models cost: list prices of their providers, prices.tsv, and what
// the user says of others in config.toml. What neither has is unknown; nothing is guessed
// from the names of models.
//
// Subscriptions, credits, batches and taxes are not considered: these are the prices of the
// same requests over the providers' APIs.
package prices

import (
	"cmp"
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/internal/regexps"
	"ctxfs/providers/internal/settings"
)

// SettingsTable is the name of the table in config.toml, of models by their names:
//
//	[prices."qwen-*"]
//	input = 0.4
//	output = 1.2
//	cache_read = 0.04
//	cache_write = 0.5
const SettingsTable = "prices"

//go:embed prices.tsv
var listed string

// Price is what a million tokens of a model costs, in US dollars.
type Price struct {
	Input, Output, CacheRead, CacheWrite, CacheWriteLong float64
	// Above is the number of tokens of a prompt above which all of a request costs more, 0
	// for none: InputTimes and OutputTimes as much.
	Above                   int64
	InputTimes, OutputTimes float64
}

// Cost returns what the tokens of one request cost, in US dollars.
func (p Price) Cost(t facts.Tokens) float64 {
	in := float64(t.Input)*p.Input + float64(t.CacheRead)*p.CacheRead + float64(t.CacheWrite)*p.CacheWrite + float64(t.CacheWriteLong)*p.CacheWriteLong
	out := float64(t.Output+t.Reasoning) * p.Output
	if prompt := t.Input + t.CacheRead + t.CacheWrite + t.CacheWriteLong; p.Above > 0 && prompt > p.Above {
		in *= p.InputTimes
		out *= p.OutputTimes
	}
	return (in + out) / 1e6
}

// since is a price from a day on, 2006-01-02; "" for always.
type since struct {
	day   string
	price Price
}

// own is a price that the user has set for models whose names match a pattern.
type own struct {
	pattern string
	price   Price
}

// List is a list of prices. It is immutable.
type List struct {
	models map[string][]since // the newest last
	own    []own
	// Problems are what is wrong with the user's settings.
	Problems []fs.Problem
}

// setting is a table of config.toml.
type setting struct {
	Input          *float64 `toml:"input"`
	Output         *float64 `toml:"output"`
	CacheRead      *float64 `toml:"cache_read"`
	CacheWrite     *float64 `toml:"cache_write"`
	CacheWriteLong *float64 `toml:"cache_write_1h"`
}

// Load returns the list of prices with what the file at a path, config.toml, says.
func Load(config string) *List {
	l := &List{models: make(map[string][]since)}
	for line := range strings.Lines(listed) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); !strings.HasPrefix(line, "#") && len(f) >= 7 {
			l.models[f[0]] = append(l.models[f[0]], since{f[1], priceOf(f[2:])})
		}
	}
	l.readSettings(config)
	return l
}

// priceOf reads the columns of a line from INPUT on.
func priceOf(columns []string) Price {
	number := func(i int, otherwise float64) float64 {
		if i < len(columns) {
			if n, err := strconv.ParseFloat(columns[i], 64); err == nil {
				return n
			}
		}
		return otherwise
	}
	input := number(0, 0)
	return Price{
		Input: input, Output: number(1, 0), CacheRead: number(2, input), CacheWrite: number(3, input), CacheWriteLong: number(4, number(3, input)),
		Above: int64(number(5, 0)), InputTimes: number(6, 1), OutputTimes: number(7, 1),
	}
}

func (l *List) readSettings(config string) {
	given := make(map[string]setting)
	t := settings.ReadTable(config, SettingsTable, &given)
	for pattern, s := range given {
		if _, err := path.Match(pattern, ""); err != nil || s.Input == nil || s.Output == nil {
			t.Wrong(settings.Key(pattern), pattern, `the name of a model, "*" for any letters of it, with input and output: dollars for a million tokens`)
			continue
		}
		or := func(n *float64, otherwise float64) float64 {
			if n != nil {
				return *n
			}
			return otherwise
		}
		p := Price{Input: *s.Input, Output: *s.Output, CacheRead: or(s.CacheRead, *s.Input), CacheWrite: or(s.CacheWrite, *s.Input)}
		p.CacheWriteLong = or(s.CacheWriteLong, p.CacheWrite)
		if slices.Min([]float64{p.Input, p.Output, p.CacheRead, p.CacheWrite, p.CacheWriteLong}) < 0 {
			t.Wrong(settings.Key(pattern), fmt.Sprint(p), "prices of 0 or more")
			continue
		}
		l.own = append(l.own, own{strings.ToLower(pattern), p})
	}
	slices.SortFunc(l.own, func(a, b own) int { // the longest pattern says most
		return cmp.Or(len(b.pattern)-len(a.pattern), strings.Compare(a.pattern, b.pattern))
	})
	l.Problems = t.Problems()
}

// Of returns the price of a model at a time, the newest if that is zero; ok is false if it
// is unknown. The user's prices come first. Names may have what providers, gateways and
// agents put around them: "anthropic/claude-opus-4.5", "us.anthropic.claude-opus-4-5-20251101-v1:0",
// "claude-opus-4-5[1m]".
func (l *List) Of(model string, at time.Time) (p Price, ok bool) {
	plain := plainName(model)
	for _, o := range l.own {
		for _, name := range []string{strings.ToLower(model), plain} {
			if match, _ := path.Match(o.pattern, name); match {
				return o.price, true
			}
		}
	}
	day := "9999-12-31"
	if !at.IsZero() {
		day = at.UTC().Format(time.DateOnly)
	}
	for _, s := range l.models[plain] {
		if s.day <= day {
			p, ok = s.price, true
		}
	}
	return p, ok
}

// around is what is put behind the name of a model: a window, a version, a date.
var around = regexps.Lazy(`(\[1m\]|:[a-z]+|-v[0-9]+(:[0-9]+)?|[-@]20[0-9]{2}-?[0-9]{2}-?[0-9]{2}|-latest|-preview(-[0-9]{2}-[0-9]{2})?)$`)

// plainName returns the name of a model without what is put around it.
func plainName(model string) string {
	name := strings.ToLower(model)
	name = name[strings.LastIndexByte(name, '/')+1:]
	if i := strings.LastIndex(name, "anthropic."); i >= 0 {
		name = name[i+len("anthropic."):]
	}
	fast := ""
	if rest, ok := strings.CutSuffix(name, "-fast"); ok {
		name, fast = rest, "-fast"
	}
	for {
		shorter := around().ReplaceAllString(name, "")
		if shorter == name || shorter == "" {
			break
		}
		name = shorter
	}
	if strings.HasPrefix(name, "claude-") {
		name = strings.ReplaceAll(name, ".", "-")
	}
	return name + fast
}
