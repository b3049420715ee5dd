-- Stores the basis of models with digest $1, targets with digest $2 and families in $3 (digests by name). Returns no
-- row if one of these definitions is not in force.
WITH given AS (
  SELECT f.id, v.version
  FROM jsonb_each_text($3::jsonb) AS g(name, sha256)
  JOIN family f USING (name)
  JOIN family_version v ON v.family = f.id AND v.version = f.version AND v.sha256 = g.sha256
), put AS (
  INSERT INTO point_basis (models_version, targets_version, family_versions)
  SELECT m.version, t.version, (SELECT jsonb_object_agg(id, version) FROM given)
  FROM models_version m, (SELECT version, sha256 FROM targets_version ORDER BY version DESC LIMIT 1) AS t
  WHERE m.sha256 = $1 AND t.sha256 = $2
    AND (SELECT count(*) FROM given) = (SELECT count(*) FROM jsonb_object_keys($3::jsonb))
  ON CONFLICT (models_version, targets_version, family_versions) DO UPDATE SET models_version = EXCLUDED.models_version
  RETURNING id
)
SELECT id FROM put
