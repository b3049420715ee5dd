-- The winner rule of core/row/standing.h in SQL; a test compares the two. Measured rows come before declared ones, then
-- unmeasured ones. Unmeasured rows compare by rank; then time, error, candidate, run; declared rows by their latest
-- run. Nulls sort last. standing.h explains `why`.
INSERT INTO best (key, provider, candidate, measurement, standing, why, change)
SELECT key, provider, candidate, measurement, standing,
       CASE WHEN standing = 2 THEN 5
            WHEN next IS NULL THEN CASE WHEN measurement IS NOT NULL THEN 0 END
            WHEN standing = 1 THEN 6
            WHEN next > 0 THEN 4
            WHEN us IS DISTINCT FROM next_us THEN 1
            WHEN error IS DISTINCT FROM next_error THEN 2
            ELSE 3 END,
       change
FROM (SELECT t.key, t.provider, t.change, c.candidate, c.measurement, c.standing, c.us, c.error,
             row_number() OVER rule AS place,
             lead(c.standing) OVER rule AS next,
             lead(c.us) OVER rule AS next_us,
             lead(c.error) OVER rule AS next_error
      FROM touched t
      LEFT JOIN candidate c ON c.key = t.key AND c.provider = t.provider AND c.standing < 3
      WINDOW rule AS (PARTITION BY t.key, t.provider
                      ORDER BY c.standing,
                               CASE WHEN c.standing > 0 THEN c.rank END,
                               CASE WHEN c.standing = 1 THEN -c.run_time END,
                               CASE WHEN c.standing = 1 THEN c.run END,
                               CASE WHEN c.standing <> 1 THEN c.us END,
                               CASE WHEN c.standing <> 1 THEN c.error END,
                               c.candidate, c.run)) AS ranked
WHERE place = 1
