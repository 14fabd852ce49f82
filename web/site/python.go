package site

import (
	"fmt"
	"io/fs"
	"strings"
)

// pythonFolder holds Python, in a folder named for its version. Its content never changes, so it does not lie
// in the folder of assets: with a new version of the site nobody fetches Python again.
const pythonFolder = "py/"

// pythonFiles is what a page must know to fetch Python: v/HASH/python.json.
type pythonFiles struct {
	Folder string       `json:"folder"` // from the site's root: py/VERSION/
	Files  []pythonFile `json:"files"`  // in the order of their names
}

type pythonFile struct {
	Name  string `json:"name"`  // as Pyodide knows it
	File  string `json:"file"`  // in the folder; with .gz when it is packed
	Bytes int    `json:"bytes"` // of that file: where a progress bar ends
}

// python lists what cmd/bundle has put into pyodide/VERSION/. A file that has a packed one beside it is
// published as that.
func (b *build) python() (pythonFiles, error) {
	names, err := fs.Glob(b.Programs, "pyodide/*/*")
	if err != nil {
		return pythonFiles{}, err
	}
	var p pythonFiles
	for _, name := range names {
		parts := strings.Split(name, "/")
		folder, file := pythonFolder+parts[1]+"/", parts[2]
		if p.Folder == "" {
			p.Folder = folder
		}
		if folder != p.Folder {
			return p, fmt.Errorf("two versions of Python are built: %s and %s", p.Folder, folder)
		}
		if strings.HasSuffix(file, ".gz") || strings.HasSuffix(file, ".part") {
			continue
		}
		one := pythonFile{Name: file, File: file}
		if _, err := fs.Stat(b.Programs, name+".gz"); err == nil {
			one.File += ".gz"
		}
		info, err := fs.Stat(b.Programs, name[:len(name)-len(file)]+one.File)
		if err != nil {
			return p, err
		}
		one.Bytes = int(info.Size())
		p.Files = append(p.Files, one)
	}
	if len(p.Files) == 0 {
		return p, fmt.Errorf("the programs are not built: there is no Python: %w", fs.ErrNotExist)
	}
	return p, nil
}

func (b *build) addPython() error {
	p, err := b.python()
	if err != nil {
		return err
	}
	from := "pyodide/" + strings.TrimPrefix(p.Folder, pythonFolder)
	for _, f := range p.Files {
		if b.files[p.Folder+f.File], err = fs.ReadFile(b.Programs, from+f.File); err != nil {
			return err
		}
		if f.File == f.Name {
			continue
		}
		if b.programs[p.Folder+f.Name], err = fs.ReadFile(b.Programs, from+f.Name); err != nil {
			return err
		}
	}
	return nil
}
