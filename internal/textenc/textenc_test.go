package textenc_test

import (
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/textenc"
)

func lookup(t *testing.T, name string) textenc.Encoding {
	t.Helper()
	e, err := textenc.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	data, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Expected values: python3, codecs.lookup(name).name.
func TestLookup_knows_pythons_names(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"": "utf-8", "utf8": "utf-8", "UTF-8": "utf-8", "u8": "utf-8", "utf_8_sig": "utf-8-sig",
		"latin_1": "latin-1", "LATIN1": "latin-1", "iso-8859-1": "latin-1", "iso8859-1": "latin-1", "l1": "latin-1", "cp819": "latin-1",
		"utf-16le": "utf-16-le", "utf_16_be": "utf-16-be", "U16": "utf-16", "windows-1252": "cp1252", "1252": "cp1252", "us-ascii": "ascii", "646": "ascii", "latin-2": "iso8859-2", "Shift-JIS": "shift_jis", "sjis": "shift_jis", "windows-31j": "cp932", "eucJP": "euc_jp",
		"GB2312": "gb2312", "cp936": "gbk", "EUC-KR": "euc_kr", "Big5": "big5", "koi8_r": "koi8-r", "windows-1251": "cp1251",
	} {
		if e, err := textenc.Lookup(name); err != nil || e.Name() != want {
			t.Errorf("%q: got %q, %v; want %q", name, e.Name(), err, want)
		}
	}
	_, err := textenc.Lookup("shift-jus")
	if want := `encoding "shift-jus" is not known; did you mean "shift_jis"? (known: ascii, big5, cp1250, `; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

// Expected bytes: python3, "naïve\r\n€ “x” 😀\n".encode(name).
func TestDecode_and_Encode_agree_with_python(t *testing.T) {
	t.Parallel()
	const text = "naïve\r\n€ “x” 😀\n"
	for name, tc := range map[string]struct{ project, file string }{
		"utf-8":                       {"utf-8", "6e61c3af76650d0ae282ac20e2809c78e2809d20f09f98800a"},
		"utf-8 with mark":             {"utf-8", "efbbbf6e61c3af76650d0ae282ac20e2809c78e2809d20f09f98800a"},
		"mark against the project's":  {"latin-1", "efbbbf6e61c3af76650d0ae282ac20e2809c78e2809d20f09f98800a"},
		"utf-16 with mark":            {"utf-8", "fffe6e006100ef00760065000d000a00ac2020001c2078001d2020003dd800de0a00"},
		"utf-16 with mark, big":       {"ascii", "feff006e006100ef00760065000d000a20ac0020201c0078201d0020d83dde00000a"},
		"utf-16-le without mark":      {"utf-16-le", "6e006100ef00760065000d000a00ac2020001c2078001d2020003dd800de0a00"},
		"utf-16-be without mark":      {"utf-16-be", "006e006100ef00760065000d000a20ac0020201c0078201d0020d83dde00000a"},
		"utf-16 without mark, little": {"utf-16", "6e006100ef00760065000d000a00ac2020001c2078001d2020003dd800de0a00"},
	} {
		data := unhex(t, tc.file)
		got, err := textenc.Decode(lookup(t, tc.project), data)
		if err != nil || got.Text != text {
			t.Errorf("%s: got %v, %v", name, got, err)
			continue
		}
		if back, err := got.Encode(text); err != nil || string(back) != string(data[got.ToFile(0):]) {
			t.Errorf("%s: encoded as %x, %v", name, back, err)
		}
	}
}

// Expected bytes: python3, "日本語\\n～テスト".encode(name) and the like.
func TestDecode_and_Encode_of_several_bytes_a_character(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, file string }{
		"shift_jis": {"日本語\n〜表\\ｱ", "93fa967b8cea0a8160955c5cb1"}, // the second byte of 表 is a backslash
		"cp932":     {"～①表", "81608740955c"},
		"euc_jp":    {"日本語〜伀", "c6fccbdcb8eca1c18fb0d2"},
		"gbk":       {"中文，\r\n囙", "d6d0cec4a3ac0d0a87e0"},
		"gb18030":   {"中€😀ñ", "d6d0a2e39439fc3681308a39"},
		"euc_kr":    {"한국어", "c7d1b1b9beee"},
		"cp949":     {"한갂", "c7d18141"},
		"big5":      {"中文許功蓋", "a4a4a4e5b35ca55cbb5c"},
		"cp950":     {"中▓", "a4a4f9fe"},
	} {
		data := unhex(t, tc.file)
		got, err := textenc.Decode(lookup(t, name), data)
		if err != nil || got.Text != tc.text {
			t.Errorf("%s: got %+v, %v", name, got, err)
			continue
		}
		if back, err := got.Encode(tc.text); err != nil || string(back) != string(data) {
			t.Errorf("%s: encoded as %x, %v", name, back, err)
		}
	}
}

