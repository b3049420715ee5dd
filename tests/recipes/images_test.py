"""The RUN lines of docs/recipes/*.Dockerfile, on stand-ins of vLLM and AITER, with a real hub."""
import hashlib
import json
import shutil
import unittest

from dockerfile import Failed, Image
from support import BIN, EXAMPLES, FAMILY, RECIPES, RecipeTest, standin_aiter, standin_vllm


class Images(RecipeTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.agent("import", EXAMPLES / "aiter_configs")
        cls.agent("import", "--reader", "vllm", EXAMPLES / "engine_configs/vllm")
        cls.build = cls.put_build()
        cls.lock = cls.place / "tunehub.lock"
        cls.agent("pull", "--lock", cls.lock, "--reader", "vllm", "--device", "MI300X", "-o", cls.place / "configs")
        cls.agent("pull", "--lock", cls.lock, "--family", FAMILY, "--gfx", "MI300X", "--build", cls.build, "-o", cls.place / "a.csv")
        cls.submit = cls.new_key("submit")
        # The hub moves on: what a build gets must be what the lock file pins.
        cls.agent("push", EXAMPLES / "mine.csv", "--family", FAMILY, "--spool", cls.place / "spool")

    def setUp(self):
        super().setUp()
        self.context, self.root = self.folder / "context", self.folder / "image"
        self.context.mkdir()
        shutil.copy(self.lock, self.context)
        self.trust(self.context / "tunehub.pub")
        # No link: the agent is below the folder of the build, and a test looks for changes in that folder.
        program = self.context / "tunehub-agent"
        program.write_text(f'#!/bin/sh\nexec "{BIN}/tunehub-agent" "$@"\n')
        program.chmod(0o755)
        secrets = self.root / "run/secrets"
        secrets.mkdir(parents=True)
        (secrets / "tunehub_key").write_text(self.submit + "\n")
        self.site = self.root / "site-packages"
        self.image = Image(self.root, self.context, self.environment | {"PYTHONPATH": str(self.site)})

    def change_lock(self, change):
        lock = json.loads((self.context / "tunehub.lock").read_text())
        change(lock)
        (self.context / "tunehub.lock").write_text(json.dumps(lock))

    def other_key(self):
        self.good("minisign", "-GW", "-f", "-p", self.context / "tunehub.pub", "-s", self.folder / "other.key")

    def build_vllm(self, **arguments):
        standin_vllm(self.site)
        self.image.build(RECIPES / "vllm.Dockerfile", {"BUILD": self.build} | arguments)

    def build_aiter(self, **arguments):
        table = standin_aiter(self.root / "opt/aiter")
        self.image.build(RECIPES / "aiter.Dockerfile", {"HUB": self.hub.url} | arguments)
        return table

    def test_an_image_of_vllm_has_the_pinned_files_where_its_variables_say(self):
        self.build_vllm()
        folder, table = (self.root / "opt/tunehub" / it for it in ("vllm", "a8w8_blockscale.csv"))
        self.assertEqual(self.image.environment, {"VLLM_TUNED_CONFIG_FOLDER": str(folder), "AITER_CONFIG_GEMM_A8W8_BLOCKSCALE": str(table)})
        self.assertEqual([it.name for it in folder.glob("*.json") if it.name[0] != "."],
                         ["E=8,N=2048,device_name=AMD_Instinct_MI300X,dtype=fp8_w8a8.json"])
        pinned = next(it for it in json.loads(self.lock.read_text())["tables"] if it.get("family") == FAMILY)
        self.assertEqual(hashlib.sha256(table.read_bytes()).hexdigest(), pinned["sha256"])
        own = EXAMPLES / "engine_configs/vllm/N=512,K=7168,device_name=AMD_Instinct_MI300X,dtype=fp8_w8a8,block_shape=[128,128].json"
        installed = next(self.site.glob("vllm/model_executor/layers/quantization/utils/configs/N=512*"))
        self.assertEqual(json.loads(installed.read_text()), json.loads(own.read_text()))

    def test_an_image_of_vllm_fails_for_another_key_for_other_bytes_and_for_a_table_that_the_lock_lacks(self):
        self.other_key()
        with self.assertRaisesRegex(Failed, r"\(other_key\)"):
            self.build_vllm()
        self.trust(self.context / "tunehub.pub")
        for words, change in [(r"\(lock_mismatch\)", lambda lock: [it.update(sha256="0" * 64) for it in lock["tables"]]),
                              ("read-only", lambda lock: lock.update(tables=lock["tables"][:1]))]:
            shutil.copy(self.lock, self.context)
            self.change_lock(change)
            shutil.rmtree(self.site, ignore_errors=True)
            with self.subTest(words), self.assertRaisesRegex(Failed, words):
                self.build_vllm()

    def test_an_image_of_aiter_has_the_tables_that_its_build_can_run(self):
        before = standin_aiter(self.folder / "before").read_text().splitlines()
        after = self.build_aiter().read_text().splitlines()
        installed = json.loads((self.root / "opt/tunehub/installed.json").read_text())
        self.assertEqual(len(after) - 1, installed["families"][0]["rows"])
        self.assertNotEqual(after, before)
        self.build_again(installed["pin"])

    def build_again(self, pin):
        """The pin is what the hub has: the build takes it, and no other."""
        for wanted in (pin, "1-" + "0" * 32):
            shutil.rmtree(self.root / "opt")
            if wanted == pin:
                self.build_aiter(PIN=wanted)
            else:
                with self.assertRaisesRegex(Failed, "PIN is 1-0+, but the hub is at " + pin):
                    self.build_aiter(PIN=wanted)

    def test_an_image_of_aiter_fails_for_another_key_and_without_the_secret(self):
        self.other_key()
        with self.assertRaisesRegex(Failed, r"\(other_key\)"):
            self.build_aiter()
        self.trust(self.context / "tunehub.pub")
        shutil.rmtree(self.root / "opt")
        (self.root / "run/secrets/tunehub_key").unlink()
        with self.assertRaisesRegex(Failed, "run/secrets/tunehub_key"):
            self.build_aiter()


if __name__ == "__main__":
    unittest.main()
