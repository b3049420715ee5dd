"""The proxies between the soak's parts, in their own process: `ways.py NAME=KIND:PORT:UPSTREAM...`. KIND is http or
tcp. Each line of stdin, {"way": NAME, "mode": {...}, "upstream": PORT}, changes one proxy. The answer on stdout counts
what the proxy has done so far. A mode:
  delay S     delays each request and each answer (tcp: each piece) by S seconds
  rate N      limits the bytes per second
  stall       passes nothing on until the mode ends
  refuse      closes new connections at once, and all open ones
  cut         http: ends an answer in its middle
  say X       http: sends a false answer (lies.py); with `every` N only to each Nth request"""
import asyncio
import collections
import json
import sys

import lies

PIECE = 16384


class Way:
    def __init__(self, port, upstream):
        self.port, self.upstream = port, upstream
        self.mode, self.done = {}, collections.Counter()
        self.open = set()
        self.changed = asyncio.Event()

    def change(self, mode):
        self.mode = mode
        self.changed.set()
        self.changed = asyncio.Event()
        if mode.get("refuse"):
            for writer in list(self.open):
                self.done["cut"] += 1
                writer.transport.abort()

    async def hold(self):
        """Waits as the current mode requires before it passes anything on."""
        if self.mode.get("stall"):
            self.done["stalled"] += 1
        while self.mode.get("stall"):
            await self.changed.wait()
        if delay := self.mode.get("delay"):
            self.done["delayed"] += 1
            await asyncio.sleep(delay)

    async def send(self, writer, data):
        for at in range(0, len(data), PIECE):
            await self.slowly(writer, data[at:at + PIECE])

    async def slowly(self, writer, data):
        rate = self.mode.get("rate")
        if not rate:
            writer.write(data)
            return await writer.drain()
        self.done["throttled"] += 1
        step = max(1, rate // 20)
        for at in range(0, len(data), step):
            writer.write(data[at:at + step])
            await writer.drain()
            if self.mode.get("rate"):
                await asyncio.sleep(step / rate)

    async def serve(self, reader, writer):
        self.open.add(writer)
        try:
            if self.mode.get("refuse"):
                self.done["refused"] += 1
                writer.transport.abort()
                return
            await self.talk(reader, writer)
        except (OSError, EOFError, asyncio.LimitOverrunError):
            pass  # clients may leave early
        finally:
            self.open.discard(writer)
            writer.close()


class Bytes(Way):
    """Passes bytes on in both directions."""

    async def talk(self, reader, writer):
        await self.hold()
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self.upstream)
        self.open.add(up_writer)
        try:
            tasks = [asyncio.create_task(self.pump(reader, up_writer)), asyncio.create_task(self.pump(up_reader, writer))]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            self.open.discard(up_writer)
            up_writer.close()

    async def pump(self, reader, writer):
        while data := await reader.read(PIECE):
            await self.hold()
            await self.send(writer, data)


class Http(Way):
    """One request per connection, so that a fault affects no other request."""

    def __init__(self, port, upstream):
        super().__init__(port, upstream)
        self.memory, self.asked = lies.Memory(), 0

    async def talk(self, reader, writer):
        request = await lies.read_message(reader)
        self.asked += 1
        await self.hold()
        answer = await self.answer(request)
        await self.hold()
        if self.mode.get("cut") and len(answer) > 40:
            self.done["cut"] += 1
            writer.write(answer[:len(answer) // 2])
            await writer.drain()
            writer.transport.abort()
            return
        await self.send(writer, answer)

    async def answer(self, request):
        say = self.mode.get("say")
        if say and self.asked % self.mode.get("every", 1) == 0:
            lie = await lies.LIES[say](self, request)
            if lie is not None:
                self.done[say] += 1
                return lie
        return await self.ask(request)

    async def ask(self, request):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.upstream)
        self.open.add(writer)
        try:
            writer.write(lies.for_one_answer(request))
            await writer.drain()
            answer = await reader.read()
        finally:
            self.open.discard(writer)
            writer.close()
        while more := await reader.read():
            answer += more
        self.memory.note(request, answer)
        return answer


KINDS = {"http": Http, "tcp": Bytes}


async def main(arguments):
    ways = {}
    for it in arguments:
        name, rest = it.split("=")
        kind, port, upstream = rest.split(":")
        ways[name] = way = KINDS[kind](int(port), int(upstream))
        await asyncio.start_server(way.serve, "127.0.0.1", way.port, limit=1 << 20, backlog=512)
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    print(json.dumps({"ways": list(ways)}), flush=True)
    while line := await lines.readline():
        told = json.loads(line)
        way = ways[told["way"]]
        way.upstream = told.get("upstream", way.upstream)
        if told.get("forget"):
            way.memory.answers.clear()
        if "mode" in told:
            way.change(told["mode"])
        print(json.dumps(way.done), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
