-- Tuned demand is traffic, which weighs coverage, for $1 days. So is demand for any target. Demand that nobody has missed
-- for a year goes, too. Deletes at most three times $2.
DELETE FROM demand
WHERE id IN ((SELECT id FROM demand WHERE closed < now() - $1 * interval '1 day' ORDER BY closed LIMIT $2)
             UNION ALL
             (SELECT id FROM demand WHERE gfx = '' AND last_seen < now() - $1 * interval '1 day' LIMIT $2)
             UNION ALL
             (SELECT id FROM demand WHERE last_seen < now() - interval '1 year' LIMIT $2))
