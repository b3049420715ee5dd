-- A new source belongs to the owner $2. If this import is from upstream ($3), $2 also becomes the owner of a source
-- whose import in force is not from upstream. Otherwise the first user of a name could replace and revert imports
-- from upstream. Needs the registry's lock.
INSERT INTO source AS s (name, owner) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE
SET owner = CASE WHEN $3 AND NOT EXISTS (SELECT FROM run WHERE id = s.head AND trusted)
            THEN excluded.owner ELSE s.owner END
RETURNING id, head, owner
