-- New versions of tools on a gfx, each with its first run. Returns the newest $2 of the last $1 days. Leaves out the
-- first version of each tool. $3: members of the provenance that are versions.
SELECT gfx, name, version, id, received FROM (
  SELECT DISTINCT ON (gfx, name, version) gfx, name, version, id, received,
         row_number() OVER (PARTITION BY gfx, name ORDER BY received, id) AS place
  FROM (SELECT r.id, r.received, r.provenance ->> 'gfx' AS gfx, n.name, r.provenance ->> n.name AS version
        FROM run r, unnest($3::text[]) AS n(name)
        WHERE r.provenance ? 'gfx' AND r.provenance ? n.name) AS said
  ORDER BY gfx, name, version, received, id
) AS first
WHERE place > 1 AND received > now() - $1 * interval '1 day'
ORDER BY received DESC, id DESC, name LIMIT $2
