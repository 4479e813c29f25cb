package hostside

import (
	"context"
	"errors"
	"fmt"
	"net"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/serena-go/serena/internal/wire"
)

// Connection is what is there once the handshake is done.
type Connection struct {
	Conn   *grpc.ClientConn
	HostID uint32 // names the host's service to the plugin

	broker   *goplugin.GRPCBroker
	listener net.Listener // for the host's service
}

// Serve serves the host's service until host.Stop, which closes the listener.
func (c Connection) Serve(host *grpc.Server) error { return host.Serve(c.listener) }

// Close gives up a connection that is not served.
func (c Connection) Close() error { return c.listener.Close() }

// Handshake is what host and plugin know of each other before the first message.
func Handshake() goplugin.HandshakeConfig {
	return goplugin.HandshakeConfig{MagicCookieKey: wire.MagicCookieKey, MagicCookieValue: wire.MagicCookieValue}
}

// Plugins offers the versions of the protocol that the host speaks; the plugin takes the highest that it knows, too.
func Plugins() map[int]goplugin.PluginSet {
	sets := map[int]goplugin.PluginSet{}
	for _, v := range wire.ProtocolVersions {
		sets[v] = goplugin.PluginSet{wire.PluginName: dispenser{}}
	}
	return sets
}

// MessageBounds are the bounds of what is sent and received.
func MessageBounds() grpc.DialOption {
	return grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(wire.MaxMessageBytes), grpc.MaxCallSendMsgSize(wire.MaxMessageBytes))
}

// Dial waits for the handshake, starting the process if need be, and opens the way back to the host. It takes no context: the process's end makes
// it return.
func Dial(client *goplugin.Client) (Connection, error) {
	protocol, err := client.Client()
	if err != nil {
		return Connection{}, err
	}
	raw, err := protocol.Dispense(wire.PluginName)
	if err != nil {
		return Connection{}, err
	}
	c := raw.(Connection)
	c.HostID = c.broker.NextId()
	if c.listener, err = c.broker.Accept(c.HostID); err != nil {
		return Connection{}, fmt.Errorf("the way back to the host: %w", err)
	}
	return c, nil
}

// dispenser makes go-plugin hand out the bare connection.
type dispenser struct {
	goplugin.NetRPCUnsupportedPlugin
}

var _ goplugin.GRPCPlugin = dispenser{}

func (dispenser) GRPCServer(*goplugin.GRPCBroker, *grpc.Server) error {
	return errors.New("a host serves no plugin")
}

func (dispenser) GRPCClient(_ context.Context, broker *goplugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return Connection{broker: broker, Conn: conn}, nil
}
