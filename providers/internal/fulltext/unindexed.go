package fulltext

import "context"

// scan searches texts that are not indexed.
type scan struct {
	index   *Index
	terms   []queryTerm
	lexer   *lexer
	economy *economy // as in batch
	counts  [maxTerms]int
	pieces  int
	words   int64
	found   []scannedPiece
}

// scannedPiece is a piece that has at least one of the words.
type scannedPiece struct {
	candidate
	length int
	often  []uint16
}

// unindexed calls yield with the texts that are not in the index, the newest first,
// in parts, up to Options.Scanned bytes. It returns the length of the rest.
func (x *Index) unindexed(ctx context.Context, v *view, texts []Text, yield func(t Text, from int64, text []byte)) (left int64, err error) {
	read := int64(0)
	for _, t := range texts {
		from := v.indexedSize(t)
		if from >= t.Size {
			continue
		}
		if read >= x.opts.Scanned {
			left += t.Size - from
			continue
		}
		for from < t.Size && read < x.opts.Scanned {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			text, err := x.readPart(t, from, 1<<20)
			if err != nil {
				break // it has disappeared meanwhile
			}
			yield(t, from, text)
			from += int64(len(text))
			read += int64(len(text))
		}
		left += t.Size - from
	}
	return left, nil
}

// add searches a part of a text and adds what it finds.
func (s *scan) add(t Text, offset int64, text []byte) {
	var block int64
	s.index.cut(t, offset, text, func(p piece, name, body []byte) {
		start, end := offset+int64(p.start), offset+int64(p.end)
		if !p.inner {
			block = start
		}
		var often [maxTerms]uint16
		length, some := 0, false
		count := func(terms []string) {
			length++
			for _, text := range terms {
				for i := range s.terms {
					if s.terms[i].matches(text) {
						often[i]++
						some = true
					}
				}
			}
		}
		s.lexer.each(name, count)
		s.economy.begin(p)
		s.economy.each(s.lexer, body, count)
		s.pieces++
		s.words += int64(length)
		if !some {
			return
		}
		for i, n := range often {
			if n > 0 {
				s.counts[i]++
			}
		}
		s.found = append(s.found, scannedPiece{
			candidate: candidate{text: t, block: block, start: start, end: end},
			length:    length, often: append([]uint16(nil), often[:len(s.terms)]...),
		})
	})
}

// rank returns the pieces that were found, with their scores.
func (s *scan) rank(terms []queryTerm, average float64) (all []candidate) {
	for _, one := range s.found {
		for i, n := range one.often {
			if n > 0 {
				one.score += bm25(terms[i].rarity, int(n), one.length, average)
			}
		}
		all = append(all, one.candidate)
	}
	return all
}
