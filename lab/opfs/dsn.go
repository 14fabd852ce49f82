package opfs

// DSN is the data source name that opens a database on the VFS registered as vfs: write-ahead log
// without shared memory, and every commit flushed before it is reported. Its one connection is the
// only one there can be: say db.SetMaxOpenConns(1).
func DSN(vfs, database string) string {
	return "file:" + database + "?vfs=" + vfs +
		"&_pragma=busy_timeout(0)" + // nobody to wait for
		"&_pragma=locking_mode(exclusive)" + // before journal_mode: it does without shared memory
		"&_pragma=journal_mode(wal)" +
		"&_pragma=synchronous(full)" +
		"&_pragma=foreign_keys(on)" +
		"&_pragma=temp_store(memory)" +
		"&_txlock=immediate"
}
