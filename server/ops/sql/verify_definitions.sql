-- Checks that stored texts match their digests.
SELECT says
FROM (
  SELECT format('version %s of family %s: its text does not have the digest %s', v.version,
                coalesce(f.name, v.family::text),
                v.sha256) AS says
  FROM family_version v LEFT JOIN family f ON f.id = v.family
  WHERE encode(sha256(convert_to(v.definition, 'UTF8')), 'hex') <> v.sha256
  UNION ALL
  SELECT format('version %s of the targets: its text does not have the digest %s', version, sha256)
  FROM targets_version WHERE encode(sha256(convert_to(definition, 'UTF8')), 'hex') <> sha256
  UNION ALL
  SELECT format('build %s@%s: its manifest does not have that digest', name, sha256)
  FROM build WHERE encode(sha256(convert_to(manifest, 'UTF8')), 'hex') <> sha256
  UNION ALL
  SELECT format('family %s is at version %s, which is missing', f.name, f.version)
  FROM family f
  WHERE NOT EXISTS (SELECT FROM family_version v WHERE v.family = f.id AND v.version = f.version)
) AS wrong
