//go:build !js

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"retrylab/web/site"
)

var serveCommand = command{name: "serve", args: "[flags]", about: "serve a built site"}

func init() { serveCommand.run = serve }

func serve(args []string, std stdio) error {
	f := serveCommand.flags(std)
	dir := f.String("dir", "dist", "the folder to serve")
	addr := f.String("addr", "127.0.0.1:8000", "the address to listen on; port 0 takes a free one")
	base := f.String("base", "/", "the path to serve it under, such as /course/")
	if err := parse(f, args); err != nil {
		return err
	}
	if !strings.HasPrefix(*base, "/") || !strings.HasSuffix(*base, "/") {
		return fmt.Errorf("base %q: want a path that begins and ends with a slash, such as /course/", *base)
	}
	// A root keeps every path inside the folder, symbolic links included.
	root, err := os.OpenRoot(*dir)
	if err != nil {
		return fmt.Errorf("there is no site in %s: build it with make site: %w", *dir, err)
	}
	defer root.Close()
	if _, err := root.Stat("index.html"); err != nil {
		return fmt.Errorf("there is no site in %s: build it with make site: %w", *dir, err)
	}
	listener, err := net.Listen("tcp", *addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		_, port, _ := net.SplitHostPort(*addr)
		return fmt.Errorf("port %s is in use by another program; choose another one: make run PORT=8001", port)
	}
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Fprintf(std.out, "The course is at http://%s%s (end with Ctrl-C)\n", listener.Addr(), *base)
	return serveUntil(ctx, listener, site.Handler(root.FS(), *base))
}

// serveUntil serves until the context ends, then lets open requests finish for a moment.
func serveUntil(ctx context.Context, listener net.Listener, h http.Handler) error {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      2 * time.Minute, // a program over a slow line
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		return server.Close()
	}
	return nil
}
