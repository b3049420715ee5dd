-- Checks that revision numbers have no gap, and that each revision has its batch, its families and their versions.
SELECT says
FROM (
  SELECT n AS number, format('revision %s is missing', n) AS says
  FROM registry, generate_series(1, revision) AS n
  WHERE NOT EXISTS (SELECT FROM revision WHERE number = n)
  UNION ALL
  SELECT number, format('revision %s exists, but the registry is at %s', number, registry.revision)
  FROM revision, registry WHERE number > registry.revision OR number < 1
  UNION ALL
  SELECT number, format('revision %s was made by batch %s, which is missing', number, change)
  FROM revision WHERE NOT EXISTS (SELECT FROM batch WHERE id = change)
  UNION ALL
  SELECT number, format('revision %s has no family', number)
  FROM revision r WHERE NOT EXISTS (SELECT FROM revision_family f WHERE f.number = r.number)
  UNION ALL
  SELECT f.number, format('revision %s of family %s: %s', f.number, coalesce(n.name, f.family::text),
                          CASE WHEN v.version IS NULL
                                 THEN format('version %s of the family is missing', f.family_version)
                               WHEN t.version IS NULL
                                 THEN format('version %s of the targets is missing', f.targets_version)
                               ELSE format('batch %s made it, but the later batch %s made the revision before', r.change,
                                           f.before) END)
  FROM (SELECT w.*, lag(q.change) OVER (PARTITION BY w.family ORDER BY w.number) AS before
        FROM revision_family w JOIN revision q USING (number)) AS f
  JOIN revision r USING (number)
  LEFT JOIN family n ON n.id = f.family
  LEFT JOIN family_version v ON v.family = f.family AND v.version = f.family_version
  LEFT JOIN targets_version t ON t.version = f.targets_version
  WHERE v.version IS NULL OR t.version IS NULL OR f.before >= r.change
) AS wrong
ORDER BY number
