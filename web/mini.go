package web

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// minis are the small drawings of the course map, one a lesson. They show the lesson's idea and are
// hidden from screen readers, which have its text.
var minis = [12]string{
	`<path class="ln-cap" d="M0 30H120"></path><rect class="fl-soft" x="1" y="46" width="6" height="8"></rect><rect class="fl-soft" x="11" y="44" width="6" height="10"></rect><rect class="fl-soft" x="21" y="45" width="6" height="9"></rect><rect class="fl" x="31" y="10" width="6" height="44"></rect><rect class="fl" x="41" y="14" width="6" height="40"></rect><rect class="fl" x="51" y="6" width="6" height="48"></rect><rect class="fl" x="61" y="8" width="6" height="46"></rect><rect class="fl" x="71" y="4" width="6" height="50"></rect><rect class="fl" x="81" y="7" width="6" height="47"></rect><rect class="fl" x="91" y="5" width="6" height="49"></rect><rect class="fl" x="101" y="6" width="6" height="48"></rect><rect class="fl" x="111" y="4" width="6" height="50"></rect>`,
	`<path class="ln-cap" d="M0 12H120"></path><path class="ax" d="M0 54H120"></path><path class="ln ln-thin" d="M0 54A4 6 0 0 1 8 54M8 54A8 12 0 0 1 24 54M24 54A14 25 0 0 1 52 54M52 54C52 34 58 14 72 12M72 12C86 14 92 34 92 54M92 54C92 34 98 14 112 12"></path>`,
	`<rect class="fl" x="1" y="20" width="14" height="14" rx="1"></rect><rect class="ln ln-thin" x="1" y="20" width="14" height="14" rx="1"></rect><rect class="fl" x="21" y="20" width="14" height="14" rx="1"></rect><rect class="ln ln-thin" x="21" y="20" width="14" height="14" rx="1"></rect><rect class="fl" x="41" y="20" width="14" height="14" rx="1"></rect><rect class="ln ln-thin" x="41" y="20" width="14" height="14" rx="1"></rect><rect class="fl-sheet" x="61" y="20" width="14" height="14" rx="1"></rect><rect class="ln ln-thin" x="61" y="20" width="14" height="14" rx="1"></rect><rect class="fl-sheet" x="81" y="20" width="14" height="14" rx="1"></rect><rect class="ln ln-thin" x="81" y="20" width="14" height="14" rx="1"></rect><path class="ln-cap" d="M112 8V46"></path><path class="ax" d="M0 54H120"></path>`,
	`<path class="ax" d="M0 20H120M0 46H120"></path><rect class="fl" x="0" y="14" width="12" height="12"></rect><rect class="fl" x="70" y="14" width="12" height="12"></rect><path class="ln ln-thin ln-dash" d="M12 20A29 18 0 0 1 70 20"></path><rect class="fl-soft" x="16" y="40" width="10" height="12"></rect><rect class="fl-soft" x="32" y="40" width="14" height="12"></rect><rect class="fl-soft" x="52" y="40" width="10" height="12"></rect><rect class="fl-soft" x="92" y="40" width="12" height="12"></rect>`,
	`<g class="is-leased"><rect class="box-c" x="1" y="12" width="70" height="14" rx="1"></rect><rect class="fl-c" x="1" y="12" width="26" height="14"></rect></g><path class="ln-cap" d="M30 14l10 10M40 14l-10 10"></path><g class="is-leased"><rect class="box-c" x="71" y="36" width="48" height="14" rx="1"></rect><rect class="fl-c" x="71" y="36" width="30" height="14"></rect></g><path class="ax" d="M71 6V54"></path>`,
	`<path class="ln ln-thin" d="M4 28H44M44 28C60 28 60 10 78 10H92M44 28H92M44 28C60 28 60 46 78 46H92"></path><circle class="fl" cx="5" cy="28" r="4"></circle><g class="is-pending"><circle class="ln ln-thin" cx="102" cy="10" r="6"></circle></g><path class="ln ln-thin" d="M97 23l10 10M107 23l-10 10"></path><circle class="fl-soft" cx="102" cy="46" r="6"></circle>`,
	`<path class="ln ln-thin" d="M4 14H64L96 28M4 42H64L96 28"></path><rect class="fl" x="20" y="8" width="20" height="12" rx="1"></rect><rect class="fl-sheet" x="20" y="36" width="20" height="12" rx="1"></rect><rect class="ln ln-thin" x="20" y="36" width="20" height="12" rx="1"></rect><circle class="fl" cx="102" cy="28" r="7"></circle>`,
	"", // drawn by layersMini
	`<path class="ln ln-thin" d="M2 40H44M76 40H118"></path><path class="ln ln-thin" d="M44 40L72 20"></path><circle class="fl" cx="44" cy="40" r="4"></circle><circle class="fl-sheet" cx="76" cy="40" r="4"></circle><circle class="ln ln-thin" cx="76" cy="40" r="4"></circle><path class="ln-cap" d="M6 10V22M14 10V22M22 10V22"></path>`,
	`<path class="ax" d="M0 54H120"></path><path class="ln ln-thin" d="M2 50L56 22"></path><path class="ln-cap" d="M56 22V40"></path><path class="ln ln-thin" d="M56 40L116 10"></path><path class="ln-cap" d="M51 35l5 6 5-6"></path>`,
	`<path class="ax" d="M0 54H120"></path><path class="ln ln-thin" d="M2 14L16 10 30 18 44 16 58 28 72 36 86 40 100 46 118 48"></path><path class="ln-cap" d="M2 50L16 50 30 48 44 46 58 36 72 28 86 22 100 14 118 10"></path>`,
	`<path class="ax" d="M4 4c-3 0-3 3-3 5s0 5 3 5"></path><rect class="fl" x="12" y="4" width="2.5" height="10"></rect><path class="ax" d="M15 9h4"></path><rect class="fl" x="20" y="4" width="2.5" height="10"></rect><path class="ax" d="M23 9h12"></path><rect class="fl" x="36" y="4" width="2.5" height="10"></rect><path class="ax" d="M39 9h28"></path><rect class="fl" x="68" y="4" width="2.5" height="10"></rect><path class="ax" d="M71 9h36"></path><rect class="fl" x="108" y="4" width="2.5" height="10"></rect><path class="ax" d="M4 22c-3 0-3 3-3 5s0 5 3 5"></path><rect class="fl" x="12" y="22" width="2.5" height="10"></rect><path class="ax" d="M15 27h8"></path><rect class="fl" x="24" y="22" width="2.5" height="10"></rect><path class="ax" d="M27 27h8"></path><rect class="fl" x="36" y="22" width="2.5" height="10"></rect><path class="ax" d="M39 27h8"></path><rect class="fl" x="48" y="22" width="2.5" height="10"></rect><path class="ax" d="M51 27h8"></path><rect class="fl" x="60" y="22" width="2.5" height="10"></rect><path class="ax" d="M63 27h8"></path><rect class="fl" x="72" y="22" width="2.5" height="10"></rect><path class="ax" d="M4 40c-3 0-3 3-3 5s0 5 3 5"></path><rect class="fl" x="12" y="40" width="2.5" height="10"></rect><path class="ax" d="M15 45h2"></path><rect class="fl" x="18" y="40" width="2.5" height="10"></rect><path class="ax" d="M21 45h14"></path><rect class="fl" x="36" y="40" width="2.5" height="10"></rect><path class="ax" d="M39 45h26"></path><rect class="fl" x="66" y="40" width="2.5" height="10"></rect><path class="ax" d="M69 45h36"></path><rect class="fl" x="106" y="40" width="2.5" height="10"></rect>`,
}

// mini is the drawing of a lesson, 1 to 12.
func mini(lesson int) app.UI {
	drawing := minis[lesson-1]
	if lesson == 8 {
		drawing = layersMini()
	}
	return app.Raw(`<svg class="mini" viewBox="0 0 120 56" aria-hidden="true">` + drawing + `</svg>`)
}

// layersMini is one order above three layers of three tries each: 1, 3, 9 and 27 calls.
func layersMini() string {
	var b strings.Builder
	calls := 1
	for layer := range 4 {
		class, room := "fl", 108.0/float64(calls)
		if layer == 3 {
			class = "fl-cap"
		}
		width := room * .68
		for i := range calls {
			b.WriteString(`<rect class="` + class + `" x="` + coord(6+room*float64(i)+(room-width)/2) + `" y="` + whole(4+14*layer) + `" width="` + coord(width) + `" height="7"></rect>`)
		}
		calls *= 3
	}
	return b.String()
}
