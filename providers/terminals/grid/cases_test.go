package grid

import "strings"

// sample is one of the reference's test cases, for a screen of 40 by 10. The
// lines are what xterm.js 6 shows: its scrollback and screen, wrapped rows
// joined, to the last row that is not blank. Log is the expected log, where
// that differs.
type sample struct {
	name, in, lines string
	log             string
}

// samples are the test cases of the reference, and more of their kind. "~" is
// CR LF, and "\e" ESC.
func samples() []sample {
	x := strings.Repeat
	list := []sample{
		{name: "cr", in: "hello world\rHELLO~next", lines: "HELLO world\nnext"},
		{name: "bs", in: `abcd\b\bX~`, lines: "abXd"},
		{name: "el", in: `abcdefgh\e[4D\e[K~abcdefgh\e[4D\e[1K~abcdefgh\e[2Kz~`, lines: "abcd\n     fgh\n        z"},
		{name: "cuu", in: `l1 0%~l2 0%~\e[2A\e[2Kl1 100%~\e[2Kl2 100%~done~`, lines: "l1 100%\nl2 100%\ndone"},
		{name: "wrap", in: x("x", 40) + "Y~" + x("a", 40) + "~b~" + x("c", 40) + `\rD~`, lines: x("x", 40) + "Y\n" + x("a", 40) + "\nb\nD" + x("c", 39)},
		{name: "wide", in: x("a", 39) + "日本|~", lines: x("a", 39) + "日本|"},
		{name: "emoji", in: "👨\u200d👩\u200d👧|~❤\ufe0f|~🚀x~🇩🇪|", lines: "👨\u200d👩\u200d👧|\n❤\ufe0f|\n🚀x\n🇩🇪|"},
		{name: "comb", in: "e\u0301|~n\u0303|~", lines: "e\u0301|\nn\u0303|"},
		{name: "tabs", in: `a\tb\tc~\e[3g\e[5G\eH\r\tX~`, lines: "a       b       c\n    X"},
		{name: "region", in: `1~2~3~4~5~\e[2;4r\e[4;1Hx~y~z\e[r\e[9;1Hend`, lines: "1\nx\ny\nz\n5\n\n\n\nend"},
		{name: "ildl", in: `1~2~3~4~\e[2;1H\e[L\e[4;1H\e[M\e[1;1Habcdef\e[3G\e[2@\e[1G\e[P\e[5G\e[2X`, lines: "b  c  f\n\n2\n4"},
		{name: "alt", in: `shell$ vim~\e[?1049h\e[H\e[2JVIM\e[5;5Hfoo\e[?1049lshell$ exit~`, lines: "shell$ vim\nshell$ exit", log: "shell$ vim\n" + FullScreenLine + "\nshell$ exit"},
		{name: "save", in: `abc\e7~xyz\e8DEF~~q\e[s12345\e[uZ~`, lines: "abcDEF\nxyz\nqZ2345"},
		{name: "ri", in: `top\e[H\eMnew`, lines: "new\ntop"},
		{name: "rep", in: `ab\e[5b|~`, lines: "abbbbbb|"},
		{name: "decgfx", in: `\e(0lqqk\e(B ok~\e)0\x0eqq\x0f~`, lines: "┌──┐ ok\n──"},
		{name: "cup", in: `\e[5;10Hhere\e[2;3fthere\e[4dV\e[1GQ`, lines: "\n  there\n\nQ      V\n         here"},
		{name: "ed", in: `aaa~bbb~ccc\e[2;2H\e[Jz\e[1;2H\e[1J`, lines: "  a\nbz"},
		{name: "strings", in: `\e]0;title\aA\e]2;t2\e\\B\e]133;C\aC\ePq#0;2;0\e\\D\e_apc\e\\E\e^pm\e\\F~`, lines: "ABCDEF"},
		{name: "origin", in: `\e[3;6r\e[?6h\e[1;1HX\e[?6l\e[1;1HY\e[r`, lines: "Y\n\nX"},
		{name: "irm", in: `abc\e[1G\e[4hZZ\e[4l~q`, lines: "ZZabc\nq"},
		{name: "cnl", in: `a\e[2Eb\e[Fc`, lines: "a\nc\nb"},
		{name: "su-sd", in: `1~2~3~4\e[S\e[2T`, lines: "\n\n2\n3\n4", log: "1\n\n\n2\n3\n4"},
		{name: "nel-ind", in: `a\eEb\eDc`, lines: "a\nb\n c"},
		{name: "sgr", in: `\e[38:2::255:0:0mred\e[0m \e[4:3mcurly\e[m|~`, lines: "red curly|"},
		{name: "link", in: `\e]8;;http://x/y;z\e\\link\e]8;;\e\\ after~`, lines: "link after"},
		{name: "nowrap", in: `\e[?7l` + x("z", 45) + `E\e[?7h~k`, lines: x("z", 39) + "E\nk"},
		{name: "private", in: `\e[>4;2m\e[?2004h\e[>1u\e[<u\e[=1;1u\e[?25l\e[!p\e[1 q\e[?1$pok~`, lines: "ok"},
		{name: "cht-cbt", in: `\e[2Ia\e[Zb~`, lines: "                b"},
		{name: "lf", in: `a\nb\nc~`, lines: "a\n b\n  c"},
		{name: "vtff", in: `a\x0bb\x0cc~`, lines: "a\n b\n  c"},
		{name: "ris", in: `junk\ecclean~`, lines: "clean"},
		{name: "ris keeps finished lines", in: `line~junk\ecclean~`, lines: "clean", log: "line\nclean"},
		{name: "sync", in: `\e[?2026hA\e[?2026lB~`, lines: "AB"},
		{name: "promptsp", in: `partial\e[1;7m%\e[0m` + x(" ", 39) + `\r \r\r\e[0m\e[Jprompt%`, lines: "partial%\nprompt%"},
		{name: "ed3", in: `a~a~a~\e[H\e[2J\e[3Jnew~`, lines: "new", log: "a\na\na\nnew"},
		{name: "c1", in: "x\u009b31my~", lines: "xy"},
		{name: "can", in: `\e[31\x18ok\e[3\e[1mfine~`, lines: "okfine"},
		{name: "wraperase", in: x("w", 40) + `\e[K|~`, lines: x("w", 40) + "|"},

		{name: "blank lines", in: `a~~b~~~c~`, lines: "a\n\nb\n\n\nc"},
		{name: "indent kept", in: `  a~\e[3Cb~`, lines: "  a\n   b"},
		{name: "wide at the margin", in: x("a", 38) + "日本~" + x("a", 39) + "日~", lines: x("a", 38) + "日本\n" + x("a", 39) + "日"},
		{name: "half a wide", in: `日本\e[2GX~日本\e[1GX~日本\e[2G\e[P~`, lines: " X本\nX 本\n 本"},
		{name: "combining after colour", in: "e\\e[1m\u0301x~", lines: "e\u0301x"},
		{name: "combining at the margin", in: x("a", 39) + "e\u0301b~", lines: x("a", 39) + "e\u0301b"},
		{name: "reverse wrap", in: `\e[?45h` + x("a", 41) + `\b\b\bX~`, lines: x("a", 38) + "Xa\na"},
		{name: "line feed mode", in: `\e[20ha\nb\e[20l\nc`, lines: "a\nb\n c"},
		{name: "align", in: `\e[8;40H\e#8\e[2J\e[Hok`, lines: "ok", log: strings.TrimSuffix(x(x("E", 40)+"\n", 10), "\n") + "\nok"},
		{name: "ed1 below a wrap", in: x("a", 45) + `\e[1;40H\e[1Jx~`, lines: x(" ", 39) + "x\naaaaa"},
		{name: "ich dch", in: `abcdef\e[3G\e[2@XY\e[1G\e[3P~`, lines: "Ycdef"},
		{name: "tabs wide", in: `a\tb\e[8` + "`" + `c\e[2aZ~`, lines: "a      cb Z"},
		{name: "rows below the region", in: `\e[1;3r1~2~3~4\e[10;1Hlast\e[r\e[4;1Hx`, lines: "1\n2\n3\n4\nx\n\n\n\n\n\nlast"},
		{name: "alt 47", in: `a~\e[?47hfull\e[?47lb~`, lines: "a\n    b", log: "a\n" + FullScreenLine + "\n    b"},
		{name: "two alts", in: `a~\e[?1049h\e[?1049hx\e[?1049l\e[?1049lb~`, lines: "a\nb", log: "a\n" + FullScreenLine + "\nb"},
		{name: "controls within", in: `\e[3\n1ma\e[\t2Cb~`, lines: "\na         b"},
		{name: "sequences that are none", in: `a\e[1?2mb\e[1$2mc\e[1;2;3` + x(";4", 40) + `Hd\e(Ze\e%Gf\e=g~`, lines: "adefg"},
		{name: "wrapped line with its wrap erased", in: x("a", 45) + `\r\e[Kb~`, lines: x("a", 40) + "\nb"},
	}
	scroll, want := "", ""
	for i := range 25 {
		scroll += "line" + string(rune('a'+i)) + "~"
		want += "line" + string(rune('a'+i)) + "\n"
	}
	list = append(list, sample{name: "scroll", in: scroll, lines: strings.TrimSuffix(want, "\n")})
	for i := range list {
		list[i].in = strings.NewReplacer("~", "\r\n", `\e`, "\x1b", `\a`, "\a", `\b`, "\b", `\t`, "\t", `\n`, "\n", `\r`, "\r",
			`\x0b`, "\x0b", `\x0c`, "\x0c", `\x0e`, "\x0e", `\x0f`, "\x0f", `\x18`, "\x18", `\\`, `\`).Replace(list[i].in)
	}
	return list
}
