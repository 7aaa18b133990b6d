package mcp

import (
	"os"
	"testing"
)

// TestMain makes the test binary the stub server where it was started as one.
func TestMain(m *testing.M) {
	switch os.Getenv(stubMode) {
	case "":
		os.Exit(m.Run())
	case "daemon":
		runDaemon()
	default:
		runStub(realProcess())
	}
}
