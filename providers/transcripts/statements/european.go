package statements

import "ctxfs/fs"

// before and after are what stands between words, also at the beginning and the end: \b knows only
// the letters of ASCII.
const (
	before = `(?:^|[\s,;:(])`
	after  = `(?:[\s,;:.!)]|$)`
)

func german() *language {
	const verbs = `(?:verwende|benutze?|nutze?|nimm|schreibe?|mache?|lass|committe|pushe|führe?|frage?|prüfe?|teste?|antworte|formatiere?|halte?|rufe?)`
	return &language{
		lead: `(?:(?:ok(?:ay)?|und|aber|auch|bitte|ja|ach|also|übrigens|wichtig|merk dir|denk dran|noch was|hey|hallo|so|gut)[,:;.!\s–-]+)*`,
		patterns: map[fs.StatementKind][]string{
			fs.Rule: {
				`(?:immer|nie|niemals|stets) .{8,}`, verbs + ` .*` + before + `(?:immer|nie|niemals|stets|grundsätzlich|ausschließlich)` + after + `.*`,
				`(?:du|ihr|wir|man) (?:sollst|sollt|sollten|sollen|soll|musst|müsst|müssen|muss|darfst|dürft|dürfen|darf) (?:[^\s]+ ){0,}(?:immer|nie|niemals|nicht|keine?n?|nur|stets) .{4,}`,
				`(?:wir|hier|bei uns) (?:verwenden|benutzen|nutzen|setzen|schreiben|committen|mocken|deployen|folgen|vermeiden|bevorzugen)` + after + `.{4,}`,
				`in diesem (?:projekt|repo|repository) .*(?:verwenden|benutzen|nutzen|gilt|immer|nie|keine?|muss|müssen|darf).*`,
				`.*` + before + `(?:ab jetzt|ab sofort|von jetzt an|von nun an|künftig|in zukunft)` + after + `.*`,
				`vor jedem (?:commit|push|merge|release|pr)` + after + `.{4,}`, `.{8,} vor jedem (?:commit|push|merge|release|pr)(?: .*)?`,
				`[^,;:]{3,} (?:muss|müssen|darf|dürfen|soll|sollen|sollten) (?:immer|nie|niemals|nicht|nur|stets|keine?n?) .{4,}`,
				`(?:alle|jede[rs]?|keine?) [^,;:]{3,} (?:müssen|muss|sollen|soll|sollten|dürfen|darf) .{4,}`,
				`(?:benutze?|verwende|nutze|schreibe?|erstelle|füge|mache?) keine [^\s]+.*`, `keine [^\s]+ (?:im|in|auf) .{3,}`,
				`.{4,} ohne (?:mich )?(?:vorher )?(?:zu fragen|rückfrage|nachzufragen).*`,
			},
			fs.Preference: {
				`ich (?:bevorzuge|mag (?:es|lieber|keine)|hätte (?:gerne?|lieber)|möchte (?:lieber|keine?|nicht, dass|dass du)|will (?:lieber|keine?|nicht, dass|dass du)) .{4,}`,
				`mir (?:ist|wäre|wären|sind) .{3,} lieber.*`, `bitte (?:halte?|bleibe?|vermeide|bevorzuge) .{6,}`,
				`(?:antworte|schreibe?|sprich)(?: mir)?(?: bitte)? auf (?:deutsch|englisch)(?: .*)?`,
			},
			fs.Correction: {
				`(?:nein|nee|nö)[,.!:;]+ ?.{12,}`, `.*(?:nicht|keine?n?) .{3,}[,;] ?sondern .{3,}`, verbs + ` .+ (?:statt|anstatt|anstelle) .{3,}`,
				`(?:das|dies) ist (?:falsch|nicht richtig|nicht korrekt)[,;:. ].{12,}`, `ich (?:habe?|hatte) (?:doch |dir |schon |dir doch )*gesagt.{8,}`, `ich meinte .{8,}`,
			},
			fs.Decision: {
				`wir (?:nehmen|bleiben bei|entscheiden uns für) .{4,}`, `wir haben (?:uns )?.*(?:entschieden|beschlossen|geeinigt).*`, `lass(?:t)? uns (?:bei )?.{4,} (?:bleiben|nehmen|verwenden|nutzen|benutzen)`,
			},
			fs.Lesson: {
				`(?:es )?(?:stellte? sich heraus|hat sich herausgestellt).{10,}`, `(?:das|die|der) (?:eigentliche )?(?:problem|ursache|grund|fehler) (?:war|ist|lag|liegt),? (?:dass|weil|daran)` + after + `.{8,}`,
			},
		},
		lasting: before + `(?:ab jetzt|ab sofort|von jetzt an|von nun an|künftig|in zukunft|immer|nie|niemals|grundsätzlich|stets)` + after,
		moment:  before + `(?:jetzt|gerade|erst ?mal|diesmal|dieses mal|heute|morgen|vorerst|nochmals?|noch einmal|im moment|in diesem (?:commit|pr|branch|schritt))` + after,
		vetoes: []string{
			before + `immer (?:noch|wieder|mehr|weiter|wenn)` + after, `^(?:warum|wieso|weshalb|was|wie|wo|wer|welche[rs]?|kannst|könntest|ist|sind|soll|sollen|hast) `,
			`^(?:es|das|dies|dieser?|sie|er|der) [^,]*(?:muss|darf|soll)`, `^(?:mach|tu)e? das`, `(?:das|es) ist (?:falsch|nicht richtig)$`, `^(?:nein|nee)[,.!:;]+ ?(?:danke|passt|schon gut|alles gut)`, before + `(?:vielleicht|glaube ich)` + after,
		},
	}
}

