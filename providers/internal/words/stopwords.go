package words

import "strings"

// Function carry no meaning in any text.
const Function = `
a an the this that these those there here
i me my mine myself we us our ours you your yours he him his she her hers it its they them their theirs
who whom whose which what when where why how
and or but nor so yet if then else than because while as until unless although though
of at by for with about against between into through during before after above below to from in out on off over under within without upon via per
is are was were be been being am do does did doing done have has had having
can could may might must shall should will would ought
not no nor only own same such too very just also again further once both each few more most other some any
s t d ll m re ve don isn aren doesn didn won wouldn can cannot couldn shouldn wasn weren hasn haven
e g i.e etc
`

// Courtesies are what sentences are wrapped in when people ask for something.
const Courtesies = `
please help want need like wish let lets tell give know wonder wondering trying try able possible thanks thank hello hi hey
im ive id ill youre whats thats
something anything someone somebody anyone everything thing things way stuff
really actually currently maybe perhaps
ok okay sure yes
`

// Set is the set of words in these texts.
func Set(texts ...string) map[string]bool {
	set := make(map[string]bool)
	for _, text := range texts {
		for _, w := range strings.Fields(text) {
			set[w] = true
		}
	}
	return set
}
