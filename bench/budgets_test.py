#!/usr/bin/env python3
"""The judge is judged: a rise of the instructions, a history that costs requests, and missing figures."""
import unittest

import budgets


def verdict(lines, name):
    return next(each for each in budgets.judge(lines) if each.name.startswith(name))


def counted(ratio):
    return [{"bench": "instructions", "what": "GET of 1 KB", "to_baseline": ratio}]


class Judging(unittest.TestCase):
    def test_instructions_a_tenth_up_fail_the_run(self):
        self.assertEqual(budgets.broken(budgets.judge(counted(1.09))), [])
        self.assertEqual([each.name for each in budgets.broken(budgets.judge(counted(1.11)))],
                         ["instructions, GET of 1 KB, beside the committed count"])

    def test_requests_that_grow_with_depth_fail_the_run(self):
        def lines(deep):
            return [{"bench": "depth", "store": "file", "reader": "headwater", "depth": depth, "requests": requests}
                    for depth, requests in ((10, 3), (100_000, deep))]
        self.assertEqual(budgets.broken(budgets.judge(lines(3))), [])
        self.assertEqual(len(budgets.broken(budgets.judge(lines(4)))), 1)

    def test_a_missed_time_is_told_and_fails_nothing(self):
        lines = [{"bench": "transport", "tls": False, "client": "headwater", "what": "batch", "size": 765,
                  "in_flight": 50, "to_raw": 9.0}]
        self.assertIs(verdict(lines, "signed batch").passed, False)
        self.assertEqual(budgets.broken(budgets.judge(lines)), [])
        self.assertIn("MISSED", budgets.table(budgets.judge(lines)))

    def test_a_figure_that_is_missing_has_no_verdict(self):
        self.assertTrue(all(each.passed is None for each in budgets.judge([])))


if __name__ == "__main__":
    unittest.main()
