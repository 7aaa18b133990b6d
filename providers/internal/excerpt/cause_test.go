package excerpt

import (
	"testing"

	"ctxfs/fs/fstest"
)

func TestCause(t *testing.T) {
	for output, want := range map[string]string{
		"": "",
		"\n> shop@1.0.0 lint\n> eslint\n\nsh: 1: eslint: not found\n":                                 "sh: 1: eslint: not found",
		"=== RUN TestCart\n--- FAIL: TestCart (0.00s)\n    cart_test.go:84: got 3\nFAIL\nFAIL shop\n": "--- FAIL: TestCart (0.00s) / cart_test.go:84: got 3",
		"make: *** No rule to make target 'x'.  Stop.":                                                "make: *** No rule to make target 'x'.  Stop.",
		"one\ntwo\n\n":                         "two",
		"a.go:1: undefined: x\na.go:2: more\n": "a.go:1: undefined: x",
		"not ok 1 equal\r\n  ---\r\n":          "not ok 1 equal / ---",
	} {
		fstest.Equal(t, Cause(output), want, output)
	}
}
