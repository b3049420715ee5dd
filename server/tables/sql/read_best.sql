-- The best row of each key and provider of family $1, by the winner rule. Only the candidates $2 (sorted) with an
-- error of at most $3 count. $4: only these keys; null: all. The line is null if the row is the served row and no
-- batch after $5 changed it. (The server then has the line in memory.) In this case the key of the join with
-- measurement is null, so that PostgreSQL reads no measurement. The query compares only numbers, and reads only the
-- lines of winners, because there are too many lines. The served row wins if it is among the candidates. Otherwise
-- the least numbers win. A key is `open` if it has samples of several runs, or both times with samples and times
-- without. For such a key, the winner rule decides.
WITH best AS MATERIALIZED (
  SELECT c.key, c.provider,
         min(ARRAY[(t.measurement IS DISTINCT FROM c.measurement)::integer,
                   c.standing, CASE WHEN c.standing > 0 THEN c.rank END,
                   CASE WHEN c.standing = 1 THEN -c.run_time END,
                   CASE WHEN c.standing = 1 THEN ('x' || left(c.run::text, 8))::bit(32)::bigint END,
                   grade_of(c.standing, c.low) / 2,
                   CASE WHEN c.standing <> 1 THEN c.us END, CASE WHEN c.standing <> 1 THEN c.error END,
                   a.place, c.rank, c.measurement]::float8[]) AS numbers,
         coalesce(bool_or(c.low > '-Infinity'), false) AND bool_and(t.measurement IS DISTINCT FROM c.measurement)
           AND (bool_or(c.low IS NULL OR c.since_time IS NOT NULL) OR min(c.run_time) < max(c.run_time)
                OR min(uuid_hash(c.run)) < max(uuid_hash(c.run))) AS open
  FROM tuned t
  JOIN candidate c ON c.key = t.key AND c.provider = t.provider
  JOIN unnest($2::uuid[]) WITH ORDINALITY AS a(candidate, place) ON a.candidate = c.candidate
  WHERE t.family = $1 AND c.standing < 3 AND ($3::float8 IS NULL OR c.error IS NULL OR c.error <= $3)
    AND ($4::uuid[] IS NULL OR t.key = ANY ($4))
  GROUP BY c.key, c.provider
), rivals AS (
  SELECT c.*
  FROM best b
  JOIN candidate c ON c.key = b.key AND c.provider = b.provider
  WHERE b.open AND (b.numbers[2] > 0 OR c.standing = 0 AND c.us <= b.numbers[7] * 1.25)  -- a slower candidate cannot tie
    AND c.standing < 3 AND ($3::float8 IS NULL OR c.error IS NULL OR c.error <= $3)
    AND c.candidate = ANY ($2::uuid[])
),
@win@, chosen AS (
  SELECT key, provider, candidate, standing, rank, measurement FROM winner
  UNION ALL
  SELECT key, provider, ($2::uuid[])[numbers[9]::integer], numbers[2]::smallint, numbers[10]::smallint, numbers[11]::bigint
  FROM best
  WHERE NOT open
)
SELECT b.key, b.provider, b.standing, b.rank, m.line, m.family_version, true AS fits, true AS is_right, 0 AS count
FROM chosen b
JOIN tuned t ON t.key = b.key AND t.provider = b.provider
LEFT JOIN measurement m ON m.key = CASE WHEN t.change > $5 OR t.measurement IS DISTINCT FROM b.measurement THEN b.key END
                       AND m.candidate = b.candidate AND m.id = b.measurement
