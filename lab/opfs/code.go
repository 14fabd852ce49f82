package opfs

import (
	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// mapped gives a browser's exception SQLite's code: by the exception's name where SQLite has a code
// for it, otherwise the operation's own. The names are those of the File System Standard
// (https://fs.spec.whatwg.org/); the exception itself is what the
// connection's sqlite3.Error unwraps to.
func mapped(err error, exception string, otherwise sqlite3.ExtendedErrorCode) error {
	switch exception {
	case "QuotaExceededError":
		return vfs.SystemError(err, sqlite3.FULL)
	case "NoModificationAllowedError": // another access handle has the file
		return vfs.SystemError(err, sqlite3.BUSY)
	case "NotFoundError":
		if otherwise == sqlite3.IOERR_DELETE {
			return vfs.SystemError(err, sqlite3.IOERR_DELETE_NOENT)
		}
	case "TypeMismatchError": // a directory has that name
		if primary(otherwise) == sqlite3.CANTOPEN {
			return vfs.SystemError(err, sqlite3.CANTOPEN_ISDIR)
		}
	}
	return vfs.SystemError(err, otherwise)
}

func primary(code sqlite3.ExtendedErrorCode) sqlite3.ErrorCode { return sqlite3.ErrorCode(code) }
