package export

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"retrylab/quiz"
)

// QTI writes a content package of IMS Question and Test Interoperability 2.1: a zip file with an item for
// each question, a test for each quiz, and a manifest.
func QTI(language string, sets ...Set) ([]byte, []Note, error) {
	var out bytes.Buffer
	var notes []Note
	files := zip.NewWriter(&out)
	write := func(name, text string) error {
		f, err := files.Create(name)
		if err == nil {
			_, err = f.Write([]byte("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + text))
		}
		return err
	}
	var resources strings.Builder
	for _, set := range sets {
		var refs, needs strings.Builder
		for _, it := range set.Items {
			item := qtiItem{Item: it, language: language, note: func(what string) { notes = append(notes, Note{Where: it.ID, What: what}) }}
			href := "items/" + it.ID + ".xml"
			if err := write(href, item.xml()); err != nil {
				return nil, notes, err
			}
			fmt.Fprintf(&refs, "<assessmentItemRef identifier=\"i-%s\" href=\"%s\"/>\n", it.ID, href)
			fmt.Fprintf(&needs, "<dependency identifierref=\"r-%s\"/>\n", it.ID)
			fmt.Fprintf(&resources, "<resource identifier=\"r-%s\" type=\"imsqti_item_xmlv2p1\" href=\"%s\"><file href=\"%s\"/></resource>\n", it.ID, href, href)
		}
		test := "test-" + set.Name + ".xml"
		err := write(test, `<assessmentTest xmlns="`+qtiSpace+`" identifier="t-`+set.Name+`" title="`+escape(oneLine(set.Title))+`">
<testPart identifier="part" navigationMode="nonlinear" submissionMode="individual">
<assessmentSection identifier="section" title="`+escape(oneLine(set.Title))+`" visible="true">
`+refs.String()+`</assessmentSection>
</testPart>
</assessmentTest>
`)
		if err != nil {
			return nil, notes, err
		}
		fmt.Fprintf(&resources, "<resource identifier=\"rt-%s\" type=\"imsqti_test_xmlv2p1\" href=\"%s\"><file href=\"%s\"/>\n%s</resource>\n", set.Name, test, test, needs.String())
	}
	err := write("imsmanifest.xml", `<manifest xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" identifier="manifest">
<metadata><schema>QTIv2.1 Package</schema><schemaversion>1.0.0</schemaversion></metadata>
<organizations/>
<resources>
`+resources.String()+`</resources>
</manifest>
`)
	if err == nil {
		err = files.Close()
	}
	return out.Bytes(), notes, err
}

const qtiSpace = "http://www.imsglobal.org/xsd/imsqti_v2p1"

// A qtiItem writes one item. The schema wants its parts in this order: declarations, the body, the
// response processing, feedback.
type qtiItem struct {
	Item
	language string
	note     func(string)

	declared, body, processing, feedback strings.Builder
}

func (q *qtiItem) xml() string {
	if len(q.Hints) > 0 {
		q.note("its hints: QTI 2.1 has none that open one by one")
	}
	body := htmlOf(q.Ask)
	switch q.Kind {
	case quiz.Number:
		q.number()
	case quiz.Order:
		q.order()
	case quiz.Match:
		q.match()
	default:
		q.choice()
	}
	q.outcome("SCORE", "single", "float", `<defaultValue><value>0</value></defaultValue>`)
	if q.Work != "" {
		q.outcome("WORK", "single", "identifier", "")
		q.processing.WriteString(set("WORK", identifier("work")))
		q.modal("WORK", "work", q.Work)
	}
	return `<assessmentItem xmlns="` + qtiSpace + `" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="` + qtiSpace +
		` http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd" identifier="i-` + q.ID + `" title="` + q.ID +
		`" adaptive="false" timeDependent="false" xml:lang="` + escape(q.language) + `">` + "\n" + q.declared.String() +
		"<itemBody>\n" + body + "\n" + q.body.String() + "</itemBody>\n<responseProcessing>\n" + q.processing.String() + "</responseProcessing>\n" +
		q.feedback.String() + "</assessmentItem>\n"
}

// response declares the answer: its right values, and the worth of single ones.
func (q *qtiItem) response(cardinality, base string, right []string, mapped map[string]float64, order []string) {
	q.declared.WriteString(`<responseDeclaration identifier="RESPONSE" cardinality="` + cardinality + `" baseType="` + base + `"><correctResponse>`)
	for _, value := range right {
		q.declared.WriteString("<value>" + value + "</value>")
	}
	q.declared.WriteString("</correctResponse>")
	if mapped != nil {
		q.declared.WriteString(`<mapping lowerBound="0" upperBound="1" defaultValue="0">`)
		for _, key := range order {
			q.declared.WriteString(`<mapEntry mapKey="` + key + `" mappedValue="` + strconv.FormatFloat(mapped[key], 'f', -1, 64) + `"/>`)
		}
		q.declared.WriteString("</mapping>")
	}
	q.declared.WriteString("</responseDeclaration>\n")
}

func (q *qtiItem) outcome(name, cardinality, base, value string) {
	if name == "SCORE" {
		base += `" normalMaximum="1`
	}
	q.declared.WriteString(`<outcomeDeclaration identifier="` + name + `" cardinality="` + cardinality + `" baseType="` + base + `">` + value + "</outcomeDeclaration>\n")
}

func (q *qtiItem) modal(outcome, id, text string) {
	q.feedback.WriteString(`<modalFeedback outcomeIdentifier="` + outcome + `" showHide="show" identifier="` + id + `">` + htmlText(text) + "</modalFeedback>\n")
}

func set(outcome, value string) string {
	return `<setOutcomeValue identifier="` + outcome + `">` + value + "</setOutcomeValue>\n"
}

func identifier(id string) string { return `<baseValue baseType="identifier">` + id + `</baseValue>` }

const (
	theResponse = `<variable identifier="RESPONSE"/>`
	theKey      = `<correct identifier="RESPONSE"/>`
	onePoint    = `<baseValue baseType="float">1</baseValue>`
	allOrNone   = "<responseCondition><responseIf><match>" + theResponse + theKey + "</match>\n"
)

func (q *qtiItem) number() {
	q.response("single", "float", []string{q.Key}, nil, nil)
	equal := func(other string, within *big.Rat, edge bool) string {
		if within == nil || within.Sign() == 0 {
			return `<equal toleranceMode="exact">` + theResponse + other + "</equal>"
		}
		t, bound := decimal(within), strconv.FormatBool(edge)
		return `<equal toleranceMode="absolute" tolerance="` + t + " " + t + `" includeLowerBound="` + bound + `" includeUpperBound="` + bound + `">` + theResponse + other + "</equal>"
	}
	q.body.WriteString(`<p><textEntryInteraction responseIdentifier="RESPONSE" expectedLength="12"/></p>` + "\n")
	q.processing.WriteString("<responseCondition><responseIf>" + equal(theKey, q.Within, q.Edge) + "\n" + set("SCORE", onePoint) + "</responseIf>\n")
	told := false
	for i, w := range q.Wrong {
		if w.Why == "" {
			continue
		}
		id := "w" + strconv.Itoa(i+1)
		told = true
		q.processing.WriteString("<responseElseIf>" + equal(`<baseValue baseType="float">`+w.Value+`</baseValue>`, nil, false) + "\n" + set("FEEDBACK", identifier(id)) + "</responseElseIf>\n")
		q.modal("FEEDBACK", id, w.Why)
	}
	q.processing.WriteString("</responseCondition>\n")
	if told {
		q.outcome("FEEDBACK", "single", "identifier", "")
	}
}

func (q *qtiItem) choice() {
	several := q.Kind == quiz.Choices
	cardinality, most := "single", "1"
	if several {
		cardinality, most = "multiple", "0"
	}
	var right, ids []string
	worth := map[string]float64{}
	told := false
	q.body.WriteString(`<choiceInteraction responseIdentifier="RESPONSE" shuffle="true" maxChoices="` + most + `">` + "\n")
	for i, o := range q.Options {
		id := "c" + strconv.Itoa(i+1)
		ids = append(ids, id)
		worth[id] = -1 / float64(q.rights())
		if o.Right {
			right = append(right, id)
			worth[id] = -worth[id]
		}
		q.body.WriteString(`<simpleChoice identifier="` + id + `">` + htmlText(o.Text) + "</simpleChoice>\n")
		if o.Why != "" {
			told = true
			q.modal("FEEDBACK", id, o.Why)
		}
	}
	q.body.WriteString("</choiceInteraction>\n")
	if several {
		q.response(cardinality, "identifier", right, worth, ids)
		q.processing.WriteString(set("SCORE", `<mapResponse identifier="RESPONSE"/>`))
	} else {
		q.response(cardinality, "identifier", right, nil, nil)
		q.processing.WriteString(allOrNone + set("SCORE", onePoint) + "</responseIf></responseCondition>\n")
	}
	if told {
		q.outcome("FEEDBACK", cardinality, "identifier", "")
		q.processing.WriteString(set("FEEDBACK", theResponse))
	}
}

func (q *qtiItem) order() {
	q.note("a part of the mark: an order is right or wrong here")
	var right []string
	for i, o := range q.Options {
		right = append(right, "c"+strconv.Itoa(i+1))
		if o.Why != "" {
			q.note("what is said to the item " + strconv.Itoa(i+1))
		}
	}
	q.response("ordered", "identifier", right, nil, nil)
	q.body.WriteString(`<orderInteraction responseIdentifier="RESPONSE" shuffle="false">` + "\n")
	for _, at := range q.shown {
		q.body.WriteString(`<simpleChoice identifier="` + right[at] + `">` + htmlText(q.Options[at].Text) + "</simpleChoice>\n")
	}
	q.body.WriteString("</orderInteraction>\n")
	q.processing.WriteString(allOrNone + set("SCORE", onePoint) + "</responseIf></responseCondition>\n")
}

func (q *qtiItem) match() {
	var right []string
	worth := map[string]float64{}
	set0, set1 := "", ""
	for i, row := range q.Rows {
		id := "r" + strconv.Itoa(i+1)
		pair := id + " c" + strconv.Itoa(row.With+1)
		right = append(right, pair)
		worth[pair] = 1 / float64(len(q.Rows))
		set0 += `<simpleAssociableChoice identifier="` + id + `" matchMax="1">` + inline(row.Text) + "</simpleAssociableChoice>\n"
		if row.Why != "" {
			q.note("what is said to the row " + strconv.Itoa(i+1))
		}
	}
	for i, o := range q.Options {
		set1 += `<simpleAssociableChoice identifier="c` + strconv.Itoa(i+1) + `" matchMax="0">` + inline(o.Text) + "</simpleAssociableChoice>\n"
	}
	q.response("multiple", "directedPair", right, worth, right)
	q.body.WriteString(`<matchInteraction responseIdentifier="RESPONSE" shuffle="true" maxAssociations="` + strconv.Itoa(len(q.Rows)) + `">` +
		"\n<simpleMatchSet>\n" + set0 + "</simpleMatchSet>\n<simpleMatchSet>\n" + set1 + "</simpleMatchSet>\n</matchInteraction>\n")
	q.processing.WriteString(set("SCORE", `<mapResponse identifier="RESPONSE"/>`))
}
