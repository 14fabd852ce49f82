//go:build !js

package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"retrylab/web/site"
)

func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("home"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestServeSaysThatThePortIsBusy(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	var out, errs bytes.Buffer
	code := run([]string{"serve", "-dir", folder(t), "-addr", "127.0.0.1:" + port}, stdio{nil, &out, &errs})
	if code != 1 || !strings.Contains(errs.String(), "port "+port+" is in use by another program") {
		t.Errorf("exit %d, %s", code, errs.String())
	}
}

func TestServeSaysWhatIsMissing(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"serve", "-dir", filepath.Join(t.TempDir(), "no-such")}, 1, "make site"},
		{[]string{"serve", "-dir", t.TempDir()}, 1, "make site"},
		{[]string{"serve", "-base", "course"}, 1, "begins and ends with a slash"},
		{[]string{"serve", "-no-such-flag"}, 2, "flag provided but not defined"},
		{[]string{"serve", "-dir", folder(t), "-addr", "nonsense"}, 1, "nonsense"},
		{[]string{"no-such-command"}, 2, "there is no command"},
	} {
		var out, errs bytes.Buffer
		if code := run(c.args, stdio{nil, &out, &errs}); code != c.code || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%q: exit %d, want %d; %q does not say %q", c.args, code, c.code, errs.String(), c.want)
		}
	}
}

func TestServeEndsWhenItIsToldTo(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- serveUntil(ctx, l, site.Handler(os.DirFS(folder(t)), "/")) }()
	res, err := http.Get("http://" + l.Addr().String() + "/")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if string(body) != "home" {
		t.Errorf("got %q", body)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
	if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
		c.Close()
		t.Error("it still listens")
	}
}

func TestServeClosesARequestThatIsTooLong(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go serveUntil(ctx, l, site.Handler(os.DirFS(folder(t)), "/"))
	c, err := net.DialTimeout("tcp", l.Addr().String(), 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\nX: "+strings.Repeat("a", 100<<10)+"\r\n\r\n")
	line, _ := bufio.NewReader(c).ReadString('\n')
	if !strings.Contains(line, "431") {
		t.Errorf("got %q, want 431", line)
	}
}
