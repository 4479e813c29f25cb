package textenc

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"github.com/serena-go/serena/internal/nearest"
)

// known is the encodings by their canonical names.
var known = sync.OnceValue(func() map[string]Encoding {
	all := map[string]Encoding{
		"utf-8":     {},
		"utf-8-sig": {name: "utf-8-sig", mark: "\xef\xbb\xbf"},
		"utf-16":    {name: "utf-16", codec: utf16Codec{}, mark: "\xff\xfe"}, // read without a mark: little-endian, as Python has it on the usual machines
		"utf-16-le": {name: "utf-16-le", codec: utf16Codec{}},
		"utf-16-be": {name: "utf-16-be", codec: utf16Codec{big: true}},
		"ascii":     {name: "ascii", codec: asciiCodec{}},
	}
	for name, table := range charmaps {
		all[name] = Encoding{name: name, codec: byteCodec{table, bytesOfPython(name)}}
	}
	for name, codec := range tables {
		all[name] = Encoding{name: name, codec: codec}
	}
	return all
})

var charmaps = map[string]*charmap.Charmap{
	"latin-1": charmap.ISO8859_1, "iso8859-2": charmap.ISO8859_2, "iso8859-3": charmap.ISO8859_3, "iso8859-4": charmap.ISO8859_4,
	"iso8859-5": charmap.ISO8859_5, "iso8859-6": charmap.ISO8859_6, "iso8859-7": charmap.ISO8859_7, "iso8859-8": charmap.ISO8859_8,
	"iso8859-9": charmap.ISO8859_9, "iso8859-10": charmap.ISO8859_10, "iso8859-13": charmap.ISO8859_13, "iso8859-14": charmap.ISO8859_14,
	"iso8859-15": charmap.ISO8859_15, "iso8859-16": charmap.ISO8859_16,
	"cp437": charmap.CodePage437, "cp850": charmap.CodePage850, "cp852": charmap.CodePage852, "cp855": charmap.CodePage855,
	"cp858": charmap.CodePage858, "cp860": charmap.CodePage860, "cp862": charmap.CodePage862, "cp863": charmap.CodePage863,
	"cp865": charmap.CodePage865, "cp866": charmap.CodePage866, "cp874": charmap.Windows874,
	"cp1250": charmap.Windows1250, "cp1251": charmap.Windows1251, "cp1252": charmap.Windows1252, "cp1253": charmap.Windows1253,
	"cp1254": charmap.Windows1254, "cp1255": charmap.Windows1255, "cp1256": charmap.Windows1256, "cp1257": charmap.Windows1257,
	"cp1258": charmap.Windows1258, "koi8-r": charmap.KOI8R, "koi8-u": charmap.KOI8U, "mac-roman": charmap.Macintosh,
	"mac-cyrillic": charmap.MacintoshCyrillic,
}

// controls are the characters that ISO 8859 leaves where Windows has letters.
const controls = "\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008d\u008e\u008f" +
	"\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009d\u009e\u009f"

func bytesOfPython(name string) []run {
	switch {
	case strings.HasPrefix(name, "iso8859-"):
		return []run{{0x80, controls}}
	case name == "koi8-u":
		return []run{{0xae, "╝"}, {0xbe, "╬"}}
	}
	return nil
}

// tables are the encodings with several bytes for a character.
var tables = map[string]codec{
	"shift_jis": &tableCodec{from: japanese.ShiftJIS, python: []run{{0x8160, "〜‖"}, {0x817c, "−"}, {0x8191, "¢£"}, {0x81ca, "¬"}}},
	"cp932":     &tableCodec{from: japanese.ShiftJIS},
	"euc_jp": &tableCodec{from: japanese.EUCJP, python: []run{{0xa1c1, "〜‖"}, {0xa1dd, "−"}, {0xa1f1, "¢£"}, {0xa2cc, "¬"}},
		third: 0x8f, has: func(lead, _ byte) bool { return lead != 0xad && lead < 0xf9 }},
	"gbk":     &tableCodec{from: simplifiedchinese.GBK},
	"gb2312":  &tableCodec{from: simplifiedchinese.GBK, python: []run{{0xa1a4, "・"}, {0xa1aa, "―"}}},
	"gb18030": &tableCodec{from: simplifiedchinese.GB18030, fourByte: true},
	"euc_kr":  &tableCodec{from: korean.EUCKR},
	"cp949":   &tableCodec{from: korean.EUCKR},
	"big5": &tableCodec{from: traditionalchinese.Big5, has: func(lead, trail byte) bool { return inBig5(lead, trail) && (lead < 0xf9 || trail < 0xd6) }, python: []run{{0xa145, "•"}, {0xa14e, "､"}, {0xa1c2, "‾"}, {0xa1e3, "∼"},
		{0xa1f2, "♁☉"}, {0xa241, "／＼"}, {0xa244, "¥"}, {0xa246, "¢£"}, {0xc6a1, big5Kana}}},
	"cp950": &tableCodec{from: traditionalchinese.Big5, has: inBig5, python: []run{{0xc6a1, big5Kana}, {0xf9fe, "▓"}}},
}

// inBig5 leaves out what Hong Kong added.
func inBig5(lead, trail byte) bool {
	return lead >= 0xa1 && lead <= 0xf9 && lead != 0xc8 && (lead != 0xc7 || trail < 0xfd)
}

