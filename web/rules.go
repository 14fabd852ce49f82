package web

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"retrylab/lab/retry"
	"retrylab/web/starter"
	"retrylab/web/text"
)

// rulesPage is what a student's program must do (SPEC.md sections 2 to 6, 9 and 10), for reading beside
// the lab. Names of the program are here; every word is in the catalogue, under rules.
type rulesPage struct {
	app.Compo
	At Place
}

// A chapter of the rules has its key as its anchor.
type chapter struct {
	key  string
	body func(text.Words) []app.UI
}

func chapters() []chapter {
	return []chapter{
		{"code", rulesCode}, {"delay", rulesDelay}, {"job", rulesJob}, {"ops", rulesOps},
		{"equal", rulesEqual}, {"kinds", rulesKinds}, {"lab", rulesLab}, {"checks", rulesChecks},
	}
}

// An operation is a method of Queue, in the order in which the page explains them.
type operation struct {
	name string // as the method is called in Python
	key  string // of the catalogue, and the anchor
	part int    // of the lab
}

var operations = []operation{
	{"enqueue", "enqueue", 2}, {"claim", "claim", 3}, {"complete", "complete", 3}, {"fail", "fail", 3}, {"extend", "extend", 3},
	{"run_once", "run_once", 2}, {"requeue", "requeue", 4}, {"job", "look", 2}, {"stats", "stats", 2},
}

func (p *rulesPage) Render() app.UI {
	words := p.At.Words()
	var article, toc []app.UI
	for n, c := range chapters() {
		no := whole(n + 1)
		title := words.Get("rules." + c.key + ".title")
		article = append(article, app.H2().ID(c.key).DataSet("no", no).Text(title))
		article = append(article, c.body(words)...)
		item := []app.UI{app.A().Href("#" + c.key).Text(title)}
		if c.key == "ops" {
			var inner []app.UI
			for _, o := range operations {
				inner = append(inner, app.Li().Body(app.A().Href("#"+o.key).Text(words.Get("rules."+o.key+".title"))))
			}
			item = append(item, app.Ul().Body(inner...))
		}
		toc = append(toc, app.Li().Body(item...))
	}
	return app.Div().Body(
		crumbs(p.At, []choice{{"/", words.Get("nav.course")}, {"/lab/", words.Get("lab.crumb")}}, words.Get("rules.title")),
		app.Div().Class("book lesson-top").Body(
			app.P().Class("plate hang").Body(app.B().Text("13"), app.Span().Text(words.Get("rules.plate"))),
			app.Div().Class("gap").Body(
				app.H1().Text(words.Get("rules.title")),
				app.P().Class("lead").Text(words.Get("rules.lead")),
				app.Nav().Class("toc").Aria("label", words.Get("rules.toc")).Body(app.Ol().Body(toc...)),
			),
		),
		app.Article().Class("book prose").Body(article...),
		app.Section().Class("teaser").Aria("labelledby", "ready").Body(
			app.Div().Class("gap-s").Body(app.H2().ID("ready").Text(words.Get("rules.end.title")), app.P().Class("small").Text(words.Get("rules.end.text"))),
			app.A().Class("btn btn-main").Href(p.At.Href("/lab/")).Body(app.Text(words.Get("rules.back")), icon("next")),
		),
	)
}

// rulesCode is what a student writes, and what he is given for it.
func rulesCode(words text.Words) []app.UI {
	row := func(part int, name, anchor, does string) []app.UI {
		return []app.UI{
			app.A().Href("#" + anchor).Body(app.Code().Text(name)), app.Code().Text(camel(name)),
			prosy(words.Get("rules.does." + does)), app.Text(words.Get("rules.part." + whole(part))),
		}
	}
	rows := [][]app.UI{row(1, "retry_delay", "delay", "retry_delay")}
	rows = append(rows, []app.UI{
		app.Code().Text("Queue(db)"), app.Code().Text("new Queue(db)"), prosy(words.Get("rules.does.new")), app.Text(words.Get("rules.part.2")),
	})
	byPart := slices.Clone(operations)
	slices.SortStableFunc(byPart, func(a, b operation) int { return cmp.Compare(a.part, b.part) })
	for _, o := range byPart {
		rows = append(rows, row(o.part, o.name, o.key, o.name))
	}
	body := paragraphs(words, "rules.code")
	body = append(body,
		rulesTable(words, "rules.code.table", []string{"function", "js", "does", "part"}, rows),
		para("", words.Get("rules.code.js")),
		app.H3().ID("given").Text(words.Get("rules.given.title")),
	)
	body = append(body, paragraphs(words, "rules.given")...)
	var given []app.UI
	for _, g := range rulesGiven {
		name := app.Dt().Body(app.Code().Text(g.python))
		if g.javaScript != g.python {
			name.Body(app.Code().Text(g.python), app.Code().Text(g.javaScript))
		}
		given = append(given, name, app.Dd().Body(inline(words.Get("rules.given."+g.key))...))
	}
	body = append(body, app.Dl().Class("given-names").Body(given...))
	for _, key := range []string{"time", "rejected"} {
		body = append(body, app.H3().ID(key).Text(words.Get("rules."+key+".title")))
		body = append(body, paragraphs(words, "rules."+key, "max", whole(int64(retry.Max)))...)
	}
	return body
}

