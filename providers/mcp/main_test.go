package mcp

import (
	"os"
	"testing"
)

// TestMain makes the test binary the stub server where it was started as one.
func TestMain(m *testing.M) {
	if mode := os.Getenv(stubMode); mode != "" {
		runStub(mode)
		os.Exit(0)
	}
	os.Exit(m.Run())
}
