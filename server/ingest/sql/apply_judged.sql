-- A measurement is never changed; what is thought of it may be.
UPDATE measurement m SET standing = j.standing, reason = nullif(j.reason, '')
FROM judged j WHERE m.key = j.key AND m.id = j.id
