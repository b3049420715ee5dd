-- The best row of each key and provider of family $1, in the order of choose_best.sql, among the candidates $2 (sorted)
-- with an error of at most $3. $4: only these keys; null: all. The line is null if the row is the served one and no batch
-- after $5 changed that: the server has it in memory. Numbers first, then the lines of winners: there are too many. A null
-- key reads no measurement.
WITH best AS MATERIALIZED (
  SELECT c.key, c.provider,
         min(ARRAY[c.standing, CASE WHEN c.standing > 0 THEN c.rank END,
                   CASE WHEN c.standing = 1 THEN -c.run_time END,
                   CASE WHEN c.standing = 1 THEN ('x' || left(c.run::text, 8))::bit(32)::bigint END,
                   CASE WHEN c.standing <> 1 THEN c.us END, CASE WHEN c.standing <> 1 THEN c.error END,
                   a.place, c.rank, c.measurement]::float8[]) AS numbers
  FROM tuned t
  JOIN candidate c ON c.key = t.key AND c.provider = t.provider
  JOIN unnest($2::uuid[]) WITH ORDINALITY AS a(candidate, place) ON a.candidate = c.candidate
  WHERE t.family = $1 AND c.standing < 3 AND ($3::float8 IS NULL OR c.error IS NULL OR c.error <= $3)
    AND ($4::uuid[] IS NULL OR t.key = ANY ($4))
  GROUP BY c.key, c.provider
)
SELECT b.key, b.provider, b.numbers[1]::integer, b.numbers[8]::integer, m.line, m.family_version,
       true AS fits, true AS is_right, 0 AS count
FROM best b
JOIN tuned t ON t.key = b.key AND t.provider = b.provider
LEFT JOIN measurement m ON m.key = CASE WHEN t.change > $5 OR t.measurement IS DISTINCT FROM b.numbers[9]::bigint
                                        THEN b.key END
                       AND m.candidate = ($2::uuid[])[b.numbers[7]::integer] AND m.id = b.numbers[9]::bigint
