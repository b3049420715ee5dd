-- competes: the candidate competes with this row. withdraws: this row excludes the candidate. doubts: this row failed
-- after the candidate's time was measured, or it is wrong and no later row was right, but the candidate still
-- competes. Returns at most $3 rows. Each row has `total` (the number of all rows) and `in_doubt` (true if any row
-- has `doubts`).
SELECT *, count(*) OVER () AS total, bool_or(doubts) OVER () AS in_doubt
FROM (SELECT m.id, m.run, m.candidate, m.provider, m.us, m.error,
             CASE WHEN c.unconfirmed = m.id THEN 9
                  WHEN c.measurement = m.id AND c.standing = 6 THEN 6 ELSE m.standing END AS standing,
             CASE WHEN c.measurement = m.id AND c.standing = 6
                  THEN 'implausible: below a tenth of the best earlier time of its shape key'
                  WHEN c.unconfirmed = m.id
                  THEN 'unconfirmed: far below the best earlier time of the other owners'
                  ELSE coalesce(m.reason, '') END AS reason,
             m.line, coalesce(m.evidence::text, '') AS evidence, m.family_version, m.is_default, m.searched,
             EXISTS (SELECT FROM run r WHERE r.id = m.run AND r.reverted IS NOT NULL) AS reverted,
             coalesce(c.measurement = m.id AND c.standing < 3, false) AS competes,
             coalesce(c.measurement = m.id AND c.standing = 3, false) AS withdraws,
             coalesce((m.standing = 4 OR m.us = 'Infinity') AND c.standing < 2
                      AND (o.run_time, o.hash) > (c.run_time, c.run)
                      OR o.standing = 3 AND c.standing < 3 AND NOT EXISTS (
                        SELECT FROM in_order later
                        WHERE later.key = m.key AND later.provider = m.provider
                          AND later.candidate = m.candidate AND later.standing = 0
                          AND later.received > o.received), false) AS doubts,
             CASE WHEN t.measurement = m.id THEN t.why END AS won,
             coalesce(t.measurement = m.id AND t.baseline, false) AS baseline, m.low, m.high,
             CASE WHEN c.measurement = m.id THEN c.us END AS by_us, CASE WHEN c.measurement = m.id THEN c.low END AS by_low,
             CASE WHEN c.measurement = m.id THEN c.high END AS by_high
      FROM measurement m
      LEFT JOIN in_order o ON o.key = m.key AND o.id = m.id
      LEFT JOIN candidate c ON c.key = m.key AND c.provider = m.provider AND c.candidate = m.candidate
      LEFT JOIN tuned t ON t.key = m.key AND t.provider = m.provider
      WHERE m.key = $1 AND t.family = $2) AS one
ORDER BY competes DESC, provider, standing, us, error, id
LIMIT $3