func spanish() *language {
	return &language{
		lead: `(?:(?:ok|vale|bueno|y|pero|también|por favor|sí|ah|oye|recuerda|nota|importante)[,:;.!\s]+)*`,
		patterns: map[fs.StatementKind][]string{
			fs.Rule: {
				`(?:siempre|nunca|jamás) .{8,}`, `(?:debes|tienes que|hay que|debemos|tenemos que|se debe|no se debe|no debes|no hay que) .*(?:siempre|nunca|cada|todos|todas|ningún).*`,
				`(?:usa|utiliza|ejecuta|escribe|haz|pregunta|revisa|verifica|responde) siempre .{4,}`,
				`.*(?:de ahora en adelante|a partir de ahora|de aquí en adelante|en el futuro|por norma|como norma).*`,
				`(?:nosotros |aquí |en este (?:proyecto|repo|repositorio),? )?(?:no |nunca |solo |sólo )?(?:usamos|utilizamos|preferimos|evitamos|seguimos|hacemos|subimos) .{4,}`,
				`en este (?:proyecto|repo|repositorio),? .*(?:usa|siempre|nunca|no|debe|hay que) .*`,
				`(?:todos los|todas las|cada|ningún|ninguna) .{3,} (?:debe|deben|tiene que|tienen que|puede|pueden) .{4,}`,
				`antes de cada (?:commit|push|merge|release|pr)` + after + `.{4,}`, `.{6,} antes de cada (?:commit|push|merge|release|pr)(?: .*)?`,
				`no (?:uses|utilices|agregues|añadas|crees|escribas) [^\s]+s(?: .*)?`,
				`no (?:uses|utilices|hagas|escribas|modifiques|toques|subas|borres|agregues|añadas|pongas) .*(?:sin |nunca|a menos que|salvo|en este (?:proyecto|repo)|en los tests|a main|en producción).*`,
			},
			fs.Preference: {
				`(?:yo )?(?:prefiero|preferiría|me gusta (?:más|que)|no me gustan? (?:que|los|las)|no quiero que) .{6,}`,
				`por favor,? (?:mantén|evita|prefiere) .{6,}`, `(?:responde|contesta|escribe|háblame)(?:me)? (?:siempre )?en (?:español|inglés|castellano)(?: .*)?`,
			},
			fs.Correction: {
				`no[,.!:;]+ ?.*` + before + `(?:el|los|las|una|que|usa|con|para|por|eso|está|del|al)` + after + `.{4,}`, `no (?:uses|utilices|hagas|llames|escribas) .+[,;.] ?(?:usa|utiliza|haz|sino|mejor|llama) .*`,
				`(?:usa|utiliza|haz|pon|llama|escribe) .+ (?:en lugar de|en vez de|y no) .{3,}`, `(?:ya )?(?:te )?(?:dije|he dicho|había dicho|pedí|quise decir|quería decir) .{8,}`,
				`(?:eso|esto) (?:está mal|es incorrecto|no es correcto)[,;:. ].{12,}`, `no .{3,},? sino .{4,}`,
			},
			fs.Decision: {
				`(?:hemos|he) (?:decidido|acordado) .{6,}`, `(?:decidimos|acordamos|vamos a (?:usar|utilizar)|usaremos|nos quedamos con|quedémonos con) .{4,}`, `decisión: .{6,}`,
			},
			fs.Lesson: {
				`(?:resulta|resultó) (?:ser )?que .{10,}`, `(?:el|la) (?:verdader[oa] )?(?:problema|causa|error|motivo|razón) (?:era|es|fue) que .{8,}`,
			},
		},
		lasting: before + `(?:de ahora en adelante|a partir de ahora|de aquí en adelante|siempre|nunca|jamás|en el futuro)` + after,
		moment:  before + `(?:ahora|esta vez|hoy|mañana|por el momento|por ahora|de nuevo|otra vez|en este (?:commit|pr|paso))` + after,
		vetoes: []string{
			before + `(?:siempre|nunca) (?:ha|es|que|hay|está|fue|había|funciona|falla|pasa)` + after, `^(?:¿|por qué |qué |cómo |dónde |quién |cuándo |puedes |podrías )`,
			`^no[,.!:;]+ ?(?:gracias|está bien|todo bien|hay problema)`, before + `(?:quizás?|tal vez)` + after,
		},
	}
}

