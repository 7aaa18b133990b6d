package fs

import "errors"

func dropFileRights() error { return errors.New("only on Linux has a thread file rights of its own") }