const big5Kana = "ヾゝゞ々ぁあぃいぅうぇえぉおかがきぎくぐけげこごさざしじすずせぜそぞただちぢっつづてでとどなにぬねのはばぱひびぴふぶぷへべぺほぼぽまみむめもゃやゅゆょよらりるれろゎわゐゑをん" +
	"ァアィイゥウェエォオカガキギクグケゲコゴサザシジスズセゼソゾタダチヂッツヅテデトドナニヌネノハバパヒビピフブプヘベペホボポマミムメモャヤュユョヨラリルレロヮワヰヱヲンヴヵヶ" +
	"ДЕЁЖЗИЙКЛМУФХЦЧШЩЪЫЬЭЮЯабвгдеёжзийклмнопрстуфхцчшщъыьэюя①②③④⑤⑥⑦⑧⑨⑩⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽"

// aliases are Python's own, besides those that follow from the form of a name.
var aliases = map[string]string{
	"utf-8":   "u8 utf cp65001 utf8-ucs2 utf8-ucs4",
	"utf-16":  "u16",
	"latin-1": "8859 l1 cp819 csisolatin1 ibm819 iso-8859-1-1987 iso-ir-100 latin iso8859 iso-8859-1",
	"ascii":   "646 ansi-x3-4-1968 ansi-x3-4-1986 cp367 csascii ibm367 iso646-us iso-646-irv-1991 iso-ir-6 us us-ascii",

	"utf-16-le": "unicodelittleunmarked", "utf-16-be": "unicodebigunmarked",
	"cp437": "cspc8codepage437", "cp850": "cspc850multilingual", "cp852": "cspcp852", "cp855": "csibm855", "cp858": "csibm858", "cp860": "csibm860",
	"cp862": "cspc862latinhebrew", "cp863": "csibm863", "cp865": "csibm865", "cp866": "csibm866",
	"iso8859-2": "csisolatin2 iso-8859-2-1987 iso-ir-101 l2 latin2", "iso8859-3": "csisolatin3 iso-8859-3-1988 iso-ir-109 l3 latin3",
	"iso8859-4": "csisolatin4 iso-8859-4-1988 iso-ir-110 l4 latin4", "iso8859-5": "csisolatincyrillic cyrillic iso-8859-5-1988 iso-ir-144",
	"iso8859-6": "arabic asmo-708 csisolatinarabic ecma-114 iso-8859-6-1987 iso-ir-127",
	"iso8859-7": "csisolatingreek ecma-118 elot-928 greek greek8 iso-8859-7-1987 iso-ir-126",
	"iso8859-8": "csisolatinhebrew hebrew iso-8859-8-1988 iso-ir-138", "iso8859-9": "csisolatin5 iso-8859-9-1989 iso-ir-148 l5 latin5",
	"iso8859-10": "csisolatin6 iso-8859-10-1992 iso-ir-157 l6 latin6", "iso8859-13": "l7 latin7",
	"iso8859-14": "iso-8859-14-1998 iso-celtic iso-ir-199 l8 latin8", "iso8859-15": "l9 latin9",
	"iso8859-16": "iso-8859-16-2001 iso-ir-226 l10 latin10", "koi8-r": "cskoi8r", "mac-roman": "macintosh",
	"shift_jis": "csshiftjis s-jis sjis x-mac-japanese", "cp932": "ms932 ms-kanji mskanji windows-31j", "euc_jp": "u-jis ujis",
	"gbk": "936 cp936 ms936", "gb18030": "gb18030-2000", "gb2312": "chinese csiso58gb231280 euc-cn euccn eucgb2312-cn gb2312-1980 gb2312-80 iso-ir-58 x-mac-simp-chinese",
	"cp949": "ms949 uhc", "big5": "big5-tw csbig5 x-mac-trad-chinese", "cp950": "ms950",
	"euc_kr": "korean ks-c-5601 ks-c-5601-1987 ks-x-1001 ksc5601 ksx1001 x-mac-korean",
}

// byName is every name in the form that plain gives it.
var byName = sync.OnceValue(func() map[string]string {
	all := map[string]string{"": "utf-8"}
	for name := range known() {
		all[plain(name)] = name
		if page, ok := strings.CutPrefix(name, "cp"); ok {
			for _, alias := range []string{page, "windows" + page, "ibm" + page} {
				all[alias] = name
			}
		}
		if number, ok := strings.CutPrefix(name, "iso8859-"); ok {
			all["iso8859"+number] = name
		}
	}
	for name, list := range aliases {
		for alias := range strings.FieldsSeq(list) {
			all[plain(alias)] = name
		}
	}
	return all
})

// plain is a name without what Python takes no notice of in names, and more: no two encodings differ in that alone.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// Lookup returns the encoding of a Python codec name; "" is UTF-8. Case, "_" and "-" do not matter.
func Lookup(name string) (Encoding, error) {
	if canonical, ok := byName()[plain(name)]; ok {
		return known()[canonical], nil
	}
	names := slices.Sorted(maps.Keys(known()))
	hint := ""
	if best, ok := nearest.Best(name, names); ok {
		hint = fmt.Sprintf("; did you mean %q?", best)
	}
	return Encoding{}, fmt.Errorf("encoding %q is not known%s (known: %s)", name, hint, strings.Join(names, ", "))
}
