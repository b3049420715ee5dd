"""HTTP to one address of the hub on a kept connection."""
import http.client
import json
import urllib.parse

FAMILY, TARGET = "a8w8_blockscale", "gfx=gfx942"
HEADER = "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"


class Hub:
    def __init__(self, port, key="", patience=15, tls=None):
        """`tls`: an ssl.SSLContext if the hub speaks HTTPS."""
        self._port, self._key, self._patience, self._tls = port, key, patience, tls
        self._connection = None

    def _connect(self):
        if self._tls is not None:
            return http.client.HTTPSConnection("127.0.0.1", self._port, timeout=self._patience, context=self._tls)
        return http.client.HTTPConnection("127.0.0.1", self._port, timeout=self._patience)

    def ask(self, method, path, body=None, headers=()):
        """Status, headers and body. Raises OSError if no complete answer comes, for any reason."""
        if self._connection is None:
            self._connection = self._connect()
        headers = dict(headers) | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        try:
            self._connection.request(method, path, body, headers)
            answer = self._connection.getresponse()
            if answer.length is None:
                # The hub always sends a length. If it is missing, the head was cut off. Python would accept this
                # answer.
                raise http.client.IncompleteRead(b"")
            return answer.status, answer.headers, answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            self._connection = None
            raise OSError(f"{type(error).__name__}: {error}") from error

    def get(self, path):
        status, _, body = self.ask("GET", path)
        if status != 200:
            raise OSError(f"GET {path}: {status} {body[:200]!r}")
        return body

    def table(self):
        """The served table: us by kernel name."""
        lines = self.get(f"/tuned/{FAMILY}?{TARGET}").decode().splitlines()
        names = lines[0].split(",")
        rows = [dict(zip(names, line.split(","))) for line in lines[1:]]
        return {row["kernelName"]: float(row["us"]) for row in rows}

    def pin_lives(self, pin):
        """True: the hub serves the pin's revision. False: the hub answers that the revision was lost. Otherwise
        raises."""
        path = f"/tuned/{FAMILY}?{TARGET}&revision={urllib.parse.quote(pin)}&M=1"
        status, _, body = self.ask("GET", path)
        if status == 410 and json.loads(body)["code"] == "revision_gone":
            return False
        if status == 200 or (status == 404 and json.loads(body)["code"] == "no_rows"):
            return True
        raise OSError(f"GET {path}: {status} {body[:200]!r}")
