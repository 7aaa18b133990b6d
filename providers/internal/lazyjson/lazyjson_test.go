package lazyjson

import (
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

func TestValid(t *testing.T) {
	const many = 20 << 20 // without a limit of depth these would end the process
	wide := "[" + strings.Repeat(`{"a":["[\\\""]},`, deepest+1) + "0]"
	for name, test := range map[string]struct {
		text string
		want bool
	}{
		"empty":           {"", false},
		"half":            {`{"a":`, false},
		"value":           {`{"a":[1,"]"]}`, true},
		"two values":      {`{} {}`, false},
		"wide":            {wide, true},
		"deep":            {strings.Repeat("[", deepest) + strings.Repeat("]", deepest), true},
		"too deep":        {strings.Repeat("[", deepest+1) + strings.Repeat("]", deepest+1), false},
		"bottomless":      {strings.Repeat("[", many), false},
		"objects too":     {strings.Repeat(`{"a":`, many/5), false},
		"within a string": {`"` + strings.Repeat("[", deepest*2) + `"`, true},
	} {
		fstest.Equal(t, Valid([]byte(test.text)), test.want, name)
	}
}