// rulesGiven are the names that a student's program finds.
var rulesGiven = []struct{ key, python, javaScript string }{
	{"execute", "db.execute(sql, params=())", "db.execute(sql, params = [])"},
	{"retryable", "Retryable(message, retry_after_ms=None)", "new Retryable(message, retryAfterMs = null)"},
	{"permanent", "Permanent(message)", "new Permanent(message)"},
	{"conflict", "Conflict", "Conflict"},
	{"lease_lost", "LeaseLost", "LeaseLost"},
	{"clock", "ClockWentBack", "ClockWentBack"},
}

// A delayExample is worked out on the page, by lab/retry.
type delayExample struct {
	remark             string // key of what it shows
	attempt, base, cap int64
	jitter             float64
}

var delayExamples = []delayExample{
	{"free", 3, 100, 1000, 0.5},
	{"cap", 3, 100, 250, 0.5},
	{"round", 1, 325, 400, 0.48},
}

func rulesDelay(words text.Words) []app.UI {
	body := []app.UI{
		app.Raw("<pre class=\"formula\" tabindex=\"0\">window   = min(cap_ms, base_ms · 2<sup>attempt − 1</sup>)\ndelay_ms = floor(window · jitter)</pre>"),
		signatures(words, "retry_delay"),
		facts(words, "rules.delay"),
		rulesList(words, "rules.delay.how", app.Ul()),
	}
	for _, e := range delayExamples {
		window := retry.Window(e.attempt, e.base, e.cap)
		ms := retry.Jittered(window, e.jitter)
		free := retry.Window(e.attempt, e.base, retry.Max) // without the cap
		body = append(body,
			app.P().Class("ex-h").Body(app.B().Text(words.Get("rules.delay.example", "attempt", e.attempt, "base", e.base, "cap", e.cap, "jitter", short(e.jitter)))),
			app.Dl().Class("worked").Body(
				app.Div().Body(
					app.Dt().Text(words.Get("rules.delay.window")),
					app.Dd().Class("calc").Attr("translate", "no").Body(
						app.Text("min("+whole(e.cap)+", "+whole(e.base)+" · 2"), app.Sup().Text(whole(e.attempt-1)), app.Text(") = min("+whole(e.cap)+", "+whole(free)+")"),
					),
					app.Dd().Class("res").Text(words.Get("rules.delay.ms", "ms", window)),
				),
				app.Div().Body(
					app.Dt().Text(words.Get("rules.delay.delay")),
					app.Dd().Class("calc").Attr("translate", "no").Text("floor("+whole(window)+" · "+short(e.jitter)+")"),
					app.Dd().Class("res c-delay").Text(words.Get("rules.delay.ms", "ms", ms)),
				),
			),
			para("small", words.Get("rules.delay.example-"+e.remark, "ms", ms, "less", ms-1)),
		)
	}
	rows := [][]app.UI{}
	for _, name := range argNames {
		key := "rules.delay.whole"
		if name == "jitter" {
			key = "rules.delay.jitter"
		}
		rows = append(rows, []app.UI{app.Code().Text(name), prosy(words.Get(key))})
	}
	return append(body,
		rulesTable(words, "rules.delay.accepted", []string{"argument", "accepted"}, rows),
		para("", words.Get("rules.delay.rejects")),
		rulesList(words, "rules.delay.no", app.Ul()),
	)
}

var (
	jobFields    = strings.Fields("id payload state attempts max_attempts available_at deadline lease_until last_error dead_reason")
	statsFigures = strings.Fields("pending due leased expired done dead dead_exhausted dead_deadline dead_permanent retries oldest_due_ms oldest_open_ms")
)

func rulesJob(words text.Words) []app.UI {
	body := []app.UI{named(words, "rules.job", "field", jobFields)}
	body = append(body, paragraphs(words, "rules.job.more")...)
	return append(body, rulesList(words, "rules.job.law", app.Ul()))
}

// named is a table of names in both languages, and what each means.
func named(words text.Words, key, head string, names []string) app.UI {
	var rows [][]app.UI
	for _, name := range names {
		rows = append(rows, []app.UI{app.Code().Text(name), app.Code().Text(camel(name)), prosy(words.Get(key + "." + name))})
	}
	return rulesTable(words, key+".table", []string{head, "js", "meaning"}, rows)
}

