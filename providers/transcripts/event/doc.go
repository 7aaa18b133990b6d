// Package event is what all histories of coding agents have in common: a
// session is a list of events.
//
// An agent's reader (package agents) turns the records of its history into
// events and hands them to a [Sink], in the order of the source. The sink
// numbers them and makes a transcript of them (package render). Nothing is
// dropped on the way: what a person would not want to read is [Event.Quiet],
// what is not understood is of kind [Unknown].
package event
