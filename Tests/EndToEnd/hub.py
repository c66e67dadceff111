"""A hub like Azure's that shares no code with the worker: over TLS, in HTTP/2 (by python-h2) or HTTP/1.1, it verifies
each token with the standard library and prints each request as a line of JSON.

Takes the certificate, its key, the key that tokens are signed with, the protocol, and what to do with the first
requests, one word each: `goaway` takes it and ends the connection for those that follow, `early` says 429 before the
body is read and resets the stream. All others are taken. Prints its port first, and ends by itself: no test needs longer.
"""
import asyncio
import base64
import hashlib
import hmac
import json
import ssl
import sys
import time
import urllib.parse

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions

CERTIFICATE, CERTIFICATE_KEY, KEY, PROTOCOL = sys.argv[1:5]
ACTIONS = sys.argv[5:]
SECONDS_MAX = 170
LOCATION = "https://127.0.0.1/news/messages/NH-1?api-version=2020-06"


def fault(authorization):
    """What is wrong with a token, or None: the HMAC is over sr as it was sent, a line feed and se."""
    scheme, _, rest = authorization.partition(" ")
    parts = dict(pair.split("=", 1) for pair in rest.split("&"))
    digest = hmac.new(KEY.encode(), f"{parts['sr']}\n{parts['se']}".encode(), hashlib.sha256).digest()
    if scheme != "SharedAccessSignature":
        return "the scheme is " + scheme
    if urllib.parse.unquote(parts["sig"]) != base64.b64encode(digest).decode():
        return "the signature is wrong"
    if not 0 < int(parts["se"]) - time.time() <= 1200:
        return "it has expired, or lives too long"
    return None


def record(action, method, target, fields, body):
    authorization = next(value for name, value in fields if name.lower() == "authorization")
    print(json.dumps({
        "action": action, "method": method, "target": target, "fields": fields, "body": body.decode(),
        "fault": fault(authorization)}), flush=True)


def next_action():
    return ACTIONS.pop(0) if ACTIONS else "take"


async def serve_http1(reader, writer):
    while True:
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode().split("\r\n")[:-2]
        method, target, _ = lines[0].split(" ")
        fields = [line.split(": ", 1) for line in lines[1:]]
        length = next(int(value) for name, value in fields if name.lower() == "content-length")
        record("take", method, target, fields, await reader.readexactly(length))
        writer.write(f"HTTP/1.1 201 Created\r\nLocation: {LOCATION}\r\nContent-Length: 0\r\n\r\n".encode())
        await writer.drain()


async def serve_http2(reader, writer):
    link = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
    link.initiate_connection()
    streams = {}
    while True:
        writer.write(link.data_to_send())
        await writer.drain()
        if link.state_machine.state == h2.connection.ConnectionState.CLOSED:
            ACTIONS[0:0] = [action for action, _, _ in streams.values()]
            return
        received = await reader.read(65536)
        if not received:
            return
        for event in link.receive_data(received):
            if isinstance(event, h2.events.ConnectionTerminated):
                return
            if link.state_machine.state == h2.connection.ConnectionState.CLOSED:
                # What came behind the one that ended the connection is not taken: the client asks again elsewhere.
                break
            if isinstance(event, h2.events.RequestReceived):
                streams[event.stream_id] = (next_action(), event.headers, bytearray())
                if streams[event.stream_id][0] == "early":
                    answer_early(link, event.stream_id, *streams.pop(event.stream_id))
            elif isinstance(event, h2.events.DataReceived) and event.stream_id in streams:
                link.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                streams[event.stream_id][2].extend(event.data)
            elif isinstance(event, h2.events.StreamEnded) and event.stream_id in streams:
                take(link, event.stream_id, *streams.pop(event.stream_id))


def record_http2(action, fields, body):
    pseudo = dict(fields)
    plain = [[name, value] for name, value in fields if not name.startswith(":")]
    record(action, pseudo[":method"], pseudo[":path"], plain, bytes(body))


def take(link, stream, action, fields, body):
    record_http2(action, fields, body)
    link.send_headers(stream, [(":status", "201"), ("location", LOCATION)], end_stream=True)
    if action == "goaway":
        link.close_connection(last_stream_id=stream)


def answer_early(link, stream, action, fields, body):
    record_http2(action, fields, body)
    link.send_headers(stream, [(":status", "429"), ("retry-after", "1")], end_stream=True)
    try:
        link.reset_stream(stream, h2.errors.ErrorCodes.STREAM_CLOSED)
    except h2.exceptions.StreamClosedError:
        pass  # The body came with the head.


async def serve(reader, writer):
    try:
        if writer.get_extra_info("ssl_object").selected_alpn_protocol() == "h2":
            await serve_http2(reader, writer)
        else:
            await serve_http1(reader, writer)
    except (ConnectionError, asyncio.IncompleteReadError, h2.exceptions.ProtocolError) as error:
        print(f"hub.py: {error}", file=sys.stderr)
    finally:
        writer.close()


async def main():
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(CERTIFICATE, CERTIFICATE_KEY)
    context.set_alpn_protocols([PROTOCOL])
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await asyncio.sleep(SECONDS_MAX)


asyncio.run(main())
