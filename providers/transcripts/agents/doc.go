// Package agents reads the histories of coding agents: where each keeps them,
// and what its records mean. One file, one agent. What is known of the formats,
// and from where, stands with each reader.
//
// There are two sorts of histories. A log is a file of lines, one session, that
// is only appended to: its reader ([Reader]) takes one line after the other and
// is saved between two runs. A store is anything else, a database or a document
// that is written anew: it is asked which sessions it has, and each is read whole
// when it has changed.
//
// Only files whose names are on an agent's list are ever opened ([Place.File]):
// credentials lie beside histories.
package agents