func TestDecodeAround_finds_what_is_not_of_the_encoding(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		encoding, data, text string
		foreign              []int // offsets in the file
	}{
		{"shift_jis", "\x93\xfa\xff\x96{\xf0", "日\ufffd本\ufffd", []int{2, 5}},
		{"ascii", "a\xc3\xa9b", "a\ufffd\ufffdb", []int{1, 2}},
		{"utf-16-le", "a\x00\x3d\xd8b\x00c", "a\ufffdb\ufffd", []int{2, 6}},
		{"utf-16-le", "\xfd\xffa\x00", "\ufffda", nil}, // one that is really there
		{"cp1252", "\x81\x80", "\ufffd€", []int{0}},
		{"utf-8", "a\xffb", "a\xffb", []int{1}},
	} {
		text, err := textenc.DecodeAround(lookup(t, tc.encoding), []byte(tc.data))
		if err != nil || text.Text != tc.text {
			t.Errorf("%s: got %+v, %v", tc.encoding, text, err)
			continue
		}
		var foreign []int
		for at := 0; ; {
			bad := text.Invalid(at, len(text.Text))
			if bad == nil {
				break
			}
			if bad.Byte != tc.data[bad.Offset] || text.ToFile(bad.InText) != bad.Offset {
				t.Errorf("%s: %+v", tc.encoding, bad)
			}
			foreign = append(foreign, bad.Offset)
			at = bad.InText + 1
		}
		if !slices.Equal(foreign, tc.foreign) {
			t.Errorf("%s: foreign bytes at %d, want %d", tc.encoding, foreign, tc.foreign)
		}
	}
}

func TestDecode_refuses_what_is_not_of_the_encoding(t *testing.T) {
	t.Parallel()
	// Offsets: python3, UnicodeDecodeError.start; for utf-16 the mark's two bytes are added.
	for name, tc := range map[string]struct {
		encoding, data string
		offset         int
	}{
		"ascii":                   {"ascii", "ab\xe9\n", 2},
		"undefined in cp1252":     {"cp1252", "caf\xe9\x81", 4},
		"high surrogate alone":    {"utf-16-le", "a\x00\x3d\xd8b\x00", 2},
		"low surrogate alone":     {"utf-8", "\xff\xfea\x00\x00\xdc", 4},
		"odd byte":                {"utf-16-le", "a\x00b", 2},
		"high surrogate at end":   {"utf-16-be", "\xd8\x3d", 0},
		"utf-32, not taken as 16": {"utf-8", "\xff\xfe\x00\x00a\x00\x00\x00", 2},
	} {
		_, err := textenc.Decode(lookup(t, tc.encoding), []byte(tc.data))
		var de *textenc.DecodeError
		if !errors.As(err, &de) || de.Offset != tc.offset {
			t.Errorf("%s: got %v, want offset %d", name, err, tc.offset)
		}
	}
}

