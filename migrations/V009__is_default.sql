-- What runs where nobody has tuned was told by a free text; now it is a boolean of the measurement, and
-- so is that a search over the candidates measured it. A key of which nothing but defaults was measured,
-- outside of any search, is a baseline: it is served, and not tuned.
ALTER TABLE measurement ADD COLUMN is_default boolean NOT NULL DEFAULT false;
ALTER TABLE measurement ADD COLUMN searched boolean NOT NULL DEFAULT false;
UPDATE measurement SET is_default = true WHERE evidence ->> 'reason' = 'default';

ALTER TABLE tuned ADD COLUMN baseline boolean NOT NULL DEFAULT false;
ALTER TABLE tuned_history ADD COLUMN baseline boolean NOT NULL DEFAULT false;
UPDATE tuned t SET baseline = true
FROM measurement n
WHERE n.key = t.key AND n.id = t.measurement AND n.is_default AND t.standing = 0
  AND NOT EXISTS (SELECT FROM measurement m JOIN run r ON r.id = m.run AND r.active
                  WHERE m.key = t.key AND m.provider = t.provider AND m.standing = 0
                    AND NOT m.is_default);
