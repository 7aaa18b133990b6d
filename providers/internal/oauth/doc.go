// Package oauth logs in to servers over HTTP as the Model Context Protocol
// asks for in its version 2026-07-28, and keeps the logins: OAuth 2.1 for a
// public client with a loopback redirect.
//
// A [Client] holds all logins of a user; a [Session] is what concerns one
// server. A session's [Session.Transport] adds the access token to requests
// and renews it, once however many requests and processes want it. It never
// asks anybody anything: where only the user can help, requests fail with a
// [*Needed], and [Session.Login] is what the user then has to run.
//
// Sources: RFC 6749 (OAuth 2.0), RFC 7009 (revocation), RFC 7591 (dynamic
// registration), RFC 7636 (PKCE), RFC 8252 (loopback redirects), RFC 8414
// (metadata of authorization servers), RFC 8707 (resource indicators), RFC
// 9207 (iss in answers), RFC 9728 (metadata of protected resources), and the
// chapter on authorization of the MCP specification.
package oauth
