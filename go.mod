module retrylab

go 1.26.0

require (
	github.com/andybalholm/brotli v1.3.0
	github.com/avast/retry-go/v5 v5.1.1
	github.com/cenkalti/backoff/v5 v5.0.3
	github.com/chromedp/cdproto v0.160.1
	github.com/chromedp/chromedp v0.23.1
	github.com/evanw/esbuild v0.28.2
	github.com/failsafe-go/failsafe-go v0.9.8
	github.com/maxence-charriere/go-app/v10 v10.1.11
	github.com/ncruces/go-sqlite3 v0.37.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.2
	github.com/syumai/workers v0.31.0
	go.yaml.in/yaml/v4 v4.0.0-rc.4
	golang.org/x/net v0.62.0
	maragu.dev/goqite v0.4.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/ncruces/go-sqlite3-wasm/v6 v6.5.35401 // indirect
	github.com/ncruces/julianday v1.0.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

tool github.com/syumai/workers/cmd/workers-assets-gen