func french() *language {
	const verbs = `(?:utilise[zr]?|emploie|écris|fais|faites|lance[zr]?|exécute[zr]?|vérifie[zr]?|demande[zr]?|garde[zr]?|mets|réponds|teste[zr]?|appelle[zr]?)`
	return &language{
		lead: `(?:(?:ok|et|mais|aussi|bon|oui|ah|alors|rappel|note|important|stp|svp|s['’]il te plaît|s['’]il vous plaît)[,:;.!\s]+)*`,
		patterns: map[fs.StatementKind][]string{
			fs.Rule: {
				`(?:toujours|ne jamais|jamais) .{8,}`, verbs + ` (?:[^\s]+ )?toujours .{4,}`, `(?:ne |n['’])(?:[^\s]+ ){1,}jamais .{3,}`,
				`(?:tu dois|vous devez|il faut|on doit|nous devons|il ne faut|on ne doit|tu ne dois) .*(?:toujours|jamais|chaque|tous|toutes|aucune?).*`,
				`.*(?:désormais|dorénavant|à partir de maintenant|à l['’]avenir|en règle générale|par convention).*`,
				`(?:nous|on) (?:n['’])?(?:utilise|utilisons|évite|évitons|préfère|préférons|suit|suivons) .{3,}`, `dans ce (?:projet|dépôt|repo),? .*(?:utilis|toujours|jamais|doi|faut|pas).*`,
				`(?:tous les|toutes les|chaque|aucune?) .{3,} (?:ne )?(?:doit|doivent|peut|peuvent) .{4,}`,
				`avant (?:chaque|de (?:commiter|committer|pousser|fusionner))` + after + `.{6,}`, `.{6,} avant chaque (?:commit|push|merge|fusion|pr)(?: .*)?`,
				`(?:ne |n['’])(?:utilise[sz]?|ajoute[sz]?|crée[sz]?|écri(?:s|vez)) pas d(?:e |['’]).{3,}`, `(?:ne |n['’])[^\s]+ (?:pas|rien) .*(?:sans |sauf si|à moins).*`,
			},
			fs.Preference: {
				`je (?:préfère|préférerais|préfèrerais|veux que|ne veux pas que|n['’]aime pas (?:que|quand|les)|souhaite que|voudrais que) .{6,}`,
				`(?:réponds|répondez|écris|parle)(?:-moi)? (?:toujours )?en (?:français|anglais)(?: .*)?`, `merci de (?:toujours|ne (?:pas|jamais)|garder|rester) .{4,}`,
			},
			fs.Correction: {
				`non[,.!:;]+ ?.{14,}`, `(?:ne |n['’])[^\s]+ pas .+[,;.] ?(?:utilise|mais|plutôt|fais|appelle).*`,
				verbs + ` .+ (?:au lieu d(?:e |u |es |['’])|plutôt qu(?:e |['’])|et non |et pas ).{3,}`, `(?:j['’]ai|je t['’]ai|je vous ai) (?:déjà )?(?:dit|demandé) .{8,}`, `je voulais dire .{6,}`,
				`c['’]est (?:faux|incorrect|pas (?:correct|juste))[,;:. ].{12,}`,
			},
			fs.Decision: {
				`(?:nous avons|on a|j['’]ai) (?:décidé|choisi|convenu) .{6,}`, `(?:partons sur|on part sur|on reste sur|restons sur|gardons|utilisons|on va utiliser) .{4,}`,
			},
			fs.Lesson: {
				`(?:il s['’]avère|il s['’]est avéré) que .{10,}`, `(?:le|la) (?:vraie? )?(?:problème|cause|raison|bug|erreur) (?:était|vient|venait) .{8,}`,
			},
		},
		lasting: before + `(?:désormais|dorénavant|à partir de maintenant|toujours|jamais|à l['’]avenir|chaque)` + after,
		moment:  before + `(?:maintenant|cette fois|aujourd['’]hui|demain|pour l['’]instant|pour le moment|encore une fois|à nouveau|dans ce (?:commit|pr))` + after,
		vetoes: []string{
			`^(?:pourquoi|comment|où|qui|quand|quel|quelle|est-ce|peux-tu|pouvez-vous|que |qu['’])`, `^(?:toujours|jamais) (?:pas|le même|la même|vu|eu)`, `^non[,.!:;]+ ?(?:merci|c['’]est bon|ça va)`,
			before + `peut-être` + after, `^(?:il|elle|ça|ce|cela) (?:ne|n['’])`,
		},
	}
}

