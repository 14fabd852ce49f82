package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

// TestThePagesProgramHoldsNoEngine keeps the arrows between the rooms: a page asks the engine, it does
// not carry SQLite or the queue itself.
func TestThePagesProgramHoldsNoEngine(t *testing.T) {
	need(t)
	t.Parallel()
	list := exec.Command("go", "list", "-deps", "./cmd/wasm/app")
	list.Dir = ".."
	list.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "retrylab/web\n") {
		t.Fatalf("the program of the pages does not use retrylab/web:\n%s", out)
	}
	for _, p := range regexp.MustCompile(`(?m)^.*(sqlite|database/sql|lab/queue|yaml).*$`).FindAllString(string(out), -1) {
		if p == "database/sql/driver" {
			continue // types for go-app's identifiers (google/uuid); no database
		}
		t.Errorf("the program of the pages depends on %s", p)
	}
}

// TestTheProgramsAreSmallEnough holds the bounds for what a student downloads, in bytes of brotli 11.
// That takes minutes, so only make bench measures it (BENCH=1); make test takes brotli 9, which is 12 to
// 15 % larger, and finds a program that is clearly too large.
func TestTheProgramsAreSmallEnough(t *testing.T) {
	need(t)
	t.Parallel()
	quality, allowance := 9, 1.18
	if os.Getenv("BENCH") != "" {
		quality, allowance = 11, 1
	}
	for name, bound := range map[string]float64{"app.wasm": 2e6, "engine.wasm": 3.6e6} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("..", "build", name))
			if err != nil {
				t.Fatal(err)
			}
			size := float64(brotliSize(t, data, quality))
			said := fmt.Sprintf("%s: %.2f MB, with brotli %d %.2f MB of at most %.2f", name, float64(len(data))/1e6, quality, size/1e6, bound*allowance/1e6)
			if t.Log(said); size > bound*allowance {
				t.Error(said)
			}
		})
	}
}

func brotliSize(t *testing.T, data []byte, quality int) int {
	t.Helper()
	var packed bytes.Buffer
	w := brotli.NewWriterOptions(&packed, brotli.WriterOptions{Quality: quality, LGWin: 24})
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Len()
}

// TestTwoFoldersBuildTheSameSite copies the sources to another folder, builds the site there with make,
// and wants every byte as it is here.
func TestTwoFoldersBuildTheSameSite(t *testing.T) {
	need(t)
	t.Parallel()
	here := buildSite(t, "")
	there := filepath.Join(t.TempDir(), "a copy elsewhere")
	err := filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel("..", path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch name {
			case ".git", "build", "dist", filepath.Join("e2e", "node_modules"):
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(there, name), 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(there, name), data, info.Mode())
	})
	if err != nil {
		t.Fatal(err)
	}
	build := exec.Command("make", "--no-print-directory", "site", "OUT=out")
	build.Dir = there
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("make site: %v\n%s", err, out)
	}
	got, err := readFiles(filepath.Join(there, "out"))
	if err != nil {
		t.Fatal(err)
	}
	var differ []string
	for name, data := range here {
		if other, ok := got[name]; !ok || !bytes.Equal(data, other) {
			differ = append(differ, name)
		}
	}
	for name := range got {
		if _, ok := here[name]; !ok {
			differ = append(differ, name)
		}
	}
	if slices.Sort(differ); len(differ) > 0 {
		t.Errorf("%d files differ between two folders, among them %q (are the programs in build/ of these sources?)", len(differ), differ[:min(5, len(differ))])
	}
}
