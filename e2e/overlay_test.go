package e2e

import (
	"io/fs"
	"testing/fstest"
)

// An overlay is a folder of files with something added to one of them.
type overlay struct {
	fs.FS
	name, more string
}

func (o overlay) Open(name string) (fs.File, error) {
	if name != o.name {
		return o.FS.Open(name)
	}
	data, err := fs.ReadFile(o.FS, name)
	if err != nil {
		return nil, err
	}
	return fstest.MapFS{name: {Data: append(data, o.more...)}}.Open(name)
}
