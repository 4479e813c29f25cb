package repl

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/serena-go/serena/host/api"
)

func atoi(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestOutput_streams_are_kept_apart(t *testing.T) {
	t.Parallel()
	r, _ := start(t)
	result := run(t, r, "import sys, os, subprocess\nprint('a')\nsys.stderr.write('b\\n')\nos.write(1, b'raw\\n')\nsubprocess.run(['echo', 'child'])\nNone")
	if result.Value != nil {
		t.Errorf("value = %q", *result.Value)
	}
	equal(t, "stderr", result.Stderr, "b\n")
	for _, line := range []string{"a\n", "raw\n", "child\n"} {
		contains(t, result.Stdout, line)
	}
	equal(t, "length", len(result.Stdout), len("a\nraw\nchild\n"))
	equal(t, "next", run(t, r, "1").Stdout, "")
}

func TestOutput_between_cells_comes_with_the_next_result(t *testing.T) {
	t.Parallel()
	r, b := start(t)
	release, printed := make(chan struct{}), make(chan struct{})
	b.answer(func(ctx context.Context, req CallRequest) (api.Outcome, error) {
		if req.Method == "echo" {
			<-release
			return api.Outcome{}, nil
		}
		close(printed)
		<-ctx.Done()
		return api.Outcome{}, ctx.Err()
	})
	first := run(t, r, "import asyncio\nasync def late():\n    await s.aio.fs.echo(1)\n    print('late')\n    await s.aio.fs.block()\nt = asyncio.create_task(late())")
	equal(t, "first", first.Stdout, "")
	close(release)
	await(t, "the task has printed", printed)
	equal(t, "next", run(t, r, "print('mine')\nNone").Stdout, "late\nmine\n")
	equal(t, "the one after", run(t, r, "t.cancel()").Stdout, "")
}

func TestOutput_of_many_megabytes_keeps_both_ends(t *testing.T) {
	t.Parallel()
	r, _ := start(t)
	result := run(t, r, "import sys\nsys.stdout.write('begin\\n' + 'é' * 6_000_000 + '\\nend\\n')\nNone")
	if !strings.HasPrefix(result.Stdout, "begin\né") || !strings.HasSuffix(result.Stdout, "é\nend\n") {
		t.Errorf("ends: %q … %q", result.Stdout[:20], result.Stdout[len(result.Stdout)-20:])
	}
	// 12,000,011 bytes; 4 MiB at each end, less a half character where the limit cuts one: the head ends after 6 bytes and
	// whole characters (4194304-6 is even), the tail begins 4194304-5 bytes before its own 5 (odd: one byte more is dropped).
	contains(t, result.Stdout, "\n[… "+strconv.Itoa(12_000_011-2*4_194_304+1)+" bytes of output were dropped here …]\n")
	if strings.ContainsRune(result.Stdout, '\uFFFD') {
		t.Error("a character was cut")
	}
}

func TestResult_of_twenty_megabytes_is_whole(t *testing.T) {
	t.Parallel()
	r, _ := start(t)
	equal(t, "length", len(value(t, r, "'p' * 20_000_000")), 20_000_000)
	equal(t, "echo", value(t, r, "len(s.fs.echo('q' * 2_000_000))"), "2000000")
}

func TestResult_beyond_the_frame_limit_is_left_out_and_told(t *testing.T) {
	t.Parallel()
	r, _ := start(t)
	result := run(t, r, "'p' * (65 * 1024 * 1024)")
	if result.Value != nil {
		t.Errorf("a value of %d bytes", len(*result.Value))
	}
	contains(t, strings.Join(result.Notes, "\n"), "dropped: the text of the cell's value; the value itself is in `_`")
	equal(t, "kept", value(t, r, "len(_)"), strconv.Itoa(65*1024*1024))
	e := failure(t, r, "s.fs.echo('q' * (65 * 1024 * 1024))")
	equal(t, "kind", e.Name, "ValueError")
	contains(t, e.Text(), "the arguments are too large", "pass less at once")
}

func TestHeadTail_keeps_both_ends(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pieces []string
		want   string
	}{
		"empty":          {nil, ""},
		"fits the head":  {[]string{"abc"}, "abc"},
		"fits both":      {[]string{"abcde", "fgh"}, "abcdefgh"},
		"one too long":   {[]string{"abcdefghi"}, "abcd\n[… 1 bytes of output were dropped here …]\nfghi"},
		"many pieces":    {strings.Split("abcdefghijklmnopqrstuvwxyz", ""), "abcd\n[… 18 bytes of output were dropped here …]\nwxyz"},
		"cut characters": {[]string{"abcéxxxéfgh"}, "abc\n[… 7 bytes of output were dropped here …]\nfgh"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := headTail{limit: 4}
			for _, p := range c.pieces {
				h.add(p)
			}
			equal(t, "text", h.text(), c.want)
		})
	}
}

func TestFrames_concern_one_line_each(t *testing.T) {
	t.Parallel()
	f := newFrameReader(strings.NewReader("no json\n[1]\n{\"event\":\"done\",\"id\":\"c1\"}\r\n{\"event\":\"do"))
	for range 2 {
		if _, err := f.next(); !isBadLine(err) {
			t.Errorf("err = %v", err)
		}
	}
	e, err := f.next()
	if err != nil || e.Event != "done" || e.id() != "c1" {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := f.next(); err == nil || isBadLine(err) {
		t.Errorf("half a line: %v", err)
	}
}

func TestCellError_text(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		e    CellError
		want string
	}{
		"traceback": {CellError{"ValueError", "bad", []string{"Traceback:\n", "  line\n", "ValueError: bad\n"}}, "Traceback:\n  line\nValueError: bad"},
		"no ends":   {CellError{"ValueError", "bad", []string{"Traceback:", "mod.ValueError: bad"}}, "Traceback:\nmod.ValueError: bad"},
		"bare":      {CellError{"ValueError", "bad", nil}, "ValueError: bad"},
		"no text":   {CellError{"KeyboardInterrupt", "", nil}, "KeyboardInterrupt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, "text", c.e.Text(), c.want)
		})
	}
}
