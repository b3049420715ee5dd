"""aa_worker.py [--slower FACTOR] [--kernel NAME] [--script RUN] WORKER...: runs a tuner's worker and changes its times.
  --slower  makes each sample's time longer; with --kernel only for that kernel
  --script  takes no samples: the times come from a script, with the noise of an idle GPU; runs with different names
            differ only by that noise
"""

import argparse
import json
import random
import subprocess
import sys

FASTEST, STEP = 60, 1.04  # us of the fastest; the ratio of one candidate to the next
NOISE, RUN_NOISE = 0.003, 0.001  # of a sample; of all samples of a shape in one run
PULSE = 500


class Script:
    """Fixed times of the candidates. Their order is the same for each shape, so that neighbours are good hints."""

    def __init__(self, run):
        self.run = run

    def prepare(self, shape, candidates):
        self.random = random.Random(self.run + json.dumps(shape, sort_keys=True))
        run = 1 + self.random.gauss(0, RUN_NOISE)
        order = sorted(range(len(candidates)), key=lambda i: random.Random(json.dumps(candidates[i])).random())
        self.times = [FASTEST * STEP ** order.index(i) * run for i in range(len(candidates))]

    def sample(self, us):
        return us * (1 + self.random.gauss(0, NOISE))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--slower", type=float, default=1)
    parser.add_argument("--kernel", default="")
    parser.add_argument("--script", default="")
    parser.add_argument("worker", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    script = Script(args.script) if args.script else None
    worker = subprocess.Popen(args.worker, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(line):
        worker.stdin.write(line)
        return json.loads(worker.stdout.readline())

    candidates = []
    for line in sys.stdin:
        request = json.loads(line)
        timed = request["do"] in ("sample", "pulse")
        answer = {} if script and timed else ask(line)
        if request["do"] == "prepare" and "candidates" in answer:
            candidates = answer["candidates"]
            if script:
                script.prepare(request["shape"], candidates)
        if script and timed:
            answer["us"] = script.sample(script.times[request["candidate"]] if "candidate" in request else PULSE)
        if request["do"] == "sample" and "us" in answer:
            if args.kernel in candidates[request["candidate"]].values() or not args.kernel:
                answer["us"] *= args.slower
        print(json.dumps(answer), flush=True)
    worker.stdin.close()
    sys.exit(worker.wait())


main()