func portuguese() *language {
	return &language{
		lead: `(?:(?:ok|e|mas|também|por favor|sim|ah|olha|lembre-se|nota|importante|bom)[,:;.!\s]+)*`,
		patterns: map[fs.StatementKind][]string{
			fs.Rule: {
				`(?:sempre|nunca|jamais) .{8,}`, `(?:você deve|devemos|temos que|tem que|não deve|não devemos|é preciso) .*(?:sempre|nunca|cada|todos|todas|nenhum).*`,
				`(?:use|utilize|rode|execute|escreva|faça|pergunte|verifique|responda) sempre .{4,}`,
				`.*(?:de agora em diante|a partir de agora|daqui (?:para|pra) (?:a )?frente|daqui em diante|no futuro).*`,
				`(?:nós |aqui )?(?:não |nunca |só )?(?:usamos|utilizamos|preferimos|evitamos|seguimos) .{3,}`, `n(?:este|esse) (?:projeto|repo|repositório),? .*(?:us|sempre|nunca|não|deve).*`,
				`(?:todos os|todas as|cada|nenhuma?) .{3,} (?:deve|devem|precisa|precisam|pode|podem|tem que) .{4,}`,
				`não (?:use|utilize|adicione|crie|escreva) [^\s]+s(?: .*)?`,
				`não (?:use|utilize|faça|escreva|altere|modifique|suba|apague|adicione|mexa) .*(?:sem |nunca|a menos que|a não ser|n(?:este|esse) projeto|em produção|na main|nos testes).*`,
				`antes de cada (?:commit|push|merge|release|pr)` + after + `.{4,}`, `.{6,} antes de cada (?:commit|push|merge|release|pr)(?: .*)?`,
			},
			fs.Preference: {
				`(?:eu )?(?:prefiro|preferiria|gosto (?:mais|que)|não gosto (?:de|que)|não quero que|quero que você) .{6,}`,
				`(?:responda|escreva|fale) (?:sempre )?em (?:português|inglês)(?: .*)?`, `por favor,? (?:mantenha|evite|prefira) .{6,}`,
			},
			fs.Correction: {
				`não[,.!:;]+ ?.{14,}`, `não (?:use|utilize|faça|chame|escreva) .+[,;.] ?(?:use|utilize|faça|mas|e sim|em vez|chame) .*`,
				`(?:use|utilize|chame|faça|coloque) .+ (?:em vez d|ao invés d|no lugar d|e não ).{3,}`, `eu (?:já )?(?:disse|falei|pedi|quis dizer) .{8,}`, `isso (?:está errado|está incorreto|não está certo)[,;:. ].{10,}`,
			},
			fs.Decision: {
				`(?:decidimos|decidi|resolvemos|combinamos|vamos (?:usar|utilizar|ficar com|manter|adotar)) .{4,}`, `decisão: .{6,}`,
			},
			fs.Lesson: {
				`(?:acontece|descobri|descobrimos) que .{10,}`, `[oa] (?:verdadeir[oa] )?(?:problema|causa|erro|motivo) (?:era|é|foi) que .{8,}`,
			},
		},
		lasting: before + `(?:de agora em diante|a partir de agora|daqui em diante|sempre|nunca|jamais|no futuro)` + after,
		moment:  before + `(?:agora|desta vez|dessa vez|hoje|amanhã|por enquanto|de novo|novamente|neste (?:commit|pr|passo))` + after,
		vetoes: []string{
			before + `(?:sempre|nunca) (?:foi|é|que|há|está|era|funciona|falha)` + after, `^(?:por que|por quê|o que|como|onde|quem|quando|você pode|pode) `, `^não[,.!:;]+ ?(?:obrigad|tudo bem|precisa)`, before + `talvez` + after,
		},
	}
}

