-- What a migration has left to be chosen for again waits for the next start.
INSERT INTO touched (key, provider)
SELECT key, provider FROM stored_tuned EXCEPT SELECT key, provider FROM unsettled
