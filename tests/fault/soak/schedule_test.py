"""A schedule is its seed's: the same again, fair to all kinds, and without two faults of a group on one target."""
import collections
import os
import unittest

os.environ.setdefault("TUNEHUB_BIN", "")
import kinds  # noqa: E402
import schedule  # noqa: E402


def text(seed, count, chosen):
    return [[it.say() for it in group] for group in schedule.make(seed, count, chosen)]


class ScheduleTest(unittest.TestCase):
    def test_a_seed_is_replayed(self):
        self.assertEqual(text(7, 100, kinds.KINDS), text(7, 100, kinds.KINDS))
        self.assertNotEqual(text(7, 100, kinds.KINDS), text(8, 100, kinds.KINDS))

    def test_fewer_faults_are_the_first_ones(self):
        self.assertEqual(sum(text(7, 40, kinds.KINDS), []), sum(text(7, 100, kinds.KINDS), [])[:40])

    def test_every_kind_comes_as_often(self):
        count = 20 * len(kinds.KINDS)
        groups = schedule.make(7, count, kinds.KINDS)
        self.assertEqual(set(collections.Counter(it.kind.name for group in groups for it in group).values()), {20})
        self.assertEqual([it.number for group in groups for it in group], list(range(1, count + 1)))

    def test_a_group_has_a_target_once(self):
        for group in schedule.make(7, 600, kinds.KINDS):
            targets = [it.target for it in group]
            self.assertEqual(len(targets), len(set(targets)))
            self.assertTrue(len(group) == 1 or not any(it.kind.alone for it in group))


if __name__ == "__main__":
    unittest.main()
