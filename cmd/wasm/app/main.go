// Command app is the program of the pages; static/app.js starts it in the tab.
package main

import "retrylab/web"

func main() { web.Start() }
