"""A proxy's false answers. Each lie is a function of the way and the request. It returns the answer's bytes; None: no
lie."""
import re

MOST = 1 << 26  # bytes of a body


async def read_message(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    if re.search(rb"(?i)\r\nexpect: *100-continue", head):
        raise OSError("nobody here asks before sending")
    if re.search(rb"(?i)\r\ntransfer-encoding: *chunked", head):
        return head + await read_chunks(reader)
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    return head + (await reader.readexactly(min(int(length[1]), MOST)) if length else b"")


async def read_chunks(reader):
    body = b""
    while True:
        line = await reader.readuntil(b"\r\n")
        body += line + await reader.readexactly(int(line.split(b";")[0], 16) + 2)
        if int(line.split(b";")[0], 16) == 0:
            return body


def for_one_answer(request):
    head, body = request.split(b"\r\n\r\n", 1)
    lines = [it for it in head.split(b"\r\n") if not it.lower().startswith(b"connection:")]
    return b"\r\n".join([*lines, b"Connection: close", b"", body])


class Memory:
    """A cache that ignores min_revision. Until it is emptied, it repeats the first answer to each GET."""

    def __init__(self):
        self.answers = {}

    @staticmethod
    def of(request):
        method, path, _ = request.split(b" ", 2)
        plain = re.sub(rb"(&|\?)min_revision=[^&]*", rb"\1", path).replace(b"&&", b"&").rstrip(b"&?")
        taken = re.search(rb"(?i)\r\naccept-encoding: *([^\r]*)", request)
        return (plain, taken[1] if taken else b"") if method == b"GET" and b"/tuned" in plain else None

    def note(self, request, answer):
        path = self.of(request)
        if path is not None and answer.startswith(b"HTTP/1.1 200") and len(self.answers) < 2000:
            self.answers.setdefault(path, answer)

    def find(self, request):
        return self.answers.get(self.of(request))


def page(status, headers=b""):
    async def said(_way, _request):
        body = b"<html>\r\n<head><title>" + status + b"</title></head>\r\n<body>\r\n<center><h1>" + status + \
               b"</h1></center>\r\n<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>\r\n"
        return b"HTTP/1.1 " + status + b"\r\nServer: nginx/1.22.1\r\nContent-Type: text/html\r\n" + headers + \
               b"Content-Length: " + str(len(body)).encode() + b"\r\nConnection: close\r\n\r\n" + body
    return said


async def short(way, request):
    """The first half of the hub's own answer; then the connection closes normally."""
    head, _, body = (await way.ask(request)).partition(b"\r\n\r\n")  # empty if the server died
    return head + b"\r\n\r\n" + body[:len(body) // 2] if body else None


async def old(way, request):
    """An earlier answer, unchanged."""
    kept = way.memory.find(request)
    return kept if kept is not None and kept != await way.ask(request) else None


async def forged(way, request):
    """An earlier body under current headers. Only a ledger can detect this."""
    kept = way.memory.find(request)
    if kept is None:
        return None
    today = await way.ask(request)
    head, body = today.split(b"\r\n\r\n", 1)
    before = kept.split(b"\r\n\r\n", 1)[1]
    if before == body or not today.startswith(b"HTTP/1.1 200"):
        return None
    head = re.sub(rb"(?i)\r\ncontent-length: *\d+", b"\r\nContent-Length: " + str(len(before)).encode(), head)
    return head + b"\r\n\r\n" + before


LIES = {
    "404": page(b"404 Not Found"),
    "413": page(b"413 Request Entity Too Large"),
    "502": page(b"502 Bad Gateway"),
    "200": page(b"200 OK"),
    "short": short,
    "old": old,
    "forged": forged,
}