func russian() *language {
	const verbs = `(?:используй|пиши|делай|запускай|проверяй|спрашивай|коммить|называй|отвечай|вызывай|возьми|ставь)(?:те)?`
	return &language{
		lead: `(?:(?:ок|окей|хорошо|ладно|да|и|а|но|ещё|еще|пожалуйста|кстати|важно|запомни|также)[,:;.!\s–-]+)*`,
		patterns: map[fs.StatementKind][]string{
			fs.Rule: {
				`(?:всегда|никогда|ни в коем случае) .{6,}`, verbs + ` (?:.* )?(?:всегда|только|перед каждым|после каждого) .*`,
				`(?:ты|вы|мы) (?:должен|должна|должны|обязан[а-я]*) .*(?:всегда|никогда|каждый|перед|только).*`,
				`.*(?:с этого момента|отныне|впредь|в будущем|в дальнейшем|на будущее).*`,
				`(?:у нас|мы|в (?:этом|нашем) (?:проекте|репозитории))(?: мы)?(?: здесь| тут| всегда| никогда)? (?:не )?(?:используем|используется|пишем|применяем|придерживаемся|избегаем|предпочитаем|принято|мокаем|коммитим|пушим) .{3,}`,
				`в (?:этом|нашем) (?:проекте|репозитории),? .*(?:использ|не |нельзя|всегда|никогда|принято).*`,
				`(?:все|каждый|каждая|каждое|любой|любая|ни один|ни одна) .{3,} (?:не )?(?:должен|должны|должна|должно|обязан[а-я]*|нужно) .{3,}`,
				`перед (?:каждым|коммитом|пушем|релизом|мержем) .{4,}`, `.{4,} перед каждым (?:коммитом|пушем|релизом|мержем)(?: .*)?`,
				`не (?:добавляй|используй|создавай|пиши)(?:те)? (?:[^\sэ]|э[^т])[^\s]+(?: .*)?`, `(?:нельзя|запрещено|запрещается|недопустимо) .{6,}`, `не (?:[^\s]+ ){1,}без .{3,}`,
			},
			fs.Preference: {
				`(?:я )?(?:предпочитаю|предпоч[её]л бы|люблю, когда|не люблю(?:, когда)?|хочу, чтобы|не хочу, чтобы) .{5,}`,
				`(?:отвечай|пиши|говори)(?:те)?(?: мне)? (?:на русском|на английском|по-русски|по-английски)(?: .*)?`, `пожалуйста, (?:избегай|придерживайся|сохраняй|держи)(?:те)? .{4,}`,
			},
			fs.Correction: {
				`(?:нет|не так|неверно|неправильно)[,.!:;]+ ?.{8,}`, verbs + ` .+,? (?:вместо|а не) .{3,}`, `не .{3,}, а .{4,}`, `не ` + verbs + ` .+[,;.] ?` + verbs + ` .*`,
				`я (?:же |уже )?(?:говорил|сказал|просил|имел в виду)[а-я]*,? .{6,}`, `это (?:неверно|неправильно)[,.:; ].{10,}`,
			},
			fs.Decision: {
				`(?:мы )?(?:решили|решено|договорились|выбрали)[,:]? .{6,}`, `давай(?:те)? (?:использовать|возьм[её]м|остановимся на|останемся на|оставим|перейд[её]м на) .{4,}`,
			},
			fs.Lesson: {
				`(?:оказалось|оказывается|выяснилось),? .{8,}`, `(?:проблема|причина) (?:была |оказалась )?в том, что .{8,}`,
			},
		},
		lasting: before + `(?:с этого момента|отныне|впредь|всегда|никогда|на будущее|каждым)` + after,
		moment:  before + `(?:сейчас|на этот раз|сегодня|завтра|пока|ещё раз|еще раз|снова|временно)` + after,
		vetoes: []string{
			`^(?:почему|зачем|как|что|где|кто|когда|можешь|можно ли)(?:\s|$)`, `^(?:всегда|никогда) (?:был|так|не (?:был|видел|работал))`, `^нет,? (?:спасибо|проблем|всё|все)`, before + `(?:может быть|возможно)` + after,
		},
	}
}