func rulesOps(words text.Words) []app.UI {
	body := paragraphs(words, "rules.ops")
	for _, o := range operations {
		key := "rules." + o.key
		body = append(body, app.H3().ID(o.key).Text(words.Get(key+".title")), signatures(words, o.name))
		if words.Has(key + ".1") {
			body = append(body, rulesList(words, key, app.Ol()))
		}
		body = append(body, facts(words, key))
		if o.name == "stats" {
			body = append(body, named(words, key, "figure", statsFigures))
		}
		if words.Has(key + ".note") {
			body = append(body, para("", words.Get(key+".note")))
		}
	}
	return body
}

func rulesEqual(words text.Words) []app.UI {
	var rows [][]app.UI
	for _, e := range [][2]string{
		{"available_at = now", "due"}, {"lease_until = now", "expired"}, {"deadline = now", "budget"}, {"now + wait = deadline", "wait"},
		{"attempts = max_attempts", "exhausted"},
	} {
		rows = append(rows, []app.UI{app.Code().Text(e[0]), prosy(words.Get("rules.equal." + e[1]))})
	}
	rows = append(rows, []app.UI{prosy(words.Get("rules.equal.clock")), prosy(words.Get("rules.equal.readings"))})
	return []app.UI{rulesTable(words, "rules.equal.table", []string{"compared", "equal"}, rows)}
}

func rulesKinds(words text.Words) []app.UI {
	var rows [][]app.UI
	for _, kind := range []string{"retryable", "permanent", "unknown"} {
		key := "rules.kinds." + kind
		rows = append(rows, []app.UI{app.Text(words.Get(key)), prosy(words.Get(key + "-sign")), prosy(words.Get(key + "-then"))})
	}
	return append([]app.UI{rulesTable(words, "rules.kinds.table", []string{"kind", "sign", "then"}, rows)}, paragraphs(words, "rules.kinds")...)
}

func rulesLab(words text.Words) []app.UI {
	return []app.UI{rulesList(words, "rules.lab", app.Ul(), "s", int(programLimit/time.Second), "n", mostTimeOuts)}
}

// rulesScenario is the example of a check; rulesPolicy is what holds when a scenario gives no policy.
// The tests play the one and compare the other.
const rulesScenario = `name: a retry that is due
steps:
- {at: 0, enqueue: {id: cake-1, max_attempts: 3, deadline: 1000}, expect: {result: created}}
- {at: 0, run: {send: retryable, error: oven busy}, expect: {result: retry, available_at: 50}}
- {at: 49, run: {send: ok}, expect: {result: none}}
- {at: 50, run: {send: ok, takes: 30}, expect: {result: done, id: cake-1}}
- {job: cake-1, expect: {state: done, attempts: 2, last_error: oven busy}}
`

var rulesPolicy = struct {
	base, cap, lease int64
	jitter           float64
}{100, 1000, 30_000, 0.5}

// rulesSteps are the steps of a scenario: how each is written, and the results that it may have; ""
// has words of its own in the catalogue.
var rulesSteps = []struct{ name, arguments, results string }{
	{"enqueue", "{id, payload, max_attempts, deadline, available_at}", "created existing conflict rejected"},
	{"run", "{send, takes, error, retry_after_ms, wrapped, during}", "none done retry dead unknown crashed clock_backwards lease_lost"},
	{"claim", "WORKER", "claimed none"},
	{"complete", "WORKER", "done lease_lost"},
	{"fail", "{worker, send, error, retry_after_ms}", "retry dead lease_lost"},
	{"extend", "WORKER", "extended lease_lost"},
	{"requeue", "{id, max_attempts, deadline}", "requeued rejected"},
	{"restart", "true", ""},
	{"job", "ID", ""},
	{"stats", "true", ""},
	{"delay", "{attempt, base_ms, cap_ms, jitter}", "ok rejected"},
	{"purge", "{before}", ""},
}

func rulesChecks(words text.Words) []app.UI {
	var lines []app.UI
	for line := range strings.Lines(rulesScenario) {
		key, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		if strings.HasPrefix(key, "-") {
			key, rest = "- ", strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "- ")
		} else {
			rest = ":" + rest
		}
		lines = append(lines, app.Li().Body(app.Span().Class("d").Text(key), app.Text(rest)))
	}
	var rows [][]app.UI
	for _, s := range rulesSteps {
		gives := prosy(words.Get("rules.checks." + s.name + ".gives"))
		if s.results != "" {
			gives = prosy("`" + strings.Join(strings.Fields(s.results), "`, `") + "`")
		}
		rows = append(rows, []app.UI{prosy("`" + s.name + ": " + s.arguments + "`"), prosy(words.Get("rules.checks." + s.name)), gives})
	}
	p := rulesPolicy
	body := paragraphs(words, "rules.checks", "base", p.base, "cap", p.cap, "jitter", short(p.jitter), "lease", p.lease)
	example := app.Div().Class("code wide").TabIndex(0).Role("region").Aria("label", words.Get("rules.checks.example")).Body(app.Ol().Body(lines...))
	table := app.Div().Class("wide").Body(rulesTable(words, "rules.checks.table", []string{"step", "calls", "gives"}, rows))
	return append([]app.UI{body[0], example}, append(body[1:], table)...)
}

