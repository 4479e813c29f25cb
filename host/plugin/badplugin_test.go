//go:build unix

package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/serena-go/serena/internal/wire"
)

// badPlugin speaks the wire itself, without the sdk and what that does against faults of an author: its method's name is the fault.
type badPlugin struct {
	wire.UnimplementedPluginServer
	goplugin.NetRPCUnsupportedPlugin
	fault string
}

// serveBad is the main of a plugin with one fault. Its method "good" answers, once the plugin serves at all.
func serveBad(fault string) {
	switch fault {
	case "listens on TCP":
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		fmt.Printf("%d|%d|tcp|%s|grpc\n", goplugin.CoreProtocolVersion, wire.ProtocolVersion, l.Addr())
		select {}
	case "listens in the open":
		dir, err := os.MkdirTemp("", "open-")
		if err != nil {
			panic(err)
		}
		l, err := net.Listen("unix", filepath.Join(dir, "s"))
		if err != nil {
			panic(err)
		}
		fmt.Printf("%d|%d|unix|%s|grpc\n", goplugin.CoreProtocolVersion, wire.ProtocolVersion, l.Addr())
		os.RemoveAll(dir)
		select {}
	case "no line ends":
		junk(os.Stdout, "x", 10_000)
		select {}
	case "leaves in the handshake":
		os.Exit(4)
	}
	set := goplugin.PluginSet{wire.PluginName: &badPlugin{fault: fault}}
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig:  goplugin.HandshakeConfig{MagicCookieKey: wire.MagicCookieKey, MagicCookieValue: wire.MagicCookieValue},
		VersionedPlugins: map[int]goplugin.PluginSet{wire.ProtocolVersion: set},
		GRPCServer:       goplugin.DefaultGRPCServer, // without a bound for what it sends
		Logger:           hclog.NewNullLogger(),
	})
	os.Exit(0)
}

func (p *badPlugin) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	wire.RegisterPluginServer(s, p)
	return nil
}

func (p *badPlugin) GRPCClient(context.Context, *goplugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.New("no host")
}

// does reports whether the fault is this one.
func (p *badPlugin) does(fault string) bool { return p.fault == fault }

func (p *badPlugin) Attach(context.Context, *wire.AttachRequest) (*wire.AttachReply, error) {
	manifest := testPlugin().Manifest()
	switch {
	case p.does("hangs in Attach"):
		select {}
	case p.does("declares something else"):
		manifest.Version = "another"
	case p.does("declares nothing"):
		return &wire.AttachReply{Manifest: []byte("{")}, nil
	case p.does("leaves in Attach"):
		os.Exit(6)
	}
	return &wire.AttachReply{Manifest: manifest.JSON()}, nil
}

func (p *badPlugin) Open(context.Context, *wire.OpenRequest) (*wire.OpenReply, error) {
	switch {
	case p.does("hangs in Open"):
		select {}
	case p.does("leaves in Open"):
		os.Exit(7)
	}
	return &wire.OpenReply{}, nil
}

func (p *badPlugin) Close(context.Context, *wire.CloseRequest) (*wire.CloseReply, error) {
	if p.does("hangs in Close") {
		select {}
	}
	return &wire.CloseReply{}, nil
}

func (p *badPlugin) Stop(context.Context, *wire.StopRequest) (*wire.StopReply, error) {
	if p.does("hangs in Stop") {
		select {}
	}
	return &wire.StopReply{}, nil
}

func (p *badPlugin) Render(context.Context, *wire.RenderRequest) (*wire.RenderReply, error) {
	if p.does("hangs in Render") {
		select {}
	}
	return &wire.RenderReply{}, nil
}

func (p *badPlugin) Call(_ *wire.CallRequest, stream grpc.ServerStreamingServer[wire.CallEvent]) error {
	answer := func(o *wire.Outcome) error {
		return stream.Send(&wire.CallEvent{Event: &wire.CallEvent_Outcome{Outcome: o}})
	}
	progress := func(done float64, message string) error {
		return stream.Send(&wire.CallEvent{Event: &wire.CallEvent_Progress{Progress: &wire.Progress{Done: done, Total: done, Message: message}}})
	}
	good := &wire.Outcome{Value: []byte(`"fine"`)}
	switch p.fault {
	case "crashes":
		os.Exit(9)
	case "hangs in Call":
		if err := progress(1, "hanging"); err != nil {
			return err
		}
		select {}
	case "floods stderr":
		junk(os.Stderr, "a line of no use\n", 16<<20)
	case "floods stderr without a line's end":
		junk(os.Stderr, "no end", 16<<20)
	case "floods stdout":
		junk(os.Stdout, "printed\n", 4<<20)
	case "answers 500 MB":
		return answer(&wire.Outcome{Value: append(append([]byte(`"`), bytes.Repeat([]byte("x"), 500<<20)...), '"')})
	case "answers no JSON":
		return answer(&wire.Outcome{Value: []byte(`{"a":`)})
	case "answers an unknown type":
		return answer(&wire.Outcome{Value: []byte(`{}`), Type: "Nonsense"})
	case "answers a number for text":
		return answer(&wire.Outcome{Value: []byte(`5`)})
	case "answers nothing":
		return nil
	case "fails without a kind":
		return answer(&wire.Outcome{Failure: &wire.Failure{Message: "just so"}})
	case "floods progress":
		for range 5_000 {
			if err := progress(math.NaN(), strings.Repeat("y", 10_000)); err != nil {
				return err
			}
		}
	}
	return answer(good)
}

// junk writes so many bytes of a text again and again.
func junk(to io.Writer, text string, bytes int) {
	block := strings.Repeat(text, 1+(64<<10)/len(text))
	for n := 0; n < bytes; n += len(block) {
		if _, err := io.WriteString(to, block); err != nil {
			return
		}
	}
}
