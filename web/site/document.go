package site

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"golang.org/x/net/html"

	"retrylab/web"
	"retrylab/web/text"
)

//go:embed document.html
var documentSource string

var documentTemplate = template.Must(template.New("document.html").Parse(documentSource))

// A document is what the template of a page is filled from.
type document struct {
	At           web.Place
	Lang         string
	Title        string
	Policy       string
	Body         template.HTML
	Sprite       template.HTML
	ProgramBytes int // of the packed program: where the progress bar ends
}

func (d document) Word(key string) string   { return d.At.Words().Get(key) }
func (d document) Asset(name string) string { return d.At.Asset(name) }

// page renders one page in one place.
func (b *build) page(p web.Page, at web.Place) ([]byte, error) {
	root, err := render(p.Root(at))
	if err != nil {
		return nil, fmt.Errorf("page %s in %s: %w", p.Path, at.Lang, err)
	}
	var body, out bytes.Buffer
	if err := html.Render(&body, root); err != nil {
		return nil, fmt.Errorf("page %s in %s: %w", p.Path, at.Lang, err)
	}
	err = documentTemplate.Execute(&out, document{
		At:           at,
		Lang:         text.Tag(at.Lang),
		Title:        p.FullTitle(at),
		Policy:       Policy(),
		Body:         template.HTML(body.String()),
		Sprite:       template.HTML(b.sprite),
		ProgramBytes: b.programBytes,
	})
	if err != nil {
		return nil, fmt.Errorf("page %s in %s: %w", p.Path, at.Lang, err)
	}
	return out.Bytes(), nil
}

// upwards is the relative address of the site's root as seen from a path that begins and ends in "/".
func upwards(path string) string {
	if up := strings.Repeat("../", strings.Count(path, "/")-1); up != "" {
		return up
	}
	return "./"
}
