package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// pyodideFiles are what Python needs to start without any package; packed are those that a host may
// not compress and that gain from it (python_stdlib.zip is compressed itself).
var pyodideFiles = []struct {
	name   string
	packed bool
}{
	{"pyodide.js", false},
	{"pyodide.asm.mjs", true},
	{"pyodide.asm.wasm", true},
	{"python_stdlib.zip", false},
	{"pyodide-lock.json", true},
}

var versionForm = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`)

// copyPyodide writes the files to OUT/VERSION/. Packing takes seconds, so it does nothing for a file that
// is there already.
func copyPyodide(from, out string) error {
	data, err := os.ReadFile(filepath.Join(from, "package.json"))
	if err != nil {
		return err
	}
	var about struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(data, &about); err != nil {
		return fmt.Errorf("pyodide's package.json: %w", err)
	}
	if !versionForm.MatchString(about.Version) {
		return fmt.Errorf("pyodide's version is %q: want three numbers", about.Version)
	}
	if err := removeOthers(out, about.Version); err != nil {
		return err
	}
	dir := filepath.Join(out, about.Version)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	said := false
	for _, f := range pyodideFiles {
		data, err := os.ReadFile(filepath.Join(from, f.name))
		if err != nil {
			return err
		}
		to := filepath.Join(dir, f.name)
		old, err := os.ReadFile(to)
		same := err == nil && bytes.Equal(old, data)
		if !f.packed {
			if err := replace(to, data); err != nil {
				return err
			}
			continue
		}
		if _, err := os.Stat(to + ".gz"); err == nil && same {
			continue
		}
		if !said {
			fmt.Println("Packing Python for the site ...")
			said = true
		}
		packed, err := pack(data)
		if err != nil {
			return err
		}
		// The plain file is written last: it says that the packed one is of the same content.
		if err := errors.Join(replace(to+".gz", packed), replace(to, data)); err != nil {
			return err
		}
	}
	return nil
}

func removeOthers(out, version string) error {
	entries, err := os.ReadDir(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if e.Name() != version {
			if err := os.RemoveAll(filepath.Join(out, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func pack(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// replace writes a file as a whole or not at all: an interrupted build leaves no half a file.
func replace(name string, data []byte) error {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(name+".part", data, 0o644); err != nil {
		return err
	}
	return os.Rename(name+".part", name)
}
