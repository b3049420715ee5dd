"""Clients that plan jobs, lease them and finish them."""
import json

import rows
from client import Client
from hub import FAMILY, HEADER

JSON = {"Content-Type": "application/json"}


class Worker(Client):
    """An agent that uses plain HTTP. Sometimes it abandons a job; another agent then gets the job."""

    PAUSE = 0.3

    def __init__(self, config):
        super().__init__(config)
        self.idle = 0

    def is_quiet(self):
        return self.idle > 1

    def work(self):
        if not self.paused.is_set() and self.random.random() < self.settings.get("plans", 0.3):
            self.plan()
        answer = self.ask("POST", "/jobs/claim", json.dumps(self.lease() | {"gfx": "gfx942", "cu_num": 304}), JSON)
        if answer is None or answer[0] not in (200, 204):
            return
        self.idle = self.idle + 1 if answer[0] == 204 else 0
        if answer[0] == 200:
            self.do(json.loads(answer[2]))

    def plan(self):
        name = self.name_of()
        shape = {"M": 1 + self.count % 60, "N": self.space, "K": rows.K + 128 * (self.count // 60)}
        job = {"family": FAMILY, "gfx": "gfx942", "cu_num": 304, "shapes": [shape], "campaign": name}
        said = self.insist_json((200, 201), "POST", "/jobs", json.dumps(job), JSON | {"Idempotency-Key": name})
        if said is not None:
            self.note("planned", job=said["id"], campaign=name)

    def lease(self, epoch=None):
        return {"agent": self.name} | ({"epoch": epoch} if epoch else {})

    def do(self, job):
        epoch, path = job["lease"]["epoch"], f"/jobs/{job['id']}"
        if self.ask("POST", f"{path}/heartbeat", json.dumps(self.lease(epoch)), JSON) is None:
            return
        if not self.paused.is_set() and self.random.random() < 0.05:
            self.name_anew()
            return
        for shape in job["shapes"]:
            if not self.measure(job["id"], shape):
                return
        status, _, said = self.insist("POST", f"{path}/complete", json.dumps(self.lease(epoch)), JSON)
        if status == 200:
            self.note("done", job=job["id"], epoch=epoch)
        elif status != 409:  # another agent has the lease now
            self.note("refused", what=f"complete {job['id']}", said=f"{status} {said[:300]!r}")

    def name_anew(self):
        """Continues under a new agent's name. The old agent never returns."""
        self.lives = getattr(self, "lives", 0) + 1
        self.name = f"{self.config['name']}-{self.lives}"

    def measure(self, job, shape):
        self.count += 1
        batch = f"{self.name}.{self.count}.job{job}"
        us = round(self.random.uniform(5, 50), 4)
        row = f"gfx942,304,{shape['M']},{shape['N']},{shape['K']},ck,1,0,{us},{rows.KERNEL}{batch}.0,0,0,0.0"
        self.note("try", b=batch, space=int(shape["N"]), inner=int(shape["K"]), rows=[[int(shape["M"]), us, f"{rows.KERNEL}{batch}.0"]])
        said = self.insist_json((200,), "POST", f"/results/{FAMILY}", f"{HEADER}\n{row}\n",
                                {"Content-Type": "text/csv", "Idempotency-Key": batch})
        if said is not None:
            self.note("ack", b=batch, pin=said.get("pin", ""))
        return said is not None
