package main

import "ctxfs/cmd/ctxfs/cli"

// app is what the commands in this package need.
type app struct{ *cli.App }
