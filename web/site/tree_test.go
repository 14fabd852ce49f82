package site

import (
	"bytes"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
	"golang.org/x/net/html"
)

// sample is a component with everything that go-app's own encoder writes wrongly, and more.
type sample struct{ app.Compo }

func (*sample) Render() app.UI {
	return app.Div().Class("b").ID("a").Title(`say "x\n"`+"\u3000<&>").Body(
		app.P().Body(app.Text("wait "), app.Code().Text("a<b"), app.Text(", then go")),
		app.Button().Aria("expanded", true).Aria("pressed", "false").Disabled(true).Text("go"),
		app.Button().Disabled(false).Hidden(false).Text("on"),
		app.Input().Type("checkbox").Checked(true).ReadOnly(true).Value("v"),
		app.Textarea().Body(app.Text("x")),
		app.Textarea().Attr("value", "<typed>"),
		app.Select().Attr("value", "2").Body(app.Option().Value("1").Text("one"), app.Option().Value("2").Text("two")),
		app.If(true, func() app.UI { return &inner{Name: "nested"} }),
		app.Raw(`<svg viewBox="0 0 1 1" class="i"><path d="M0 0"/></svg>`),
		app.Elem("svg").XMLNS("http://www.w3.org/2000/svg").Body(app.ElemSelfClosing("circle").Attr("r", 3)),
		app.Range([]string{"x", "y"}).Slice(func(i int) app.UI { return app.Br() }),
	)
}

type inner struct {
	app.Compo
	Name string
	more string
}

func (c *inner) OnPreRender(ctx app.Context) { c.more = " and prepared" }
func (c *inner) Render() app.UI              { return app.Text(c.Name + c.more) }

func TestTree(t *testing.T) {
	n, err := render(&sample{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := html.Render(&b, n); err != nil {
		t.Fatal(err)
	}
	want := `<div class="b" id="a" title="say &#34;x\n&#34;` + "\u3000" + `&lt;&amp;&gt;">` +
		`<p>wait <code>a&lt;b</code>, then go</p>` +
		`<button aria-expanded="true" aria-pressed="false" disabled="">go</button>` +
		`<button>on</button>` +
		`<input checked="" readonly="" type="checkbox" value="v"/>` +
		`<textarea>x</textarea>` +
		`<textarea>&lt;typed&gt;</textarea>` +
		`<select><option value="1">one</option><option value="2" selected="">two</option></select>` +
		`nested and prepared` +
		`<svg class="i" viewBox="0 0 1 1"><path d="M0 0"></path></svg>` +
		`<svg><circle r="3"></circle></svg>` +
		`<br/><br/></div>`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
