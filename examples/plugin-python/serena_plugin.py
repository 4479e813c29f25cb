"""What a plugin must say on the wire, in Python: the handshake, the services, the way back to the host.

Nothing here knows what the plugin does: see words.py. The contract is docs/manifest.md and the two .proto files that
`serena plugin proto DIR` writes; the modules *_pb2* are generated from them.
"""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import logging
import os
import sys
import tempfile
import threading
from typing import Any, Callable, Iterator

import go_plugin_pb2 as go_plugin
import go_plugin_pb2_grpc as go_plugin_grpc
import grpc
import plugin_pb2 as wire
import plugin_pb2_grpc as wire_grpc

PROTOCOL = 1
MAX_MESSAGE_BYTES = 64 << 20
MAX_VALUE_BYTES = MAX_MESSAGE_BYTES - (1 << 20)
MESSAGE_BOUND = [("grpc.max_receive_message_length", MAX_MESSAGE_BYTES), ("grpc.max_send_message_length", MAX_MESSAGE_BYTES)]
# The host's pings, every ten seconds while a call is quiet: gRPC's own bound would take the third one for an attack, and end the connection.
PINGS = [("grpc.http2.max_ping_strikes", 0)]

log = logging.getLogger("plugin")


class Failure(Exception):
    """An error that a caller can test: kind is a Python exception's name, message says what to do next."""

    def __init__(self, kind: str, message: str):
        super().__init__(message)
        self.kind, self.message = kind, message


class Call:
    """One call of a method: its project, and what it may ask of the host on behalf of its caller."""

    def __init__(self, project: wire.Project | None, token: str, host: wire_grpc.HostStub, context: grpc.ServicerContext):
        self._project, self._token, self._host, self._context = project, token, host, context

    @property
    def project(self) -> wire.Project:
        if self._project is None:
            raise Failure("RuntimeError", "no project is active: call the tool activate_project first")
        return self._project

    @property
    def cancelled(self) -> bool:
        """The caller has given up: long work looks at this now and then."""
        return not self._context.is_active()

    def facade(self, facade: str, method: str, **arguments: Any) -> Any:
        """Calls another facade within what the caller may do, and returns its value as plain data."""
        request = wire.HostCallRequest(caller_token=self._token, facade=facade, method=method, arguments=json.dumps(arguments).encode())
        for event in self._host.Call(request):
            if event.HasField("outcome"):
                _raise(event.outcome.failure)
                return json.loads(event.outcome.value)
        raise Failure("ConnectionError", f"the host gave no answer for {facade}.{method}")

    def edit(self, path: str, before: bytes, edits: list[tuple[int, int, bytes]]) -> int:
        """Replaces byte ranges [start, end) of a file through the host's one writer. before is what was read."""
        ranges = [wire.ByteEdit(start=start, end=end, text=text) for start, end, text in edits]
        write = wire.Write(base=hashlib.sha256(before).hexdigest(), edits=ranges)
        request = wire.ApplyEditsRequest(caller_token=self._token, changes=[wire.Change(path=path, write=write)])
        reply = self._host.ApplyEdits(request)
        _raise(reply.failure)
        return reply.change


def _raise(failure: wire.Failure) -> None:
    if failure.kind:
        raise Failure(failure.kind, failure.message)


