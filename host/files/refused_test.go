//go:build !windows

package files

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/serena-go/serena/internal/staged"
	"github.com/serena-go/serena/sdk"
)

func TestApply_refuses_and_changes_nothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		changes []sdk.Change
		kind    string
		says    string
	}{
		"stale":                 {[]sdk.Change{sdk.EditFile("a.txt", base("old"), edit(0, 1, "x"))}, sdk.KindStale, "a.txt changed since it was read, so nothing was changed: read it again"},
		"stale whole":           {[]sdk.Change{sdk.WriteFile("a.txt", base(""), nil)}, sdk.KindStale, "a.txt"},
		"stale delete":          {[]sdk.Change{sdk.DeleteFile("a.txt", base("old"))}, sdk.KindStale, "a.txt"},
		"stale rename":          {[]sdk.Change{sdk.RenameFile("a.txt", base("old"), "n.txt")}, sdk.KindStale, "a.txt"},
		"absent but there":      {[]sdk.Change{sdk.WriteFile("a.txt", sdk.Absent, []byte("x"))}, sdk.KindStale, "a.txt"},
		"gone":                  {[]sdk.Change{sdk.EditFile("no.txt", base("x"), edit(0, 1, "y"))}, sdk.KindFileNotFound, "no.txt is not there"},
		"gone delete":           {[]sdk.Change{sdk.DeleteFile("no.txt", base("x"))}, sdk.KindFileNotFound, "no.txt is not there"},
		"second is stale":       {[]sdk.Change{sdk.WriteFile("a.txt", base("abc"), []byte("x")), sdk.WriteFile("d/b.txt", base("x"), nil)}, sdk.KindStale, "d/b.txt"},
		"no base":               {[]sdk.Change{{Path: "a.txt", Whole: true}}, sdk.KindValue, "does not say which content"},
		"bad base":              {[]sdk.Change{{Path: "a.txt", Whole: true, Base: "ABC"}}, sdk.KindValue, `the base "ABC" is neither absent nor`},
		"edit of absent":        {[]sdk.Change{sdk.EditFile("n.txt", sdk.Absent, edit(0, 0, "x"))}, sdk.KindValue, "can be created only"},
		"delete of absent":      {[]sdk.Change{sdk.DeleteFile("n.txt", sdk.Absent)}, sdk.KindValue, "can be created only"},
		"two kinds":             {[]sdk.Change{{Path: "a.txt", Base: base("abc"), Delete: true, To: "b"}}, sdk.KindValue, "several kinds at once"},
		"edits and whole":       {[]sdk.Change{{Path: "a.txt", Base: base("abc"), Whole: true, Edits: []sdk.ByteEdit{edit(0, 1, "")}}}, sdk.KindValue, "several kinds at once"},
		"beyond the end":        {[]sdk.Change{sdk.EditFile("a.txt", base("abc"), edit(2, 4, ""))}, sdk.KindValue, "edit 0, [2, 4), reaches beyond the file's 3 bytes"},
		"backwards":             {[]sdk.Change{sdk.EditFile("a.txt", base("abc"), edit(2, 1, ""))}, sdk.KindValue, "edit 0 is no range of bytes: [2, 1)"},
		"negative":              {[]sdk.Change{sdk.EditFile("a.txt", base("abc"), edit(-1, 1, ""))}, sdk.KindValue, "edit 0 is no range"},
		"overlapping":           {[]sdk.Change{sdk.EditFile("a.txt", base("abc"), edit(0, 2, ""), edit(1, 3, ""))}, sdk.KindValue, "edit 1, [1, 3), begins before the end of the one before it, 2"},
		"unsorted":              {[]sdk.Change{sdk.EditFile("a.txt", base("abc"), edit(2, 3, ""), edit(0, 1, ""))}, sdk.KindValue, "must be ascending"},
		"twice":                 {[]sdk.Change{sdk.WriteFile("a.txt", base("abc"), nil), sdk.WriteFile("./a.txt", base("abc"), nil)}, sdk.KindValue, "name this file twice (as a.txt, too)"},
		"twice through a link":  {[]sdk.Change{sdk.WriteFile("a.txt", base("abc"), nil), sdk.WriteFile("link", base("abc"), nil)}, sdk.KindValue, "name this file twice"},
		"renamed and written":   {[]sdk.Change{sdk.RenameFile("a.txt", base("abc"), "n.txt"), sdk.WriteFile("n.txt", sdk.Absent, nil)}, sdk.KindValue, "name this file twice"},
		"file as folder":        {[]sdk.Change{sdk.WriteFile("a.txt/x", sdk.Absent, nil)}, sdk.KindNotADirectory, "a.txt/x"},
		"file and below it":     {[]sdk.Change{sdk.WriteFile("n", sdk.Absent, nil), sdk.WriteFile("n/x", sdk.Absent, nil)}, sdk.KindValue, "n, which is changed too, would have to be its folder"},
		"folder":                {[]sdk.Change{sdk.WriteFile("d", base("abc"), nil)}, sdk.KindIsADirectory, "d is a folder"},
		"folder delete":         {[]sdk.Change{sdk.DeleteFile("d", base("abc"))}, sdk.KindIsADirectory, "d is a folder"},
		"root":                  {[]sdk.Change{sdk.WriteFile("", sdk.Absent, nil)}, sdk.KindIsADirectory, "the project's root"},
		"pipe":                  {[]sdk.Change{sdk.WriteFile("pipe", base("abc"), nil)}, sdk.KindValue, "pipe: it is no regular file"},
		"outside":               {[]sdk.Change{sdk.WriteFile("../x", sdk.Absent, nil)}, sdk.KindPermission, "outside the project"},
		"outside by a link":     {[]sdk.Change{sdk.WriteFile("out/x", sdk.Absent, nil)}, sdk.KindPermission, "outside the project"},
		"outside absolute":      {[]sdk.Change{sdk.WriteFile("/x", sdk.Absent, nil)}, sdk.KindPermission, "outside the project"},
		"rename outside":        {[]sdk.Change{sdk.RenameFile("a.txt", base("abc"), "../x")}, sdk.KindPermission, "outside the project"},
		"git":                   {[]sdk.Change{sdk.WriteFile(".git/config", sdk.Absent, nil)}, sdk.KindPermission, "belongs to git"},
		"git deeper":            {[]sdk.Change{sdk.WriteFile("d/.GIT/hooks/x", sdk.Absent, nil)}, sdk.KindPermission, "belongs to git"},
		"git by a link":         {[]sdk.Change{sdk.WriteFile("togit/x", sdk.Absent, nil)}, sdk.KindPermission, "belongs to git"},
		"git file":              {[]sdk.Change{sdk.WriteFile("w/.git", sdk.Absent, nil)}, sdk.KindPermission, "belongs to git"},
		"rename into git":       {[]sdk.Change{sdk.RenameFile("a.txt", base("abc"), ".git/x")}, sdk.KindPermission, "belongs to git"},
		"staged name":           {[]sdk.Change{sdk.WriteFile("d/.serena-1.tmp", sdk.Absent, nil)}, sdk.KindValue, "files that are being written"},
		"rename onto":           {[]sdk.Change{sdk.RenameFile("a.txt", base("abc"), "d/b.txt")}, sdk.KindFileExists, "d/b.txt exists already, so a.txt was not renamed"},
		"rename onto itself":    {[]sdk.Change{sdk.RenameFile("a.txt", base("abc"), "./a.txt")}, sdk.KindFileExists, "exists already"},
		"rename onto dangling":  {[]sdk.Change{sdk.RenameFile("a.txt", base("abc"), "dangling")}, sdk.KindFileExists, "exists already"},
		"NUL":                   {[]sdk.Change{sdk.WriteFile("a\x00", sdk.Absent, nil)}, sdk.KindValue, "NUL byte"},
		"loop of links":         {[]sdk.Change{sdk.WriteFile("loop", sdk.Absent, nil)}, sdk.KindValue, "loop"},
		"name too long":         {[]sdk.Change{sdk.WriteFile(strings.Repeat("n", 256), sdk.Absent, nil)}, sdk.KindValue, "name too long"},
		"name too long, deeper": {[]sdk.Change{sdk.WriteFile("new/"+strings.Repeat("n", 256), sdk.Absent, nil)}, sdk.KindValue, "name too long"},
		"folder's too long":     {[]sdk.Change{sdk.WriteFile("new/"+strings.Repeat("n", 256)+"/f", sdk.Absent, nil)}, sdk.KindValue, "name too long"},
		"path too long":         {[]sdk.Change{sdk.WriteFile("new"+strings.Repeat("/"+strings.Repeat("n", 200), 25), sdk.Absent, nil)}, sdk.KindValue, "name too long"},
		"new name too long":     {[]sdk.Change{sdk.RenameFile("a.txt", base("abc"), "new/"+strings.Repeat("n", 256))}, sdk.KindValue, "name too long"},
		"good one before a bad": {[]sdk.Change{sdk.WriteFile("new/n.txt", sdk.Absent, nil), sdk.DeleteFile("no.txt", base("x"))}, sdk.KindFileNotFound, "no.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{"a.txt": "abc", "d/b.txt": "b", "w/x": ""})
			for link, target := range map[string]string{"link": "a.txt", "out": "..", "togit": ".git", "dangling": "nowhere", "loop": "loop"} {
				if err := os.Symlink(target, filepath.Join(p.root, link)); err != nil {
					t.Fatal(err)
				}
			}
			if err := syscall.Mkfifo(filepath.Join(p.root, "pipe"), 0o600); err != nil {
				t.Fatal(err)
			}
			defer os.Remove(filepath.Join(p.root, "pipe"))
			before := stamps(t, p.root)
			number, err := p.store.Apply(t.Context(), Author{}, c.changes)
			if !sdk.IsKind(err, c.kind) || number != 0 || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %d, %T %v; want a %s with %q", number, err, err, c.kind, c.says)
			}
			if strings.Contains(err.Error(), staged.Prefix) && name != "staged name" {
				t.Errorf("the error names a staged file: %v", err)
			}
			if after := stamps(t, p.root); !maps.Equal(after, before) || p.store.Last() != 1 {
				t.Errorf("something was touched; last is %d", p.store.Last())
			}
			p.checkHome(t)
			if _, err := p.store.Apply(t.Context(), Author{}, []sdk.Change{sdk.WriteFile("next.txt", sdk.Absent, nil)}); err != nil {
				t.Errorf("the next write: %v", err)
			}
		})
	}
}

func TestOpen_refuses_what_is_no_folder(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "x"})
	if _, err := Open(filepath.Join(p.root, "a"), Options{Home: p.home}); err == nil || !strings.Contains(err.Error(), "is not a directory") {
		t.Errorf("file: %v", err)
	}
	if _, err := Open(filepath.Join(p.root, "no"), Options{Home: p.home}); !sdk.IsKind(err, sdk.KindFileNotFound) {
		t.Errorf("missing: %v", err)
	}
	if _, err := Open(p.root, Options{}); !sdk.IsKind(err, sdk.KindValue) {
		t.Errorf("no home: %v", err)
	}
	if names := slices.Collect(maps.Keys(tree(t, filepath.Dir(p.home)))); slices.Contains(names, "home/") {
		t.Error("opening made the home")
	}
}
