"""A client of the hub that shares no code with it: signs with the standard library, speaks with curl.

Takes the hub's address and its two keys; prints one JSON object: what was asked, by name, with the status and body.
"""
import base64
import hashlib
import hmac
import json
import subprocess
import sys
import time
import urllib.parse

ADDRESS, LISTEN_KEY, FULL_KEY = sys.argv[1:4]
LISTEN = ("DefaultListenSharedAccessSignature", LISTEN_KEY)
FULL = ("DefaultFullSharedAccessSignature", FULL_KEY)
HANDLE = "contract-device-handle-0001"


def token(rule, path, seconds=1200):
    name, key = rule
    resource = urllib.parse.quote((ADDRESS + path).lower(), safe="").lower()
    expiry = int(time.time()) + seconds
    digest = hmac.new(key.encode(), f"{resource}\n{expiry}".encode(), hashlib.sha256).digest()
    signature = urllib.parse.quote(base64.b64encode(digest), safe="")
    return f"SharedAccessSignature sr={resource}&sig={signature}&se={expiry}&skn={name}"


def curl(method, path, authorization, headers=(), body=None):
    command = ["curl", "--silent", "--show-error", "--max-time", "20", "--request", method, "--include"]
    if authorization:
        command += ["--header", f"Authorization: {authorization}"]
    for header in headers:
        command += ["--header", header]
    if body is not None:
        command += ["--data-binary", body]
    answer = subprocess.run(
        command + [ADDRESS + path + "?api-version=2020-06"], check=True, capture_output=True).stdout.decode()
    head, _, content = answer.partition("\r\n\r\n")
    lines = head.split("\r\n")
    fields = {line.split(": ", 1)[0]: line.split(": ", 1)[1] for line in lines[1:]}
    return {"status": int(lines[0].split()[1]), "headers": fields, "body": content}


def installation(body):
    return json.dumps({
        "installationId": "contract", "platform": "sse", "pushChannel": HANDLE, "tags": ["World"],
        "templates": {"news": {"body": body}}})


PUT = "/news/installations/contract"
SEND = "/news/messages"
JSON_TYPE = ["Content-Type: application/json"]
SEND_HEADERS = [
    "Content-Type: application/json;charset=utf-8", "ServiceBusNotification-Format: template",
    "ServiceBusNotification-Tags: World && !Sports"]
GOOD = installation('{"message":"$(News_French)"}')
MESSAGE = json.dumps({"News_French": 'Salut "monde" <b>'})

seen = {
    "register": curl("PUT", PUT, token(LISTEN, PUT), JSON_TYPE, GOOD),
    "read": curl("GET", PUT, token(LISTEN, PUT)),
    "send": curl("POST", SEND, token(FULL, SEND), SEND_HEADERS, MESSAGE),
    "no token": curl("PUT", PUT, None, JSON_TYPE, GOOD),
    "wrong key": curl("PUT", PUT, token((LISTEN[0], "wrong"), PUT), JSON_TYPE, GOOD),
    "expired": curl("PUT", PUT, token(LISTEN, PUT, seconds=-1), JSON_TYPE, GOOD),
    "truncated": curl("PUT", PUT, token(LISTEN, PUT)[:-20], JSON_TYPE, GOOD),
    "listen sends": curl("POST", SEND, token(LISTEN, SEND), SEND_HEADERS, MESSAGE),
    "bad template": curl("PUT", PUT, token(LISTEN, PUT), JSON_TYPE, installation('{"message":"$(News_French"}')),
    "bad expression": curl(
        "POST", SEND, token(FULL, SEND), SEND_HEADERS[:2] + ["ServiceBusNotification-Tags: World &&"], MESSAGE),
    "other hub": curl("POST", "/sports/messages", token(FULL, "/sports/messages"), SEND_HEADERS, MESSAGE),
    "delete": curl("DELETE", PUT, token(LISTEN, PUT)),
    "read deleted": curl("GET", PUT, token(LISTEN, PUT)),
}
print(json.dumps(seen))
