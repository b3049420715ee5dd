-- Last but for the receipt: the row's lock is held for moments, and no number is ever skipped.
UPDATE registry SET revision = revision + 1, evidence = evidence + 1 RETURNING revision
