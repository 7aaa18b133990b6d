// Package grid turns what a terminal is sent into text that can be searched:
// bytes of a PTY go in, and out come the clean log, the current screen, and the
// marks of the shell integration with their places in the log.
//
// # The log
//
// The log is UTF-8 text of whole lines that only ever grows. It contains no
// control byte but the line feed, no escape sequence, and no character that is
// invisible or reorders others; invalid UTF-8 becomes U+FFFD. A [Grid] keeps
// the rows of the terminal's screen, and a row goes into the log when it is
// final:
//
//   - it scrolls off the top of the screen;
//   - it lies above the cursor and has not changed for a while: 2 ms as long as
//     the running command has not moved the cursor up over text, 750 ms after
//     that and while the shell shows its prompt. Rows are taken from the top
//     only, so that a line is never in the log before the one above it;
//   - the shell integration reports that a prompt begins, that a command begins
//     or that it has ended: all rows above the cursor, and for the last two the
//     cursor's own;
//   - the screen is about to be erased as a whole, or taken by a full-screen
//     program: all rows. The log of such a program is one line, [FullScreenLine];
//   - [Grid.Close] is called: all rows.
//
// So a progress bar that is redrawn leaves only its last state, however it is
// drawn. A row that changes after it was logged is logged again; if it was only cut
// by a command's end, only the new rest of it. Rows that the terminal wrapped are
// one line. Blanks that were written at the end of a line are kept: the log of
// plain text is that text without its carriage returns. Rows that scroll within a
// region below the first row, or are deleted, are not logged, as no terminal keeps
// them.
//
// The text is a function of the bytes and of the times of writing: neither how they
// are split into writes nor when [Grid.Settle] and [Grid.Take] are called changes
// it.
//
// # Marks
//
// Shells mark prompts and commands by OSC 133 (FinalTerm) and OSC 633 (VS
// Code). Any program can print these, so a mark counts only if it carries the
// secret that the shell was started with ([Options.Nonce]); others have no
// effect. The folder (OSC 7) and the title (OSC 0 and 2) carry no secret: any
// program may have printed them.
//
// # The terminal
//
// The emulation follows xterm.js 6, which the tests compare it with, and keeps
// no colours. Characters have the widths of Unicode 15; combining characters,
// joiners and variation selectors belong to the cell before them. Saved cursors
// are positions on the screen, as in xterm.
//
// # Order
//
// [Grid.Write] passes bytes to parse.go, which splits them into text and
// sequences; control.go, mode.go, cursor.go, edit.go and resize.go execute the
// sequences, screen.go and row.go hold the text, mark.go reads the marks, and
// log.go decides when a row is final.
//
// # Why not a library
//
// A slow emulator throttles a program that prints. Of 40 cases charmbracelet/x/vt gets
// 32 right, at 1.7 MB of plain text a second, and vt10x 34 at 18 MB/s; this package 39
// at 268 MB/s.
package grid
