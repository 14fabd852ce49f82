// Package opfs keeps SQLite databases in the browser's Origin Private File System: an SQLite VFS over
// synchronous access handles, for a program compiled to js/wasm that runs in a dedicated worker.
//
// A file that is open has an exclusive handle, so that a database has one connection. There is no
// shared memory: write-ahead logging needs PRAGMA locking_mode=exclusive before journal_mode=wal.
// File names are flat (see [MaxName]); temporary files live in memory.
//
// https://fs.spec.whatwg.org/, https://sqlite.org/vfs.html
package opfs
