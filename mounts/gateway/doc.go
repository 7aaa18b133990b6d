// Package gateway shows a tree to agents that have no shell: it is a server of
// the Model Context Protocol with four tools, find, list, read and call.
//
// What other servers offer is not repeated in its own list of tools: an agent
// that connects pays for four short definitions, whatever the number of servers
// behind them. It finds a tool by words, sees its arguments with the match, and
// calls it: two steps from nothing to a call.
//
// A [Gateway] has no tree and starts no server. All comes from a [Backend], so
// that any number of gateways share what one background process owns. It speaks
// every version of the protocol, over a pair of streams ([Gateway.ServeStdio])
// or over HTTP on a loopback address ([Gateway.ServeHTTP]).
//
// Long files are read in parts. An answer has at most [MaxText] bytes of text,
// and one that is not all says how to go on, a result of a call in lines of its
// own besides.
package gateway
