-- Under the registry's lock. A new one belongs to the owner $2; so does, where this import is upstream's ($3),
-- one whose import in force is not: who took a name first would else replace and revert what upstream imports.
INSERT INTO source AS s (name, owner) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE
SET owner = CASE WHEN $3 AND NOT EXISTS (SELECT FROM run WHERE id = s.head AND trusted)
            THEN excluded.owner ELSE s.owner END
RETURNING id, head, owner
