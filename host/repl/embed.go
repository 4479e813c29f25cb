package repl

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

//go:embed python/rlm/*.py python/serena_repl/*.py python/vendor/*
var embedded embed.FS

const (
	embeddedRoot = "python"
	runtimeDir   = "runtime" // below the Serena home
)

// source is one embedded file; its path is slash-separated and relative to the folder that Python imports from.
type source struct {
	path string
	data []byte
}

// sources reads the embedded files and the digest of their names and contents.
var sources = sync.OnceValues(func() ([]source, string) {
	var files []source
	sum := sha256.New()
	err := fs.WalkDir(embedded, embeddedRoot, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := embedded.ReadFile(path)
		if err != nil {
			return err
		}
		rel := path[len(embeddedRoot)+1:]
		fmt.Fprintf(sum, "%s\x00%d\x00", rel, len(data))
		sum.Write(data)
		if strings.HasSuffix(rel, ".whl") {
			unpacked, err := unpack(rel, data)
			files = append(files, unpacked...)
			return err
		}
		files = append(files, source{rel, data})
		return nil
	})
	if err != nil { // the files are part of the executable
		panic(fmt.Sprintf("reading the embedded runtime: %v", err))
	}
	return files, hex.EncodeToString(sum.Sum(nil))[:16]
})

// unpack makes a folder of the wheel's name out of a wheel: from it Python imports alike, but compiles a module once and not in each
// process.
func unpack(name string, wheel []byte) ([]source, error) {
	archive, err := zip.NewReader(bytes.NewReader(wheel), int64(len(wheel)))
	if err != nil {
		return nil, err
	}
	var files []source
	for _, f := range archive.File {
		if f.FileInfo().IsDir() {
			continue
		}
		data, err := fs.ReadFile(archive, f.Name)
		if err != nil {
			return nil, err
		}
		files = append(files, source{name + "/" + f.Name, data})
	}
	return files, nil
}

// Extract writes the embedded Python files below the Serena home and returns the folder that Python imports from. The folder is named
// after the content, so that hosts of different versions do not disturb each other, and appears at once and whole, so that hosts may
// do this at the same time. Files that are there are checked by size only; one that is missing or damaged is written again.
func Extract(home string) (string, error) {
	files, digest := sources()
	parent := filepath.Join(home, runtimeDir)
	dir := filepath.Join(parent, digest)
	damaged := damagedFiles(dir, files)
	if len(damaged) == 0 {
		return dir, nil
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", extractError(parent, err)
	}
	if len(damaged) == len(files) {
		if err := extractAll(parent, dir, files); err != nil {
			return "", extractError(parent, err)
		}
		damaged = damagedFiles(dir, files)
	}
	for _, f := range damaged {
		if err := replaceFile(filepath.Join(dir, filepath.FromSlash(f.path)), f.data); err != nil {
			return "", extractError(dir, err)
		}
	}
	return dir, nil
}

func extractError(dir string, err error) error {
	return fmt.Errorf("unpacking the Python runtime into %s: %w; make the folder writable or choose another home with SERENA_HOME", dir, err)
}

func damagedFiles(dir string, files []source) []source {
	var damaged []source
	for _, f := range files {
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(f.path)))
		if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(f.data)) {
			damaged = append(damaged, f)
		}
	}
	return damaged
}

// extractAll fills a temporary folder and renames it. That another host was first is no error.
func extractAll(parent, dir string, files []source) error {
	temp, err := os.MkdirTemp(parent, ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp) // nothing is left of it after the rename
	for _, f := range files {
		path := filepath.Join(temp, filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.data, 0o600); err != nil {
			return err
		}
	}
	err = os.Rename(temp, dir)
	if info, statErr := os.Stat(dir); err != nil && statErr == nil && info.IsDir() {
		return nil
	}
	return err
}

func replaceFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-") // 0600
	if err != nil {
		return err
	}
	_, writeErr := temp.Write(data)
	if err := errors.Join(writeErr, temp.Close()); err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}
