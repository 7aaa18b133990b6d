package statements

import "ctxfs/fs"

// english: a rule has "always" or its kind before a verb, or is about all things of a
// kind; it is not what a program always does.
func english() *language {
	const (
		project  = `(?:project|repo|repository|code ?base|team|company|package|app|service|product)`
		doesnt   = `(?:do(?:es)?(?:n['’]?t| not))`
		not      = `(?:do(?:n['’]?t| not))`
		general  = `(?:use|using|add|adding|create|creating|write|writing|mock|mocking|hard-?cod(?:e|ing)|commit|committing|put|putting|leave|leaving|include|including|generate|generating|introduce|introducing|import|importing|guess|guessing|assume|assuming)`
		lets     = `(?:let['’]?s|let us)`
		milepost = `(?:every|each|any|committing|pushing|merging|releasing|you (?:commit|push|merge|open|finish|release|start))`
		subject  = `(?:[a-z'-]+(?: [a-z'-]+){0,6}?)`
	)
	return &language{
		lead: `(?:(?:ok(?:ay)?|and|also|but|so|please|pls|plz|oh|hey|hi|hm+|uh+|ah|well|yes|yeah|yep|right|alright|remember|reminder|note|nb|btw|by the way|important(?:ly)?|in general|generally|one (?:more |other )?thing|actually|again|dude|my dude|q|question|omf?g|fucking|rule)\b[,:;.!\s–—-]*)*`,
		patterns: map[fs.StatementKind][]string{
			fs.Rule: {
				`(?:` + not + ` ever|always|never(?: ever)?) [a-z]{2,}.{5,}`,
				`(?:you|agents?|everyone|everybody|we|i(?: always)? want you to|i['’]d like you to) (?:should |must |have to |need to |are to |will |shall )?(?:always|never|only ever) [a-z]{2,}.{4,}`,
				`.*\b(?:from now on|going forward|from here on(?: out)?|henceforth|in the future,|in future\b|for (?:all )?future [a-z]+s|as a (?:general )?rule|by convention)\b.*`,
				`(?:our|the|my) (?:[a-z]+ )?(?:convention|policy|rule|standard|directive|guideline|principle|invariant)s? (?:here |for [a-z ]+ )?(?:is|are)\b.{8,}`,
				`(?:(?:every|each|any) ?time|whenever) (?:you|we)\b.{15,}`,
				`(?:before|after) ` + milepost + `\b.*[, ](?:run|make|check|update|ask|format|lint|test|bump|write|add|build|review|verify|use)\b.{3,}`,
				`(?:please )?(?:run|check|update|ask|format|lint|test|bump|build|review|verify|rebase|squash) .{2,}\b(?:before|after) ` + milepost + `\b.*`,
				`we (?:only )?(?:use|prefer|avoid|follow|stick (?:to|with)|target|support|require|squash|pin) .{3,}`,
				`we (?:` + not + `|never) (?:use|commit|push|merge|mock|write|add|do|want|allow|support|hard-?code|store|log|vendor|import|ship|squash|rebase|deploy|touch|edit) .{3,}`,
				`(?:this|our|the) ` + project + ` (?:uses|requires|follows|does(?:n['’]?t| not) use|targets|supports|must|should|prefers|avoids|runs on|is written in|has to)\b.{3,}`,
				`(?:in|for) (?:this|our|the) ` + project + `\b,? .*\b(?:use|` + not + `|never|always|must|should|prefer|avoid)\b.*`,
				subject + ` (?:must|may)(?: not| never| always| only)? [a-z]{2,}.{3,}`,
				subject + ` should (?:never|always|only|not)\b.{5,}`, subject + ` shouldn['’]?t .{5,}`,
				`(?:all|every|each|any|no) ` + subject + ` (?:should|must|needs? to|has to|have to|may|are to|is to) .{4,}`,
				`(?:` + not + `|avoid|stop) [a-z]+.*\b(?:without (?:asking|my|permission|approval|confirm\w*|tests?)|unless|until i (?:say|ask|approve|confirm)|any ?more|ever|in (?:this|the|our) ` + project + `|in (?:tests|prod\w*|comments|commit messages|commits|code|docs)|(?:to|on) (?:main|master|prod\w*)|under any circumstances)\b.*`,
				`(?:` + not + `|stop|avoid) ` + general + ` (?:[a-z'-]+ ){0,5}[a-z'-]+`, `avoid [a-z-]+ [a-z]+`,
				`no [a-z.]+ [a-z.]+s`,
				`(?:keep in mind|remember|bear in mind|note|be aware) that .{15,}`,
				`remember to (?:always|never) .{4,}`, `(?:my |our |the |new )?(?:rule|convention|policy): .{8,}`, `we(?:['’]?re| are) using .{3,}, not .{2,}`,
				`(?:make sure|ensure|be sure)(?: to| that)?(?: you)? (?:always|never) .{5,}`,
				`(?:when|whenever|if|for|in) [^,]{8,}, (?:then )?(?:it|they|we|you|the [a-z ]{3,}) (?:should|must)\b.{8,}`,
				`(?:when|whenever) [^,]{8,}, (?:` + not + `|never|always|only|use|keep) .{8,}`,
				`only [a-z]+ .{6,} (?:if|when|for|on) .{6,}`,
				subject + ` (?:is|are) (?:not allowed|forbidden|prohibited|off[- ]limits|mandatory)\b.*`,
			},
			fs.Preference: {
				`(?:i think )?i(?:['’]?d| would)? (?:really |much |strongly |generally |always |usually )?(?:prefere?|rather|favou?r) .{8,}`,
				`i (?:really )?(?:hate|love|like|` + not + ` like) (?:it when|when|having|to (?:keep|have|see|use)|my|our|small|short) .{4,}`,
				`i ` + not + ` want (?:you to|any|to see) .{4,}`, `i want you to be .{4,}`, `i (?:hate|love) [a-z]+s`,
				`my preference (?:is|would be) .{4,}`, `prefer .{4,}`,
				`please (?:keep|avoid|prefer|stick to) .{6,}`, `please be (?:brief|concise|careful|consistent)\b.*`,
				`(?:please )?(?:use|keep|stick to) (?:the )?(?:british|american|uk|us|english|german) (?:spelling|english|names|comments).*`,
				`(?:please )?(?:answer|reply|respond|speak|talk|write)(?: to)?(?: me)?(?: only| always)? in (?:english|german|spanish|french|portuguese|chinese|japanese|russian|italian|dutch|plain [a-z]+)\b.*`,
				`keep (?:things|everything|answers|commits|functions|the code|your [a-z]+|replies|responses|messages|comments|prs) (?:short|simple|small|concise|brief|minimal|clean|local)\b.*`,
			},
			fs.Correction: {
				`(?:no|nope|nah)\b[,.!:;]+ ?(?:please )?(?:` + not + `|never|always|use|we (?:use|should|want|need|do|never|always)|you should|keep|only|put|call|write|leave|store|make|rename|return|` + lets + `)\b (?:[^ ]+ ){3,}.{4,}`,
				`(?:` + not + `|stop) [a-z]+ .+?[,;.]? (?:use|call|just|but|rather)\b.{3,}`,
				`(?:use|call|write|log|store|name|put|import) .{3,}?,? (?:and not|not|instead of|rather than) .{3,}`, `(?:[a-z]+ )?use .{3,}, no .{3,}`,
				`we should (?:be )?[a-z]+ .{6,}, (?:and )?not .{6,}`,
				`(?:i|we) (?:already |explicitly |just )?(?:said|told you|asked (?:you )?(?:for|to)) .{12,}`,
				`(?:that['’]?s|this is|that is) (?:wrong|incorrect|not (?:right|correct|true|how|what))\b.{14,}`,
				`you (?:misunderstood|got it wrong|should(?:n['’]?t| not)? have|were (?:not )?supposed to|keep [a-z]+ing)\b.{10,}`,
				`(?:it['’]?s |it is |that['’]?s )?not .{3,}[,;] ?(?:but|it['’]?s|use|rather)\b.{4,}`,
			},
			fs.Decision: {
				subject + ` should (?:just )?[a-z]{2,} .{6,}`,
				lets + ` (?:use|go with|stick (?:with|to)|stay with|adopt|switch to|settle on|standardi[sz]e on|keep|not|avoid|move away from) .{8,}`,
				`(?:we|i)(?:['’]ve| have)? (?:decided|agreed|settled|opted|chose|chosen)\b .{8,}`, `decision[:;] .{8,}`,
				`we(?:['’]ll| will|['’]re going to| are going to) (?:use|go with|stick (?:with|to)|target|support|drop|keep|ship|not)\b .{4,}`,
			},
			fs.Lesson: {
				`(?:it )?turns out\b.{15,}`,
				`the (?:real |actual |root |underlying )?(?:problem|issue|cause|reason|bug|culprit|trick|fix|solution) was (?:that|because|due to|a missing)\b.{12,}`,
				`(?:lessons?(?: learned)?|til|fyi|for the record|gotcha|caveat)[:,] .{12,}`,
			},
		},
		agent: map[fs.StatementKind][]string{
			fs.Decision: {
				`(?:i|we)(?:['’]ve| have)? (?:decided|chose|chosen|opted|went)(?: to| for| against| with)\b.{8,}\b(?:because|since|so that|so|to (?:avoid|keep)|rather than|instead of|for)\b.{6,}`,
				`(?:i|we) (?:kept|keep|use|used|made|make|left|leave) .{6,}\b(?:because|since|rather than|instead of|to avoid)\b.{8,}`,
				`instead of .{6,}, (?:i|we)(?:['’]ve| have)? (?:made?|make|used?|keep|kept|store|write|read) .{8,}`, `(?:design )?decision[:;] .{12,}`,
			},
			fs.Lesson: {
				`(?:the )?(?:(?:real|actual|root|underlying|core|main) )*(?:problem|issue|cause|reason|bug|culprit)(?: here| with [^,;:]{2,})? (?:is|was) (?:that|because|due to) .{24,}`,
				subject + "? ?[^,;:]{0,}" + ` (?:fails?|failed|(?:is|are|was|were) failing|breaks?|broke|` + doesnt + ` work|crash(?:es|ed)?) (?:because|due to|since)\b.{14,}`,
				`since .{8,}, (?:i|we|you) (?:can['’]?t|cannot) .{10,}`,
				`[^,;:]{6,} (?:can['’]?t|cannot|won['’]?t|` + doesnt + `|is(?:n['’]?t| not)|are(?:n['’]?t| not)|only|requires?|never|always|gets?|must) [^;]{4,},? (?:because|since) .{14,}`,
				`[^,;:]{3,} ` + doesnt + ` support .{8,}`, `[^,;:]{3,} only [a-z]+s .{4,} [—–-]+ (?:it|they) ` + doesnt + ` .{8,}`,
				"(?:the|an?|each|our|all|when [^,]+,|in [^,]+,|`)[^,;]{3,}? (?:is |are |gets? )?only (?:[a-z]+ed|supports?|accepts?|allows?|applies|apply|works?|runs?|triggers?|starts?|creates?|takes?|needs?)(?: .{0,}?)?(?: when | if | after | unless |,? not |, so ).{8,}",
				`.{6,} (?:cannot|can['’]?t) import .{6,}`, `cannot install .{6,} because .*`, `once .{8,}, (?:it|they|you|the [a-z ]+) (?:must|cannot|can['’]?t|won['’]?t) .{8,}`,
				`(?:on )?(?:windows|linux|mac ?os|git|docker|python|node(?:\.js)?|npm|bash|zsh|fish|vs ?code|chrome|safari|firefox|postgres|sqlite)(?: [a-z]+)? (?:` + doesnt + `|cannot|can['’]?t|won['’]?t|only|always|never|requires?) .{12,}`,
				`[^,;]{6,} (?:is|are) always .{6,}, not .{6,}`,
				`[^,;]{3,} ` + doesnt + ` (?:have|distinguish|accept|push|create|include|work|get|set) .{6,}(?:,| [—–-])* (?:while|but|so|only|unless|without|by default)\b.{0,}`,
				`root cause[:;]? .{16,}`, `(?:this is )?a known (?:issue|limitation|bug) (?:with|in|of)\b.{14,}`,
				`(?:key insight|gotcha|lessons? learned)[:;] .{12,}`, subject + ` only works? (?:if|when|with|on)\b.{8,}`,
			},
		},
		hints: []string{
			"because", "since", "due to", "cannot", "can't", "can’t", " only ", "once ", "always", "n't", "n’t", " not ", "instead of", "rather than", "to avoid", "decision", "decided",
			"chose", "opted", "root cause", "issue", "problem", "the cause", "the reason", "bug", "culprit", "insight", "gotcha", "lesson", "turns out", "limitation", "requires", "never",
		},
		guesses: `^note:|\bi (?:forgot|missed|made|broke)\b|\b(?:likely|probably|might|maybe|seems?|appears?|perhaps|possibly|could|i think|i believe|i['’]ll|let me|let['’]s|i need|i should|we should|if the|whether|clear now|straightforward|now the (?:issue|problem)|i understand|test (?:is|was)|we need|we['’]?re|we are|i['’]m|i am|i have|now|i['’]ve|can i|(?:not|is|are) correctly|incorrectly|expects?|missing|has(?:n['’]t| not)|have(?:n['’]t| not)|in how|line \d+|this (?:test|file|function|case|change|one|check|fix)|the (?:tests?|build|lint) (?:is|was|are|were|failed)|unrelated|pre-existing|already|recently|today|yet|your?|an error in|trying|the correct|will only be)\b|^it (?:[^t]|t[^u])|^(?:that|these|those|they|he|she|which|but this|so this)\b|^this (?:is [^a]|[^i])`,
		lasting: `\b(?:from now on|going forward|henceforth|in (?:the )?future|always|never|every ?time|whenever|by convention|as a rule)\b`,
		moment:  `\b(?:for now|right now|now|this time|just this|today|tomorrow|tonight|at the moment|for the moment|again|yet|in this (?:pr|commit|session|branch|step|turn|test|file|function|case|message)|this (?:pr|commit|branch)|in (?:those|these) [a-z]+|the last (?:commit|change)|as (?:before|above)|see below|option [a-d\d])\b`,
		vetoes: []string{
			`\b(?:always|never) (?:mind|been|had|has|is|was|are|were|seen|gets?|got|wrong|the same|happen\w*|[a-z]+[^su\W]s|[a-z]+[^e]ed|[a-z]+ing)\b`, // what happens
			`\b(?:must|may) (?:have|be (?:stale|missing|wrong|some\w*|an?|the|because|due|in|coming|that))\b`,
			`^(?:what|why|how|where|who|which|is|are|am|was|were|does|did|can|could|would|will|should|shall|has|have|isn['’]t|aren['’]t|doesn['’]t|don['’]t (?:we|you|i))\b`,
			`\b(?:right|no|ok|correct|hey)\?*$`, `\bi guess\b|\bnot sure\b|\bi wonder\b|\bmaybe\b|\bperhaps\b|\bi think we (?:could|might)\b`,
			`^(?:it|this|that|these|those|they|he|she|there|which|if|when|because|since|as) [^,]*\b(?:should|must|may)\b`, `^(?:[^y]|y[^o])[^,]* should have (?:been|[a-z]+ed)\b`,
			`^(?:no|nope|nah)\b[,.!:;]+ ?(?:that['’]?s (?:not it|it|fine|ok|all|good)|thanks?|thank|it['’]?s (?:fine|ok|good)|problem|worries|need|idea|go ahead|continue|leave it)\b`,
			`^no (?:[a-z]+ )?(?:problem|worri|thank|change|error|issue|need|idea|result|longer|one|such|other|more|new)\w*\b`,
			`\b(?:different|another|your|other) (?:approach|recommendation|suggestion|idea|plan|proposal|way|option|one)\b`, `\b(?:this|that|these|those)$`, `\bmyself\b|\bthe [a-z]+ one$|\bwas that i\b|\bsame mistakes?\b|\bmust be (?:joking|kidding)\b`, `\b(?:your|the) (?:first|second|third|last|other|old|new|previous|original) (?:version|one|approach|solution|idea|proposal)\b`,
			`^the (?:function|method|test|script|output|code|file|variable|class|result|return value) should\b`, `^that (?:[a-hj-z]|i[^s])`,
			`\b(?:faster|slower|bigger|smaller|larger|more|less|better|higher|lower|wider|darker|brighter|closer)$`, `^you should (?:check|look|see|try|read|know|find|also|probably)\b`,
			`^(?:` + not + `|stop|avoid) [a-z]+ (?:the|this|that|it|my|your|his|their|those|these|them)\b(?:[^u]|u[^n])*$`,
			`\b(?:use|do|keep|avoid|prefer|drop|call|run) (?:it|this|that|them|these|those|both|either|the (?:same|first|second|third|former|latter|last))\b`,
			`\b(?:with|prefer|do|option|to) (?:[a-d]|#?\d+|that|this|it|both|option)\b[.!]?$`,
			`^use the .* instead of the\b`, `\bif you could\b`, `\bthat (?:time|one|way|option|approach)\b`, // this one
			`^(?:should|we|i) should (?:be good|move|rebase|merge|push|commit|check|look|also|probably|have|add|fix)\b(?:[^,]*$)`, `\bshould (?:be (?:good|fine|ok|ready|in there|there|done|able|enough|possible|easy)|work|now|already|probably)\b`, "^[^ ]*[_`()][^ ]* should\\b",
			`\band (?:ensure|make sure|verify|confirm|check)\b|^(?:verify|confirm|check)\b`, // of a test
			`\bdoes(?:n['’]?t| not) (?:adhere|work|seem|look)\b`, `\b(?:we|you|they) (?:currently|previously|used to)\b`,
		},
	}
}