func TestInvalid_reports_bytes_within_the_range_only(t *testing.T) {
	t.Parallel()
	text, err := textenc.Decode(textenc.Encoding{}, []byte("\xef\xbb\xbfab\xe9c\xef\xbf\xbdd\xc3"))
	if err != nil {
		t.Fatal(err)
	}
	if e := text.Invalid(0, 2); e != nil {
		t.Errorf("before: got %v", e)
	}
	if e := text.Invalid(0, 3); e == nil || e.Error() != "the byte 0xe9 at offset 5 is not utf-8" {
		t.Errorf("at: got %v", e)
	}
	if e := text.Invalid(3, 8); e != nil { // a replacement character that is really in the file
		t.Errorf("between: got %v", e)
	}
	if e := text.Invalid(3, len(text.Text)); e == nil || e.Offset != 11 || e.Byte != 0xc3 {
		t.Errorf("cut character at the end: got %v", e)
	}
}

// Expected values: python3, UnicodeEncodeError.start as an offset in the text's UTF-8.
func TestEncode_refuses_what_the_encoding_lacks(t *testing.T) {
	t.Parallel()
	const text = "naïve\r\n€ “x” 😀\n"
	for name, tc := range map[string]struct {
		offset  int
		message string
	}{
		"latin-1": {8, "the encoding latin-1 has no character '€' (U+20AC)"},
		"cp1252":  {20, "the encoding cp1252 has no character '😀' (U+1F600)"},
		"ascii":   {2, "the encoding ascii has no character 'ï' (U+00EF)"},
	} {
		_, err := lookup(t, name).Encode(text)
		var ee *textenc.EncodeError
		if !errors.As(err, &ee) || ee.Offset != tc.offset || err.Error() != tc.message {
			t.Errorf("%s: got %v at %v", name, err, ee)
		}
	}
	if data, err := (textenc.Encoding{}).Encode("a\xffb"); err != nil || string(data) != "a\xffb" {
		t.Errorf("utf-8 keeps foreign bytes: got %q, %v", data, err)
	}
}

func TestToFile_maps_every_character(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for name, runes := range map[string][]rune{
		"latin-1": []rune("aé\r\nÿ\u0085"), "cp1252": []rune("a€”\n"), "utf-16": []rune("a€😀\n\ufffd"), "utf-16-be": []rune("é😀z"), "utf-8": []rune("aé€😀"),
		"shift_jis": []rune("a表ｱ\n"), "euc_jp": []rune("a伀語ｱ"), "gb18030": []rune("a中ñ😀"), "big5": []rune("a功\n"),
	} {
		enc := lookup(t, name)
		var b strings.Builder
		for range 6000 { // several marks
			b.WriteRune(runes[rng.IntN(len(runes))])
		}
		data, err := enc.Encode(b.String())
		if err != nil {
			t.Fatal(err)
		}
		text, err := textenc.Decode(enc, data)
		if err != nil || text.Text != b.String() {
			t.Fatalf("%s: not read back: %v", name, err)
		}
		at := 0
		for off, r := range text.Text {
			if got := text.ToFile(off); got != at {
				t.Fatalf("%s: offset %d is %d in the file, want %d", name, off, got, at)
			}
			one, _ := enc.Encode(string(r))
			at += len(one)
		}
		if got := text.ToFile(len(text.Text)); got != len(data) {
			t.Errorf("%s: the end is %d, want %d", name, got, len(data))
		}
	}
}

func TestIsWide(t *testing.T) {
	t.Parallel()
	wide, narrow := lookup(t, "utf-16"), lookup(t, "utf-8")
	for data, want := range map[string][2]bool{
		"": {true, false}, "a\x00": {true, false}, "\xff\xfea\x00": {true, true}, "\xfe\xff": {true, true}, "\xef\xbb\xbf": {false, false},
	} {
		if got := [2]bool{textenc.IsWide(wide, []byte(data)), textenc.IsWide(narrow, []byte(data))}; got != want {
			t.Errorf("%q: got %v, want %v", data, got, want)
		}
	}
}
