"""THIRD-PARTY.md names all third-party work in the programs and the page, and nothing else. The check notices new and
removed libraries and npm parts."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LIST = ROOT / 'THIRD-PARTY.md'
LOCK = ROOT / 'web/package-lock.json'
BUILD = os.environ.get('TUNEHUB_BUILD', str(ROOT / 'build/release'))


def check(*options):
    return subprocess.run([ROOT / 'deploy/third-party', '--check', '--build', BUILD, *options], capture_output=True,
                          text=True)


class ThirdParty(unittest.TestCase):
    def test_the_list_is_what_is_linked_compiled_in_carried_and_packed(self):
        checked = check()
        self.assertEqual(checked.returncode, 0, checked.stderr)

    def test_a_new_npm_part_fails_and_so_does_a_new_version(self):
        with tempfile.TemporaryDirectory() as folder:
            lock = Path(folder) / 'package-lock.json'
            parts = json.loads(LOCK.read_text())
            parts['packages']['node_modules/left-pad'] = {'version': '1.3.0', 'license': 'WTFPL'}
            parts['packages']['node_modules/only-builds'] = {'version': '1.0.0', 'license': 'MIT', 'dev': True}
            parts['packages']['node_modules/preact']['version'] = '99.0.0'
            lock.write_text(json.dumps(parts))
            checked = check('--lock', lock)
            self.assertEqual(checked.returncode, 1)
            self.assertIn('it lacks: | `left-pad` 1.3.0 | WTFPL |', checked.stderr)
            self.assertIn('it lacks: | `preact` 99.0.0', checked.stderr)
            self.assertIn('it lacks the terms of left-pad', checked.stderr)
            self.assertNotIn('only-builds', checked.stderr)
            parts['packages']['node_modules/left-pad'].pop('license')
            lock.write_text(json.dumps(parts))
            self.assertIn('names no license of left-pad', check('--lock', lock).stderr)

    def test_a_library_that_the_list_lacks_fails_and_so_does_one_that_nothing_uses(self):
        with tempfile.TemporaryDirectory() as folder:
            listed = Path(folder) / 'THIRD-PARTY.md'
            lines = LIST.read_text().splitlines(keepends=True)
            gone = next(line for line in lines if line.startswith('| `openssl`'))
            listed.write_text(''.join(line.replace('`openssl`', '`opennsl`') for line in lines))
            checked = check('--list', listed)
            self.assertEqual(checked.returncode, 1)
            self.assertIn(f'it lacks: {gone.strip()}', checked.stderr)
            self.assertIn('nothing uses: | `opennsl`', checked.stderr)

    def test_npm_runs_no_script_of_a_package_anywhere(self):
        found = subprocess.run(['git', '-C', ROOT, 'grep', '-hE', r'^[^#]*\bnpm (ci|install|i)\b', '--', 'deploy', 'tests', 'web',
                                ':!*.py', ':!*.md', ':!*package-lock.json'], capture_output=True, text=True)
        lines = found.stdout.splitlines()
        self.assertEqual(len(lines), 1, found)  # all use deploy/install-npm
        self.assertEqual([line for line in lines if '--ignore-scripts' not in line], [])


if __name__ == '__main__':
    sys.exit(unittest.main())
