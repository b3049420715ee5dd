-- Checks that every reference of a point exists, and that each part of a point differs from the previous point.
WITH part AS (
  SELECT p.id, format('%s on %s:%s', m.model, m.gfx, m.cu_num) AS place, 'model' AS of,
         (m.tp, m.buckets, m.covered, m.shapes, m.found, m.baseline, m.unmeasured, m.missing)::text AS figures,
         m.shapes = 0 AS ended,
         CASE WHEN m.found + m.baseline + m.unmeasured + m.missing <> m.shapes
                THEN format('%s shapes, but the parts are %s found, %s baselines, %s unmeasured and %s missing', m.shapes,
                            m.found,
                            m.baseline, m.unmeasured, m.missing)
              WHEN m.covered > m.buckets * (1 + 1e-9) THEN format('%s of %s buckets covered', m.covered, m.buckets) END AS odd
  FROM point p JOIN point_model m ON m.point = p.id
  UNION ALL
  SELECT p.id, format('%s on %s:%s', n.name, f.gfx, f.cu_num), 'family',
         (f.tuned, f.measured, f.log_speedups, f.since)::text, f.tuned = 0,
         CASE WHEN f.measured > f.tuned THEN format('%s shape keys, but measured defaults of %s', f.tuned,
                                                       f.measured) END
  FROM point p JOIN point_family f ON f.point = p.id JOIN family n ON n.id = f.family
), along AS (
  SELECT *, lag(figures) OVER place_wide AS before, coalesce(lag(ended) OVER place_wide, true) AS was_ended
  FROM part
  WINDOW place_wide AS (PARTITION BY of, place ORDER BY id)
)
SELECT says
FROM (
  SELECT id, format('point %s of revision %s: %s has %s', id,
                    (SELECT revision FROM point WHERE id = along.id), place, odd) AS says
  FROM along WHERE odd IS NOT NULL
  UNION ALL
  SELECT id, format('point %s: %s repeats the values of the point before', id, place)
  FROM along WHERE figures = before OR (ended AND was_ended)
  UNION ALL
  SELECT p.id, format('point %s has revision %s, but the point before has revision %s', p.id, p.revision, p.before)
  FROM (SELECT id, revision, lag(revision) OVER (ORDER BY id) AS before FROM point) AS p
  WHERE p.revision <= p.before
  UNION ALL
  SELECT p.id, format('point %s was made with version %s of family %s, which is missing', p.id, v.version, v.family)
  FROM point p
  JOIN point_basis b ON b.id = p.basis
  CROSS JOIN LATERAL (SELECT key::smallint AS family, value::smallint AS version FROM jsonb_each_text(b.family_versions)) AS v
  WHERE NOT EXISTS (SELECT FROM family_version f WHERE f.family = v.family AND f.version = v.version)
  UNION ALL
  SELECT 0, format('version %s of the models: its text does not have the digest %s', version, sha256)
  FROM models_version WHERE encode(sha256(convert_to(definition, 'UTF8')), 'hex') <> sha256
) AS wrong
ORDER BY id
