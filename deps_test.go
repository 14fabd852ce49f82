package retrylab
import (
 _ "github.com/maxence-charriere/go-app/v10/pkg/app"
 _ "github.com/ncruces/go-sqlite3/driver"
 _ "github.com/ncruces/go-sqlite3/vfs/memdb"
 _ "github.com/chromedp/chromedp"
 _ "golang.org/x/net/html"
 _ "pgregory.net/rapid"
 _ "go.yaml.in/yaml/v4"
 _ "github.com/yuin/goldmark"
 _ "github.com/andybalholm/brotli"
)
