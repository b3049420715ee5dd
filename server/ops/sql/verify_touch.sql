INSERT INTO touched (key, provider)
SELECT key, provider FROM stored_tuned
