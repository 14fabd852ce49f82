//go:build js

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/syumai/workers"

	"retrylab/lab/d1"
	"retrylab/lab/mutant"
	"retrylab/lab/scenario"
)

// What may be bound to the Worker.
const (
	// liveBinding is the D1 database with the course's data.
	liveBinding = "DB"
	// labBinding is a D1 database for scenarios. Playing one drops every table in it: it must not be
	// the live one. Without this binding the route that plays does not exist; a course has no use for it.
	labBinding = "LAB"
)

const (
	maxPlayed = 1 << 20         // bytes of a scenario file that is sent
	playTime  = 2 * time.Minute // of one request that plays
)

// The Worker has a new Go instance for each request: what a request leaves in memory is gone with it.
func main() { workers.Serve(workerHandler()) }

func workerHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/health", health)
	if d1.Bound(labBinding) {
		mux.HandleFunc("POST /api/play", playOnD1)
	}
	return answered(mux)
}

// answered answers also when a handler panics: the program would end, and the host would answer in its
// own words. An answer is complete before its first byte is sent, because a Worker's Write waits for its
// reader.
func answered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if reason := recover(); reason != nil {
				fmt.Println("panic:", reason) // to the Worker's log
				http.Error(w, "the server failed", http.StatusInternalServerError)
			}
		}()
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

// health says ok when the live database answers.
func health(w http.ResponseWriter, r *http.Request) {
	db, err := d1.Open(liveBinding)
	if err == nil {
		_, err = db.ExecContext(r.Context(), "SELECT 1")
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// playOnD1 plays the scenarios of the file in the request's body on the lab's database, one after the
// other, each on an empty one, and answers as "server scenario" prints. ?subject=NAME plays a mutant;
// ?database=kept plays on what the request before has left. One request at a time, unless it is kept.
//
// 200: all were played, whether they hold or not. 400: the file has a fault. 413: it is over 1 MiB.
func playOnD1(w http.ResponseWriter, r *http.Request) {
	home := d1.Home{Binding: labBinding}
	switch r.URL.Query().Get("database") {
	case "", "fresh":
	case "kept":
		home.Keep = true
	default:
		http.Error(w, "database: expected fresh or kept", http.StatusBadRequest)
		return
	}
	maker, ok := mutant.Subject(r.URL.Query().Get("subject"), home)
	if !ok {
		http.Error(w, "there is no subject of this name", http.StatusBadRequest)
		return
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPlayed))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		http.Error(w, fmt.Sprintf("the file is too large, expected at most %d bytes", maxPlayed), http.StatusRequestEntityTooLarge)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	scenarios, err := scenario.Parse("scenario.yaml", data)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !home.Keep {
		// The schema of a new database is more requests to D1 than most scenarios are.
		var end func() error
		maker, end = scenario.Reusing(maker)
		defer end()
	}
	ctx, cancel := context.WithTimeout(r.Context(), playTime)
	defer cancel()
	var out bytes.Buffer
	_, errs := playAll(ctx, scenarios, maker, &out)
	if err := errors.Join(errs...); err != nil {
		fmt.Fprintln(&out, err)
		status := http.StatusInternalServerError
		if len(scenario.Problems(err)) > 0 {
			status = http.StatusBadRequest
		}
		w.WriteHeader(status)
	}
	w.Write(out.Bytes())
}
