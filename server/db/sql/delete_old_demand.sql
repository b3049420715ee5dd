-- Tuned demand is traffic, which weighs coverage, for $1 days. So is demand for any target. Deletes at most twice $2.
DELETE FROM demand
WHERE id IN ((SELECT id FROM demand WHERE closed < now() - $1 * interval '1 day' ORDER BY closed LIMIT $2)
             UNION ALL
             (SELECT id FROM demand WHERE gfx = '' AND last_seen < now() - $1 * interval '1 day' LIMIT $2))
