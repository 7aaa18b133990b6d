package fulltext

import (
	"bytes"
	"context"
	"database/sql"
	"maps"
	"slices"
	"sort"
	"strings"
)

// begun calls yield with the entries of terms that begin with a text.
func (s *segment) begun(ctx context.Context, q querier, begin string, yield func(entry)) error {
	first := max(0, sort.SearchStrings(s.names, begin)-1)
	end := first + sort.Search(len(s.names)-first, func(i int) bool {
		name := s.names[first+i]
		return name > begin && !strings.HasPrefix(name, begin)
	})
	rows, err := q.QueryContext(ctx, "SELECT data FROM rows WHERE id >= ? AND id < ? ORDER BY id", s.firstRow+int64(first), s.firstRow+int64(end))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var data sql.RawBytes
		if err := rows.Scan(&data); err != nil {
			return err
		}
		for r := (rowReader{data: data}); ; {
			e, ok, err := r.next()
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			if bytes.HasPrefix(e.term, []byte(begin)) {
				yield(e)
			}
		}
	}
	return rows.Err()
}

// union returns one entry for all terms that begin with a text.
func (s *segment) union(ctx context.Context, q querier, begin string) (entry, error) {
	often := make(map[uint32]uint32) // by piece
	var damage error
	err := s.begun(ctx, q, begin, func(e entry) {
		if err := eachPosting(e.text, s.docs, func(doc, n uint32) { often[doc] += n }); err != nil {
			damage = err
		}
	})
	if err == nil {
		err = damage
	}
	var all postings
	for _, doc := range slices.Sorted(maps.Keys(often)) {
		all.add(doc, often[doc])
	}
	return entry{term: []byte(begin), count: all.count, text: all.text}, err
}
