// Package arguments makes the arguments of a tool of a command line, and
// checks them against the tool's input schema.
//
// The schema is foreign: it may be missing, broken, endless or made to do
// harm. [Compile] therefore never fails. What cannot be read as a schema is not
// checked, and [Schema.Fault] says why; its names and types still serve as far
// as they can be made out. Nothing is ever fetched: a reference to another
// document is a fault. The work of compiling and of checking is limited, so that
// no schema makes a caller wait for long.
//
// The check errs on the side of the call: the server has the last word. Formats
// ("uri", "date-time") are not enforced, nor are patterns that Go cannot
// express. In one thing it is stricter than JSON Schema, which accepts every
// name that it does not know: a name that the schema does not list is an error
// unless the schema says that it takes others, since servers ignore such a name
// without a word, and it is nearly always a misspelt one.
//
// The format is JSON Schema (https://json-schema.org), drafts 4 to 2020-12 as
// "$schema" says, 2020-12 without it.
package arguments