// signatures shows how a function is called in both languages, as the program to begin with has it.
func signatures(words text.Words, name string) app.UI {
	var both []app.UI
	for _, language := range programLanguages {
		both = append(both, app.Div().Body(
			app.P().Class("label-plain").Text(words.Get("rules."+language)),
			app.Pre().Class("code code-plain").TabIndex(0).Text(signature(language, name)),
		))
	}
	return app.Div().Class("sig").Body(both...)
}

// signature is the head of a function in a language, with the line breaks that it has in the program
// to begin with; "" when it is not there.
func signature(language, name string) string {
	before, end := "def ", "):"
	if language == "javascript" {
		before, end, name = "", ") {", camel(name)
	}
	program := "\n" + starter.Program(language)
	for _, start := range []string{"\n" + before, "\nfunction ", "\n    " + before, "\n  " + before} {
		if _, rest, ok := strings.Cut(program, start+name+"("); ok {
			arguments, _, _ := strings.Cut(rest, end)
			indent := "\n" + strings.TrimPrefix(start[:len(start)-len(strings.TrimLeft(start, "\n "))], "\n")
			head := strings.TrimLeft(start, "\n ") + name + "(" + strings.ReplaceAll(arguments, indent, "\n") + ")"
			return head
		}
	}
	return ""
}

// camel is a name as JavaScript has it: max_attempts is maxAttempts.
func camel(name string) string {
	first, rest, more := strings.Cut(name, "_")
	for more {
		var piece string
		piece, rest, more = strings.Cut(rest, "_")
		first += strings.ToUpper(piece[:1]) + piece[1:]
	}
	return first
}

// facts are what a function returns and raises.
func facts(words text.Words, key string) app.UI {
	return app.Dl().Class("facts").Body(
		app.Dt().Text(words.Get("rules.returns")), app.Dd().Body(inline(words.Get(key+".returns"))...),
		app.Dt().Text(words.Get("rules.raises")), app.Dd().Body(inline(words.Get(key+".raises"))...),
	)
}

// numbered are the texts key.1, key.2 and so on, as far as they go.
func numbered(words text.Words, key string, pairs ...any) (texts []string) {
	for n := 1; words.Has(key + "." + whole(n)); n++ {
		texts = append(texts, words.Get(key+"."+whole(n), pairs...))
	}
	return texts
}

func paragraphs(words text.Words, key string, pairs ...any) (all []app.UI) {
	for _, s := range numbered(words, key, pairs...) {
		all = append(all, para("", s))
	}
	return all
}

// rulesList fills a list, ordered or not, with the numbered texts of a key.
func rulesList[L interface{ Body(...app.UI) L }](words text.Words, key string, list L, pairs ...any) L {
	var items []app.UI
	for _, s := range numbered(words, key, pairs...) {
		items = append(items, app.Li().Body(inline(s)...))
	}
	return list.Body(items...)
}

// prosy is a text for the cell of a table that may be long.
func prosy(text string) app.HTMLSpan { return app.Span().Body(inline(text)...) }

// rulesTable is a table that scrolls by itself where it is too wide. The first cell of a row is its
// head. Cells that are [prosy] break into lines, the others do not.
func rulesTable(words text.Words, label string, heads []string, rows [][]app.UI) app.UI {
	class := func(c app.UI) string {
		if _, ok := c.(app.HTMLSpan); ok {
			return "wrapped"
		}
		return ""
	}
	var head, body []app.UI
	for _, h := range heads {
		head = append(head, app.Th().Scope("col").Text(words.Get("rules.head."+h)))
	}
	for _, row := range rows {
		cells := []app.UI{app.Th().Class(class(row[0])).Scope("row").Body(row[0])}
		for _, c := range row[1:] {
			cells = append(cells, app.Td().Class(class(c)).Body(c))
		}
		body = append(body, app.Tr().Body(cells...))
	}
	return app.Div().Class("scroll").TabIndex(0).Role("region").Aria("label", words.Get(label)).Body(
		app.Table().Class("tbl").Body(app.THead().Body(app.Tr().Body(head...)), app.TBody().Body(body...)),
	)
}
