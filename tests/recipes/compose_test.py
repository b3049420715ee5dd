"""docs/recipes/compose.yml: its images, settings and options exist, and the hub's program starts with them."""
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

from support import PATIENCE_S, RECIPES, REPO, RecipeTest, yaml

ENTRYPOINT = re.compile(r'^ENTRYPOINT \["(.+)"\]$', re.MULTILINE)
# An image of this tree, and its Dockerfile. Other images are known by name.
OWN_IMAGES = {"tunehub-server:0.1.0": "server.Dockerfile", "tunehub-agent:0.1.0": "agent.Dockerfile"}
FOREIGN_IMAGES = {"postgres:15"}
SERVICE_MEMBERS = {"image", "command", "environment", "ports", "volumes", "depends_on", "profiles", "healthcheck",
                   "stop_grace_period", "restart"}
VARIABLE = re.compile(r"\$\{(\w+):-([^}]*)\}")


def interpolated(value, variables):
    """As compose: ${NAME:-DEFAULT}."""
    return VARIABLE.sub(lambda it: variables.get(it[1]) or it[2], value)


def listens(log, process):
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and process.poll() is None:
        if match := re.search(r"listens on (http://127\.0\.0\.1:\d+)/", log.read_text()):
            return match[1]
        time.sleep(0.05)
    raise RuntimeError(log.read_text())


class Compose(RecipeTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = RECIPES / "compose.yml"
        cls.content = yaml(cls.file)
        cls.services = cls.content["services"]

    def program(self, service):
        """The service's program and arguments: its image's entry point and its command."""
        text = (REPO / "deploy/docker" / OWN_IMAGES[service["image"]]).read_text()
        return [ENTRYPOINT.search(text)[1], *service["command"]]

    def test_images_services_volumes_and_members_exist(self):
        version = re.search(r"^project\(tunehub VERSION ([\d.]+)", (REPO / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
        for image in OWN_IMAGES:
            self.assertTrue(image.endswith(f":{version}"), f"{image}: this tree is version {version}")
        for name, service in self.services.items():
            self.assertLessEqual(set(service), SERVICE_MEMBERS, name)
            self.assertIn(service["image"], {*OWN_IMAGES, *FOREIGN_IMAGES}, name)
            self.assertLessEqual(set(service.get("depends_on", {})), set(self.services), name)
            for volume in service["volumes"]:
                self.assertIn(volume.split(":")[0], self.content["volumes"], name)

    def test_each_image_keeps_its_data_in_the_volume(self):
        for name, service in self.services.items():
            if service["image"] in OWN_IMAGES:
                text = (REPO / "deploy/docker" / OWN_IMAGES[service["image"]]).read_text()
                self.assertIn(f"\nVOLUME {service['volumes'][0].split(':')[1]}\n", text, name)

    def test_options_and_settings_are_those_of_the_programs(self):
        for name, service in self.services.items():
            if service["image"] not in OWN_IMAGES:
                continue
            program, command, *options = self.program(service)
            known = self.good(program, command, "--help")
            for option in [it for it in options if it.startswith("--")]:
                self.assertRegex(known, rf"(?m)^  (-\w,)?{option}\b", name)
            for variable in service["environment"]:
                setting = "--" + variable.removeprefix("TUNEHUB_").lower().replace("_", "-")
                self.assertRegex(known, rf"(?m)^  {setting} ", f"{name}: {variable} is no setting")

    def test_the_agents_name_for_the_hub_is_one_that_the_hub_accepts(self):
        hub = re.fullmatch(r"http://(\w+):8080", self.services["agent"]["environment"]["TUNEHUB_HUB"])[1]
        self.assertIn(hub, self.services)
        self.assertIn(hub, self.services["hub"]["environment"]["TUNEHUB_HOST"].split(","))
        self.assertTrue(interpolated(self.services["hub"]["ports"][0], {}).endswith(":8080"))

    def start(self, variables):
        """Starts the hub's program with compose's settings, on a free port. Returns its address."""
        environment = {name: interpolated(value, variables) for name, value in self.services["hub"]["environment"].items()}
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(dir=self.place)))
        folder.chmod(0o777)  # if this runs as root, the server runs as another user
        log = folder / "log"
        with log.open("w") as out:
            process = subprocess.Popen(self.program(self.services["hub"]), stdout=out, stderr=out,
                                       env=self.environment | environment | {"TUNEHUB_LISTEN": "127.0.0.1:0", "TUNEHUB_DATA": str(folder / "data")})
        self.addCleanup(process.wait, PATIENCE_S)
        self.addCleanup(process.send_signal, signal.SIGTERM)
        return listens(log, process), folder / "data"

    def test_the_hub_starts_with_its_own_database(self):
        url, data = self.start({})
        self.assertTrue((data / "pg").is_dir())
        self.good("curl", "-fsS", "-H", "Host: hub:8080", f"{url}/tuned")
        self.good("curl", "-fsS", "-H", "Host: hub.example", f"{url}/tuned")

    def test_the_hub_starts_with_another_database(self):
        _, _, _, port, sockets, *_ = (self.hub.data / "pg/postmaster.pid").read_text().splitlines()
        as_user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
        subprocess.run(["psql", "-q", "-h", sockets, "-p", port, "-U", "tunehub", "-d", "postgres", "-c", "CREATE DATABASE other ENCODING 'UTF8' TEMPLATE template0"],
                       check=True, cwd="/", **as_user)
        url, data = self.start({"TUNEHUB_DATABASE": f"postgresql:///other?host={sockets}&port={port}&user=tunehub"})
        self.assertFalse((data / "pg").exists())
        self.good("curl", "-fsS", f"{url}/readyz")


if __name__ == "__main__":
    unittest.main()
