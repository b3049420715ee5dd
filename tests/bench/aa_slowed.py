"""aa_slowed.py WORKER...: runs a tuner's worker, and makes each time of a sample 3 % longer."""

import json
import subprocess
import sys

worker = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
for line in sys.stdin:
    worker.stdin.write(line)
    answer = json.loads(worker.stdout.readline())
    if json.loads(line)["do"] == "sample" and "us" in answer:
        answer["us"] *= 1.03
    print(json.dumps(answer), flush=True)
worker.stdin.close()
sys.exit(worker.wait())
