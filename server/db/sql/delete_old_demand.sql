-- Deletes tuned demand, and demand for any target, after $1 days. (Until then it counts as weights of coverage.)
-- Deletes demand without a miss for a year. Deletes at most three times $2 rows.
DELETE FROM demand
WHERE id IN ((SELECT id FROM demand WHERE closed < now() - $1 * interval '1 day' ORDER BY closed LIMIT $2)
             UNION ALL
             (SELECT id FROM demand WHERE gfx = '' AND last_seen < now() - $1 * interval '1 day' LIMIT $2)
             UNION ALL
             (SELECT id FROM demand WHERE last_seen < now() - interval '1 year' LIMIT $2))
