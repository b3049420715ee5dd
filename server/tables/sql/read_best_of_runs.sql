-- Like read_best, as if only the runs of one class existed. $6, $7: the active runs and their classes, from 0. For
-- classes from $8 on, the query only counts the candidates. $4 does not filter keys without a served row, because the
-- server does not know such keys. Columns:
-- * fits: true if at least one candidate may be chosen.
-- * is_right: true if at least one candidate has an error of at most $3.
-- * count: the number of candidates. If $9 is true, unmeasured candidates do not count.
-- * several: true if more than one of the runs measured the key. Then read_best_of_several must choose.
-- The query joins only small tables before it groups the rows. OFFSET 0 keeps a subquery whole, so that PostgreSQL
-- estimates its rows correctly.
WITH best AS MATERIALIZED (
  SELECT m.key, m.provider, x.class, min(x.id) < max(x.id) AS several,
         bool_or(coalesce(m.error <= $3::float8, true)) FILTER (WHERE m.standing < 3) AS is_right,
         count(*) FILTER (WHERE m.standing < CASE WHEN $9::boolean THEN 2 ELSE 3 END) AS count,
         min(ARRAY[m.standing, CASE WHEN m.standing > 0 THEN rank_of(x.trusted, m.reason) END,
                   grade_of(m.standing, m.low) / 2,
                   CASE WHEN m.standing <> 1 THEN m.us END, CASE WHEN m.standing <> 1 THEN m.error END,
                   a.place, m.run, m.id, rank_of(x.trusted, m.reason)]::float8[])
           FILTER (WHERE x.class < $8 AND m.standing < 3 AND a.place > 0 AND coalesce(m.error <= $3::float8, true)) AS numbers
  FROM measurement m
  JOIN (SELECT u.id, u.class, r.trusted, coalesce(i.id, u.id) AS run
        FROM unnest($6::bigint[], $7::smallint[]) AS u(id, class)
        JOIN run r ON r.id = u.id
        LEFT JOIN (source s JOIN run i ON i.source = s.name) ON s.head = u.id
        WHERE r.source IS NULL OR i.id IS NOT NULL
        OFFSET 0) AS x ON x.run = m.run AND (m.source IS NULL OR m.runs @> x.id)
  JOIN (SELECT l.candidate, a.place FROM candidate_line l
        LEFT JOIN unnest($2::uuid[]) WITH ORDINALITY AS a(candidate, place) ON a.candidate = l.candidate
        WHERE l.family = $1 OFFSET 0) AS a ON a.candidate = m.candidate
  WHERE m.standing < 4
    AND ($4::uuid[] IS NULL OR m.key = ANY ($4 || ARRAY(SELECT key FROM tuned WHERE family = $1 AND standing IS NULL)))
    AND (m.key, m.provider, m.candidate) NOT IN (SELECT key, provider, candidate FROM candidate WHERE standing IN (6, 9))
  GROUP BY m.key, m.provider, x.class
)
SELECT b.key, b.provider, coalesce(b.numbers[1], 0)::integer, coalesce(b.numbers[9], 0)::integer, m.line, m.family_version,
       b.numbers IS NOT NULL AS fits, coalesce(b.is_right, false), b.count, b.class, b.several
FROM best b
JOIN tuned t ON t.key = b.key AND t.provider = b.provider
LEFT JOIN measurement m ON m.key = CASE WHEN t.change > $5 OR t.measurement IS DISTINCT FROM b.numbers[8]::bigint
                                        THEN b.key END
                       AND m.run = b.numbers[7]::bigint AND m.candidate = ($2::uuid[])[b.numbers[6]::integer]
WHERE t.family = $1 AND ($4::uuid[] IS NULL OR t.key = ANY ($4) OR t.standing IS NULL)
