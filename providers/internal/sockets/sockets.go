// Package sockets finds out which processes have the sockets of this machine: where a
// process listens, and which process has the other end of a connection.
package sockets