class Plugin(wire_grpc.PluginServicer):
    """Serves the methods: functions by "facade.method" that take a Call and the arguments by name."""

    def __init__(self, manifest: dict[str, Any], methods: dict[str, Callable[..., Any]], broker: Broker):
        self._manifest = json.dumps(manifest).encode()
        self._declared = {f"{f['name']}.{m['name']}": m for f in manifest["facades"] for m in f["methods"]}
        self._records = {t["name"] for t in manifest.get("types", []) if t["kind"] == "record"}
        self._methods, self._broker = methods, broker
        self._host: wire_grpc.HostStub | None = None
        self._projects: dict[str, wire.Project] = {}

    def Attach(self, request: wire.AttachRequest, context: grpc.ServicerContext) -> wire.AttachReply:
        self._host = wire_grpc.HostStub(self._broker.dial(request.host_service_id))
        return wire.AttachReply(manifest=self._manifest)

    def Open(self, request: wire.OpenRequest, context: grpc.ServicerContext) -> wire.OpenReply:
        self._projects[request.project.id] = request.project
        return wire.OpenReply()

    def Close(self, request: wire.CloseRequest, context: grpc.ServicerContext) -> wire.CloseReply:
        self._projects.pop(request.project_id, None)
        return wire.CloseReply()

    def Stop(self, request: wire.StopRequest, context: grpc.ServicerContext) -> wire.StopReply:
        return wire.StopReply()

    def Render(self, request: wire.RenderRequest, context: grpc.ServicerContext) -> wire.RenderReply:
        return wire.RenderReply(text=request.value.decode())  # this plugin's records are shown as JSON

    def Call(self, request: wire.CallRequest, context: grpc.ServicerContext) -> Iterator[wire.CallEvent]:
        yield wire.CallEvent(outcome=self._outcome(request, context))

    def _outcome(self, request: wire.CallRequest, context: grpc.ServicerContext) -> wire.Outcome:
        name = f"{request.facade}.{request.method}"
        try:
            call = Call(self._projects.get(request.project_id), request.caller_token, self._host, context)
            result = self._methods[name](call, **json.loads(request.arguments))
            value = json.dumps(result, ensure_ascii=False).encode()
            if len(value) > MAX_VALUE_BYTES:
                raise Failure("ValueError", f"{name}: the result has {len(value)} bytes, more than can be sent: ask for less")
        except Failure as e:
            return wire.Outcome(failure=wire.Failure(kind=e.kind, message=e.message))
        except Exception as e:  # a fault of one call is that call's alone
            log.exception("%s failed", name)
            return wire.Outcome(failure=wire.Failure(kind="RuntimeError", message=f"{name} failed by a fault of its own: {e!r}"))
        result_type = self._declared[name]["result"]["name"]
        text = value.decode() if request.render else ""
        return wire.Outcome(value=value, type=result_type if result_type in self._records else "", text=text)


class Broker(go_plugin_grpc.GRPCBrokerServicer):
    """go-plugin's broker: the host announces an address for each service that it offers."""

    def __init__(self) -> None:
        self._announced: dict[int, go_plugin.ConnInfo] = {}
        self._news = threading.Condition()

    def StartStream(self, request_iterator: Iterator[go_plugin.ConnInfo], context: grpc.ServicerContext) -> Iterator[go_plugin.ConnInfo]:
        for info in request_iterator:
            with self._news:
                self._announced[info.service_id] = info
                self._news.notify_all()
        yield from ()

    def dial(self, service_id: int, limit: float = 5.0) -> grpc.Channel:
        """Connects to a service of the host; limit in seconds."""
        with self._news:
            if not self._news.wait_for(lambda: service_id in self._announced, limit):
                raise TimeoutError(f"the host did not announce service {service_id} within {limit} s")
            info = self._announced[service_id]
        target = f"unix:{info.address}" if info.network == "unix" else info.address
        return grpc.insecure_channel(target, options=MESSAGE_BOUND)


class Controller(go_plugin_grpc.GRPCControllerServicer):
    """go-plugin's polite request to end."""

    def __init__(self, end: threading.Event):
        self._end = end

    def Shutdown(self, request: go_plugin.Empty, context: grpc.ServicerContext) -> go_plugin.Empty:
        self._end.set()
        return go_plugin.Empty()


def serve(manifest: dict[str, Any], methods: dict[str, Callable[..., Any]]) -> None:
    """A plugin's main: prints the declaration for the argument "manifest", else serves the host that started this process."""
    if sys.argv[1:] == ["manifest"]:
        print(json.dumps(manifest, indent=2))
        return
    if "SERENA_PLUGIN" not in os.environ:
        sys.exit(f"this is the serena plugin {manifest['name']!r}: serena starts it; \"manifest\" prints its declaration")
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(message)s")
    end, broker = threading.Event(), Broker()
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(max_workers=64), options=MESSAGE_BOUND + PINGS)
    wire_grpc.add_PluginServicer_to_server(Plugin(manifest, methods, broker), server)
    go_plugin_grpc.add_GRPCBrokerServicer_to_server(broker, server)
    go_plugin_grpc.add_GRPCControllerServicer_to_server(Controller(end), server)
    # The host's folder, which no other user can enter; it goes away with the host.
    socket = os.path.join(tempfile.mkdtemp(dir=os.environ.get("PLUGIN_UNIX_SOCKET_DIR")), "plugin.sock")
    server.add_insecure_port(f"unix:{socket}")
    server.start()
    threading.Thread(target=_watch_host, daemon=True).start()
    print(f"1|{PROTOCOL}|unix|{socket}|grpc", flush=True)
    end.wait()
    server.stop(grace=1).wait()


def _watch_host() -> None:
    """Ends the process when the host is gone, however it ended: the pipe that it holds then has an end."""
    if descriptor := os.environ.get("SERENA_LIFELINE_FD"):
        while os.read(int(descriptor), 1):
            pass
        os._exit(0)
