package tokens

import (
	_ "embed"
	"encoding/binary"
	"sort"
)

// vocabulary has the tokens of o200k in the order of their bytes: each as its length, its rank in three bytes,
// the lowest first, and its bytes. Before them are the number of blocks of blockSize tokens, and
// where each begins. TestVocabulary writes it.
//
//go:embed o200k.bin
var vocabulary string

const blockSize = 16

// rank returns the rank of a token, and whether the text is one.
func rank(text string) (uint32, bool) {
	number := func(i int) int { return int(binary.LittleEndian.Uint32([]byte(vocabulary[4*i : 4*i+4]))) }
	blocks := number(0)
	token := func(at int) string { return vocabulary[at+4 : at+4+int(vocabulary[at])] }
	block := sort.Search(blocks, func(i int) bool { return token(number(1+i)) > text })
	if block == 0 {
		return 0, false
	}
	at := number(block)
	for range blockSize {
		if at == len(vocabulary) {
			break
		}
		if t := token(at); t == text {
			return uint32(vocabulary[at+1]) | uint32(vocabulary[at+2])<<8 | uint32(vocabulary[at+3])<<16, true
		} else if t > text {
			break
		}
		at += 4 + int(vocabulary[at])
	}
	return 0, false
}
