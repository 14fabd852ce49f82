package export_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestNoProgramInTheTabHoldsTheExports keeps what only a command line needs out of what every visitor loads.
func TestNoProgramInTheTabHoldsTheExports(t *testing.T) {
	for _, program := range []string{"retrylab/cmd/wasm/app", "retrylab/cmd/wasm/engine"} {
		list := exec.Command("go", "list", "-deps", program)
		list.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
		out, err := list.Output()
		if err != nil || !strings.Contains(string(out), "retrylab/lab/ask") {
			t.Fatalf("%s: %v", program, err)
		}
		for _, bad := range []string{"retrylab/quiz/export", "golang.org/x/net/html", "encoding/xml", "archive/zip", "encoding/csv"} {
			if strings.Contains(string(out), bad+"\n") {
				t.Errorf("%s holds %s", program, bad)
			}
		}
	}
}
