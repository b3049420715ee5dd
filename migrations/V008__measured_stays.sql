-- A candidate stands by its latest measured row, until a later one says that its result is wrong: what
-- was quarantined says now whether it was wrong (3), did not run to an end (4), or cannot be read (5).
UPDATE measurement
SET standing = CASE WHEN reason LIKE 'failed:%' OR us = 'Infinity' THEN 4
                    WHEN reason LIKE 'error_above_limit:%' THEN 3
                    ELSE 5 END
WHERE standing = 3;

-- Keys whose winner a migration may have changed: the next start chooses for them again, and what then
-- changes is a revision.
CREATE TABLE unsettled (
  key      uuid NOT NULL,
  provider smallint NOT NULL,
  PRIMARY KEY (key, provider)
);
INSERT INTO unsettled (key, provider)
SELECT DISTINCT m.key, m.provider
FROM measurement m
JOIN run r ON r.id = m.run AND r.active
LEFT JOIN candidate c ON c.key = m.key AND c.provider = m.provider AND c.candidate = m.candidate
WHERE m.standing = 3 OR (m.standing < 2 AND c.standing = 2);
