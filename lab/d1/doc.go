// Package d1 opens Cloudflare's D1 databases, for a program compiled to js/wasm that runs as a Worker.
//
// What is different there, for a queue (package queue): there is no BEGIN, so that each transition is
// one statement. Each statement is a request of its own, durable when it is answered. When an answer is
// lost, the caller has an error and cannot know whether the statement was done; that is the case of a
// worker who dies, and the rules are made for it: enqueue the same id again, or let the lease end.
//
// Numbers pass as IEEE 754 doubles: whole ones are exact up to 2^53 - 1, and larger ones are refused.
// A bound whole number arrives as REAL; STRICT columns of type INTEGER make it whole again. A text or
// row has at most 2 MB, a statement 100 kB and 100 parameters, and only some functions and PRAGMAs are
// allowed (https://developers.cloudflare.com/d1/platform/limits/). A context that ends stops the next
// statement, not the running one.
package d1
