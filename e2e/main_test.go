package e2e

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// wanted says whether make test runs us. Then nothing is skipped: what is missing is a failure.
var wanted = os.Getenv("E2E") != ""

func TestMain(m *testing.M) {
	code := m.Run()
	if sharedStop != nil {
		sharedStop()
	}
	if hosts := foreign.list(); len(hosts) > 0 {
		fmt.Printf("FAIL: the browser asked other hosts: %s\n", strings.Join(hosts, ", "))
		code = 1
	}
	os.Exit(code)
}

// need skips a test that is not run by make test.
func need(t *testing.T) {
	t.Helper()
	if !wanted {
		t.Skip("browser tests need the built programs, Chromium and npm parts: run make test")
	}
}

var (
	sharedOnce sync.Once
	shared     context.Context
	sharedStop func()
)

// sharedBrowser is one browser for all tests that do not need their own; each tab in it has its own
// storage.
func sharedBrowser(t *testing.T) context.Context {
	t.Helper()
	sharedOnce.Do(func() {
		shared, sharedStop = startBrowser(t)
	})
	return shared
}

// startBrowser starts Chromium. Its network is this machine: whatever it asks of another host goes to
// a proxy that only writes the host down.
func startBrowser(t *testing.T, options ...chromedp.ExecAllocatorOption) (context.Context, func()) {
	t.Helper()
	all := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.WindowSize(1280, 900),
		chromedp.ProxyServer(foreign.start()),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-domain-reliability", true),
		chromedp.Flag("no-pings", true),
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,OptimizationHints,MediaRouter,DialMediaRouteProvider"),
	)
	if os.Geteuid() == 0 {
		all = append(all, chromedp.NoSandbox)
	}
	// V8 compiles the giant functions of a SQLite that was translated to Go anew as soon as they are used, for each tab:
	// ten seconds of both cores, beside two for all the rest. The first compiler's code does the same, and for tests as
	// fast. What is measured, and the long tests, have both. What no test runs need not be read through, either.
	if os.Getenv("BENCH") == "" && os.Getenv("SOAK") == "" {
		all = append(all, chromedp.Flag("js-flags", "--liftoff-only --wasm-lazy-validation"))
	}
	if path := os.Getenv("CHROMIUM"); path != "" {
		all = append(all, chromedp.ExecPath(path))
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), append(all, options...)...)
	ctx, stop := chromedp.NewContext(allocator)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("starting Chromium: %v", err)
	}
	return ctx, sync.OnceFunc(func() {
		chromedp.Cancel(ctx) // waits until the browser has ended
		stop()
		stopAllocator()
	})
}

// foreign is the proxy that notes hosts.
var foreign proxy

// ownHosts are what Chromium asks on its own account, whatever page it shows.
var ownHosts = strings.Fields(`accounts.google.com clients2.google.com update.googleapis.com redirector.gvt1.com
	optimizationguide-pa.googleapis.com android.clients.google.com content-autofill.googleapis.com mtalk.google.com
	safebrowsing.googleapis.com clientservices.googleapis.com edgedl.me.gvt1.com`)

type proxy struct {
	mu    sync.Mutex
	addr  string
	hosts map[string]bool
}

func (p *proxy) start() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.addr != "" {
		return p.addr
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	p.addr, p.hosts = listener.Addr().String(), map[string]bool{}
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := strings.Cut(r.Host, ":")
		if !slices.Contains(ownHosts, host) {
			p.mu.Lock()
			p.hosts[r.Host] = true
			p.mu.Unlock()
		}
		http.Error(w, "no other host is reached from here", http.StatusBadGateway)
	}))
	return p.addr
}

func (p *proxy) list() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var hosts []string
	for h := range p.hosts {
		hosts = append(hosts, h)
	}
	slices.Sort(hosts)
	return hosts
}
