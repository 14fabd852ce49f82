package site

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write puts the files into a folder and takes out what an earlier build has left there. It refuses a
// folder with other things in it.
func (f Files) Write(dir string) error {
	old, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(old) > 0 {
		worker, err := os.ReadFile(filepath.Join(dir, "sw.js"))
		if err != nil || !bytes.Contains(worker, []byte("const build = ")) {
			return fmt.Errorf("%s has files in it that are no site of this course: choose an empty folder", dir)
		}
	}
	for name, data := range f {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
	}
	var folders []string
	err = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || file == dir {
			return err
		}
		if d.IsDir() {
			folders = append(folders, file)
			return nil
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		if _, ours := f[filepath.ToSlash(name)]; ours {
			return nil
		}
		return os.Remove(file)
	})
	for i := len(folders) - 1; i >= 0; i-- {
		os.Remove(folders[i]) // stays where something is in it
	}
	return err
}
